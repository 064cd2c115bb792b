import type { BindingSource } from "../../model/bindings.ts";
import type { Constraint } from "../../model/constraints.ts";
import type { TextPattern } from "../../model/schema.ts";
import type { SourceModule } from "../source/module.ts";

export interface SourceRange {
  readonly module: SourceModule;
  readonly start: number;
  readonly end: number;
}

type PrimitiveName = "string" | "number" | "boolean" | "bigint" | "null" | "undefined" | "void";
export type BuiltinName = "Int" | "Int64" | "Json" | "Blob" | "Date";

interface BuiltinType {
  readonly kind: "known";
  readonly name: BuiltinName;
  /** The data of each event, if the Blob is an event stream. */
  readonly events?: Type;
}

/** A TypeScript type that is being read. Named types are opened on demand. */
export type Type =
  | { readonly kind: "primitive"; readonly name: PrimitiveName }
  | BuiltinType
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  | { readonly kind: "array"; readonly items: Type }
  | { readonly kind: "tuple"; readonly items: readonly TupleItem[] }
  | ObjectType
  | { readonly kind: "union"; readonly members: readonly Type[] }
  | PatternType
  | BoundType
  | MarkedType
  | { readonly kind: "never" }
  | NamedType
  | RefusedType;

/** A template literal type with infinitely many strings: `texts` with a hole between each pair. */
export interface PatternType {
  readonly kind: "pattern";
  readonly pattern: TextPattern;
}

/** The type of a request's field that is not part of the JSON body. */
export interface BoundType {
  readonly kind: "bound";
  readonly source: BindingSource;
  /** The name on the wire; undefined for the property's name, null if it is not constant. */
  readonly wire: string | undefined | null;
  readonly base: Type;
}

/** A mark on an entity's field. It does not affect the wire format. */
export type StorageMark = "id" | "index" | "unique" | "transient" | "search" | RefMark;

/** The mark of a field that holds the id of another document; contains the id of that document's type. */
export type RefMark = `ref ${string}`;

/** An annotation of a type that does not change the shape of its values. */
export type Mark = StorageMark | Constraint;

/** A type with marks; `open` returns its base. */
export interface MarkedType {
  readonly kind: "marked";
  readonly marks: ReadonlySet<Mark>;
  readonly base: Type;
}

export interface TupleItem {
  readonly type: Type;
  readonly optional: boolean;
  readonly rest: boolean;
}

export interface ObjectType {
  readonly kind: "object";
  readonly properties: ReadonlyMap<string, Property>;
  readonly index?: IndexSignature;
  /** The class with these fields; values that the application creates may be its instances. */
  readonly className?: string;
}

/** `{ [key: Key]: Value }`; the key is a string, possibly with constraints. */
export interface IndexSignature {
  readonly key: Type;
  readonly value: Type;
}

export interface Property {
  readonly name: string;
  readonly optional: boolean;
  /** The location of its declaration; undefined if it has none or several. */
  readonly range: SourceRange | undefined;
  type(): Type;
}

/** A type with an id: one that the application declares, or an anonymous one, named "". `target` opens it. */
export interface NamedType {
  readonly kind: "named";
  /** `<path>#<name>`, plus type arguments if it is generic. */
  readonly id: string;
  readonly name: string;
  readonly exported: boolean;
  readonly range: SourceRange;
  readonly target: () => Type;
}

/**
 * A type that cannot be part of a JSON value. A `Body` is valid as a field of a request, and a reply as a whole
 * response.
 */
