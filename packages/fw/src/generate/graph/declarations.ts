import { grouped } from "../../lib/grouped.ts";
import { eventName } from "../../lib/events.ts";
import { conditionText } from "../../lib/alert-rule.ts";
import { formatDuration } from "../../lib/duration.ts";
import { alertRules } from "../../model/alert-rules.ts";
import type { App, Declaration, DeclarationRef, Package } from "../../model/app.ts";
import { credentialsOf } from "../../model/auth.ts";
import type { Source } from "../../model/background.ts";
import { consumersOf, ofKind, type OfKind } from "../../model/declarations.ts";
import { searchedFields } from "../../lib/derived-indexes.ts";
import { fieldOfUnique, isTenantProperty } from "../../lib/tenant-fields.ts";
import type { IndexedField } from "../../model/entity.ts";
import type { Separated } from "../../model/tenant.ts";

/** A package's declarations, by their key in the graph; absent if there are none. */
export type GraphDeclarations = { readonly [Key in keyof Rows]?: readonly Rows[Key][] };

interface Rows {
  readonly auth: Placed & {
    /** The ways to sign in, as in `user.provider`. */
    readonly providers: readonly ("social" | "email")[];
    /** Present if access tokens are enabled. */
    readonly tokens?: true;
    /** Present if users manage their own accounts. */
    readonly account?: true;
    /** Present if users can create accounts. */
    readonly signUp?: true;
  };
  readonly authenticators: NamedRow & {
    /** For example `header X-Api-Key`. */
    readonly credentials: readonly string[];
  };
  readonly roles: NamedRow;
  readonly secrets: NamedRow;
  readonly tenants: NamedRow & {
    /** The request field that holds the tenant's id. */
    readonly field: string;
  };
  readonly entities: NamedRow & {
    readonly id: string;
    readonly indexed: readonly string[];
    readonly unique?: readonly string[];
    /** The Tenant that separates the documents; absent for shared documents. */
    readonly tenant?: string;
  };
  readonly buckets: WithConsumers;
  readonly queues: WithConsumers;
  readonly topics: WithConsumers;
  readonly jobs: WithConsumers & {
    /** How long ended runs stay recorded, in milliseconds; absent if they are not recorded. */
    readonly history?: number;
  };
  readonly receivers: Placed & {
    readonly kind: "worker" | "subscribe" | "runner";
    readonly service: string;
    /** For example `queue emails` or `event bucket.uploaded:photos`. */
    readonly source: string;
  };
  readonly crons: NamedRow & {
    /** A schedule in the five fields of crontab. */
    readonly schedule: string;
    /** For example `every 15m`, if the source has an interval. */
    readonly sentence?: string;
    readonly timezone: string;
  };
  readonly singletons: NamedRow & { readonly service: string };
  readonly limits: NamedRow & Separated & { readonly rate: string };
  readonly feeds: NamedRow & Separated;
  readonly mails: NamedRow;
  readonly seeds: NamedRow;
  readonly counters: NamedRow;
  readonly histograms: NamedRow;
  readonly channels: NamedRow & { readonly email: string | null; readonly webhook: string | null };
  readonly alerts: NamedRow & {
    /** For example `ratio of POST /orders 5xx above 0.02`. */
    readonly if: string;
    readonly every: string;
    readonly for: string;
    readonly notify: readonly string[];
  };
}

interface Section<Row> {
  readonly rows: (pkg: Pick<Package, "declarations">, app: GraphContext) => readonly Row[];
  /** Formats the row for the text output. */
  line(row: Row): string;
}

/** Facts from all packages of the application. */
interface GraphContext {
  /** The services that receive messages of a destination, in source order. */
  readonly consumers: (destination: string) => readonly string[];
  /** The conditions of alerts in words, by name. */
  readonly conditions: ReadonlyMap<string, string>;
}

interface Placed {
  readonly at: string;
}

interface NamedRow extends Placed {
  readonly name: string;
}

interface WithConsumers extends NamedRow {
  /** The Tenant that separates the messages or objects; absent if they are shared. */
  readonly tenant?: string;
  /** The services that receive its messages or upload events, without receivers of dead letters. */
  readonly receivers: readonly string[];
}

/** The `for` of alerts that fire immediately. */
const none = formatDuration(0);

