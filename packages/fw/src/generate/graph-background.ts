import type { App, DeclarationRef, Package } from "../model/app.ts";
import type { Source } from "../model/background.ts";

/** The background work of a package; each part absent where there is none. */
export interface GraphBackground {
  readonly buckets?: readonly GraphSource[];
  readonly queues?: readonly GraphSource[];
  readonly topics?: readonly GraphSource[];
  readonly jobs?: readonly GraphSource[];
  readonly receivers?: readonly GraphConsumer[];
  readonly crons?: readonly GraphCron[];
  readonly singletons?: readonly GraphSingleton[];
}

interface GraphSource {
  readonly name: string;
  /** The services that get its messages, or are told of its uploads; the dead ones aside. */
  readonly receivers: readonly string[];
  /** `module:line` of the declaration. */
  readonly at: string;
}

interface GraphConsumer {
  readonly kind: "worker" | "subscribe" | "runner";
  readonly service: string;
  /** Such as `queue emails` or `event bucket.uploaded:photos`. */
  readonly source: string;
  readonly at: string;
}

interface GraphCron {
  readonly name: string;
  readonly schedule: string;
  readonly timezone: string;
  readonly at: string;
}

interface GraphSingleton {
  readonly name: string;
  readonly service: string;
  readonly at: string;
}

/** What packages do in the background, with the services that receive something, of whatever package. */
export function backgroundsOf({ packages }: App): (part: Package) => GraphBackground {
  const services = new Map<string, string[]>();
  for (const { source, service } of packages.flatMap((part) => part.consumers ?? [])) {
    const known = services.get(written(source));
    if (known) known.push(service);
    else services.set(written(source), [service]);
  }
  return (part) => backgroundOf(part, (source) => services.get(source) ?? []);
}

function backgroundOf(part: Package, consumersOf: (source: string) => readonly string[]): GraphBackground {
  const { buckets = [], destinations = [], consumers = [], crons = [], singletons = [] } = part;
  const destinationsOf = (wanted: string): readonly GraphSource[] =>
    destinations
      .filter(({ kind }) => kind === wanted)
      .map(({ name, declaration }) => ({ name, receivers: consumersOf(`${wanted} ${name}`), at: at(declaration) }));
  return present({
    buckets: buckets.map(({ name, declaration }) => {
      return { name, receivers: consumersOf(`event bucket.uploaded:${name}`), at: at(declaration) };
    }),
    queues: destinationsOf("queue"),
    topics: destinationsOf("topic"),
    jobs: destinationsOf("job"),
    receivers: consumers.map(({ kind, service, source, declaration }) => {
      return { kind, service, source: written(source), at: at(declaration) };
    }),
    crons: crons.map(({ name, schedule, timezone, declaration }) => {
      return { name, schedule, timezone, at: at(declaration) };
    }),
    singletons: singletons.map(({ name, service, declaration }) => ({ name, service, at: at(declaration) })),
  });
}

/** Without the parts that are empty. */
function present(all: Required<GraphBackground>): GraphBackground {
  return Object.fromEntries(Object.entries(all).filter(([, parts]) => parts.length > 0));
}

function written({ kind, name }: Source): string {
  return `${kind} ${name}`;
}

function at({ module, at }: DeclarationRef): string {
  return `${module}:${at.line}`;
}

/** One line for each declaration, for a person. */
export function backgroundLines(background: GraphBackground): readonly string[] {
  const { buckets = [], queues = [], topics = [], jobs = [], receivers = [], crons = [], singletons = [] } = background;
  return [
    ...buckets.map((each) => sourceLine("bucket", each)),
    ...queues.map((each) => sourceLine("queue", each)),
    ...topics.map((each) => sourceLine("topic", each)),
    ...jobs.map((each) => sourceLine("job", each)),
    ...receivers.map(({ kind, service, source, at }) => `  ${kind} ${service}  of ${source}  ${at}`),
    ...crons.map(({ name, schedule, timezone, at }) => `  cron ${name}  ${schedule}  ${timezone}  ${at}`),
    ...singletons.map(({ name, service, at }) => `  singleton ${name}  ${service}  ${at}`),
  ];
}

function sourceLine(kind: string, { name, receivers, at }: GraphSource): string {
  const to = receivers.length === 0 ? "to nobody" : `to ${receivers.join(", ")}`;
  return kind === "bucket" && receivers.length === 0 ? `  bucket ${name}  ${at}` : `  ${kind} ${name}  ${to}  ${at}`;
}