export interface RefusedType {
  readonly kind: "refused";
  readonly reason: RefusalReason;
  /** The type in words, for messages. */
  readonly name: string;
  /** The JSON type of a `Body`. */
  readonly whole?: Type;
  readonly reply?: { readonly body: Type; readonly status: Type; readonly isError?: true };
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
  /** A request marker that is not on a field of a request. */
  | "bound"
  /** A class with only fields; no document can hold its instances. */
  | "instance"
  /** A type that cannot be an entity's document. */
  | "document"
  /** A list directly inside a list, which no document can hold. */
  | "list"
  /** A User, whose method only responses may omit. */
  | "user"
  /** The raw bytes of a body, outside a request's fields. */
  | "raw"
  /** A whole body, outside a request's fields. */
  | "whole"
  /** A reply that is not the whole response, but inside a value. */
  | "reply"
  /** A response status whose type is not a literal. */
  | "status"
  | "tuple"
  /** Constraints that do not fit the type. */
  | "constraint"
  /** A type that does not compile; TypeScript reports the error. */
  | "mistake";

export const stringType: Type = { kind: "primitive", name: "string" };
export const undefinedType: Type = { kind: "primitive", name: "undefined" };
export const neverType: Type = { kind: "never" };

/** Maximum length of a chain of aliases. */
const longestChain = 100;

type ClosedType = NamedType | MarkedType;
export type OpenedType = Exclude<Type, ClosedType>;

/** Strips names and marks from a type. */
export function open(type: Type): OpenedType {
  let current = type;
  for (let step = 0; current.kind === "named" || current.kind === "marked"; step += 1) {
    if (step > longestChain) return { kind: "refused", reason: "circular", name: "this type" };
    current = current.kind === "marked" ? current.base : current.target();
  }
  return current;
}

/** Adds marks to a type. Constraints next to a request marker move inside it, because they apply to the bound value. */
export function withMarks(type: Type, marks: ReadonlySet<Mark>): Type {
  if (marks.size === 0) return type;
  const constraints = new Set([...marks].filter(isConstraint));
  const wrapper = constraints.size === 0 ? undefined : open(type);
  if (wrapper?.kind === "bound") return { ...wrapper, base: withMarks(wrapper.base, constraints) };
  if (wrapper?.kind === "refused" && wrapper.whole) return { ...wrapper, whole: withMarks(wrapper.whole, constraints) };
  if (type.kind !== "marked") return { kind: "marked", marks, base: type };
  return { kind: "marked", marks: new Set([...type.marks, ...marks]), base: type.base };
}

/** Returns the marks of the type itself, not of its union members. */
export function ownMarks(type: Type): ReadonlySet<Mark> {
  if (type.kind === "marked") return new Set([...type.marks, ...ownMarks(type.base)]);
  return type.kind === "named" ? ownMarks(type.target()) : noMarks;
}

const noMarks: ReadonlySet<Mark> = new Set();
const noConstraints: readonly Constraint[] = [];

/** Returns the constraints of the type itself, not of its union members. */
export function constraintsOf(type: Type): readonly Constraint[] {
  const marks = ownMarks(type);
  return marks.size === 0 ? noConstraints : [...marks].filter(isConstraint);
}

function isConstraint(mark: Mark): mark is Constraint {
  return typeof mark === "object";
}

/**
 * Flattens a union and adds its marks to each member. `never` has no members; any other type is its own only member.
 */
export function membersOf(type: Type): readonly Type[] {
  const inner = open(type);
  if (inner.kind === "never") return [];
  if (inner.kind !== "union") return [type];
  const marks = ownMarks(type);
  const members = inner.members.some(isNestedUnion) ? inner.members.flatMap(membersOf) : inner.members;
  return marks.size === 0 ? members : members.map((member) => withMarks(member, marks));
}

function isNestedUnion(member: Type): boolean {
  const { kind } = open(member);
  return kind === "union" || kind === "never";
}

/**
 * Builds a union in its simplest form: flat, without duplicates or members that a primitive or Json covers, and with
 * `boolean` for `true` and `false`.
 */
export function unionOf(types: readonly Type[]): Type {
  const members = simplify(types.flatMap(membersOf));
  return members.length === 0
    ? neverType
    : members.length === 1
      ? (members[0] ?? neverType)
      : { kind: "union", members };
}

function simplify(members: readonly Type[]): readonly Type[] {
  const unique = new Map<string | Type, Type>();
  const primitives = new Set<string>();
  let json = false;
  for (const member of members) {
    const scalar = open(member);
    if (scalar.kind === "primitive" && constraintsOf(member).length === 0) primitives.add(scalar.name);
    if (scalar.kind === "known" && scalar.name === "Json") json = true;
    unique.set(memberKey(member), member);
  }
  const both = unique.has("literal true") && unique.has("literal false");
  if (both) primitives.add("boolean");
  const rest = [...unique.values()].filter((member) => !isCovered(open(member), primitives, json));
  if (json) return rest;
  return both && !unique.has("primitive boolean") ? [...rest, { kind: "primitive", name: "boolean" }] : rest;
}

function isCovered(type: Type, primitives: ReadonlySet<string>, json: boolean): boolean {
  if (type.kind === "literal") return json || primitives.has(typeof type.value);
  if (type.kind === "pattern") return json || primitives.has("string");
  return json && type.kind === "primitive" && ["string", "number", "boolean", "null"].includes(type.name);
}

/**
 * Returns a key that equal members share. Constrained types, and types without a name such as anonymous objects and
 * lists, are their own keys.
 */
function memberKey(member: Type): string | Type {
  if (constraintsOf(member).length > 0) return member;
  const inner = open(member);
  if (inner.kind === "literal") return `literal ${JSON.stringify(inner.value)}`;
  if (inner.kind === "primitive" || inner.kind === "known") return `${inner.kind} ${inner.name}`;
  if (inner.kind === "pattern") return `pattern ${JSON.stringify(inner.pattern)}`;
  return member.kind === "named" ? `named ${member.id}` : member;
}

/** Removes `undefined` from a type, such as the type of an optional property. Types without it keep their name. */
export function withoutUndefined(type: Type): { readonly type: Type; readonly removed: boolean } {
  const inner = open(type);
  if (isUndefined(inner)) return { type: neverType, removed: true };
  if (inner.kind !== "union" || !membersOf(inner).some(isUndefined)) return { type, removed: false };
  const members = inner.members.map((member) => withoutUndefined(member).type).filter(({ kind }) => kind !== "never");
  const [only, ...more] = members;
  const rest: Type = !only ? neverType : more.length === 0 ? only : { kind: "union", members };
  return { type: withMarks(rest, ownMarks(type)), removed: true };
}

export function isUndefined(type: Type): boolean {
  return isPrimitive(type, "undefined");
}

export function isPrimitive(type: Type, name: PrimitiveName): boolean {
  const inner = open(type);
  return inner.kind === "primitive" && inner.name === name;
}

export function isScalar(type: Type): boolean {
  return type.kind === "literal" || type.kind === "primitive";
}
