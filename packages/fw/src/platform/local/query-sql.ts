import { after } from "./index-key.ts";
import type { Bounds, Scan } from "./scan.ts";
import type { SqlValue } from "./sqlite.ts";

export interface Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** The SQL clauses that select the entries of one or more scans. */
export interface EntriesSql {
  readonly from: Sql;
  readonly where: Sql;
}

/**
 * Selects the entries that occur in all scans, in the order of their tails. Reads the first scan and looks up the
 * others by exact key. The columns are `a.key` and `a.id` of the first scan.
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

/** Selects a scan's entries within the bounds. Ids are never empty, so "" sorts before every id with the same key. */
export function rangeSql(scan: Scan, { low, high, lastSeen }: Bounds, reverse: boolean): Sql {
  const lowest = Buffer.concat([scan.prefix, low]);
  const highest = high === undefined ? (after(scan.prefix) ?? beyondAll) : Buffer.concat([scan.prefix, high]);
  const place = lastSeen && Buffer.concat([scan.prefix, lastSeen.tail]);
  if (reverse)
    return { text: "(a.key, a.id) < (?, ?) AND a.key >= ?", values: [...nearer(highest, place, lastSeen, -1), lowest] };
  return { text: "(a.key, a.id) > (?, ?) AND a.key < ?", values: [...nearer(lowest, place, lastSeen, 1), highest] };
}

/** Returns the place to start reading: the bound, or the last seen entry if it is further in the direction `step`. */
function nearer(bound: Buffer, seenKey: Buffer | undefined, seen: Bounds["lastSeen"], step: 1 | -1): SqlValue[] {
  if (seenKey === undefined || seen === undefined) return [bound, ""];
  const further = Buffer.compare(seenKey, bound) * step;
  return further > 0 || (further === 0 && step === 1) ? [seenKey, seen.id] : [bound, ""];
}

/** A bound above all keys, because no key starts with this byte. */
const beyondAll: Buffer = Buffer.from([0xff]);

function lookupSql(name: string): string {
  const key = "CAST(? || substr(a.key, ?) AS BLOB)";
  return `entries ${name} ON ${name}.ix = ? AND ${name}.key = ${key} AND ${name}.id = a.id`;
}
