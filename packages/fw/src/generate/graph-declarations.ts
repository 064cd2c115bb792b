import type { App, Declaration, DeclarationRef, Package } from "../model/app.ts";
import type { Source } from "../model/background.ts";
import { consumersOf, ofKind, type OfKind } from "../model/declarations.ts";

/** What a package declares, by what the graph calls its kind; each absent where there is none. */
export type GraphDeclarations = { readonly [Key in keyof Rows]?: readonly Rows[Key][] };

interface Rows {
  readonly auth: Placed & {
    /** As `user.provider` has them. */
    readonly providers: readonly ("social" | "email")[];
  };
  readonly roles: Named;
  readonly secrets: Named;
  readonly entities: Named & { readonly id: string; readonly indexed: readonly string[] };
  readonly buckets: WithConsumers;
  readonly queues: WithConsumers;
  readonly topics: WithConsumers;
  readonly jobs: WithConsumers;
  readonly receivers: Placed & {
    readonly kind: "worker" | "subscribe" | "runner";
    readonly service: string;
    /** Such as `queue emails` or `event bucket.uploaded:photos`. */
    readonly source: string;
  };
  readonly crons: Named & { readonly schedule: string; readonly timezone: string };
  readonly singletons: Named & { readonly service: string };
  readonly counters: Named;
  readonly histograms: Named;
}

interface Section<Row> {
  readonly rows: (pkg: Package, app: Consumers) => readonly Row[];
  /** For a person. */
  line(row: Row): string;
}

/** The services that get the messages of a destination, of whatever package, in source order. */
type Consumers = (destination: string) => readonly string[];

interface Placed {
  /** `module:line` of the declaration. */
  readonly at: string;
}

interface Named extends Placed {
  readonly name: string;
}

interface WithConsumers extends Named {
  /** The services that get its messages, or are told of its uploads; the dead ones aside. */
  readonly receivers: readonly string[];
}

/** What is listed of each kind, in the order of the graph. */
const sections: { readonly [Key in keyof Rows]: Section<Rows[Key]> } = {
  auth: section(
    ["auth"],
    ({ social, password }) => {
      return { providers: [...(social ? (["social"] as const) : []), ...(password ? (["email"] as const) : [])] };
    },
    ({ providers, at }) => `sign-in by ${providers.join(", ")}  ${at}`,
  ),
  roles: names("role"),
  secrets: names("secret"),
  entities: section(
    ["entity"],
    ({ name, id, indexed }) => ({ name, id, indexed: indexed.map((field) => field.name) }),
    ({ name, indexed, at }) =>
      `entity ${name}  ${indexed.length === 0 ? "no indexes" : `by ${indexed.join(", ")}`}  ${at}`,
  ),
  buckets: section(
    ["bucket"],
    ({ name }, consumers) => ({ name, receivers: consumers(`event bucket.uploaded:${name}`) }),
    (row) => (row.receivers.length === 0 ? `bucket ${row.name}  ${row.at}` : destinationLine("bucket", row)),
  ),
  queues: destinations("queue"),
  topics: destinations("topic"),
  jobs: destinations("job"),
  receivers: section(
    ["worker", "subscribe", "runner"],
    ({ kind, service, source }) => ({ kind, service, source: written(source) }),
    ({ kind, service, source, at }) => `${kind} ${service}  of ${source}  ${at}`,
  ),
  crons: section(
    ["cron"],
    ({ name, schedule, timezone }) => ({ name, schedule, timezone }),
    ({ name, schedule, timezone, at }) => `cron ${name}  ${schedule}  ${timezone}  ${at}`,
  ),
  singletons: section(
    ["singleton"],
    ({ name, service }) => ({ name, service }),
    ({ name, service, at }) => `singleton ${name}  ${service}  ${at}`,
  ),
  counters: names("counter"),
  histograms: names("histogram"),
};

function section<Kind extends Declaration["kind"], Facts extends object>(
  kinds: readonly Kind[],
  factsOf: (declared: OfKind<Kind>, consumers: Consumers) => Facts,
  line: (row: Facts & Placed) => string,
): Section<Facts & Placed> {
  return {
    rows: (pkg, consumers) =>
      ofKind(pkg, ...kinds).map((each) => ({ ...factsOf(each, consumers), at: placeOf(each.declaration) })),
    line,
  };
}

function destinations(kind: "queue" | "topic" | "job"): Section<WithConsumers> {
  return section(
    [kind],
    ({ name }, consumers) => ({ name, receivers: consumers(`${kind} ${name}`) }),
    (row) => destinationLine(kind, row),
  );
}

function destinationLine(kind: string, { name, receivers, at }: WithConsumers): string {
  return `${kind} ${name}  ${receivers.length === 0 ? "to nobody" : `to ${receivers.join(", ")}`}  ${at}`;
}

function names(kind: "role" | "secret" | "counter" | "histogram"): Section<Named> {
  return section(
    [kind],
    ({ name }) => ({ name }),
    ({ name, at }) => `${kind} ${name}  ${at}`,
  );
}

/** A queue, a topic, a job or an event, such as `queue emails` or `event bucket.uploaded:photos`. */
function written({ kind, name }: Source): string {
  return `${kind} ${name}`;
}

function placeOf({ module, at }: DeclarationRef): string {
  return `${module}:${at.line}`;
}

/** What each package of an application declares. */
export function graphDeclarations({ packages }: App): (pkg: Package) => GraphDeclarations {
  const services = new Map<string, string[]>();
  for (const { source, service } of packages.flatMap(consumersOf)) {
    const known = services.get(written(source));
    if (known) known.push(service);
    else services.set(written(source), [service]);
  }
  const consumers: Consumers = (destination) => services.get(destination) ?? [];
  return (pkg) => {
    const all = Object.entries(sections).map(([key, { rows }]) => [key, rows(pkg, consumers)] as const);
    return Object.fromEntries(all.filter(([, rows]) => rows.length > 0)) as GraphDeclarations;
  };
}

/** One line for each declaration, for a person. */
export function declarationLines(declared: GraphDeclarations): readonly string[] {
  return Object.entries(sections).flatMap(([key, section]) => {
    const rows = declared[key as keyof typeof sections] ?? [];
    const typed = section as Section<(typeof rows)[number]>;
    return rows.map((row) => `  ${typed.line(row)}`);
  });
}
