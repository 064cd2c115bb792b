import { TypeFlags, type Type, type TypeReference } from "typescript/unstable/async";
import type { CheckedNode, TypeWalk } from "./checked-type.ts";
import { isJson } from "./framework-types.ts";

/**
 * Reads a union. A union with `undefined` loses the `Json` alias of its members in TypeScript; a list of `Json` reveals
 * it.
 */
export async function readUnion(walk: TypeWalk, types: readonly Type[]): Promise<CheckedNode> {
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
