import type { App } from "./app.ts";
import type { Grant } from "./grants.ts";
import type { Service } from "./services.ts";

/** Something that the framework does for a service, beside what the service's code uses. */
export interface FrameworkUse {
  /** Documents of a kind of the framework's own, the accounts, a lease, or an event that is published. */
  readonly kind: "entity" | "users" | "lease" | "event";
  /** The documents' kind, the lease's name up to its first space, or the event's name; of users "". */
  readonly name: string;
  /** Sorted. Of entities and users as in `operations`, and `signIn` of users; `hold` of a lease, `send` of an event. */
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
    ...(isApp && crons.length > 0 ? [entity("_fw_ticks", "create")] : []),
    ...(singleton ? [use("lease", `singleton:${singleton.name}`, "hold")] : []),
  ]);
}

/** Signing in and out, and who it is that comes: a session that is marked stale is made anew from its account. */
const visits: readonly FrameworkUse[] = [
  entity("_fw_sessions", "create", "delete", "get", "update"),
  entity("_fw_session_marks", "get"),
  entity("_fw_seen", "create"),
  use("users", "", "get", "signIn"),
  use("event", "auth.first-sign-in", "send"),
];

const stale: readonly FrameworkUse[] = [
  use("lease", "account", "hold"),
  entity("_fw_sessions", "get", "query", "update"),
  entity("_fw_session_marks", "put"),
];

const ended: readonly FrameworkUse[] = [entity("_fw_sessions", "delete", "query"), entity("_fw_session_marks", "put")];

/** What else happens when accounts change. */
const managing: Readonly<Record<string, readonly FrameworkUse[]>> = {
  create: [use("event", "auth.registered", "send")],
  grant: stale,
  revoke: stale,
  disable: ended,
  delete: [...ended, entity("_fw_seen", "delete")],
};

/** What signing in as a test user with roles of one's choice needs beside that, which only a laptop offers. */
export const testUserUses: readonly FrameworkUse[] = [...stale, use("users", "", "grant")];

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
