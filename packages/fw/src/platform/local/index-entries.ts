import type { Order } from "../contract.ts";
import type { Scalar } from "../values.ts";
import { encodeScalar } from "./index-key.ts";

/**
 * Returns the keys of a document in an index: a single one, one for each element of its array, or none if it lacks a
 * property. The last property is always stored in ascending order, and an index whose last property is descending is
 * read backwards, so that ties by id follow that property, as in Datastore.
 */
export function entryKeys(properties: readonly Order[], indexed: ReadonlyMap<string, readonly Scalar[]>): Buffer[] {
  const directions = storedDirections(properties);
  let keys: Buffer[] = [Buffer.alloc(0)];
  for (const [i, { property }] of properties.entries()) {
    const values = indexed.get(property) ?? [];
    const parts = values.map((value) => encodeScalar(value, directions[i] ?? "asc"));
    keys = keys.flatMap((key) => parts.map((bytes) => (key.length === 0 ? bytes : Buffer.concat([key, bytes]))));
  }
  return keys;
}

/** Returns the direction in which each property of an index is stored. */
export function storedDirections(properties: readonly Order[]): Order["direction"][] {
  const last = properties.at(-1)?.direction;
  return properties.map(({ direction }) => (direction === last ? "asc" : "desc"));
}
