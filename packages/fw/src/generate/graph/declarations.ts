import { grouped } from "../../lib/grouped.ts";
import { eventName } from "../../lib/events.ts";
import { conditionText } from "../../lib/alert-rule.ts";
import { formatDuration } from "../../lib/duration.ts";
import { alertRules } from "../../model/alert-rules.ts";
import type { App, Declaration, DeclarationRef, Package } from "../../model/app.ts";
import { credentialsOf } from "../../model/auth.ts";
import type { Source } from "../../model/background.ts";
import { consumersOf, ofKind, type OfKind } from "../../model/declarations.ts";
import type { IndexedField } from "../../model/entity.ts";

/** What a package declares, by what the graph calls its kind; each absent where there is none. */
export type GraphDeclarations = { readonly [Key in keyof Rows]?: readonly Rows[Key][] };

interface Rows {
  readonly auth: Placed & {
    /** As `user.provider` has them. */
    readonly providers: readonly ("social" | "email")[];
    /** Present where it has access tokens. */
    readonly tokens?: true;
  };
  readonly authenticators: Named & {
    /** Such as `header X-Api-Key`. */
    readonly credentials: readonly string[];
  };
  readonly roles: Named;
  readonly secrets: Named;
  readonly entities: Named & {
    readonly id: string;
    readonly indexed: readonly string[];
    readonly unique?: readonly string[];
  };
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
  readonly channels: Named & { readonly email: string | null; readonly webhook: string | null };
  readonly alerts: Named & {
    /** Such as `ratio of POST /orders 5xx above 0.02`. */
    readonly if: string;
    readonly every: string;
    readonly for: string;
    readonly notify: readonly string[];
  };
}

interface Section<Row> {
  readonly rows: (pkg: Pick<Package, "declarations">, app: Around) => readonly Row[];
  /** For a person. */
  line(row: Row): string;
}

/** What a row says of other packages than its own. */
interface Around {
  /** The services that get the messages of a destination, in source order. */
  readonly consumers: (destination: string) => readonly string[];
  /** The conditions of alerts in words, by name. */
  readonly conditions: ReadonlyMap<string, string>;
}

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

/** Of an alert that fires at once. */
const none = formatDuration(0);

/** What is listed of each kind, in the order of the graph. */
const sections: { readonly [Key in keyof Rows]: Section<Rows[Key]> } = {
  auth: section(
    ["auth"],
    ({ social, password, tokens }) => {
      const providers = [...(social ? (["social"] as const) : []), ...(password ? (["email"] as const) : [])];
      return { providers, ...(tokens ? { tokens } : {}) };
    },
    ({ providers, tokens, at }) => `sign-in by ${providers.join(", ")}${tokens ? ", access tokens" : ""}  ${at}`,
  ),
  authenticators: section(
    ["authenticator"],
    (declared) => ({ name: declared.declaration.variable, credentials: credentialsOf(declared) }),
    ({ name, credentials, at }) => `authenticator ${name}  by ${credentials.join(", ")}  ${at}`,
  ),
  roles: names("role"),
  secrets: names("secret"),
  entities: section(
    ["entity"],
    ({ name, id, indexed }) => ({
      name,
      id,
      indexed: indexed.map((field) => field.name),
      ...uniqueOf(indexed),
    }),
    ({ name, indexed, unique = [], at }) =>
      `entity ${name}  ${indexed.length === 0 ? "no indexes" : `by ${indexed.join(", ")}`}${
        unique.length === 0 ? "" : `, unique ${unique.join(", ")}`
      }  ${at}`,
  ),
  buckets: section(
    ["bucket"],
    ({ name }, { consumers }) => ({ name, receivers: consumers(`event ${eventName("bucket.uploaded", name)}`) }),
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
  channels: section(
    ["channel"],
    ({ name, to }) => ({ name, email: null, webhook: null, ...to }),
    ({ name, email, webhook, at }) => `channel ${name}  to ${email ?? `the URL in ${webhook}`}  ${at}`,
  ),
  alerts: section(
    ["alert"],
    ({ name, every, for: held, notify }, { conditions }) => {
      return { name, if: conditions.get(name) ?? "", every: formatDuration(every), for: formatDuration(held), notify };
    },
    ({ name, if: condition, every, for: held, notify, at }) =>
      `alert ${name}  ${condition}, every ${every}${held === none ? "" : ` for ${held}`}  to ${notify.join(", ")}  ${at}`,
  ),
};

function section<Kind extends Declaration["kind"], Facts extends object>(
  kinds: readonly Kind[],
  factsOf: (declared: OfKind<Kind>, app: Around) => Facts,
  line: (row: Facts & Placed) => string,
): Section<Facts & Placed> {
  return {
    rows: (pkg, app) =>
      ofKind(pkg, ...kinds).map((declared) => ({ ...factsOf(declared, app), at: placeOf(declared.declaration) })),
    line,
  };
}

function destinations(kind: "queue" | "topic" | "job"): Section<WithConsumers> {
  return section(
    [kind],
    ({ name }, { consumers }) => ({ name, receivers: consumers(`${kind} ${name}`) }),
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

/** `module:line` of a declaration. */
export function placeOf({ module, at }: DeclarationRef): string {
  return `${module}:${at.line}`;
}

/** What each package of an application declares. */
export function graphDeclarations(app: App): (pkg: Pick<Package, "declarations">) => GraphDeclarations {
  const around = aroundOf(app);
  return (pkg) => {
    const all = Object.entries(sections).map(([key, { rows }]) => [key, rows(pkg, around)] as const);
    return Object.fromEntries(all.filter(([, rows]) => rows.length > 0)) as GraphDeclarations;
  };
}

/** The line of one declaration without its place; undefined for a kind that the graph tells otherwise. */
export function declarationLine(app: App, declared: Declaration): string | undefined {
  const [line] = declarationLines(graphDeclarations(app)({ declarations: [declared] }));
  return line?.slice(0, line.lastIndexOf(placeOf(declared.declaration))).trim();
}

function aroundOf(app: App): Around {
  const consumers = grouped(app.packages.flatMap(consumersOf), ({ source }) => written(source));
  const conditions = new Map(alertRules(app).map(({ name, condition }) => [name, conditionText(condition)]));
  return {
    consumers: (destination) => (consumers.get(destination) ?? []).map(({ service }) => service),
    conditions,
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

/** Fields of which a value is one document's; nothing where there are none. */
function uniqueOf(indexed: readonly IndexedField[]): { readonly unique?: readonly string[] } {
  const unique = indexed.filter((field) => field.unique).map(({ name }) => name);
  return unique.length === 0 ? {} : { unique };
}
