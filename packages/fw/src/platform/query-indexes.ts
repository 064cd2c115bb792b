import type { Order } from "./contract.ts";
import { isSameOrder, type Kind } from "./definitions.ts";
import { PlatformError } from "./errors.ts";

/** An index that takes part in answering a query. */
export interface ChosenIndex {
  /** The index as defined. A property's own index is represented as one ascending property. */
  readonly properties: readonly Order[];
  /** For each property before the tail, the position in `compared` that it covers. */
  readonly prefix: readonly number[];
}

/**
 * Chooses, greedily, a few indexes that together answer a query with these compared properties and this sort order (the
 * tail): each starts with compared properties and ends with exactly the tail, and together they cover all compared
 * properties. Their results are merged. Throws a PlatformError `index` if no such set exists.
 */
export function chooseIndexes(kind: Kind, compared: readonly string[], tail: readonly Order[]): ChosenIndex[] {
  if (compared.length === 0) return unfiltered(kind, tail);
  const indexes: ChosenIndex[] = [];
  const missing = new Set(compared.keys());
  while (missing.size > 0) {
    const best = candidates(kind, tail)
      .map((properties) => match(properties, compared, missing, tail.length))
      .filter((index) => index !== undefined)
      .toSorted((a, b) => gain(b, missing) - gain(a, missing))[0];
    if (best === undefined || gain(best, missing) === 0) throw unserved(kind, compared, tail);
    indexes.push(best);
    for (const position of best.prefix) missing.delete(position);
  }
  return indexes;
}

function unfiltered(kind: Kind, tail: readonly Order[]): ChosenIndex[] {
  const first = tail[0];
  if (first === undefined) return [];
  if (tail.length === 1) return [{ properties: [{ property: first.property, direction: "asc" }], prefix: [] }];
  const whole = kind.composites.find(({ properties }) => isSameOrder(properties, tail));
  if (whole === undefined) throw unserved(kind, [], tail);
  return [{ properties: whole.properties, prefix: [] }];
}

/**
 * Returns the indexes that end with the tail. A property's own index cannot combine a compared property with a tail.
 */
function candidates(kind: Kind, tail: readonly Order[]): (readonly Order[])[] {
  const composites = kind.composites.map((index) => index.properties);
  if (tail.length > 0) return composites.filter((properties) => isSameOrder(properties.slice(-tail.length), tail));
  const single = [...kind.indexed.keys()].map((property): Order[] => [{ property, direction: "asc" }]);
  return [...single, ...composites];
}

/**
 * Returns the index if the query compares all of its properties before the tail; otherwise undefined. If the query
 * compares a property twice, the index covers a comparison that no other index covers yet.
 */
function match(
  properties: readonly Order[],
  compared: readonly string[],
  missing: ReadonlySet<number>,
  tail: number,
): ChosenIndex | undefined {
  const prefix = properties.slice(0, properties.length - tail).map(({ property }) => {
    const position = compared.findIndex((name, i) => name === property && missing.has(i));
    return position === -1 ? compared.indexOf(property) : position;
  });
  return prefix.length === 0 || prefix.includes(-1) ? undefined : { properties, prefix };
}

function gain(index: ChosenIndex, missing: ReadonlySet<number>): number {
  return index.prefix.filter((position) => missing.has(position)).length;
}

function unserved(kind: Kind, compared: readonly string[], tail: readonly Order[]): PlatformError {
  const names = [...new Set(compared)].map((property) => `${property} asc`);
  const needed = [...names, ...tail.map(({ property, direction }) => `${property} ${direction}`)].join(", ");
  return new PlatformError("index", `no index serves this query of ${kind.kind}; it needs one over (${needed})`);
}