/** The rows and lines of each kind, in the order of the graph. */
const sections: { readonly [Key in keyof Rows]: Section<Rows[Key]> } = {
  auth: section(
    ["auth"],
    ({ social, password, tokens, account, signUp }) => {
      const providers = [...(social ? (["social"] as const) : []), ...(password ? (["email"] as const) : [])];
      return {
        providers,
        ...(tokens ? { tokens } : {}),
        ...(account ? { account } : {}),
        ...(signUp ? { signUp } : {}),
      };
    },
    ({ providers, tokens, account, signUp, at }) =>
      `sign-in by ${[
        ...providers,
        ...(tokens ? ["access tokens"] : []),
        ...(account ? ["account pages"] : []),
        ...(signUp ? ["sign-up"] : []),
      ].join(", ")}  ${at}`,
  ),
  authenticators: section(
    ["authenticator"],
    (declared) => ({ name: declared.declaration.variable, credentials: credentialsOf(declared) }),
    ({ name, credentials, at }) => `authenticator ${name}  by ${credentials.join(", ")}  ${at}`,
  ),
  roles: names("role"),
  secrets: names("secret"),
  tenants: section(
    ["tenant"],
    ({ name, field }) => ({ name, field }),
    ({ name, field, at }) => `tenant ${name}  by ${field}  ${at}`,
  ),
  entities: section(
    ["entity"],
    ({ name, id, indexed, tenant, refs = [] }) => ({
      name,
      id,
      indexed: indexed.map((field) => field.name).filter((field) => !isDerivedProperty(field)),
      ...searchOf(indexed),
      ...uniqueOf(indexed),
      ...(refs.length > 0 && { refs }),
      ...(tenant !== undefined && { tenant }),
    }),
    ({ name, indexed, unique = [], search = [], refs = [], tenant, at }) =>
      `entity ${name}  ${indexed.length === 0 ? "no indexes" : `by ${indexed.join(", ")}`}${
        unique.length === 0 ? "" : `, unique ${unique.join(", ")}`
      }${search.length === 0 ? "" : `, search ${search.join(", ")}`}${refs.map(({ field, entity }) => `, ${field} of ${entity}`).join("")}${tenantText(tenant)}  ${at}`,
  ),
  buckets: section(
    ["bucket"],
    ({ name, tenant }, { consumers }) => ({
      name,
      receivers: consumers(`event ${eventName("bucket.uploaded", name)}`),
      ...(tenant !== undefined && { tenant }),
    }),
    ({ name, receivers, tenant, at }) => {
      const to = receivers.length === 0 ? "" : `  to ${receivers.join(", ")}`;
      return `bucket ${name}${to}${tenantText(tenant, to === "" ? "  " : ", ")}  ${at}`;
    },
  ),
  queues: destinations("queue"),
  topics: destinations("topic"),
  jobs: section(
    ["job"],
    ({ name, history, tenant }, { consumers }) => ({
      name,
      receivers: consumers(`job ${name}`),
      ...(tenant !== undefined && { tenant }),
      ...(history !== undefined && { history }),
    }),
    (row) => destinationLine("job", row),
  ),
  receivers: section(
    ["worker", "subscribe", "runner"],
    ({ kind, service, source }) => ({ kind, service, source: sourceLabel(source) }),
    ({ kind, service, source, at }) => `${kind} ${service}  of ${source}  ${at}`,
  ),
  crons: section(
    ["cron"],
    ({ name, schedule, sentence, timezone }) => ({
      name,
      schedule,
      ...(sentence === undefined ? {} : { sentence }),
      timezone,
    }),
    ({ name, schedule, sentence, timezone, at }) => `cron ${name}  ${sentence ?? schedule}  ${timezone}  ${at}`,
  ),
  singletons: section(
    ["singleton"],
    ({ name, service }) => ({ name, service }),
    ({ name, service, at }) => `singleton ${name}  ${service}  ${at}`,
  ),
  limits: section(
    ["limit"],
    ({ name, rate, tenant }) => ({ name, rate, ...(tenant !== undefined && { tenant }) }),
    ({ name, rate, tenant, at }) => `limit ${name}  ${rate}${tenantText(tenant)}  ${at}`,
  ),
  feeds: section(
    ["feed"],
    ({ name, tenant }) => ({ name, ...(tenant !== undefined && { tenant }) }),
    ({ name, tenant, at }) => `feed ${name}${tenantText(tenant, "  ")}  ${at}`,
  ),
  mails: names("mail"),
  seeds: names("seed"),
  counters: names("counter"),
  histograms: names("histogram"),
  channels: section(
    ["channel"],
    ({ name, to }) => ({ name, email: null, webhook: null, ...to }),
    ({ name, email, webhook, at }) => `channel ${name}  to ${email ?? `the URL in ${webhook}`}  ${at}`,
  ),
  alerts: section(
    ["alert"],
    ({ name, every, for: duration, notify }, { conditions }) => {
      return {
        name,
        if: conditions.get(name) ?? "",
        every: formatDuration(every),
        for: formatDuration(duration),
        notify,
      };
    },
    ({ name, if: condition, every, for: duration, notify, at }) =>
      `alert ${name}  ${condition}, every ${every}${duration === none ? "" : ` for ${duration}`}  to ${notify.join(", ")}  ${at}`,
  ),
};

