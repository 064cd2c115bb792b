import { hash } from "node:crypto";
import { eventName } from "../../lib/events.ts";
import type { PlatformGrant } from "../grants.ts";

/** The rows that a service may reach. Each list is sorted. */
export interface ServiceAccess {
  readonly kinds: readonly string[];
  readonly buckets: readonly string[];
  /** The destinations that the service may send to, as in message rows. */
  readonly carriers: readonly string[];
  /** Names of leases up to their first space. */
  readonly leases: readonly string[];
  readonly accounts: "none" | "read" | "write";
}

/** A service, its database role and its access. */
export interface ServiceRole {
  readonly service: string;
  readonly role: string;
  readonly access: ServiceAccess;
}

/** The maximum length of a role's name. */
const roleCharacters = 63;

/** The maximum number of characters that a policy's name adds to its role's name. */
const policyCharacters = 7;

/** Operations on accounts that change no rows. */
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

/** Returns the roles of services. Role names start with the application's: all databases of a server share roles. */
export function serviceRoles(
  app: string,
  grants: Iterable<readonly [service: string, grants: readonly PlatformGrant[]]>,
): readonly ServiceRole[] {
  return [...grants]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([service, own]) => ({ service, role: serviceRoleName(app, service), access: accessOf(own) }));
}

export function serviceRoleName(app: string, service: string): string {
  return roleName(`${app}_${service}`);
}

/** The levels of access to accounts. Each one includes the previous ones. */
const accountLevels = ["none", "read", "write"] as const;

const lists = ["kinds", "buckets", "carriers", "leases"] as const;

/** Returns the first needed resource that `grants` lacks, for use in a message; undefined if nothing is missing. */
export function missingAccess(needs: ServiceAccess, grants: ServiceAccess): string | undefined {
  if (accountLevels.indexOf(needs.accounts) > accountLevels.indexOf(grants.accounts)) return "accounts";
  for (const list of lists) {
    const missing = needs[list].find((name) => !grants[list].includes(name));
    if (missing !== undefined) return missing;
  }
  return undefined;
}

/** Returns the access to everything that `one` or `other` may reach. */
export function joinedAccess(one: ServiceAccess, other: ServiceAccess): ServiceAccess {
  const levels = [one, other].map(({ accounts }) => accountLevels.indexOf(accounts));
  return {
    ...joinedLists(lists, one, other),
    accounts: accountLevels[Math.max(...levels)] ?? "none",
  };
}

/** Joins the lists of `one` and `other` that have the same name. */
export function joinedLists<Name extends string>(
  names: readonly Name[],
  one: Readonly<Record<Name, readonly string[]>>,
  other: Readonly<Record<Name, readonly string[]>>,
): Record<Name, readonly string[]> {
  const joined = names.map((name) => [name, unique([...one[name], ...other[name]])]);
  return Object.fromEntries(joined) as Record<Name, readonly string[]>;
}

/**
 * Returns the name of a service's role. With `suffix`, returns a server role's name, which leaves room for names of
 * policies.
 */
export function roleName(text: string, suffix = ""): string {
  const name = text.toLowerCase().replaceAll(/[^a-z0-9_]/g, "_");
  const most = suffix === "" ? roleCharacters : roleCharacters - policyCharacters - suffix.length;
  return name.length <= most
    ? `${name}${suffix}`
    : `${name.slice(0, most - 9)}_${hash("sha1", name).slice(0, 8)}${suffix}`;
}

export function accessOf(grants: readonly PlatformGrant[]): ServiceAccess {
  const namesOf = (...kinds: readonly PlatformGrant["kind"][]): readonly string[] =>
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

export function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}
