import type { Definitions, KindDefinition, Order } from "./contract.ts";
import { PlatformError } from "./errors.ts";

/** Limit: characters in the name of a document kind or a lease. */
const kindCharacters = 200;

/** The name of the property whose index contains the outdated documents. */
export const outdatedProperty = "_fw_outdated";

const unfitPrefix = "_fw_unfit:";

/** Returns the name of the property that indexes documents with a wrong type in `name`. */
export function unfitProperty(name: string): string {
  return `${unfitPrefix}${name}`;
}

/** Reverses `unfitProperty`; returns undefined for the name of any other property. */
export function propertyOfUnfit(name: string): string | undefined {
  return name.startsWith(unfitPrefix) ? name.slice(unfitPrefix.length) : undefined;
}

export type Kinds = ReadonlyMap<string, Kind>;

/** A validated kind, with its properties by name. */
export interface Kind extends KindDefinition {
  readonly indexed: ReadonlyMap<string, Property>;
  readonly unique: readonly Property[];
}

export interface Property {
  readonly name: string;
  /** The property path, split into names. */
  readonly path: readonly string[];
  readonly many: boolean;
  /** True if the property is the document's id, regardless of any field with that name. */
  readonly key: boolean;
  /** True if no two documents may have the same value. */
  readonly unique: boolean;
  /** True if outdated documents may have another value, or none. */
  readonly ruled: boolean;
  /** The definition's rules as text; set only for the property that indexes outdated documents. */
  readonly outdated: string | undefined;
  /** The types of another property; set only if this one indexes the documents that do not fit those types. */
  readonly unfit: string | undefined;
}

/** Validates the definitions; fails with `document` if, for example, an index names an unindexed property. */
export function readDefinitions(definitions: Definitions): Kinds {
  const kinds = new Map<string, Kind>();
  for (const definition of definitions.kinds) {
    if (kinds.has(definition.kind)) throw wrong(definition, "is defined twice");
    checkKindName(definition);
    const indexed = new Map(definition.properties.flatMap(readProperties).map((each) => [each.name, each]));
    checkComposites(definition, indexed);
    const unique = [...indexed.values()].filter((property) => property.unique);
    if (unique.some(({ many }) => many)) throw wrong(definition, "has a unique property that is an array");
    kinds.set(definition.kind, { ...definition, indexed, unique });
  }
  return kinds;
}

/** Returns a property and, if it has a type, a second one that indexes the documents with values of other types. */
function readProperties(definition: KindDefinition["properties"][number]): readonly Property[] {
  const property = readProperty(definition);
  if (definition.type === undefined || property.key) return [property];
  return [property, newUnfitProperty(property, definition.type)];
}

/** Creates the property that indexes documents whose value of `name` has none of the types in `unfit`. */
export function newUnfitProperty({ name, many }: Pick<Property, "name" | "many">, unfit: string): Property {
  return { ...readProperty({ name }), name: unfitProperty(name), many, unfit };
}

function readProperty({ name, many, key, unique, ruled, outdated }: KindDefinition["properties"][number]): Property {
  return {
    name,
    path: name.split("."),
    many: many === true,
    key: key === true,
    unique: unique === true,
    ruled: ruled === true,
    outdated,
    unfit: undefined,
  };
}

/**
 * Returns definitions without rules and types, for writing documents that any version of the application may have
 * written. Every document written with them counts as outdated.
 */
export function withoutRules(definitions: Definitions): Definitions {
  const kinds = definitions.kinds.map((kind) => ({
    ...kind,
    properties: kind.properties.flatMap((property) => {
      const { name, many, key, unique, outdated } = property;
      if (outdated !== undefined) return [];
      return [{ name, ...(many && { many }), ...(key && { key }), ...(unique && { unique }) }];
    }),
  }));
  return { ...definitions, kinds };
}

/** Returns the kind; fails with `document` if it is not defined. */
export function kindOf(kinds: Kinds, name: string): Kind {
  const kind = kinds.get(name);
  if (kind !== undefined) return kind;
  throw new PlatformError("document", `no kind of document is named ${JSON.stringify(name)}`);
}

export function isSameKind(left: Kind, right: Kind): boolean {
  return JSON.stringify([left.properties, left.composites]) === JSON.stringify([right.properties, right.composites]);
}

export function isSameOrder(left: readonly Order[], right: readonly Order[]): boolean {
  return (
    left.length === right.length &&
    left.every((order, i) => order.property === right[i]?.property && order.direction === right[i].direction)
  );
}

/** Adds definitions of kinds in front of the older ones, which remain available to code that is still running. */
export function withNewer(
  definitions: ReadonlyMap<string, readonly Kind[]>,
  kinds: Iterable<Kind>,
): ReadonlyMap<string, readonly Kind[]> {
  const all = new Map(definitions);
  for (const kind of kinds)
    all.set(kind.kind, [kind, ...(all.get(kind.kind) ?? []).filter((other) => !isSameKind(other, kind))]);
  return all;
}

function checkKindName(definition: KindDefinition): void {
  const { kind, framework } = definition;
  if (kind === "" || kind.length > kindCharacters)
    throw wrong(definition, `must have 1 to ${kindCharacters} characters`);
  if (/^__.*__$|[\0\p{Surrogate}]/su.test(kind)) throw wrong(definition, "has a name that is reserved or unprintable");
  if (kind.startsWith("_fw") && framework !== true) throw wrong(definition, "begins with _fw, which fw reserves");
}

function checkComposites(definition: KindDefinition, indexed: ReadonlyMap<string, Property>): void {
  for (const { properties } of definition.composites) {
    const names = properties.map((order) => order.property);
    if (names.length < 2) throw wrong(definition, "has a composite index of fewer than two properties");
    if (new Set(names).size < names.length) throw wrong(definition, "has a composite index that repeats a property");
    const unknown = names.find((name) => !indexed.has(name));
    if (unknown !== undefined) throw wrong(definition, `has a composite index of ${unknown}, which is not indexed`);
    if (names.filter((name) => indexed.get(name)?.many).length > 1)
      throw wrong(definition, "has a composite index over two arrays");
  }
}

function wrong(definition: KindDefinition, what: string): PlatformError {
  return new PlatformError("document", `the kind ${JSON.stringify(definition.kind)} ${what}`);
}
