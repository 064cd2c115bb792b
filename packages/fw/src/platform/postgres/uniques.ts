import type { Key } from "../contract.ts";
import type { Kind } from "../definitions.ts";
import { decodeFields } from "../document.ts";
import { after, encodeScalar } from "../local/index-key.ts";
import type { PendingWrite } from "../pending-writes.ts";
import { claimsOf, isGuarded, takenError, type Change, type Claim } from "../unique.ts";
import type { WriteSql } from "./connections.ts";
import type { SqlRow } from "./driver.ts";
import { valuesOf } from "./entries.ts";
import type { Locks } from "./locks.ts";
import type { IndexGroup, Registry } from "./registry.ts";

type Write = Pick<PendingWrite, "key" | "document">;

/**
 * Locks each value that a commit may claim: of two commits that claim the same value, the second sees the first one's
 * result.
 */
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

/** A commit that is being checked. */
interface Checked {
  readonly writes: readonly Write[];
  /** The row of a document before the commit. */
  readonly live: (key: Key) => SqlRow | undefined;
  readonly now: number;
}

/** Fails with `taken` if after the writes two documents would share a value of a unique property. */
export async function checkUnique(sql: WriteSql, registry: Registry, { writes, live, now }: Checked): Promise<void> {
  const changes = writes.flatMap(({ key, document }) =>
    guardedGroups(registry, key.kind).map(({ kind }): Change => {
      const row = isGuarded(kind, document) ? live(key) : undefined;
      return { kind, key, before: row && decodeFields(String(row["body"])), after: document };
    }),
  );
  if (changes.length === 0) return;
  for (const claim of claimsOf(changes)) await refuseTaken(sql, registry, claim, now);
}

async function refuseTaken(sql: WriteSql, registry: Registry, claim: Claim, now: number): Promise<void> {
  const { key, property, value, writtenIds } = claim;
  const index = guardedGroups(registry, key.kind)
    .flatMap(({ indexes }) => indexes)
    .find(({ isGuarded: guarded, properties }) => guarded && properties[0]?.property === property);
  if (index === undefined) return;
  // No encoded value is a prefix of another, so every entry that begins with these bytes has the value.
  const bytes = encodeScalar(value, "asc");
  const rows = await sql.rows(
    `SELECT e.id FROM @@entries e JOIN @@documents d ON d.kind = $1 AND d.id = e.id
     WHERE e.ix = $2 AND e.head >= $3 AND e.head < $4 AND (d.expires IS NULL OR d.expires > $5) LIMIT ${writtenIds.size + 1}`,
    [key.kind, index.ix, bytes, after(bytes) ?? null, now],
  );
  const other = rows.map(({ id }) => String(id)).find((id) => !writtenIds.has(id));
  if (other !== undefined) throw takenError(claim, other);
}

function guardedGroups(registry: Registry, kind: Kind["kind"]): readonly IndexGroup[] {
  return registry.groups(kind).filter((group) => group.kind.unique.length > 0);
}
