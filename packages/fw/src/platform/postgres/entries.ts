import { createHash } from "node:crypto";
import { outdatedProperty, type Kind } from "../definitions.ts";
import { decodeFields, storedValues, valuesWritten, type EncodedDocument } from "../document.ts";
import { entryKeys } from "../local/index-entries.ts";
import type { Scalar } from "../values.ts";
import { listText, type SqlParameter } from "./driver.ts";
import { isSameReading, type IndexGroup, type Registry } from "./registry.ts";

/** The maximum bytes of an entry's `head`. PostgreSQL limits index rows to 2,704 bytes. */
export const headBytes = 1_600;

const none = Buffer.alloc(0);

export interface Entry {
  readonly ix: number;
  /** The encoded values followed by the id, which makes every place unique. Sorts in the order of the index. */
  readonly place: Buffer;
  readonly id: string;
  /** True for entries in the index of outdated documents. */
  readonly ofOutdated: boolean;
}

/** Returns the entries of a stored or written document in every index of its kind. */
export function entriesOf(registry: Registry, kind: string, id: string, document: string | EncodedDocument): Entry[] {
  const idBytes = Buffer.from(id);
  return registry.groups(kind).flatMap((group) => {
    const values = valuesOf(group, id, document);
    return group.indexes.flatMap(({ ix, properties }) => {
      const ofOutdated = properties[0]?.property === outdatedProperty;
      return entryKeys(properties, values).map((key): Entry => ({
        ix,
        place: Buffer.concat([key, idBytes]),
        id,
        ofOutdated,
      }));
    });
  });
}

/** Returns the entries that a write adds, and all entries of outdated documents, because earlier ones are unknown. */
export function entriesAdded(had: readonly Entry[], has: readonly Entry[]): Entry[] {
  return entriesWithout(
    has,
    had.filter(({ ofOutdated }) => !ofOutdated),
  );
}

/** Returns the entries in the first list that are missing from the second. */
export function entriesWithout(entries: readonly Entry[], others: readonly Entry[]): Entry[] {
  const names = new Set(others.map(nameOf));
  return entries.filter((entry) => !names.has(nameOf(entry)));
}

/** Returns the columns ix, head, more, rest and id of entries, each as an array. */
export function entryColumns(
  entries: readonly Entry[],
): [ixs: string, heads: string, mores: string, rests: string, ids: SqlParameter] {
  const split = entries.map(({ place }) => splitPlace(place));
  return [
    listText(entries.map(({ ix }) => ix)),
    listText(split.map(({ head }) => head)),
    listText(split.map(({ rest }) => (rest.length === 0 ? none : createHash("sha256").update(rest).digest()))),
    listText(split.map(({ rest }) => rest)),
    entries.map(({ id }) => id),
  ];
}

/**
 * Returns the condition for entries `e` with places from `low` to `high` (exclusive), both given as SQL. The encoding
 * of a string with many zero bytes is longer than `head`.
 */
export function valueSql(low: string, high: string): string {
  return `e.head >= substr(${low}, 1, ${headBytes}) AND e.head < ${high} AND (octet_length(${low}) <= ${headBytes}
        OR e.head || e.rest >= ${low} AND e.head || e.rest < ${high})`;
}

/** Splits a place into the two columns that store it. */
export function splitPlace(place: Buffer): { readonly head: Buffer; readonly rest: Buffer } {
  return { head: place.subarray(0, headBytes), rest: place.subarray(headBytes) };
}

export function valuesOf(
  { kind }: IndexGroup,
  id: string,
  document: string | EncodedDocument,
): ReadonlyMap<string, readonly Scalar[]> {
  if (typeof document === "string") return storedValues(kind, id, decodeFields(document));
  return covers(document.kind, kind) ? document.indexed : valuesWritten(kind, id, document);
}

const coverage = new WeakMap<Kind, WeakMap<Kind, boolean>>();

/** True if definition `own` reads every property of an index group's kind in the same way. */
function covers(own: Kind, group: Kind): boolean {
  const groups = coverage.get(own) ?? new WeakMap<Kind, boolean>();
  coverage.set(own, groups);
  const answer = groups.get(group);
  if (answer !== undefined) return answer;
  const isCovered = [...group.indexed.values()].every((property) => {
    const ownProperty = own.indexed.get(property.name);
    return ownProperty !== undefined && isSameReading(ownProperty, property);
  });
  groups.set(group, isCovered);
  return isCovered;
}

function nameOf({ ix, place }: Entry): string {
  return `${ix} ${place.toString("latin1")}`;
}
