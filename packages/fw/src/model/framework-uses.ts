import type { App } from "./app.ts";
import { allOfKind, consumersOf, declarationKey, ofKind } from "./declarations.ts";
import { grantsOf, readingOperations } from "./grants.ts";
import { servicesOf, signInService, type Service } from "./services.ts";
import type { EntryUses, Use } from "./uses.ts";
import { readsSessions } from "./visitors.ts";

/** Something that the framework does for a service, beside what the service's code uses. */
export interface FrameworkUse {
  /**
   * Documents of a kind of the framework's own, objects, the accounts, a lease, an event that is published, or a job.
   */
  readonly kind: "entity" | "bucket" | "users" | "lease" | "event" | "job";
  /**
   * The documents' kind, the bucket's or the job's name, the lease's name up to its first space, or the event's name;
   * of users "".
   */
  readonly name: string;
  /**
   * Sorted. Of entities, buckets, users and jobs as in `operations`, and `signIn` and `testUser` of users; `hold` of a
   * lease, `send` of an event.
   */
  readonly operations: readonly string[];
}

/** What the framework needs for a service, by what the application's code uses. */
export function frameworkUses(app: App, service: Service, uses: readonly EntryUses[]): readonly FrameworkUse[] {
  const isApp = service.kind === "app";
  const beginsSessions = service.name === signInService(app)?.name;
  const accounts = grantsOf(service, uses).filter(({ kind }) => kind === "users");
  const managed = new Set(accounts.flatMap(({ operations }) => operations));
  const singleton = ofKind(service.package, "singleton").find((singleton) => singleton.service === service.name);
  const visited = readsSessions(app, service, uses);
  return merged([
    ...(visited ? visits : []),
    ...(visited && hasSockets(service) ? [watches] : []),
    ...(beginsSessions ? signIns(app) : []),
    ...[...managed].flatMap((operation) => managing[operation] ?? []),
    ...(isApp && ofKind(service.package, "cron").length > 0 ? [entity("_fw_ticks", "create", "get", "update")] : []),
    ...(singleton ? [use("lease", `singleton:${singleton.name}`, "hold")] : []),
  ]);
}

/** Who it is that comes: a session that is marked stale is read from its account again, or ends with it. */
const visits: readonly FrameworkUse[] = [entity("_fw_sessions", "delete", "get", "update"), use("users", "", "get")];

/** Looking for changed accounts while sockets are open. */
const watches: FrameworkUse = entity("_fw_session_marks", "query");

/** Telling once that there is an account. */
const registers: readonly FrameworkUse[] = [
  entity("_fw_registered", "create", "get"),
  use("event", "auth.registered", "send"),
];

/** Signing in and out. With the social provider people make their accounts themselves. */
function signIns({ packages }: App): readonly FrameworkUse[] {
  return [
    entity("_fw_sessions", "create", "delete"),
    entity("_fw_session_marks", "get"),
    entity("_fw_seen", "create", "get"),
    use("users", "", "get", "signIn"),
    use("event", "auth.first-sign-in", "send"),
    ...(allOfKind(packages, "auth").some(({ social }) => social) ? registers : []),
  ];
}

const stale: readonly FrameworkUse[] = [
  use("lease", "account", "hold"),
  entity("_fw_sessions", "get", "query", "update"),
  entity("_fw_session_marks", "put"),
];

const ended: readonly FrameworkUse[] = [entity("_fw_sessions", "delete", "query"), entity("_fw_session_marks", "put")];

/** What else happens when accounts change. */
const managing: Readonly<Record<string, readonly FrameworkUse[]>> = {
  create: registers,
  grant: stale,
  revoke: stale,
  disable: ended,
  delete: [...ended, entity("_fw_seen", "delete"), entity("_fw_registered", "delete")],
  "tokens.create": [entity("_fw_sessions", "create"), entity("_fw_session_marks", "get"), use("users", "", "get")],
  "tokens.list": [entity("_fw_sessions", "query")],
  "tokens.revoke": ended,
};

