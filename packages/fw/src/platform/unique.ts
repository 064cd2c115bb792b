import type { Key } from "./contract.ts";
import type { Kind } from "./definitions.ts";
import { decodeFields, storedValues, type Encoded } from "./document.ts";
import { PlatformError } from "./errors.ts";
import { subjectOf } from "./pending-writes.ts";
import type { Fields, Scalar } from "./values.ts";

/** One document that a commit writes. */
export interface Change {
  /** As it is defined now. */
  readonly kind: Kind;
  readonly key: Key;
  /** Undefined where there was none. */
  readonly before: Fields | undefined;
  /** Undefined where it is deleted. */
  readonly after: Encoded | undefined;
}

/** A value that a commit gives to a document, and that no document which it leaves as it is may have. */
export interface Claim {
  readonly key: Key;
  readonly property: string;
  readonly value: Scalar;
  /** The documents of the kind that the commit writes: what it leaves of them has been judged. */
  readonly written: ReadonlySet<string>;
}

/**
 * What the changes of one commit claim: values of unique properties that their documents have not had before; null is anybody's.
 * Fails with `taken` where two of them would have one value.
 */
export function claimsOf(changes: readonly Change[]): readonly Claim[] {
  const guarded = changes.filter(({ kind }) => kind.unique.length > 0);
  const written = new Map(guarded.map(({ kind }) => [kind.kind, new Set<string>()]));
  const holders = new Map<string, string[]>();
  for (const { kind, key, after } of guarded) {
    written.get(kind.kind)?.add(key.id);
    for (const [property, value] of heldValues(kind, key, after)) {
      const slot = slotOf(kind, property, value);
      holders.set(slot, [...(holders.get(slot) ?? []), key.id]);
    }
  }
  return guarded.flatMap(({ kind, key, before, after }) => {
    const had = before && storedValues(kind, key.id, before);
    const claimed = heldValues(kind, key, after).filter(([property, value]) => {
      const [old] = had?.get(property) ?? [];
      return old === undefined || identity(old) !== identity(value);
    });
    return claimed.map(([property, value]): Claim => {
      const claim = { key, property, value, written: written.get(kind.kind) ?? new Set() };
      const other = holders.get(slotOf(kind, property, value))?.find((id) => id !== key.id);
      if (other !== undefined) throw takenError(claim, other);
      return claim;
    });
  });
}

/** Whether a write of this kind may claim something. */
export function isGuarded(kind: Kind, after: Encoded | undefined): boolean {
  return kind.unique.length > 0 && after !== undefined;
}

/** The failure of a write that gives a document what another has. */
export function takenError({ key, property }: Claim, other: string): PlatformError {
  const message = `${subjectOf(key)}: another document has its ${property}: ${JSON.stringify(other)}`;
  return new PlatformError("taken", message, property);
}

function heldValues(kind: Kind, key: Key, after: Encoded | undefined): [property: string, value: Scalar][] {
  if (after === undefined) return [];
  const values = after.kind === kind ? after.indexed : storedValues(kind, key.id, decodeFields(after.body));
  return kind.unique.flatMap(({ name }): [string, Scalar][] => {
    const [value] = values.get(name) ?? [];
    return value === undefined || value === null ? [] : [[name, value]];
  });
}

function slotOf(kind: Kind, property: string, value: Scalar): string {
  return JSON.stringify([kind.kind, property, identity(value)]);
}

/** The same text for values that an index does not tell apart. */
function identity(value: Scalar): string {
  return value instanceof Date ? `bigint ${BigInt(value.getTime()) * 1000n}` : `${typeof value} ${String(value)}`;
}
