import type { Position } from "../cursor.ts";
import type { Plan } from "../query-plan.ts";
import type { Scalar } from "../values.ts";
import type { Catalog } from "./catalog.ts";
import { storedDirections } from "./index-entries.ts";
import { after, encodeScalar } from "./index-key.ts";

/**
 * The entries of an index whose keys start with `prefix`. The rest of a key is its tail. A document has the same tail
 * in all scans.
 */
export interface Scan {
  readonly ix: number;
  readonly prefix: Buffer;
}

/**
 * The range of tails to read, from `low` (inclusive) to `high` (exclusive), starting after the last seen document if
 * there is one.
 */
export interface Bounds {
  readonly low: Buffer;
  /** Undefined if the range extends to the end of the prefix. */
  readonly high: Buffer | undefined;
  /** The tail and id of the last seen document. */
  readonly lastSeen: { readonly tail: Buffer; readonly id: string } | undefined;
}

/** Returns the scans that together answer a combination. */
export function scansOf(
  plan: Plan,
  catalog: { find(...index: Parameters<Catalog["find"]>): { readonly ix: number } },
  combination: readonly Scalar[],
): Scan[] {
  return plan.indexes.map(({ properties, prefix }) => {
    const directions = storedDirections(properties);
    const parts = prefix.map((position, i) => encodeScalar(combination[position] as Scalar, directions[i] ?? "asc"));
    return { ix: catalog.find(plan.kind, properties).ix, prefix: Buffer.concat(parts) };
  });
}

/** Returns the bounds for a combination: the query's range after the position where the page starts. */
export function boundsOf(plan: Plan, combination: readonly Scalar[], position: Position | undefined): Bounds {
  const range = rangeOf(plan);
  return position === undefined ? range : beyond(plan, combination, position, range);
}

function rangeOf(plan: Plan): Bounds {
  const storedDirection = storedDirections(plan.tail)[0] ?? "asc";
  let low: Buffer = Buffer.alloc(0);
  let high: Buffer | undefined;
  for (const { op, value } of plan.range) {
    const bytes = encodeScalar(value, storedDirection);
    const lower = op.startsWith(">") === (storedDirection === "asc");
    const exact = lower === op.endsWith("=") ? bytes : (after(bytes) as Buffer);
    if (lower) low = later(low, exact);
    else high = high === undefined ? exact : earlier(high, exact);
  }
  return { low, high, lastSeen: undefined };
}

/**
 * Computes the bounds of a combination's entries after a position in the merged order. If a compared value differs from
 * the position's, all entries with the tail so far are on one side of the position.
 */
function beyond(plan: Plan, combination: readonly Scalar[], position: Position, range: Bounds): Bounds {
  const directions = storedDirections(plan.tail);
  const tail: Buffer[] = [];
  for (const [i, { property, direction }] of plan.orders.entries()) {
    const value = position.values[i] as Scalar;
    const compared = plan.compared.indexOf(property);
    if (compared === -1) {
      tail.push(encodeScalar(value, directions[tail.length] ?? "asc"));
      continue;
    }
    const side = Buffer.compare(
      encodeScalar(combination[compared] as Scalar, direction),
      encodeScalar(value, direction),
    );
    if (side !== 0) return besidePrefix(plan, Buffer.concat(tail), side, range);
  }
  return { ...range, lastSeen: { tail: Buffer.concat(tail), id: position.id } };
}

/** Makes the bounds start at the prefix (side > 0) or after it (side < 0), in reading order. */
function besidePrefix(plan: Plan, prefix: Buffer, side: number, range: Bounds): Bounds {
  const inclusive = side > 0;
  if (plan.direction === "desc") {
    const high = inclusive ? after(prefix) : prefix;
    return high === undefined ? range : { ...range, high: range.high === undefined ? high : earlier(range.high, high) };
  }
  if (inclusive) return { ...range, low: later(range.low, prefix) };
  const low = after(prefix);
  return low === undefined ? { ...range, high: Buffer.alloc(0) } : { ...range, low: later(range.low, low) };
}

function later(left: Buffer, right: Buffer): Buffer {
  return Buffer.compare(left, right) >= 0 ? left : right;
}

function earlier(left: Buffer, right: Buffer): Buffer {
  return Buffer.compare(left, right) <= 0 ? left : right;
}
