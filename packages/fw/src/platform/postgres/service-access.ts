import { hash } from "node:crypto";
import { eventName } from "../../lib/events.ts";
import type { Grant } from "../grants.ts";

/** The rows that a service may reach. Each list is sorted. */
export interface ServiceAccess {
  /** Kinds of documents. */
  readonly kinds: readonly string[];
  readonly buckets: readonly string[];
  /** The destinations that it sends to, in the format of message rows. */
  readonly carriers: readonly string[];
  /** Names of leases up to their first space. */
  readonly leases: readonly string[];
  readonly accounts: "none" | "read" | "write";
}

/** A service, the role of the database that it connects as, and its access. */
export interface ServiceRole {
  readonly service: string;
  readonly role: string;
  readonly access: ServiceAccess;
}

/** The maximum length of a role's name. */
const roleCharacters = 63;

/** Operations on accounts that change no row. */
const accountReads: ReadonlySet<string> = new Set([
  "get",
  "byEmail",
  "list",
  "signIn",
  "testUser",
  "tokens.create",
  "tokens.list",
  "tokens.revoke",
]);

/**
 * Returns the roles of services. Their names begin with the application's, because roles belong to the whole server.
 */
export function serviceRoles(
  app: string,
  grants: Iterable<readonly [service: string, grants: readonly Grant[]]>,
): readonly ServiceRole[] {
  return [...grants]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([service, own]) => ({ service, role: roleName(app, service), access: accessOf(own) }));
}

/** Returns the first resource that the grants lack, for a message; undefined if they have everything. */
export function missingAccess(needs: ServiceAccess, grants: ServiceAccess): string | undefined {
  const levels = ["none", "read", "write"];
  if (levels.indexOf(needs.accounts) > levels.indexOf(grants.accounts)) return "accounts";
  for (const list of ["kinds", "buckets", "carriers", "leases"] as const) {
    const missing = needs[list].find((name) => !grants[list].includes(name));
    if (missing !== undefined) return missing;
  }
  return undefined;
}

function roleName(app: string, service: string): string {
  const name = `${app}_${service}`.toLowerCase().replaceAll(/[^a-z0-9_]/g, "_");
  return name.length <= roleCharacters
    ? name
    : `${name.slice(0, roleCharacters - 9)}_${hash("sha1", name).slice(0, 8)}`;
}

function accessOf(grants: readonly Grant[]): ServiceAccess {
  const namesOf = (...kinds: readonly Grant["kind"][]): readonly string[] =>
    unique(grants.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name));
  const buckets = namesOf("bucket");
  const destinations = grants.flatMap(({ kind, name, operation }) =>
    kind === "queue" || kind === "topic" || (kind === "job" && operation === "start") || kind === "event"
      ? [`${kind}:${name}`]
      : [],
  );
  const uploads = buckets.map((bucket) => `event:${eventName("bucket.uploaded", bucket)}`);
  const accounts = grants.filter(({ kind }) => kind === "users").map(({ operation }) => operation);
  return {
    kinds: namesOf("entity"),
    buckets,
    carriers: unique([...destinations, ...uploads]),
    leases: namesOf("lease"),
    accounts: accounts.some((each) => !accountReads.has(each)) ? "write" : accounts.length > 0 ? "read" : "none",
  };
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}
