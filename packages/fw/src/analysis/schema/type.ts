import type { SourceModule } from "../source/module.ts";

/** A stretch of a module: what a finding points at. */
export interface Place {
  readonly module: SourceModule;
  readonly start: number;
  readonly end: number;
}

type PrimitiveName = "string" | "number" | "boolean" | "bigint" | "null" | "undefined" | "void";
/** Types whose meaning is known by name. */
export type KnownName = "Int" | "Int64" | "Json" | "Blob" | "Date";
export type BindingSource = "path" | "query" | "form";

/** A TypeScript type while it is being read: named types stay closed until somebody needs to look inside. */
export type Type =
  | { readonly kind: "primitive"; readonly name: PrimitiveName }
  | { readonly kind: "known"; readonly name: KnownName }
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "array"; readonly items: Type }
  | { readonly kind: "tuple"; readonly items: readonly TupleItem[] }
  | ObjectType
  | { readonly kind: "union"; readonly members: readonly Type[] }
  | { readonly kind: "bound"; readonly source: BindingSource; readonly wire: string | undefined; readonly base: Type }
  | { readonly kind: "never" }
  | NamedType
  | RefusedType;

export interface TupleItem {
  readonly type: Type;
  readonly optional: boolean;
  readonly rest: boolean;
}

export interface ObjectType {
  readonly kind: "object";
  readonly properties: ReadonlyMap<string, Property>;
  /** The type of every other key. */
  readonly values?: Type;
}

export interface Property {
  readonly name: string;
  readonly optional: boolean;
  /** Where it is declared; undefined where no one place names it. */
  readonly place: Place | undefined;
  readonly type: () => Type;
}

/** An interface or alias of the application, opened by `target`. */
export interface NamedType {
  readonly kind: "named";
  /** `<path>#<name>`, with type arguments when generic. */
  readonly id: string;
  readonly name: string;
  readonly exported: boolean;
  /** Its name in its declaration. */
  readonly place: Place;
  readonly target: () => Type;
}

/** A type that no value on the wire can have. */
export interface RefusedType {
  readonly kind: "refused";
  readonly reason: RefusalReason;
  /** The type as a person would call it. */
  readonly name: string;
}

export type RefusalReason =
  | "any"
  | "unknown"
  | "object"
  | "function"
  | "symbol"
  | "bigint"
  | "map"
  | "set"
  | "class"
  | "global"
  | "template"
  | "never"
  | "circular"
  | "number-keys"
  | "symbol-keys"
  | "mixed-keys"
  | "undefined"
  | "blob"
  | "void"
  | "depth"
  | "size"
  | "unresolved"
  | "request"
  /** The method of a User, which only a response leaves out. */
  | "user"
  | "tuple"
  /** TypeScript has its own error for it. */
  | "mistake";

export const stringType: Type = { kind: "primitive", name: "string" };
export const undefinedType: Type = { kind: "primitive", name: "undefined" };
export const neverType: Type = { kind: "never" };

/** More aliases of aliases than anyone writes. */
const longestChain = 100;

/** The type behind its names. */
export function open(type: Type): Type {
  let current = type;
  for (let step = 0; current.kind === "named"; step += 1) {
    if (step > longestChain) return { kind: "refused", reason: "circular", name: current.name };
    current = current.target();
  }
  return current;
}

/** Members of a union, unions inside it opened; any other type alone. */
export function membersOf(type: Type): readonly Type[] {
  const opened = open(type);
  return opened.kind === "union" ? opened.members.flatMap(membersOf) : opened.kind === "never" ? [] : [type];
}

/** A union in its simplest form: flat, without repeats, literals inside their own primitive dropped. */
export function unionOf(types: readonly Type[]): Type {
  const members = simplify(types.flatMap(membersOf));
  return members.length === 0
    ? neverType
    : members.length === 1
      ? (members[0] ?? neverType)
      : { kind: "union", members };
}

function simplify(members: readonly Type[]): readonly Type[] {
  const kept = new Map<string | Type, Type>();
  const primitives = new Set<string>();
  let json = false;
  for (const member of members) {
    const scalar = open(member);
    if (scalar.kind === "primitive") primitives.add(scalar.name);
    if (scalar.kind === "known" && scalar.name === "Json") json = true;
    kept.set(identity(member), member);
  }
  const both = kept.has("literal true") && kept.has("literal false");
  if (both) primitives.add("boolean");
  const rest = [...kept.values()].filter((member) => !isCovered(open(member), primitives, json));
  if (json) return rest;
  return both && !kept.has("primitive boolean") ? [...rest, { kind: "primitive", name: "boolean" }] : rest;
}

function isCovered(type: Type, primitives: ReadonlySet<string>, json: boolean): boolean {
  if (type.kind === "literal") return json || primitives.has(typeof type.value);
  return json && type.kind === "primitive" && ["string", "number", "boolean", "null"].includes(type.name);
}

/** Members that are the same have the same key; an unnamed object is only the same as itself. */
function identity(member: Type): string | Type {
  const opened = open(member);
  if (opened.kind === "literal") return `literal ${JSON.stringify(opened.value)}`;
  if (opened.kind === "primitive" || opened.kind === "known") return `${opened.kind} ${opened.name}`;
  return member.kind === "named" ? `named ${member.id}` : member;
}

/** `undefined` taken out of a union, as an optional property's type is read. */
export function withoutUndefined(type: Type): { readonly type: Type; readonly removed: boolean } {
  const opened = open(type);
  if (opened.kind === "primitive" && opened.name === "undefined") return { type: neverType, removed: true };
  if (opened.kind !== "union") return { type, removed: false };
  const all = membersOf(opened);
  const kept = all.filter((member) => !isUndefined(member));
  return kept.length === all.length ? { type, removed: false } : { type: unionOf(kept), removed: true };
}

export function isUndefined(type: Type): boolean {
  const opened = open(type);
  return opened.kind === "primitive" && opened.name === "undefined";
}

/** True for a literal and for a primitive. */
export function isScalar(type: Type): boolean {
  return type.kind === "literal" || type.kind === "primitive";
}
