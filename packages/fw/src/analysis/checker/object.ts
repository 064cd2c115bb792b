import {
  ElementFlags,
  SignatureKind,
  SymbolFlags,
  TypeFlags,
  type ObjectType,
  type Symbol,
  type TupleType,
  type Type,
  type TypeReference,
} from "typescript/unstable/async";
import type { CheckedItem, CheckedNode, CheckedProperty, TypeWalk } from "./checked-type.ts";
import { frameworkTypeName, isMethodOfUser } from "./framework-types.ts";

/** Reads a tuple, a list, a platform type, or an object with properties. */
export async function readObject(walk: TypeWalk, type: ObjectType): Promise<CheckedNode> {
  if (type.isTupleType() || (type.isTypeReference() && (await walk.checker.isTupleType(type))))
    return readTuple(walk, type);
  if (await walk.checker.isArrayType(type)) {
    const [items] = await walk.checker.getTypeArguments(type as TypeReference);
    return items ? { kind: "array", items: await walk.visit(items) } : { kind: "other", text: "an array" };
  }
  const symbol = await type.getSymbol();
  if (symbol && symbol.flags & (SymbolFlags.Class | SymbolFlags.Interface)) {
    const own = frameworkTypeName(symbol);
    if (own !== undefined) return readFrameworkType(walk, type, own);
    const named = readNamed(symbol);
    if (named?.kind === "class" && (await hasBlobShape(walk, type))) return { kind: "global", name: "Blob" };
    if (named?.kind === "class") return readInstance(walk, type, symbol);
    if (named) return named;
  }
  return readProperties(walk, type);
}

/**
 * Reads an instance of a class. The syntax of an application's class shows whether it consists only of fields; a
 * library's declarations do not.
 */
async function readInstance(walk: TypeWalk, type: ObjectType, symbol: Symbol): Promise<CheckedNode> {
  const file = symbol.declarations[0]?.path;
  if (file === undefined || /\/node_modules\/|\.d\.[cm]?ts$/.test(file)) return { kind: "class", name: symbol.name };
  const instance = await readProperties(walk, type);
  return instance.kind === "object" ? { ...instance, class: { name: symbol.name, file } } : instance;
}

/** Recognizes a file: any object with a `stream` method and a `type`. */
async function hasBlobShape({ checker }: TypeWalk, type: ObjectType): Promise<boolean> {
  const properties = await checker.getPropertiesOfType(type);
  const stream = properties.find(({ name }) => name === "stream");
  return !!stream && !!(stream.flags & SymbolFlags.Method) && properties.some(({ name }) => name === "type");
}

/**
 * Reads the contents of fw's own response types: a reply's body and status, an error's status and details, the data of
 * events. The contents of `Raw` are not read.
 */
async function readFrameworkType(
  walk: TypeWalk,
  type: ObjectType,
  name: NonNullable<ReturnType<typeof frameworkTypeName>>,
): Promise<CheckedNode> {
  if (name === "Raw") return { kind: "global", name };
  const [first, second] = await walk.checker.getTypeArguments(type as TypeReference);
  if (name === "Events")
    return first ? { kind: "events", data: await walk.visit(first) } : { kind: "other", text: "events" };
  if (!first || !second) return { kind: "other", text: name === "Reply" ? "a reply" : "an error" };
  const parts = [await walk.visit(first), await walk.visit(second)] as const;
  return name === "Reply"
    ? { kind: "reply", body: parts[0], status: parts[1] }
    : { kind: "status-error", status: parts[0], details: parts[1] };
}

function readNamed(symbol: Symbol): CheckedNode | undefined {
  const files = symbol.declarations.map(({ path }) => path);
  if (files.some((path) => /\/declare\/blob\.(d\.)?ts$/.test(path)) && symbol.name === "Blob")
    return { kind: "global", name: "Blob" };
  if (files.some((path) => /(^bundled:|\/lib\.[\w.]*\.d\.ts$|\/@types\/node\/)/.test(path)))
    return { kind: "global", name: symbol.name };
  return symbol.flags & SymbolFlags.Class ? { kind: "class", name: symbol.name } : undefined;
}

async function readTuple(walk: TypeWalk, type: ObjectType): Promise<CheckedNode> {
  const target = (type.isTypeReference() ? await type.getTarget() : type) as TupleType;
  const items: CheckedItem[] = [];
  for (const [index, each] of (await walk.checker.getTypeArguments(type as TypeReference)).entries()) {
    const flags = target.elementFlags[index] ?? ElementFlags.Required;
    if (flags & ElementFlags.Variadic) return { kind: "other", text: "a tuple of unknown length" };
    items.push({
      type: await walk.visit(each),
      optional: !!(flags & ElementFlags.Optional),
      rest: !!(flags & ElementFlags.Rest),
    });
  }
  return { kind: "tuple", items };
}

export async function readProperties(walk: TypeWalk, type: Type): Promise<CheckedNode> {
  if (await isCallable(walk, type)) return { kind: "function" };
  const symbols = await walk.checker.getPropertiesOfType(type);
  const types = symbols.length > 0 ? await walk.checker.getTypeOfSymbol(symbols) : [];
  const properties: CheckedProperty[] = [];
  for (const [index, symbol] of symbols.entries()) {
    const each = types[index];
    const isSymbol = symbol.escapedName.startsWith("__@");
    // Values on the wire have no symbol keys, so optional ones can be omitted.
    if (isSymbol && symbol.flags & SymbolFlags.Optional) continue;
    if (!each || isSymbol) return { kind: "symbol-keys" };
    properties.push(checkedProperty(symbol, await walk.visit(each)));
  }
  const [index, ...more] = await walk.checker.getIndexInfosOfType(type);
  if (!index) return { kind: "object", properties };
  if (more.length > 0 || !(index.keyType.flags & (TypeFlags.String | TypeFlags.Intersection)))
    return { kind: "other", text: "an object whose keys are not plain strings" };
  const [key, value] = [await walk.visit(index.keyType), await walk.visit(index.valueType)];
  return { kind: "object", properties, index: { key, value } };
}

function checkedProperty(symbol: Symbol, type: number): CheckedProperty {
  return {
    name: symbol.name,
    type,
    optional: !!(symbol.flags & SymbolFlags.Optional),
    method: !!(symbol.flags & SymbolFlags.Method),
    ofUser: isMethodOfUser(symbol),
  };
}

async function isCallable({ checker }: TypeWalk, type: Type): Promise<boolean> {
  const calls = await checker.getSignaturesOfType(type, SignatureKind.Call);
  const constructs = await checker.getSignaturesOfType(type, SignatureKind.Construct);
  return calls.length + constructs.length > 0;
}
