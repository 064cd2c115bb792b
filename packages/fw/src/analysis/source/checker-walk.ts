import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  ElementFlags,
  SignatureKind,
  SymbolFlags,
  TypeFlags,
  type Checker,
  type LiteralType,
  type ObjectType,
  type Project,
  type Symbol,
  type TupleType,
  type Type,
  type TypeReference,
  type UnionOrIntersectionType,
} from "typescript/unstable/async";

/** Which type is asked for. Offsets are UTF-16 units into the file as saved. */
export interface Question {
  readonly path: string;
  readonly start: number;
  /** With an end, the type of the node that spans it; without, of the name that starts there. */
  readonly end?: number;
  /** Asks for one type argument of that type (`EndpointDeclaration<Req, Res>`). */
  readonly argument?: number;
}

/** A type as data: `nodes[root]`, whose children are indexes into `nodes`. */
export interface CheckedType {
  readonly nodes: readonly CheckedNode[];
  readonly root: number;
}

export type CheckedNode =
  | { readonly kind: "intrinsic"; readonly name: string }
  | { readonly kind: "literal"; readonly value: string | number | boolean | bigint }
  | { readonly kind: "union"; readonly members: readonly number[] }
  | { readonly kind: "array"; readonly items: number }
  | { readonly kind: "tuple"; readonly items: readonly CheckedItem[] }
  /** A class or interface that comes with the platform: Date, Map, Promise. */
  | { readonly kind: "global"; readonly name: string }
  /** One of fw's own types, by name: a binding carries what it binds. */
  | { readonly kind: "marker"; readonly name: string; readonly base: number; readonly argument?: string }
  | { readonly kind: "object"; readonly properties: readonly CheckedProperty[]; readonly values?: number }
  | { readonly kind: "function" }
  | { readonly kind: "class"; readonly name: string }
  /** TypeScript reports an error where it is written. */
  | { readonly kind: "mistake" }
  | { readonly kind: "other"; readonly text: string };

export interface CheckedItem {
  readonly type: number;
  readonly optional: boolean;
  readonly rest: boolean;
}

export interface CheckedProperty {
  readonly name: string;
  readonly type: number;
  readonly optional: boolean;
  readonly method: boolean;
}

/** NoTruncation and UseFullyQualifiedType. */
const textFlags = 1 | 64;
/** Past this many types the walk stops: nobody sends such a value. */
const mostNodes = 4_000;

/** Types as text, in the order of the questions. Positions of one file share a round trip. */
export async function typeText(
  project: Project,
  questions: readonly Question[],
): Promise<readonly (string | undefined)[]> {
  const types = await typesAt(project, questions);
  return Promise.all(types.map(async (type) => type && project.checker.typeToString(type, undefined, textFlags)));
}

/** The types that questions are about. Names of one file share a round trip, and so do nodes of one file. */
export async function typesAt(
  project: Project,
  questions: readonly Question[],
): Promise<readonly (Type | undefined)[]> {
  const found: (Type | undefined)[] = questions.map(() => undefined);
  const groups = new Map<string, number[]>();
  for (const [index, question] of questions.entries()) {
    const form = question.argument === undefined ? (question.end === undefined ? "name" : "node") : index;
    const key = `${form} ${question.path}`;
    const group = groups.get(key);
    if (group) group.push(index);
    else groups.set(key, [index]);
  }
  const answered = [...groups.values()].map(async (indexes) => {
    const types = await typesOf(
      project,
      indexes.flatMap((index) => questions[index] ?? []),
    );
    for (const [at, index] of indexes.entries()) found[index] = types[at];
  });
  await Promise.all(answered);
  return found;
}

/** The types of one group: names of a file, nodes of a file, or a type argument alone. */
async function typesOf(project: Project, group: readonly Question[]): Promise<readonly (Type | undefined)[]> {
  const [first] = group;
  if (first === undefined) return [];
  if (first.argument !== undefined) return [await typeAt(project, first)];
  if (first.end !== undefined) return typesOfSpans(project, first.path, group);
  return typesIn(
    project,
    first.path,
    group.map(({ start }) => start),
  );
}

async function typesIn(project: Project, path: string, starts: readonly number[]): Promise<(Type | undefined)[]> {
  return project.checker.getTypeAtPosition(path, starts).catch(() => starts.map(() => undefined));
}

/** The type a question is about; undefined where the program does not hold that file. */
export async function typeAt(project: Project, question: Question): Promise<Type | undefined> {
  const type =
    question.end === undefined
      ? (await typesIn(project, question.path, [question.start]))[0]
      : (await typesOfSpans(project, question.path, [question]))[0];
  if (!type || question.argument === undefined) return type;
  return (await project.checker.getTypeArguments(type as TypeReference))[question.argument];
}

