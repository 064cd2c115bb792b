import type { Key } from "./contract.ts";
import type { Kind } from "./definitions.ts";
import { decodeFields, storedValues, type EncodedDocument } from "./document.ts";
import { PlatformError } from "./errors.ts";
import { subjectOf } from "./pending-writes.ts";
import type { Fields, Scalar } from "./values.ts";

/** A commit's write of one document. */
export interface Change {
  readonly kind: Kind;
  readonly key: Key;
  /** Undefined if there was no document. */
  readonly before: Fields | undefined;
  /** Undefined if the document is deleted. */
  readonly after: EncodedDocument | undefined;
}

/** A unique value that a commit gives to a document. No document outside the commit may have it. */
export interface Claim {
  readonly key: Key;
  readonly property: string;
  readonly value: Scalar;
  /** The ids of the commit's documents of this kind, which are already checked against each other. */
  readonly writtenIds: ReadonlySet<string>;
}

/**
 * Returns the unique values that the commit's documents did not have before, except null. Throws a PlatformError
 * `taken` if another document of the commit has the same value.
 */
export function claimsOf(changes: readonly Change[]): readonly Claim[] {
  const guarded = changes.filter(({ kind }) => kind.unique.length > 0);
  const writtenIds = new Map(guarded.map(({ kind }) => [kind.kind, new Set<string>()]));
  const holders = new Map<string, string[]>();
  for (const { kind, key, after } of guarded) {
    writtenIds.get(kind.kind)?.add(key.id);
    for (const [property, value] of heldValues(kind, key, after)) {
      const slot = slotOf(kind, property, value);
      holders.set(slot, [...(holders.get(slot) ?? []), key.id]);
    }
  }
  return guarded.flatMap(({ kind, key, before, after }) => {
    const had = before && storedValues(kind, key.id, before);
    const claimed = heldValues(kind, key, after).filter(([property, value]) => {
      const [old] = had?.get(property) ?? [];
      return old === undefined || indexedText(old) !== indexedText(value);
    });
    return claimed.map(([property, value]): Claim => {
      const claim = { key, property, value, writtenIds: writtenIds.get(kind.kind) ?? new Set() };
      const other = holders.get(slotOf(kind, property, value))?.find((id) => id !== key.id);
      if (other !== undefined) throw takenError(claim, other);
      return claim;
    });
  });
}

/** Whether a write of a document of `kind` may claim a unique value: a delete cannot. */
export function isGuarded(kind: Kind, after: EncodedDocument | undefined): boolean {
  return kind.unique.length > 0 && after !== undefined;
}

export function takenError({ key, property }: Claim, other: string): PlatformError {
  const message = `${subjectOf(key)}: another document has its ${property}: ${JSON.stringify(other)}`;
  return new PlatformError("taken", message, property);
}

function heldValues(kind: Kind, key: Key, after: EncodedDocument | undefined): [property: string, value: Scalar][] {
  if (after === undefined) return [];
  const values = after.kind === kind ? after.indexed : storedValues(kind, key.id, decodeFields(after.body));
  return kind.unique.flatMap(({ name }): [string, Scalar][] => {
    const [value] = values.get(name) ?? [];
    return value === undefined || value === null ? [] : [[name, value]];
  });
}

function slotOf(kind: Kind, property: string, value: Scalar): string {
  return JSON.stringify([kind.kind, property, indexedText(value)]);
}

/** Returns equal strings for values that an index does not distinguish. */
function indexedText(value: Scalar): string {
  return value instanceof Date ? `bigint ${BigInt(value.getTime()) * 1000n}` : `${typeof value} ${String(value)}`;
}
