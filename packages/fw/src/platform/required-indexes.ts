import type { Order } from "./contract.ts";
import { newUnfitProperty, propertyOfUnfit, type Kind, type Property } from "./definitions.ts";

/** An index that a kind needs in a store that maintains its own table of index entries. */
export interface RequiredIndex {
  readonly properties: readonly Order[];
  /** Everything that determines the entries, as text. */
  readonly identity: string;
}

export function indexesOf(kind: Kind): RequiredIndex[] {
  const single = [...kind.indexed.keys()].map((property): Order[] => [{ property, direction: "asc" }]);
  const required = [...single, ...kind.composites.map((index) => index.properties)].map((properties) => {
    const parts = properties.map((order) => {
      const indexed = kind.indexed.get(order.property);
      return [order.property, order.direction, readingOf(indexed)];
    });
    return { properties, identity: JSON.stringify([kind.kind, parts]) };
  });
  return [...new Map(required.map((index) => [index.identity, index])).values()];
}

/**
 * The source of a property's values: the id, each element of an array, one value, whether the document is outdated, or
 * whether another property has a value of the wrong type.
 */
export type PropertyReading =
  | "key"
  | boolean
  | { readonly outdated: string }
  | { readonly unfit: string; readonly many: boolean };

function readingOf(property: Property | undefined): PropertyReading | undefined {
  if (property?.outdated !== undefined) return { outdated: property.outdated };
  if (property?.unfit !== undefined) return { unfit: property.unfit, many: property.many };
  return property?.key === true ? "key" : property?.many;
}

export function describedProperty(name: string, reading: PropertyReading | null): Property {
  if (typeof reading === "object" && reading !== null && "unfit" in reading)
    return newUnfitProperty({ name: propertyOfUnfit(name) ?? name, many: reading.many }, reading.unfit);
  return {
    name,
    path: name.split("."),
    many: reading === true,
    key: reading === "key",
    unique: false,
    ruled: false,
    outdated: typeof reading === "object" ? reading?.outdated : undefined,
    unfit: undefined,
  };
}

/** Returns the warning about documents that share a value of a unique property. */
export function sharedSentence(kind: string, property: string, ids: readonly string[]): string {
  const names = ids.map((id) => JSON.stringify(id)).join(", ");
  return `${kind}: the documents ${names} have the same ${property}, although it is Unique. fw leaves them unchanged; give all but one another value`;
}