async function typesOfSpans(
  project: Project,
  path: string,
  spans: readonly Question[],
): Promise<readonly (Type | undefined)[]> {
  const file = await project.program.getSourceFile(path);
  const nodes = spans.map(({ start, end = start }) => file && nodeSpanning(file, file, start, end));
  const types = await project.checker.getTypeAtLocation(nodes.filter((node) => node !== undefined));
  let next = 0;
  return nodes.map((node) => node && types[next++]);
}

function nodeSpanning(file: SourceFile, from: Node, start: number, end: number): Node | undefined {
  return from.forEachChild((child) => {
    if (child.pos > start || child.end < end) return undefined;
    if (child.end === end && child.getStart(file) === start) return child;
    return nodeSpanning(file, child, start, end);
  });
}

/** Reads a type property by property. Recursion in the type becomes recursion among indexes. */
export async function walkType(project: Project, root: Type): Promise<CheckedType> {
  const walk: Walk = { project, checker: project.checker, nodes: [], seen: new Map() };
  return { root: await visit(walk, root), nodes: walk.nodes };
}

interface Walk {
  readonly project: Project;
  readonly checker: Checker;
  readonly nodes: CheckedNode[];
  readonly seen: Map<number, number>;
}

async function visit(walk: Walk, type: Type): Promise<number> {
  const known = walk.seen.get(type.id);
  if (known !== undefined) return known;
  const index = walk.nodes.length;
  walk.seen.set(type.id, index);
  walk.nodes.push({ kind: "other", text: "a type of more parts than fw reads" });
  if (index < mostNodes) walk.nodes[index] = await read(walk, type);
  return index;
}

async function read(walk: Walk, type: Type): Promise<CheckedNode> {
  if (type.isErrorType()) return { kind: "mistake" };
  if (type.flags & TypeFlags.Boolean) return { kind: "intrinsic", name: "boolean" };
  if (type.flags & TypeFlags.Enum && !(type.flags & TypeFlags.Union)) return { kind: "other", text: "a computed enum" };
  if (type.isLiteralType()) return readLiteral(type);
  if (type.isUnionType() && (await isJson(type))) return { kind: "global", name: "Json" };
  if (type.isUnionType()) return readUnion(walk, await type.getTypes());
  if (type.isSubstitutionType()) return read(walk, await type.getBaseType());
  if (type.isIntersectionType()) return readIntersection(walk, type);
  if (type.flags & intrinsics) return { kind: "intrinsic", name: intrinsicName(type) };
  if (type.isObjectType()) return readObject(walk, type);
  return { kind: "other", text: await walk.checker.typeToString(type, undefined, 1) };
}

