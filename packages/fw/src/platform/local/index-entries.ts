import type { Order } from "../contract.ts";
import type { Scalar } from "../values.ts";
import { encodeScalar } from "./index-key.ts";

/**
 * Returns the keys of a document in an index: one, one for each element of an array, or none if a property is missing.
 * If the last property is descending, all directions are stored reversed and the index is read backwards. Ties by id
 * then follow the last property, as in Datastore.
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

/** Returns the stored direction of each property of an index. */
export function storedDirections(properties: readonly Order[]): Order["direction"][] {
  const last = properties.at(-1)?.direction;
  return properties.map(({ direction }) => (direction === last ? "asc" : "desc"));
}
