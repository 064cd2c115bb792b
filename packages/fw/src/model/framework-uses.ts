import { searchedFields } from "../lib/derived-indexes.ts";
import type { App } from "./app.ts";
import {
  allOfKind,
  consumersOf,
  declarationKey,
  hasAccountPages,
  hasOncePages,
  ofKind,
  recordedJobs,
} from "./declarations.ts";
import { ruledFields } from "./evolution.ts";
import { grantsOf, readingOperations, type Grant } from "./grants.ts";
import { signedURLService, signInService, type Service } from "./services.ts";
import type { EntryUses, Use } from "./uses.ts";
import { userAccess } from "./user-access.ts";

/** Operations that the framework itself performs on one resource for a service. */
export interface FrameworkUse {
  /** Documents, objects, accounts, a lease, a published event, or a job. */
  readonly kind: "entity" | "bucket" | "users" | "lease" | "event" | "job";
  /**
   * The documents' kind, the bucket's or job's name, the lease's name up to its first space, or the event's name; ""
   * for users.
   */
  readonly name: string;
  /**
   * Sorted. `hold` for a lease, `send` for an event, otherwise as in `operations`; for users also `signIn` and
   * `testUser`.
   */
  readonly operations: readonly string[];
}

/** Returns the framework's own uses for a service, derived from the uses in the application's code. */
export function frameworkUses(app: App, service: Service, uses: readonly EntryUses[]): readonly FrameworkUse[] {
  const isApp = service.kind === "app";
  const beginsSessions = service.name === signInService(app)?.name;
  const grants = grantsOf(service, uses);
  const accounts = grants.filter(({ kind }) => kind === "users");
  const managed = new Set(accounts.flatMap(({ operations }) => operations));
  const singleton = ofKind(service.package, "singleton").find((singleton) => singleton.service === service.name);
  const visited = userAccess(app, service, uses).sessions;
  return mergeUses([
    ...(visited ? visits : []),
    ...(visited && hasSockets(service) ? [watches] : []),
    ...(beginsSessions ? signIns(app) : []),
    ...[...managed].flatMap((operation) => managing[operation] ?? []),
    ...(managed.has("delete") && hasAccountPages(app) ? [entity("_fw_factors", "delete")] : []),
    ...(grants.some(({ kind }) => kind === "limit") ? [entity("_fw_limits", "get", "put")] : []),
    ...grants
      .filter(({ kind }) => kind === "feed")
      .flatMap(({ operations }) => operations.flatMap((each) => feedUses[each] ?? [])),
    ...(isApp && hasOncePages(service.package) ? [entity("_fw_submits", "create", "delete", "get", "put")] : []),
    ...(keyedQueueOf(service, uses) === undefined ? [] : [entity(messageKeys, "delete", "get", "put")]),
    ...runUses(app, service, grants),
    ...(isApp && ofKind(service.package, "cron").length > 0 ? [entity("_fw_ticks", "create", "get", "update")] : []),
    ...(singleton ? [use("lease", `singleton:${singleton.name}`, "hold")] : []),
    ...rewrites(app, grantsOf(service, uses)),
  ]);
}

/**
 * Returns the uses of a front whose services run on other machines: sign-in with the social provider, and sign-out. A
 * front has none without a social provider.
 */
export function frontUses({ packages }: App): readonly FrameworkUse[] {
  if (!allOfKind(packages, "auth").some(({ social }) => social)) return [];
  return [
    entity("_fw_session_marks", "create", "get", "put"),
    entity("_fw_sessions", "delete", "get", "query"),
    use("users", "", "byEmail", "create", "get"),
  ];
}

/** The uses of a feed's log that a follower of the feed needs. */
const feedReads: readonly FrameworkUse[] = [entity("_fw_feeds", "get"), entity("_fw_feed_events", "get")];

const messageKeys = "_fw_message_keys";

/** Returns the name of a queue whose keys a service uses, or of a keyed one that it handles; undefined if none. */
export function keyedQueueOf(service: Service, uses: readonly EntryUses[]): string | undefined {
  const handledNames = handledQueues(service);
  const own = grantsOf(service, uses).find(hasKeys);
  const keyedUses = uses.flatMap((entry) => entry.uses).filter(isKeyed);
  return own?.name ?? keyedUses.find(({ name }) => handledNames.includes(name))?.name;
}

const jobRuns = "_fw_job_runs";

/** Operations on the documents of runs, by the operation on a recorded job. */
const runOperations: Readonly<Record<string, readonly string[]>> = {
  start: ["put"],
  get: ["get"],
  list: ["query"],
  cancel: ["get", "put"],
};

