import {
  type Project,
  type TemplateLiteralType,
  type Type,
  TypeFlags,
  type TypeReference,
} from "typescript/unstable/async";
import type { CheckedNode, CheckedType, TypeWalk } from "./checked-type.ts";
import { isJson } from "./framework-types.ts";
import { readIntersection } from "./marks.ts";
import { readObject } from "./object.ts";

/** The maximum number of nodes to read, more than any type that is sent should have. */
const mostNodes = 4_000;

/** Reads a type property by property. A recursive type becomes a cycle of indexes. */
export async function walkType({ checker }: Project, root: Type): Promise<CheckedType> {
  const indexes = new Map<number, number>();
  const walk: TypeWalk = { checker, nodes: [], visit: (type) => visit(walk, indexes, type) };
  return { root: await walk.visit(root), nodes: walk.nodes };
}

async function visit(walk: TypeWalk, indexes: Map<number, number>, type: Type): Promise<number> {
  const existing = indexes.get(type.id);
  if (existing !== undefined) return existing;
  const index = walk.nodes.length;
  indexes.set(type.id, index);
  walk.nodes.push({ kind: "other", text: "a type with too many parts" });
  if (index < mostNodes) walk.nodes[index] = await readType(walk, type);
  return index;
}

async function readType(walk: TypeWalk, type: Type): Promise<CheckedNode> {
  if (type.isErrorType()) return { kind: "mistake" };
  if (type.flags & TypeFlags.Boolean) return { kind: "intrinsic", name: "boolean" };
  if (type.flags & TypeFlags.Enum && !(type.flags & TypeFlags.Union)) return { kind: "other", text: "a computed enum" };
  if (type.isLiteralType()) return { kind: "literal", value: type.value };
  if (type.isUnionType() && (await isJson(type))) return { kind: "global", name: "Json" };
  if (type.isUnionType()) return readUnion(walk, await type.getTypes());
  if (type.isSubstitutionType()) return readType(walk, await type.getBaseType());
  if (type.isIntersectionType()) return readIntersection(walk, type);
  if (type.flags & intrinsics) return { kind: "intrinsic", name: intrinsicName(type) };
  if (type.isObjectType()) return readObject(walk, type);
  if (type.isTemplateLiteralType()) return readTemplate(walk, type);
  return { kind: "other", text: await walk.checker.typeToString(type, undefined, 1) };
}

async function readTemplate(walk: TypeWalk, type: TemplateLiteralType): Promise<CheckedNode> {
  const holes: number[] = [];
  for (const each of await type.getTypes()) holes.push(await walk.visit(each));
  return { kind: "template", texts: type.texts, holes };
}

const intrinsics =
  TypeFlags.Any |
  TypeFlags.Unknown |
  TypeFlags.Undefined |
  TypeFlags.Null |
  TypeFlags.Void |
  TypeFlags.String |
  TypeFlags.Number |
  TypeFlags.BigInt |
  TypeFlags.ESSymbol |
  TypeFlags.UniqueESSymbol |
  TypeFlags.NonPrimitive |
  TypeFlags.Never;

function intrinsicName(type: Type): string {
  if (type.flags & TypeFlags.UniqueESSymbol) return "symbol";
  return (type as unknown as { intrinsicName: string }).intrinsicName;
}

/**
 * Reads a union. In a union with `undefined`, TypeScript loses the `Json` alias; a list of `Json` among the members
 * reveals it.
 */
async function readUnion(walk: TypeWalk, types: readonly Type[]): Promise<CheckedNode> {
  const rest: Type[] = [];
  let json = false;
  for (const type of types) {
    if (await isListOfJson(walk, type)) json = true;
    else rest.push(type);
  }
  if (!json) return { kind: "union", members: await visitAll(walk, types) };
  const others: Type[] = [];
  for (const type of rest) if (!(await isOtherJson(walk, type))) others.push(type);
  const index = walk.nodes.push({ kind: "global", name: "Json" }) - 1;
  return { kind: "union", members: [...(await visitAll(walk, others)), index] };
}

async function isListOfJson(walk: TypeWalk, type: Type): Promise<boolean> {
  if (!type.isObjectType() || !(await walk.checker.isArrayType(type))) return false;
  const [items] = await walk.checker.getTypeArguments(type as TypeReference);
  return items !== undefined && items.isUnionType() && isJson(items);
}

async function isOtherJson(walk: TypeWalk, type: Type): Promise<boolean> {
  if (type.flags & (TypeFlags.String | TypeFlags.Number | TypeFlags.BooleanLike | TypeFlags.Null)) return true;
  const [info] = type.isObjectType() ? await walk.checker.getIndexInfosOfType(type) : [];
  return info !== undefined && info.valueType.isUnionType() && isJson(info.valueType);
}

async function visitAll(walk: TypeWalk, types: readonly Type[]): Promise<readonly number[]> {
  const indexes: number[] = [];
  for (const type of types) indexes.push(await walk.visit(type));
  return indexes;
}
