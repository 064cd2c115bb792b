import { grouped } from "../lib/grouped.ts";
import { declarationKey } from "./declarations.ts";
import { inSourceOrder, type Span } from "./diagnostic.ts";
import type { Service } from "./services.ts";
import type { EntryUses, Use } from "./uses.ts";

export interface Grant {
  readonly kind: Use["kind"];
  readonly name: string;
  /** Sorted. */
  readonly operations: readonly string[];
  /** For `users`: the identity provider's role that these operations need; absent if they need none. */
  readonly role?: IdentityRole;
  /** The first use in source order. */
  readonly at: Span;
}

/** The viewer can look up accounts; the admin can also change them. */
export type IdentityRole = "viewer" | "admin";

/** Read-only operations on documents and objects. */
export const readingOperations: ReadonlySet<string> = new Set([
  "count",
  "exists",
  "find",
  "get",
  "getMany",
  "list",
  "query",
]);

/** Returns the grants that a service needs for the uses of its entries, sorted by kind, then name. */
export function grantsOf({ entries }: Service, uses: readonly EntryUses[]): readonly Grant[] {
  const own = new Set(entries.map(declarationKey));
  const reached = uses.filter((entry) => own.has(declarationKey(entry))).flatMap((entry) => entry.uses);
  const found = grouped(reached, ({ kind, name }) => `${kind}\0${name}`);
  return [...found].toSorted(([one], [other]) => (one < other ? -1 : 1)).flatMap(([, same]) => grantOf(same));
}

export function calleesOf(grants: readonly { readonly kind: string; readonly name: string }[]): ReadonlySet<string> {
  const endpoints = grants.filter(({ kind }) => kind === "endpoint");
  return new Set(endpoints.map(({ name }) => name.slice(0, name.indexOf(" "))));
}

/** Returns the names of the services whose code calls a service, sorted. */
export function callersOf({ name }: Service, services: readonly Service[], uses: readonly EntryUses[]): string[] {
  return services
    .filter((service) => calleesOf(grantsOf(service, uses)).has(name))
    .map((service) => service.name)
    .toSorted();
}

function grantOf(uses: readonly Use[]): readonly Grant[] {
  const [first] = uses.toSorted((one, other) => inSourceOrder(one.at, other.at));
  if (!first) return [];
  const { kind, name, at } = first;
  const operations = [...new Set(uses.map(({ operation }) => operation))].toSorted();
  const role = kind === "users" ? identityRole(operations) : undefined;
  return [{ kind, name, operations, ...(role === undefined ? {} : { role }), at }];
}

const lookups: ReadonlySet<string> = new Set(["get", "byEmail", "list", "tokens.create"]);

/** Operations of `users` that need only the application's store. Creating a token also looks up the account. */
const storedOperations: ReadonlySet<string> = new Set(["tokens.list", "tokens.revoke"]);

function identityRole(operations: readonly string[]): IdentityRole | undefined {
  const asked = operations.filter((operation) => !storedOperations.has(operation));
  if (asked.length === 0) return undefined;
  return asked.every((operation) => lookups.has(operation)) ? "viewer" : "admin";
}