/** A union with undefined forgets that some of its members were `Json`: a list of it gives them away. */
async function readUnion(walk: Walk, types: readonly Type[]): Promise<CheckedNode> {
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

async function isListOfJson(walk: Walk, type: Type): Promise<boolean> {
  if (!type.isObjectType() || !(await walk.checker.isArrayType(type))) return false;
  const [items] = await walk.checker.getTypeArguments(type as TypeReference);
  return items !== undefined && items.isUnionType() && isJson(items);
}

async function isOtherJson(walk: Walk, type: Type): Promise<boolean> {
  if (type.flags & (TypeFlags.String | TypeFlags.Number | TypeFlags.BooleanLike | TypeFlags.Null)) return true;
  const [info] = type.isObjectType() ? await walk.checker.getIndexInfosOfType(type) : [];
  return info !== undefined && info.valueType.isUnionType() && isJson(info.valueType);
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

function readLiteral(type: LiteralType): CheckedNode {
  return { kind: "literal", value: type.value };
}

async function visitAll(walk: Walk, types: readonly Type[]): Promise<readonly number[]> {
  const indexes: number[] = [];
  for (const type of types) indexes.push(await visit(walk, type));
  return indexes;
}

/** A primitive met with objects is that primitive, marked: fw's own markers are such objects. */
async function readIntersection(walk: Walk, type: UnionOrIntersectionType): Promise<CheckedNode> {
  const parts = await type.getTypes();
  const marks: { name: string; argument?: string }[] = [];
  const rest: Type[] = [];
  for (const part of parts) {
    const mark = part.isObjectType() ? await readMark(walk, part) : undefined;
    if (mark) marks.push(mark);
    else rest.push(part);
  }
  if ((await walk.checker.typeToString(type)) === "never") return { kind: "intrinsic", name: "never" };
  const primitive = rest.find((part) => part.flags & (TypeFlags.Primitive & ~TypeFlags.Void));
  const base = primitive ?? (rest.length === 1 ? rest[0] : undefined);
  if (base && (marks.length > 0 || primitive)) return marked(walk, await visit(walk, base), marks);
  return readProperties(walk, type);
}

function marked(walk: Walk, base: number, marks: readonly { name: string; argument?: string }[]): CheckedNode {
  let inner = base;
  const sorted = marks.toSorted((a, b) => Number(isBinding(a.name)) - Number(isBinding(b.name)));
  for (const mark of sorted.slice(0, -1)) inner = walk.nodes.push({ kind: "marker", ...mark, base: inner }) - 1;
  const last = sorted.at(-1);
  if (last) return { kind: "marker", ...last, base: inner };
  return walk.nodes[inner] ?? { kind: "other", text: "" };
}

function isBinding(name: string): boolean {
  return name === "path" || name === "query" || name === "form";
}

async function readMark(walk: Walk, part: ObjectType): Promise<{ name: string; argument?: string } | undefined> {
  const properties = await walk.checker.getPropertiesOfType(part);
  const only = properties.length === 1 ? properties[0] : undefined;
  const name = only && /^__@(path|query|form|int|int64|id|index|transient)@/.exec(only.escapedName)?.[1];
  if (!only || !name || !isOfFw(only)) return undefined;
  if (!isBinding(name)) return { name };
  const type = await walk.checker.getTypeOfSymbol(only);
  const value = type && (await literalOf(type));
  return value === undefined ? { name } : { name, argument: value };
}

/** Optional keys print as `N | undefined`. */
async function literalOf(type: Type): Promise<string | undefined> {
  const parts = type.isUnionType() ? await type.getTypes() : [type];
  const text = parts.find((part) => part.isStringLiteralType());
  return text?.isStringLiteralType() ? text.value : undefined;
}

async function isJson(type: Type): Promise<boolean> {
  const alias = await type.getAliasSymbol();
  return alias !== undefined && alias.name === "Json" && isOfFw(alias);
}

function isOfFw(symbol: Symbol): boolean {
  return symbol.declarations.some(({ path }) => /\/declare\/binding\.(d\.)?ts$/.test(path));
}

async function readObject(walk: Walk, type: ObjectType): Promise<CheckedNode> {
  if (type.isTupleType() || (type.isTypeReference() && (await walk.checker.isTupleType(type))))
    return readTuple(walk, type);
  if (await walk.checker.isArrayType(type)) {
    const [items] = await walk.checker.getTypeArguments(type as TypeReference);
    return items ? { kind: "array", items: await visit(walk, items) } : { kind: "other", text: "an array" };
  }
  const symbol = await type.getSymbol();
  if (symbol && symbol.flags & (SymbolFlags.Class | SymbolFlags.Interface)) {
    const named = readNamed(symbol);
    if (named) return named;
  }
  return readProperties(walk, type);
}

function readNamed(symbol: Symbol): CheckedNode | undefined {
  const files = symbol.declarations.map(({ path }) => path);
  if (files.some((path) => /\/declare\/blob\.(d\.)?ts$/.test(path)) && symbol.name === "Blob")
    return { kind: "global", name: "Blob" };
  if (files.some((path) => /(^bundled:|\/lib\.[\w.]*\.d\.ts$|\/@types\/node\/)/.test(path)))
    return { kind: "global", name: symbol.name };
  return symbol.flags & SymbolFlags.Class ? { kind: "class", name: symbol.name } : undefined;
}

async function readTuple(walk: Walk, type: ObjectType): Promise<CheckedNode> {
  const target = (type.isTypeReference() ? await type.getTarget() : type) as TupleType;
  const items: CheckedItem[] = [];
  for (const [index, each] of (await walk.checker.getTypeArguments(type as TypeReference)).entries()) {
    const flags = target.elementFlags[index] ?? ElementFlags.Required;
    if (flags & ElementFlags.Variadic) return { kind: "other", text: "a tuple of unknown length" };
    items.push({
      type: await visit(walk, each),
      optional: !!(flags & ElementFlags.Optional),
      rest: !!(flags & ElementFlags.Rest),
    });
  }
  return { kind: "tuple", items };
}

async function readProperties(walk: Walk, type: Type): Promise<CheckedNode> {
  const { checker } = walk;
  const calls = await checker.getSignaturesOfType(type, SignatureKind.Call);
  const constructs = await checker.getSignaturesOfType(type, SignatureKind.Construct);
  if (calls.length + constructs.length > 0) return { kind: "function" };
  const symbols = await checker.getPropertiesOfType(type);
  const types = symbols.length > 0 ? await checker.getTypeOfSymbol(symbols) : [];
  const properties: CheckedProperty[] = [];
  for (const [index, symbol] of symbols.entries()) {
    const each = types[index];
    if (!each || symbol.escapedName.startsWith("__@")) return { kind: "other", text: "an object with symbol keys" };
    const optional = !!(symbol.flags & SymbolFlags.Optional);
    properties.push({
      name: symbol.name,
      type: await visit(walk, each),
      optional,
      method: !!(symbol.flags & SymbolFlags.Method),
    });
  }
  const indexes = await checker.getIndexInfosOfType(type);
  if (indexes.some(({ keyType }) => !(keyType.flags & TypeFlags.String)))
    return { kind: "other", text: "an object whose keys are not plain text" };
  const [index] = indexes;
  return { kind: "object", properties, ...(index ? { values: await visit(walk, index.valueType) } : {}) };
}
