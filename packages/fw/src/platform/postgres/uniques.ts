import type { Key } from "../contract.ts";
import type { Kind } from "../definitions.ts";
import { decodeFields } from "../document.ts";
import { after, encodeScalar } from "../local/index-key.ts";
import type { PendingWrite } from "../pending-writes.ts";
import { claimsOf, isGuarded, type Change, type Claim } from "../unique.ts";
import type { SqlRow } from "./driver.ts";
import { valuesOf } from "./entries.ts";
import { isExpired } from "./expiry.ts";
import type { Locks } from "./locks.ts";
import type { IndexGroup, RegisteredIndex, Registry } from "./registry.ts";
import type { ClaimedRange } from "./write-function.ts";

type Write = Pick<PendingWrite, "key" | "document">;

/** Locks each unique value that the writes may claim, so that commits with the same value run one after another. */
export function lockUnique(locks: Locks, registry: Registry, writes: readonly Write[]): void {
  for (const { key, document } of writes) {
    if (document === undefined) continue;
    for (const group of guardedGroups(registry, key.kind)) {
      const values = valuesOf(group, key.id, document);
      for (const { name } of group.kind.unique)
        for (const value of values.get(name) ?? [])
          if (value !== null) locks.exclusive("unique", key.kind, name, encodeScalar(value, "asc").toString("base64"));
    }
  }
}

/**
 * Milliseconds before a document's expiry during which another machine may already consider it expired and reuse its
 * unique values. Clocks differ, and commits wait for locks.
 */
export const uncertainMs = 60_000;

/**
 * Returns the unique values that the writes give to documents; no document outside the commit may have them. Throws a
 * PlatformError `taken` if two documents of the commit would share a value. `rowOf` returns a document's current row.
 */
export function claimsOfWrites(
  registry: Registry,
  writes: readonly Write[],
  now: number,
  rowOf: (key: Key) => SqlRow | undefined,
): readonly Claim[] {
  const changes = writes.flatMap(({ key, document }) =>
    guardedGroups(registry, key.kind).map(({ kind }): Change => {
      const row = isGuarded(kind, document) ? rowOf(key) : undefined;
      const hasValues = row !== undefined && !isExpired(row, now + uncertainMs);
      return { kind, key, before: hasValues ? decodeFields(String(row["body"])) : undefined, after: document };
    }),
  );
  return changes.length === 0 ? [] : claimsOf(changes).filter((claim) => indexOf(registry, claim) !== undefined);
}

export function claimedRange(registry: Registry, claim: Claim): ClaimedRange {
  // No key is a prefix of another, so every entry that starts with these bytes has this value.
  const low = encodeScalar(claim.value, "asc");
  return { kind: claim.key.kind, ix: indexOf(registry, claim)?.ix ?? 0, low, high: after(low) ?? null };
}

function indexOf(registry: Registry, { key, property }: Claim): RegisteredIndex | undefined {
  return guardedGroups(registry, key.kind)
    .flatMap(({ indexes }) => indexes)
    .find(({ isGuarded: guarded, properties }) => guarded && properties[0]?.property === property);
}

function guardedGroups(registry: Registry, kind: Kind["kind"]): readonly IndexGroup[] {
  return registry.groups(kind).filter((group) => group.kind.unique.length > 0);
}