/**
 * The framework's own documents that a service needs in the cloud, where a laptop keeps the same facts beside the
 * documents: the key that seals cursors and forms, the outbox of transactions, and the proofs of commits.
 */
export function cloudUses(app: App, service: Service, uses: readonly EntryUses[]): readonly FrameworkUse[] {
  const all = [...grantsOf(service, uses), ...frameworkUses(app, service, uses)];
  const own = new Set(service.entries.map(declarationKey));
  const transacts = uses.some((entry) => entry.transacts && own.has(declarationKey(entry)));
  // What the framework tells by itself it tells in transactions.
  const posts = all.some(({ kind }) => kind === "event" || (transacts && isSent.has(kind)));
  const lists = all.some(
    ({ kind, operations }) =>
      (kind === "entity" && operations.includes("query")) || (kind === "users" && operations.includes("list")),
  );
  return [
    ...(lists || (hasForms(service) && all.some(isKept)) ? [entity("_fw_keys", "create", "get")] : []),
    ...(posts ? [entity("_fw_outbox", "create", "delete", "query", "update")] : []),
    ...(posts || all.some(commits) ? [entity("_fw_commits", "create", "get")] : []),
  ];
}

/** What transactions send to. */
const isSent: ReadonlySet<string> = new Set(["queue", "topic", "job"]);

/** Whether the use ends in commits of documents; a transaction under a lease commits although it may write none. */
function commits({ kind, operations }: Pick<FrameworkUse, "operations"> & { readonly kind: string }): boolean {
  return kind === "lease" || (kind === "entity" && operations.some((operation) => !readingOperations.has(operation)));
}

/** Whether what is used is the platform's: a service that uses nothing of it opens none. */
function isKept({ kind }: { readonly kind: string }): boolean {
  return kind !== "endpoint" && kind !== "secret";
}

function hasSockets({ package: own, kind }: Service): boolean {
  return kind === "app" && ofKind(own, "socket").length > 0;
}

/** Whether a service has pages that take forms. */
function hasForms({ package: own, kind }: Service): boolean {
  if (kind !== "app") return false;
  return ofKind(own, "page").some(({ route: { method } }) => method !== "GET" && method !== "HEAD");
}

/**
 * What a service needs besides where it stands in for the cloud: test users sign in, one service answers the signed
 * URLs of all, and a runner starts its job for a command.
 */
export function laptopUses(app: App, service: Service, uses: readonly EntryUses[]): readonly FrameworkUse[] {
  const services = servicesOf(app).filter(({ kind }) => kind === "app");
  const answering = services.find((service) => ofKind(service.package, "bucket").length > 0) ?? services[0];
  return merged([
    ...(service.name === signInService(app)?.name ? [use("users", "", "testUser")] : []),
    ...(service.name === answering?.name ? uses.flatMap((use) => use.uses).flatMap(transfer) : []),
    ...(service.kind === "runner" ? jobsOf(service).map((name) => use("job", name, "start")) : []),
  ]);
}

function jobsOf({ name, package: pkg }: Service): readonly string[] {
  return consumersOf(pkg)
    .filter((consumer) => consumer.service === name)
    .map(({ source }) => source.name);
}

function transfer({ kind, name, operation }: Use): readonly FrameworkUse[] {
  if (kind !== "bucket") return [];
  if (operation === "signedPut") return [use("bucket", name, "put")];
  return operation === "signedGet" ? [use("bucket", name, "get")] : [];
}

function entity(name: string, ...operations: readonly string[]): FrameworkUse {
  return use("entity", name, ...operations);
}

function use(kind: FrameworkUse["kind"], name: string, ...operations: readonly string[]): FrameworkUse {
  return { kind, name, operations };
}

function merged(uses: readonly FrameworkUse[]): readonly FrameworkUse[] {
  const found = new Map<string, FrameworkUse>();
  for (const use of uses) {
    const key = `${use.kind}\0${use.name}`;
    const operations = new Set([...(found.get(key)?.operations ?? []), ...use.operations]);
    found.set(key, { ...use, operations: [...operations].toSorted() });
  }
  return [...found.values()];
}