function section<Kind extends Declaration["kind"], Facts extends object>(
  kinds: readonly Kind[],
  factsOf: (declared: OfKind<Kind>, app: GraphContext) => Facts,
  line: (row: Facts & Placed) => string,
): Section<Facts & Placed> {
  return {
    rows: (pkg, app) =>
      ofKind(pkg, ...kinds).map((declared) => ({ ...factsOf(declared, app), at: placeOf(declared.declaration) })),
    line,
  };
}

function destinations(kind: "queue" | "topic"): Section<WithConsumers> {
  return section(
    [kind],
    ({ name, tenant }, { consumers }) => ({
      name,
      receivers: consumers(`${kind} ${name}`),
      ...(tenant !== undefined && { tenant }),
    }),
    (row) => destinationLine(kind, row),
  );
}

function destinationLine(
  kind: string,
  { name, receivers, tenant, history, at }: WithConsumers & { readonly history?: number },
): string {
  const to = receivers.length === 0 ? "without receivers" : `to ${receivers.join(", ")}`;
  const runs = history === undefined ? "" : `, records runs for ${formatDuration(history)}`;
  return `${kind} ${name}  ${to}${tenantText(tenant)}${runs}  ${at}`;
}

function tenantText(tenant: string | undefined, separator = ", "): string {
  return tenant === undefined ? "" : `${separator}of tenants ${tenant}`;
}

function names(kind: "role" | "secret" | "mail" | "seed" | "counter" | "histogram"): Section<NamedRow> {
  return section(
    [kind],
    ({ name }) => ({ name }),
    ({ name, at }) => `${kind} ${name}  ${at}`,
  );
}

/** Formats a queue, a topic, a job or an event, such as `queue emails` or `event bucket.uploaded:photos`. */
function sourceLabel({ kind, name }: Source): string {
  return `${kind} ${name}`;
}

/** Formats the location of a declaration as `module:line`. */
export function placeOf({ module, at }: DeclarationRef): string {
  return `${module}:${at.line}`;
}

export function graphDeclarations(app: App): (pkg: Pick<Package, "declarations">) => GraphDeclarations {
  const context = graphContext(app);
  return (pkg) => {
    const all = Object.entries(sections).map(([key, { rows }]) => [key, rows(pkg, context)] as const);
    return Object.fromEntries(all.filter(([, rows]) => rows.length > 0)) as GraphDeclarations;
  };
}

/** Formats a declaration without its location; undefined if the graph shows the kind elsewhere. */
export function declarationLine(app: App, declared: Declaration): string | undefined {
  const [line] = declarationLines(graphDeclarations(app)({ declarations: [declared] }));
  return line?.slice(0, line.lastIndexOf(placeOf(declared.declaration))).trim();
}

function graphContext(app: App): GraphContext {
  const consumers = grouped(app.packages.flatMap(consumersOf), ({ source }) => sourceLabel(source));
  const conditions = new Map(alertRules(app).map(({ name, condition }) => [name, conditionText(condition)]));
  return {
    consumers: (destination) => (consumers.get(destination) ?? []).map(({ service }) => service),
    conditions,
  };
}

export function declarationLines(declarations: GraphDeclarations): readonly string[] {
  return Object.entries(sections).flatMap(([key, section]) => {
    const rows = declarations[key as keyof typeof sections] ?? [];
    const typed = section as Section<(typeof rows)[number]>;
    return rows.map((row) => `  ${typed.line(row)}`);
  });
}

/** True for a property that fw derives from fields. */
function isDerivedProperty(property: string): boolean {
  return isTenantProperty(property) || searchedFields(property) !== undefined;
}

function searchOf(indexed: readonly IndexedField[]): { readonly search?: readonly string[] } {
  const search = indexed.flatMap(({ name }) => searchedFields(name) ?? []);
  return search.length === 0 ? {} : { search };
}

function uniqueOf(indexed: readonly IndexedField[]): { readonly unique?: readonly string[] } {
  const unique = indexed.filter((field) => field.unique).map(({ name }) => fieldOfUnique(name) ?? name);
  return unique.length === 0 ? {} : { unique };
}
