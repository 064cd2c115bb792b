import { TypeFlags, type ObjectType, type Type, type UnionOrIntersectionType } from "typescript/unstable/async";
import { constraintNamed } from "../../model/constraints.ts";
import { isBindingSource } from "../../model/bindings.ts";
import type { CheckedNode, TypeWalk } from "./checked-type.ts";
import { readProperties } from "./object.ts";
import { isOfFw } from "./framework-types.ts";

/** A mark that one of fw's markers adds to a type. */
interface Mark {
  readonly name: string;
  /** The name of a parameter, the argument of a constraint or the document type of a `Ref`; null if not constant. */
  readonly argument?: string | number | null;
}

/** Reads an intersection. A primitive with objects is a branded primitive; fw's markers are such objects. */
export async function readIntersection(walk: TypeWalk, type: UnionOrIntersectionType): Promise<CheckedNode> {
  const parts = await type.getTypes();
  const marks: Mark[] = [];
  const rest: Type[] = [];
  for (const part of parts) {
    const mark = part.isObjectType() ? await readMark(walk, part) : undefined;
    if (mark) marks.push(mark);
    else rest.push(part);
  }
  if ((await walk.checker.typeToString(type)) === "never") return { kind: "intrinsic", name: "never" };
  const primitive = rest.find((part) => part.flags & (TypeFlags.Primitive & ~TypeFlags.Void));
  const base = primitive ?? (rest.length === 1 ? rest[0] : await brandedPart(walk, rest));
  if (base && (marks.length > 0 || base === primitive || rest.length > 1))
    return markerNode(walk, await walk.visit(base), marks);
  return readProperties(walk, type);
}

/**
 * Finds the list or date in an intersection with brands, `Date & { _type: "expiry" }`; undefined for any other
 * intersection.
 */
async function brandedPart(walk: TypeWalk, parts: readonly Type[]): Promise<Type | undefined> {
  let base: Type | undefined;
  for (const part of parts) {
    if (await isListOrDate(walk, part)) {
      if (base) return undefined;
      base = part;
    } else if (!(await isBrand(walk, part))) return undefined;
  }
  return base;
}

async function isListOrDate({ checker }: TypeWalk, part: Type): Promise<boolean> {
  if (!part.isObjectType()) return false;
  return (await checker.isArrayType(part)) || (await checker.typeToString(part)) === "Date";
}

/**
 * True if the names of all properties are symbols or start with an underscore, as in brands, which no value has at run
 * time.
 */
async function isBrand({ checker }: TypeWalk, part: Type): Promise<boolean> {
  const properties = await checker.getPropertiesOfType(part);
  return properties.length > 0 && properties.every(({ escapedName }) => escapedName.startsWith("_"));
}

function markerNode(walk: TypeWalk, base: number, marks: readonly Mark[]): CheckedNode {
  let inner = base;
  const sorted = marks.toSorted((a, b) => Number(isBindingSource(a.name)) - Number(isBindingSource(b.name)));
  for (const mark of sorted.slice(0, -1)) inner = walk.nodes.push({ kind: "marker", ...mark, base: inner }) - 1;
  const last = sorted.at(-1);
  if (last) return { kind: "marker", ...last, base: inner };
  return walk.nodes[inner] ?? { kind: "other", text: "" };
}

const others: ReadonlySet<string> = new Set([
  "int",
  "int64",
  "id",
  "index",
  "unique",
  "ref",
  "search",
  "transient",
  "body",
]);

function isMark(name: string): boolean {
  return isBindingSource(name) || others.has(name) || constraintNamed(name) !== undefined;
}

async function readMark(walk: TypeWalk, part: ObjectType): Promise<Mark | undefined> {
  const properties = await walk.checker.getPropertiesOfType(part);
  const only = properties.length === 1 ? properties[0] : undefined;
  const name = only && /^__@(\w+?)@/.exec(only.escapedName)?.[1];
  if (!only || !name || !isMark(name) || !isOfFw(only)) return undefined;
  if (!isBindingSource(name) && name !== "ref" && constraintNamed(name) === undefined) return { name };
  const type = await walk.checker.getTypeOfSymbol(only);
  if (type && name === "ref") return { name, argument: await documentName(type) };
  return type ? { name, argument: await literalOf(type) } : { name };
}

/** Returns the name of the type whose documents a `Ref` points to; null if the type has no name. */
async function documentName(type: Type): Promise<string | null> {
  const parts = type.isUnionType() ? await type.getTypes() : [type];
  const document = parts.find((part) => !(part.flags & TypeFlags.Undefined));
  const symbol = document && ((await document.getAliasSymbol()) ?? (await document.getSymbol()));
  return symbol?.name ?? null;
}

/** Returns the value of a string or number literal type, also of an optional one (`N | undefined`); null for others. */
async function literalOf(type: Type): Promise<string | number | null> {
  const parts = type.isUnionType() ? await type.getTypes() : [type];
  const [text, ...more] = parts.filter((part) => !(part.flags & TypeFlags.Undefined));
  if (text?.isNumberLiteralType() && more.length === 0) return text.value;
  return text?.isStringLiteralType() && more.length === 0 ? text.value : null;
}