/** Returns the operations on the records of job runs and tasks. A runner also deletes the oldest runs. */
function runUses({ packages }: App, service: Service, grants: readonly Grant[]): readonly FrameworkUse[] {
  const recordedNames = new Set(recordedJobs(packages).map(({ name }) => name));
  const isRunner = service.kind === "runner" && jobsOf(service).some((name) => recordedNames.has(name));
  const own = grants.filter(({ kind, name }) => kind === "job" && recordedNames.has(name));
  const operations = own.flatMap((grant) => grant.operations.flatMap((each) => runOperations[each] ?? []));
  const all = [...operations, ...(isRunner ? ["delete", "get", "put", "query"] : [])];
  return all.length === 0 ? [] : [entity(jobRuns, ...all)];
}

const keyOperations: ReadonlySet<string> = new Set(["cancel", "replace"]);

/** Returns the name of a feed whose presence a service follows; undefined if there is none. */
export function feedWithFollowedPresence(service: Service, uses: readonly EntryUses[]): string | undefined {
  return grantsOf(service, uses).find(
    ({ kind, operations }) => kind === "feed" && operations.includes("followPresence"),
  )?.name;
}

function hasKeys({ kind, operations }: Grant): boolean {
  return kind === "queue" && operations.some((operation) => keyOperations.has(operation));
}

function isKeyed({ kind, operation }: Use): boolean {
  return kind === "queue" && keyOperations.has(operation);
}

function handledQueues({ name, package: pkg }: Service): readonly string[] {
  return consumersOf(pkg)
    .filter(({ service, source }) => service === name && source.kind === "queue")
    .map(({ source }) => source.name);
}

/**
 * The uses by operation on a feed. Publishing appends to the log in a transaction and, if the log is full, deletes its
 * oldest event.
 */
const feedUses: Readonly<Record<string, readonly FrameworkUse[]>> = {
  events: feedReads,
  followPresence: [entity("_fw_feed_presence", "delete", "put", "query")],
  join: [...feedReads, entity("_fw_feed_presence", "delete", "put")],
  presence: [entity("_fw_feed_presence", "query")],
  publish: [entity("_fw_feeds", "get", "put"), entity("_fw_feed_events", "delete", "put")],
};

/** Returns the uses for rewriting queried documents that may lack indexed fields with rules, or search terms. */
function rewrites({ packages, types }: App, grants: readonly Grant[]): readonly FrameworkUse[] {
  const queried = new Set(
    grants.filter(({ kind, operations }) => kind === "entity" && operations.includes("query")).map(({ name }) => name),
  );
  const ruled = allOfKind(packages, "entity").filter(
    (declared) => queried.has(declared.name) && ruledFields(declared, types).size > 0,
  );
  const searched = allOfKind(packages, "entity").filter(
    ({ name, indexed }) => queried.has(name) && indexed.some((field) => searchedFields(field.name) !== undefined),
  );
  return [
    ...searched.map(({ name }) => entity(name, "query", "update")),
    ...ruled.flatMap(({ name }) => [entity(name, "query", "update"), use("lease", "rewrite", "hold")]),
  ];
}

/** Uses for identifying users: a stale session is refreshed from its account, or deleted if the account is gone. */
const visits: readonly FrameworkUse[] = [entity("_fw_sessions", "delete", "get", "update"), use("users", "", "get")];

/** The use for noticing changed accounts while sockets are open. */
const watches: FrameworkUse = entity("_fw_session_marks", "query");

/** Uses for publishing `auth.registered` only once per account. */
const registers: readonly FrameworkUse[] = [
  entity("_fw_registered", "create", "get"),
  use("event", "auth.registered", "send"),
];

/** Uses of the account pages and of second factors at sign-in. */
const accountPages: readonly FrameworkUse[] = [
  entity("_fw_links", "delete", "get", "put"),
  entity("_fw_factors", "delete", "get", "put"),
  entity("_fw_limits", "get", "put"),
  entity("_fw_sessions", "delete", "get", "query", "update"),
  entity("_fw_session_marks", "get", "put"),
  use("users", "", "byEmail", "change"),
  use("event", "auth.mail", "send"),
];

/** Returns the uses for signing in and out. The social provider and the sign-up page create accounts. */
function signIns(app: App): readonly FrameworkUse[] {
  const auths = allOfKind(app.packages, "auth");
  const signsUp = auths.some(({ signUp }) => signUp);
  return [
    ...(hasAccountPages(app) ? accountPages : []),
    ...(signsUp ? [use("users", "", "create")] : []),
    entity("_fw_sessions", "create", "delete"),
    entity("_fw_session_marks", "get"),
    entity("_fw_seen", "create", "get"),
    use("users", "", "get", "signIn"),
    use("event", "auth.first-sign-in", "send"),
    ...(signsUp || auths.some(({ social }) => social) ? registers : []),
  ];
}

