import { TypeFlags, type Project, type Type } from "typescript/unstable/async";
import { unknownData, type DataType, type ScalarName, type AccessPaths } from "../../model/render.ts";
import { factsOf, type TypeFacts, type ObjectShape } from "./facts.ts";
import { typesAt, type Question } from "./question.ts";

/** Asks for a type, only as deep as `paths` read it. */
export interface DataQuestion extends Question {
  readonly paths: AccessPaths;
}

/** Returns the types of values that templates read, in the order of the questions. */
export async function dataTypes(project: Project, questions: readonly DataQuestion[]): Promise<readonly DataType[]> {
  const facts = factsOf(project);
  const types = await typesAt(project, questions);
  return Promise.all(
    types.map(async (type, index) => {
      const paths = questions[index]?.paths;
      return type && paths ? dataType(facts, type, paths) : unknownData;
    }),
  );
}

async function dataType(facts: TypeFacts, type: Type, paths: AccessPaths): Promise<DataType> {
  if (isLeaf(paths) || type.isErrorType()) return unknownData;
  if (type.flags & nothing) return { kind: "nothing" };
  const scalar = scalars.find(([flag]) => type.flags & flag);
  if (scalar) return { kind: "scalar", name: scalar[1] };
  if (!type.isObjectType() && !type.isUnionType() && !type.isIntersectionType()) return unknownData;
  const shape = await facts.shape(type);
  switch (shape.kind) {
    case "list":
      return { kind: "list", items: await anyOf(facts, shape.items, itemPaths(paths)) };
    case "any":
      return anyOf(facts, shape.members, paths);
    case "map":
      return {
        kind: "object",
        properties: new Map([["size", unknownData]]),
        rest: await dataType(facts, shape.values, restPaths(paths)),
      };
    case "object":
      return objectType(facts, shape, paths);
    default:
      return shape;
  }
}

const nothing = TypeFlags.Undefined | TypeFlags.Null | TypeFlags.Void;

const scalars: readonly (readonly [TypeFlags, ScalarName])[] = [
  [TypeFlags.StringLike, "string"],
  [TypeFlags.NumberLike, "number"],
  [TypeFlags.BooleanLike, "boolean"],
  [TypeFlags.BigIntLike, "bigint"],
];

/** True if the template reads nothing inside the value. */
export function isLeaf({ properties, items }: AccessPaths): boolean {
  return properties.size === 0 && items === undefined;
}

/** Merges the paths that loops and index accesses read from the items of a list. */
function itemPaths({ properties, items }: AccessPaths): AccessPaths {
  return allOf(items, ...[...properties].flatMap(([name, inside]) => (/^\d+$/.test(name) ? [inside] : [])));
}

function restPaths({ properties, items }: AccessPaths): AccessPaths {
  return allOf(items, ...properties.values());
}

function allOf(...paths: readonly (AccessPaths | undefined)[]): AccessPaths {
  const properties = new Map<string, AccessPaths>();
  let items: AccessPaths | undefined;
  for (const each of paths) {
    for (const [name, inside] of each?.properties ?? []) properties.set(name, allOf(properties.get(name), inside));
    if (each?.items) items = allOf(items, each.items);
  }
  return { properties, ...(items ? { items } : {}) };
}

async function anyOf(facts: TypeFacts, types: readonly Type[], paths: AccessPaths): Promise<DataType> {
  return { kind: "union", members: await Promise.all(types.map((each) => dataType(facts, each, paths))) };
}

async function objectType(facts: TypeFacts, { symbols, values }: ObjectShape, paths: AccessPaths): Promise<DataType> {
  const properties = new Map(symbols.map(({ name }): [string, DataType] => [name, unknownData]));
  const read = symbols.filter(({ name }) => !isLeaf(paths.properties.get(name) ?? noPaths));
  const types = await facts.typesOf(read);
  await Promise.all(
    read.map(async ({ name }, index) => {
      const [type, inside] = [types[index], paths.properties.get(name)];
      if (type && inside) properties.set(name, await dataType(facts, type, inside));
    }),
  );
  const isNamed = [...paths.properties.keys()].every((name) => properties.has(name));
  if (isNamed && paths.items === undefined) return { kind: "object", properties };
  const others = await values();
  // `{}` and `object` say nothing about their content.
  if (others.length === 0) return symbols.length === 0 ? unknownData : { kind: "object", properties };
  return { kind: "object", properties, rest: await anyOf(facts, others, restPaths(paths)) };
}

const noPaths: AccessPaths = { properties: new Map() };
