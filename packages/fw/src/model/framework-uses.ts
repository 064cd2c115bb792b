import type { App } from "./app.ts";
import type { Grant } from "./grants.ts";
import type { Service } from "./services.ts";

/** Something of the platform that the framework does for a service, beside what the service's code uses. */
export interface FrameworkUse {
  /** Documents of a kind of the framework's, the accounts, leases, or an event that is published. */
  readonly kind: "entity" | "accounts" | "leases" | "event";
  /** The documents' kind, the beginning of the leases' names, or the event's name; of accounts "". */
  readonly name: string;
  /** Sorted, named as the platform's. */
  readonly operations: readonly string[];
}

/** What the framework needs for a service that has these grants. */
export function frameworkUses(app: App, service: Service, grants: readonly Grant[]): readonly FrameworkUse[] {
  const isApp = service.kind === "app";
  const signsIn = isApp && app.packages.some(({ auths = [] }) => auths.length > 0);
  const managed = new Set(grants.filter(({ kind }) => kind === "users").flatMap(({ operations }) => operations));
  const { crons = [], singletons = [] } = service.package;
  const singleton = service.kind === "singleton" && singletons.find((each) => each.service === service.name);
  return merged([
    ...(signsIn ? visits : []),
    ...[...managed].flatMap((operation) => managing[operation] ?? []),
    ...(isApp && crons.length > 0 ? [entity("_fw_ticks", "insert")] : []),
    ...(singleton ? [use("leases", `singleton:${singleton.name}`, "acquire", "release", "renew")] : []),
  ]);
}

/** Signing in and out, and who it is that comes: a session that is marked stale is made anew from its account. */
const visits: readonly FrameworkUse[] = [
  entity("_fw_sessions", "delete", "get", "insert", "update"),
  entity("_fw_session_marks", "get"),
  entity("_fw_seen", "insert"),
  use("accounts", "", "get", "verifyToken"),
  use("event", "auth.first-sign-in", "publish"),
];

const stale: readonly FrameworkUse[] = [
  use("leases", "account ", "acquire", "release", "renew"),
  entity("_fw_sessions", "get", "query", "update"),
  entity("_fw_session_marks", "upsert"),
];

const ended: readonly FrameworkUse[] = [
  entity("_fw_sessions", "delete", "query"),
  entity("_fw_session_marks", "upsert"),
];

/** What else happens when accounts change. */
const managing: Readonly<Record<string, readonly FrameworkUse[]>> = {
  create: [use("event", "auth.registered", "publish")],
  grant: stale,
  revoke: stale,
  disable: ended,
  delete: [...ended, entity("_fw_seen", "delete")],
};

function entity(name: string, ...operations: readonly string[]): FrameworkUse {
  return use("entity", name, ...operations);
}

function use(kind: FrameworkUse["kind"], name: string, ...operations: readonly string[]): FrameworkUse {
  return { kind, name, operations };
}

function merged(uses: readonly FrameworkUse[]): readonly FrameworkUse[] {
  const found = new Map<string, FrameworkUse>();
  for (const each of uses) {
    const key = `${each.kind}\0${each.name}`;
    const operations = new Set([...(found.get(key)?.operations ?? []), ...each.operations]);
    found.set(key, { ...each, operations: [...operations].toSorted() });
  }
  return [...found.values()];
}