const stale: readonly FrameworkUse[] = [
  use("lease", "account", "hold"),
  entity("_fw_sessions", "get", "query", "update"),
  entity("_fw_session_marks", "put"),
];

const sessionEnd: readonly FrameworkUse[] = [
  entity("_fw_sessions", "delete", "query"),
  entity("_fw_session_marks", "put"),
];

/** Uses for the side effects of each operation on accounts. */
const managing: Readonly<Record<string, readonly FrameworkUse[]>> = {
  create: registers,
  grant: stale,
  revoke: stale,
  disable: sessionEnd,
  delete: [...sessionEnd, entity("_fw_seen", "delete"), entity("_fw_registered", "delete")],
  "tokens.create": [entity("_fw_sessions", "create"), entity("_fw_session_marks", "get"), use("users", "", "get")],
  "tokens.list": [entity("_fw_sessions", "query")],
  "tokens.revoke": sessionEnd,
};

/**
 * Returns the uses of fw's own documents that a service needs only in the cloud: the key for cursors and forms, the
 * registry of indexes, the outbox of transactions, and the proofs of commits.
 */
export function cloudUses(app: App, service: Service, uses: readonly EntryUses[]): readonly FrameworkUse[] {
  const own = grantsOf(service, uses);
  const all = [...own, ...frameworkUses(app, service, uses)];
  const entries = new Set(service.entries.map(declarationKey));
  const transacts = uses.some((entry) => entry.transacts && entries.has(declarationKey(entry)));
  const recordedNames = new Set(recordedJobs(app.packages).map(({ name }) => name));
  // The framework publishes its own events through the outbox of a transaction.
  const posts = all.some(
    ({ kind, operations, name }) =>
      kind === "event" ||
      operations.includes("replace") ||
      (isSent.has(kind) && transacts) ||
      (kind === "job" && operations.includes("start") && recordedNames.has(name)),
  );
  const lists = all.some(
    ({ kind, operations }) =>
      (kind === "entity" && operations.includes("query")) || (kind === "users" && operations.includes("list")),
  );
  return [
    ...(lists || (hasForms(service) && all.some(isKept)) ? [entity("_fw_keys", "create", "get")] : []),
    ...indexRegistry(own.filter(({ kind }) => kind === "entity")),
    ...(posts ? [entity("_fw_outbox", "create", "delete", "query", "update")] : []),
    ...(posts || all.some(commits) ? [entity("_fw_commits", "create", "get")] : []),
  ];
}

/** Returns the operations on the index registry, where services register the indexes that their writes maintain. */
function indexRegistry(documents: readonly Grant[]): readonly FrameworkUse[] {
  if (documents.some(commits)) return [entity("_fw_indexes", "create", "get", "update")];
  return documents.some(({ operations }) => operations.includes("query")) ? [entity("_fw_indexes", "get")] : [];
}

/** The kinds of destinations that transactions can send to. */
const isSent: ReadonlySet<string> = new Set(["queue", "topic", "job"]);

/** True if the use commits documents; a transaction under a lease commits even without writes. */
function commits({ kind, operations }: Pick<FrameworkUse, "operations"> & { readonly kind: string }): boolean {
  return kind === "lease" || (kind === "entity" && operations.some((operation) => !readingOperations.has(operation)));
}

/** True if the use needs the platform. A service without such uses does not open it. */
function isKept({ kind }: { readonly kind: string }): boolean {
  return kind !== "endpoint" && kind !== "secret" && kind !== "limit" && kind !== "feed";
}

function hasSockets({ package: own, kind }: Service): boolean {
  return kind === "app" && ofKind(own, "socket").length > 0;
}

/** True for a service with pages that accept forms. */
function hasForms({ package: own, kind }: Service): boolean {
  if (kind !== "app") return false;
  return ofKind(own, "page").some(({ route: { method } }) => method !== "GET" && method !== "HEAD");
}

/**
 * Returns the uses that a service needs only on the local platform: signing in test users, handling the signed URLs of
 * all services, and starting a runner's job on command.
 */
export function laptopUses(app: App, service: Service, uses: readonly EntryUses[]): readonly FrameworkUse[] {
  return mergeUses([
    ...(service.name === signInService(app)?.name ? [use("users", "", "testUser")] : []),
    ...(service.name === signedURLService(app)?.name ? uses.flatMap((use) => use.uses).flatMap(transfer) : []),
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

function mergeUses(uses: readonly FrameworkUse[]): readonly FrameworkUse[] {
  const usesByKey = new Map<string, FrameworkUse>();
  for (const use of uses) {
    const key = `${use.kind}\0${use.name}`;
    const operations = new Set([...(usesByKey.get(key)?.operations ?? []), ...use.operations]);
    usesByKey.set(key, { ...use, operations: [...operations].toSorted() });
  }
  return [...usesByKey.values()];
}
