import type { Position } from "../cursor.ts";
import type { Plan } from "../query-plan.ts";
import type { Scalar } from "../values.ts";
import type { Catalog } from "./catalog.ts";
import { storedDirections } from "./index-entries.ts";
import { after, encodeScalar } from "./index-key.ts";

/** The entries of one index that match one combination: their keys are the prefix and the tail that all indexes share. */
export interface Scan {
  readonly ix: number;
  readonly prefix: Buffer;
}

/** The part of the tails that is read: from `low` on and below `high`, beyond a document where one was seen. */
export interface Bounds {
  readonly low: Buffer;
  /** Undefined: no end but the prefix's. */
  readonly high: Buffer | undefined;
  /** The tail and id of the last document that was seen. */
  readonly seen: { readonly tail: Buffer; readonly id: string } | undefined;
}

/** The scans that together answer a combination. */
export function scansOf(plan: Plan, catalog: Catalog, combination: readonly Scalar[]): Scan[] {
  return plan.indexes.map(({ properties, prefix }) => {
    const directions = storedDirections(properties);
    const parts = prefix.map((position, i) => encodeScalar(combination[position] as Scalar, directions[i] ?? "asc"));
    return { ix: catalog.find(plan.kind, properties).ix, prefix: Buffer.concat(parts) };
  });
}

/** The bounds of a combination: the query's range, and the position after which the page begins. */
export function boundsOf(plan: Plan, combination: readonly Scalar[], position: Position | undefined): Bounds {
  const range = rangeOf(plan);
  return position === undefined ? range : beyond(plan, combination, position, range);
}

function rangeOf(plan: Plan): Bounds {
  const stored = storedDirections(plan.tail)[0] ?? "asc";
  let low: Buffer = Buffer.alloc(0);
  let high: Buffer | undefined;
  for (const { op, value } of plan.range) {
    const bytes = encodeScalar(value, stored);
    const lower = op.startsWith(">") === (stored === "asc");
    const exact = lower === op.endsWith("=") ? bytes : (after(bytes) as Buffer);
    if (lower) low = later(low, exact);
    else high = high === undefined ? exact : earlier(high, exact);
  }
  return { low, high, seen: undefined };
}

/**
 * Documents of other combinations lie between those of this one. The orders are followed as far as the position agrees
 * with this combination's values; where they differ, all of this combination with that beginning is before or after it.
 */
function beyond(plan: Plan, combination: readonly Scalar[], position: Position, range: Bounds): Bounds {
  const stored = storedDirections(plan.tail);
  const tail: Buffer[] = [];
  for (const [i, { property, direction }] of plan.orders.entries()) {
    const value = position.values[i] as Scalar;
    const compared = plan.compared.indexOf(property);
    if (compared === -1) {
      tail.push(encodeScalar(value, stored[tail.length] ?? "asc"));
      continue;
    }
    const side = Buffer.compare(
      encodeScalar(combination[compared] as Scalar, direction),
      encodeScalar(value, direction),
    );
    if (side !== 0) return besideBeginning(plan, Buffer.concat(tail), side, range);
  }
  return { ...range, seen: { tail: Buffer.concat(tail), id: position.id } };
}

/** Leaves out what begins so (side < 0), or what comes before it (side > 0), in the direction of reading. */
function besideBeginning(plan: Plan, beginning: Buffer, side: number, range: Bounds): Bounds {
  const inclusive = side > 0;
  if (plan.direction === "desc") {
    const high = inclusive ? after(beginning) : beginning;
    return high === undefined ? range : { ...range, high: range.high === undefined ? high : earlier(range.high, high) };
  }
  if (inclusive) return { ...range, low: later(range.low, beginning) };
  const low = after(beginning);
  return low === undefined ? { ...range, high: Buffer.alloc(0) } : { ...range, low: later(range.low, low) };
}

function later(left: Buffer, right: Buffer): Buffer {
  return Buffer.compare(left, right) >= 0 ? left : right;
}

function earlier(left: Buffer, right: Buffer): Buffer {
  return Buffer.compare(left, right) <= 0 ? left : right;
}
