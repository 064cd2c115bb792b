import { after } from "./index-key.ts";
import type { Bounds, Scan } from "./scan.ts";
import type { SqlValue } from "./sqlite.ts";

/** A piece of SQL with the values of its `?`. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** What the entries of some scans are selected with. */
export interface EntriesSql {
  readonly from: Sql;
  readonly where: Sql;
}

/**
 * The entries that all scans have in common, in the order of the tails: the first scan is read and the others are looked
 * up, each by exact key. Columns: the first scan's `a.key` and `a.id`.
 */
export function entriesSql(scans: readonly Scan[], bounds: Bounds, reverse: boolean): EntriesSql {
  const [first, ...others] = scans as [Scan, ...Scan[]];
  const range = rangeSql(first, bounds, reverse);
  return {
    from: {
      text: ["entries a", ...others.map((_, i) => lookupSql(`b${i}`))].join(" CROSS JOIN "),
      values: others.flatMap((scan) => [scan.ix, scan.prefix, first.prefix.length + 1]),
    },
    where: { text: `a.ix = ? AND ${range.text}`, values: [first.ix, ...range.values] },
  };
}

/** The scan's entries within the bounds. Ids are never empty, so an empty id stands before all of a key. */
export function rangeSql(scan: Scan, { low, high, seen }: Bounds, reverse: boolean): Sql {
  const lowest = Buffer.concat([scan.prefix, low]);
  const highest = high === undefined ? (after(scan.prefix) ?? beyondAll) : Buffer.concat([scan.prefix, high]);
  const place = seen && Buffer.concat([scan.prefix, seen.tail]);
  if (reverse)
    return { text: "(a.key, a.id) < (?, ?) AND a.key >= ?", values: [...nearer(highest, place, seen, -1), lowest] };
  return { text: "(a.key, a.id) > (?, ?) AND a.key < ?", values: [...nearer(lowest, place, seen, 1), highest] };
}

/** Where reading begins: at the bound, or after what was seen if that is further. */
function nearer(bound: Buffer, place: Buffer | undefined, seen: Bounds["seen"], way: 1 | -1): SqlValue[] {
  if (place === undefined || seen === undefined) return [bound, ""];
  const further = Buffer.compare(place, bound) * way;
  return further > 0 || (further === 0 && way === 1) ? [place, seen.id] : [bound, ""];
}

/** No key begins with this byte. */
const beyondAll: Buffer = Buffer.from([0xff]);

function lookupSql(name: string): string {
  const key = "CAST(? || substr(a.key, ?) AS BLOB)";
  return `entries ${name} ON ${name}.ix = ? AND ${name}.key = ${key} AND ${name}.id = a.id`;
}
