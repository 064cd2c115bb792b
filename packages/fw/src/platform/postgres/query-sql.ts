import type { Position } from "../cursor.ts";
import { after } from "../local/index-key.ts";
import { boundsOf, scansOf, type Bounds, type Scan } from "../local/scan.ts";
import type { Plan } from "../query-plan.ts";
import type { Scalar } from "../values.ts";
import type { SqlParameter } from "./driver.ts";
import { headBytes, splitPlace } from "./entries.ts";
import type { Registry } from "./registry.ts";

/** A value that sorts after every key, because no key starts with this byte. */
const beyondAll = Buffer.from([0xff]);

export class Parameters {
  readonly values: SqlParameter[] = [];

  add(value: SqlParameter, type: "bytea" | "bigint" | "integer" | "text"): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

/** The scans for one combination of a plan, and their bounds. */
export interface Reading {
  readonly scans: readonly Scan[];
  readonly bounds: Bounds;
}

/** Returns the scans for a combination, and the bounds of the part after a position. */
export function readingOf(
  plan: Plan,
  registry: Registry,
  combination: readonly Scalar[],
  position: Position | undefined,
): Reading {
  return { scans: scansOf(plan, registry, combination), bounds: boundsOf(plan, combination, position) };
}

/** Returns `FROM` and `WHERE` for the entries that all scans share. The first scan, `a`, is read in order. */
export function entriesSql(
  { scans, bounds }: Reading,
  parameters: Parameters,
  reverse: boolean,
): { readonly from: string; readonly where: string } {
  const [first, ...others] = scans as [Scan, ...Scan[]];
  const lookups = others.map((scan, i) => {
    // The other index has the same tail, after its own prefix.
    const tail = `substr(a.head || a.rest, ${first.prefix.length + 1})`;
    const place = `(${parameters.add(scan.prefix, "bytea")} || ${tail})`;
    const b = `b${i}`;
    return `JOIN @@entries ${b} ON ${b}.ix = ${parameters.add(scan.ix, "integer")} AND ${b}.id = a.id
      AND ${b}.head = substr(${place}, 1, ${headBytes}) AND ${b}.rest = substr(${place}, ${headBytes + 1})`;
  });
  return {
    from: ["@@entries a", ...lookups].join(" "),
    where: `a.ix = ${parameters.add(first.ix, "integer")} AND ${rangeSql(first, bounds, parameters, reverse)}`,
  };
}

/** Returns the condition for a scan's entries within the bounds and after the last seen document, in reading order. */
export function rangeSql(
  scan: Scan,
  { low, high, lastSeen }: Bounds,
  parameters: Parameters,
  reverse: boolean,
): string {
  const lowest = Buffer.concat([scan.prefix, low]);
  const highest = high === undefined ? (after(scan.prefix) ?? beyondAll) : Buffer.concat([scan.prefix, high]);
  const place = lastSeen && Buffer.concat([scan.prefix, lastSeen.tail, Buffer.from(lastSeen.id)]);
  const isBeyondLow = place !== undefined && !reverse && Buffer.compare(place, lowest) >= 0;
  const isBeyondHigh = place !== undefined && reverse && Buffer.compare(place, highest) < 0;
  const from = isBeyondLow ? compareSql(">", place, parameters) : compareSql(">=", lowest, parameters);
  const to = compareSql("<", isBeyondHigh ? place : highest, parameters);
  return `${from} AND ${to}`;
}

/**
 * Returns the condition that compares the places of entries with `place`. A short head has no rest, so comparing heads
 * suffices. Otherwise, an additional condition on `head` narrows down the keys of the index.
 */
function compareSql(operator: ">" | ">=" | "<", place: Buffer, parameters: Parameters): string {
  const { head, rest } = splitPlace(place);
  const first = parameters.add(head, "bytea");
  if (head.length < headBytes) return `a.head ${operator} ${first}`;
  const lead = `a.head ${operator === "<" ? "<=" : ">="} ${first}`;
  return `${lead} AND (a.head, a.rest) ${operator} (${first}, ${parameters.add(rest, "bytea")})`;
}
