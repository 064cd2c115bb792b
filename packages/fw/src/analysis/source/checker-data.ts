import {
  SymbolFlags,
  TypeFlags,
  type Checker,
  type Project,
  type Symbol,
  type Type,
  type TypeReference,
} from "typescript/unstable/async";
import { unknownData, type DataType, type ScalarName, type Wanted } from "../../model/render.ts";
import { typesAt, type Question } from "./checker-walk.ts";

/** Asks for a type only as deep as it is wanted. */
export interface DataQuestion extends Question {
  readonly wanted: Wanted;
}

/** The types of values that templates read, in the order of the questions. */
export async function dataTypes(project: Project, questions: readonly DataQuestion[]): Promise<readonly DataType[]> {
  const types = await typesAt(project, questions);
  return Promise.all(
    types.map((type, index) => {
      const wanted = questions[index]?.wanted;
      return type && wanted ? dataType(project.checker, type, wanted) : unknownData;
    }),
  );
}

async function dataType(checker: Checker, type: Type, wanted: Wanted): Promise<DataType> {
  if (isLeaf(wanted) || type.isErrorType()) return unknownData;
  if (type.flags & nothing) return { kind: "nothing" };
  const scalar = scalars.find(([flag]) => type.flags & flag);
  if (scalar) return { kind: "scalar", name: scalar[1] };
  if (type.isUnionType()) return anyOf(checker, await type.getTypes(), wanted);
  if (type.isIntersectionType()) {
    const parts = await type.getTypes();
    return parts.every((part) => part.isObjectType()) ? objectType(checker, type, wanted) : unknownData;
  }
  return type.isObjectType() ? namedType(checker, type, wanted) : unknownData;
}

function isLeaf({ properties, items }: Wanted): boolean {
  return properties.size === 0 && items === undefined;
}

const nothing = TypeFlags.Undefined | TypeFlags.Null | TypeFlags.Void;

const scalars: readonly (readonly [TypeFlags, ScalarName])[] = [
  [TypeFlags.StringLike, "string"],
  [TypeFlags.NumberLike, "number"],
  [TypeFlags.BooleanLike, "boolean"],
  [TypeFlags.BigIntLike, "bigint"],
];

async function anyOf(checker: Checker, types: readonly Type[], wanted: Wanted): Promise<DataType> {
  return { kind: "union", members: await Promise.all(types.map((each) => dataType(checker, each, wanted))) };
}

/** Lists, what comes with the platform, and any other object. */
async function namedType(checker: Checker, type: Type, wanted: Wanted): Promise<DataType> {
  const [isArray, isTuple, symbol] = await Promise.all([
    checker.isArrayType(type),
    checker.isTupleType(type),
    type.getSymbol(),
  ]);
  if (isArray || isTuple) return listOf(checker, await checker.getTypeArguments(type as TypeReference), wanted);
  if (symbol === undefined || !isOfPlatform(symbol)) return objectType(checker, type, wanted);
  if (symbol.name === "Date" || symbol.name === "Promise") return { kind: "scalar", name: symbol.name };
  return collectionType(checker, type as TypeReference, symbol.name, wanted);
}

/** A mapped type such as `Pick` is written there, too, and is an object like any other. */
function isOfPlatform(symbol: Symbol): boolean {
  if (!(symbol.flags & (SymbolFlags.Class | SymbolFlags.Interface))) return false;
  return symbol.declarations.some(({ path }) => /(^bundled:|\/lib\.[\w.]*\.d\.ts$|\/@types\/node\/)/.test(path));
}

/** Items read by loops and by their index are asked for once, as deep as any of these wants. */
async function listOf(checker: Checker, types: readonly Type[], wanted: Wanted): Promise<DataType> {
  const indexed = [...wanted.properties].flatMap(([name, inside]) => (/^\d+$/.test(name) ? [inside] : []));
  return { kind: "list", items: await anyOf(checker, types, allOf(wanted.items, ...indexed)) };
}

function allOf(...wanted: readonly (Wanted | undefined)[]): Wanted {
  const properties = new Map<string, Wanted>();
  let items: Wanted | undefined;
  for (const each of wanted) {
    for (const [name, inside] of each?.properties ?? []) properties.set(name, allOf(properties.get(name), inside));
    if (each?.items) items = allOf(items, each.items);
  }
  return { properties, ...(items ? { items } : {}) };
}

/** A map is read by its keys, whatever these are. What else comes with the platform has few properties of its own. */
async function collectionType(checker: Checker, type: TypeReference, name: string, wanted: Wanted): Promise<DataType> {
  if (!collections.has(name)) return unknownData;
  const [key, value] = await checker.getTypeArguments(type);
  if (key === undefined) return unknownData;
  if (value === undefined) return listOf(checker, [key], wanted);
  const rest = await dataType(checker, value, allOf(wanted.items, ...wanted.properties.values()));
  return { kind: "object", properties: new Map([["size", unknownData]]), rest };
}

const collections: ReadonlySet<string> = new Set(["Map", "ReadonlyMap", "Set", "ReadonlySet"]);

async function objectType(checker: Checker, type: Type, wanted: Wanted): Promise<DataType> {
  const [symbols, infos] = await Promise.all([checker.getPropertiesOfType(type), checker.getIndexInfosOfType(type)]);
  // `{}` and `object` say nothing of what is inside; what has a symbol for a key may be anything.
  if (symbols.length === 0 && infos.length === 0) return unknownData;
  const found = await properties(checker, symbols, wanted);
  if (infos.length === 0) return { kind: "object", properties: found };
  const values = infos.map(({ valueType }) => valueType);
  const rest = await anyOf(checker, values, allOf(wanted.items, ...wanted.properties.values()));
  return { kind: "object", properties: found, rest };
}

async function properties(
  checker: Checker,
  symbols: readonly Symbol[],
  wanted: Wanted,
): Promise<ReadonlyMap<string, DataType>> {
  const read = symbols.filter(({ name }) => !isLeaf(wanted.properties.get(name) ?? wantedNothing));
  const types = read.length > 0 ? await checker.getTypeOfSymbol(read) : [];
  const found = new Map(symbols.map(({ name }): [string, DataType] => [name, unknownData]));
  await Promise.all(
    read.map(async ({ name }, index) => {
      const [type, inside] = [types[index], wanted.properties.get(name)];
      if (type && inside) found.set(name, await dataType(checker, type, inside));
    }),
  );
  return found;
}

const wantedNothing: Wanted = { properties: new Map() };
