import type { Order } from "../contract.ts";
import { isSameOrder, type Kind, type Property } from "../definitions.ts";
import { PlatformError } from "../errors.ts";
import { describedProperty, indexesOf, type PropertyReading, type RequiredIndex } from "../required-indexes.ts";
import type { Connections } from "./connections.ts";
import type { SqlRow } from "./driver.ts";

/** An index of the schema. Every machine maintains it, regardless of its own definitions. */
export interface RegisteredIndex {
  readonly ix: number;
  /**
   * Everything that the index's entries depend on: the kind, the properties, their directions, and how each is read
   * from a document.
   */
  readonly identity: string;
  readonly properties: readonly Order[];
  /** How the properties are read from a document. */
  readonly parts: readonly Property[];
  readonly isFilled: boolean;
  /** True if no two documents may share a value. */
  readonly isGuarded: boolean;
}

/** Indexes of one kind that read documents in the same way. */
export interface IndexGroup {
  /** A definition of the kind with only the properties of `indexes`. */
  readonly kind: Kind;
  readonly indexes: readonly RegisteredIndex[];
}

const indexesOfKinds = new WeakMap<Kind, readonly RequiredIndex[]>();

export class Registry {
  readonly epoch: string;
  readonly #byIdentity: ReadonlyMap<string, RegisteredIndex>;
  readonly #groups: ReadonlyMap<string, readonly IndexGroup[]>;

  constructor(epoch: string, rows: readonly SqlRow[]) {
    this.epoch = epoch;
    const indexes = rows.map((row) => [String(row["kind"]), registeredIndex(row)] as const);
    this.#byIdentity = new Map(indexes.map(([, index]) => [index.identity, index]));
    this.#groups = groupsOf(indexes);
  }

  static async read(connections: Connections): Promise<Registry> {
    const rows = await connections.runRepeatable(
      `SELECT n.value AS epoch, i.ix, i.kind, i.identity, i.state, i.guarded FROM @@numbers n
       LEFT JOIN @@indexes i ON i.state < 2 WHERE n.name = 'epoch' ORDER BY i.ix`,
    );
    return new Registry(
      String(rows[0]?.["epoch"]),
      rows.filter(({ ix }) => ix !== null),
    );
  }

  get(identity: string): RegisteredIndex | undefined {
    return this.#byIdentity.get(identity);
  }

  /**
   * Returns the definition's index over exactly these properties; fails with `conflict` if the registry lacks it, for
   * example because it was deleted as unused.
   */
  find(kind: Kind, properties: readonly Order[]): RegisteredIndex {
    const indexes = indexesOfKinds.get(kind) ?? indexesOf(kind);
    indexesOfKinds.set(kind, indexes);
    const wanted = indexes.find((index) => isSameOrder(index.properties, properties));
    const index = wanted && this.#byIdentity.get(wanted.identity);
    if (index !== undefined) return index;
    throw new PlatformError("conflict", `the index of ${kind.kind} is being rebuilt; try again`, kind.kind);
  }

  groups(kind: string): readonly IndexGroup[] {
    return this.#groups.get(kind) ?? [];
  }
}

function groupsOf(indexes: readonly (readonly [kind: string, index: RegisteredIndex])[]): Map<string, IndexGroup[]> {
  const groups = new Map<string, { properties: Map<string, Property>; indexes: RegisteredIndex[] }[]>();
  for (const [kind, index] of indexes) {
    const ofKind = groups.get(kind) ?? [];
    groups.set(kind, ofKind);
    // Two definitions may read the same property differently: as an array or as a single value.
    let group = ofKind.find(({ properties }) =>
      index.parts.every((part) => isSameReading(properties.get(part.name) ?? part, part)),
    );
    if (group === undefined) ofKind.push((group = { properties: new Map(), indexes: [] }));
    group.indexes.push(index);
    const isUnique = index.isGuarded && index.parts.length === 1;
    for (const part of index.parts) {
      const unique = isUnique || group.properties.get(part.name)?.unique === true;
      group.properties.set(part.name, { ...part, unique });
    }
  }
  return new Map([...groups].map(([kind, ofKind]) => [kind, ofKind.map((group) => groupOf(kind, group))]));
}

function groupOf(
  kind: string,
  { properties, indexes }: { readonly properties: ReadonlyMap<string, Property>; readonly indexes: RegisteredIndex[] },
): IndexGroup {
  const unique = [...properties.values()].filter((property) => property.unique);
  return { kind: { kind, properties: [], composites: [], indexed: properties, unique }, indexes };
}

function registeredIndex({ ix, identity, state, guarded }: SqlRow): RegisteredIndex {
  const [, fields] = JSON.parse(String(identity)) as [string, [string, Order["direction"], PropertyReading | null][]];
  return {
    ix: Number(ix),
    identity: String(identity),
    properties: fields.map(([property, direction]) => ({ property, direction })),
    parts: fields.map(([name, , reading]) => describedProperty(name, reading)),
    isFilled: state === 1,
    isGuarded: guarded === true,
  };
}

export function isSameReading(left: Property, right: Property): boolean {
  return (
    left.many === right.many && left.key === right.key && left.outdated === right.outdated && left.unfit === right.unfit
  );
}
