import type { BindingSource } from "../../model/bindings.ts";
import type { Constraint } from "../../model/constraints.ts";
import type { TextPattern } from "../../model/schema.ts";
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

interface KnownType {
  readonly kind: "known";
  readonly name: KnownName;
  /** Of a Blob that is events: what each of them carries. */
  readonly events?: Type;
}

/** A TypeScript type while it is being read: named types stay closed until somebody needs to look inside. */
export type Type =
  | { readonly kind: "primitive"; readonly name: PrimitiveName }
  | KnownType
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

/** A template literal type of endlessly many texts: `texts` around what stands in each hole. */
export interface PatternType {
  readonly kind: "pattern";
  readonly pattern: TextPattern;
}

/** A field of a request that does not come from its JSON body. */
export interface BoundType {
  readonly kind: "bound";
  readonly source: BindingSource;
  /** The name on the wire; undefined for the property's own, null where it is no constant. */
  readonly wire: string | undefined | null;
  readonly base: Type;
}

/** What an entity's type says of a field. On the wire it means nothing. */
export type StorageMark = "id" | "index" | "unique" | "transient";

/** What a type says besides what its values are. */
export type Mark = StorageMark | Constraint;

/** A type with what it says of an entity's field, or of its values. Looked into, it is its base. */
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
  /** The class of which it has the fields: what the application makes of it may be an instance. */
  readonly className?: string;
}

/** `{ [key: Key]: Value }`; the key is a string that may have constraints. */
export interface IndexSignature {
  readonly key: Type;
  readonly value: Type;
}

export interface Property {
  readonly name: string;
  readonly optional: boolean;
  /** Where it is declared; undefined where no one place names it. */
  readonly place: Place | undefined;
  type(): Type;
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
  /** Of a `Body`: its JSON. */
  readonly whole?: Type;
  /** Of a `Reply`, which is a whole answer: what it sends, and with which status. */
  readonly reply?: { readonly body: Type; readonly status: Type };
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
  /** A marker of a request's field where no field of a request is. */
  | "bound"
  /** A class of fields alone, whose instances no document holds. */
  | "instance"
  /** What no entity can be made of. */
  | "document"
  /** A list right inside of a list, which no document holds. */
  | "list"
  /** The method of a User, which only a response leaves out. */
  | "user"
  /** The bytes of a body, where no field of a request is. */
  | "raw"
  /** A whole body, where no field of a request is. */
  | "whole"
  /** A whole answer, inside of a value. */
  | "reply"
  /** A status that no type tells. */
  | "status"
  | "tuple"
  /** Constraints that the type cannot carry. */
  | "constraint"
  /** TypeScript has its own error for it. */
  | "mistake";

export const stringType: Type = { kind: "primitive", name: "string" };
export const undefinedType: Type = { kind: "primitive", name: "undefined" };
export const neverType: Type = { kind: "never" };

/** More aliases of aliases than anyone writes. */
const longestChain = 100;

/** A type that has a name or a mark around it. */
type ClosedType = NamedType | MarkedType;
export type OpenedType = Exclude<Type, ClosedType>;

/** The type behind its names and marks. */
export function open(type: Type): OpenedType {
  let current = type;
  for (let step = 0; current.kind === "named" || current.kind === "marked"; step += 1) {
    if (step > longestChain) return { kind: "refused", reason: "circular", name: "this type" };
    current = current.kind === "marked" ? current.base : current.target();
  }
  return current;
}

/** Adds marks to a type. Constraints beside a marker of a request move inside it: they concern the value it binds. */
export function withMarks(type: Type, marks: ReadonlySet<Mark>): Type {
  if (marks.size === 0) return type;
  const constraints = new Set([...marks].filter(isConstraint));
  const wrapper = constraints.size === 0 ? undefined : open(type);
  if (wrapper?.kind === "bound") return { ...wrapper, base: withMarks(wrapper.base, constraints) };
  if (wrapper?.kind === "refused" && wrapper.whole) return { ...wrapper, whole: withMarks(wrapper.whole, constraints) };
  if (type.kind !== "marked") return { kind: "marked", marks, base: type };
  return { kind: "marked", marks: new Set([...type.marks, ...marks]), base: type.base };
}

/** The marks of the whole type, not of the members of a union. */
export function ownMarks(type: Type): ReadonlySet<Mark> {
  if (type.kind === "marked") return new Set([...type.marks, ...ownMarks(type.base)]);
  return type.kind === "named" ? ownMarks(type.target()) : noMarks;
}

const noMarks: ReadonlySet<Mark> = new Set();
const noConstraints: readonly Constraint[] = [];

/** The constraints of the whole type, not of the members of a union. */
export function constraintsOf(type: Type): readonly Constraint[] {
  const marks = ownMarks(type);
  return marks.size === 0 ? noConstraints : [...marks].filter(isConstraint);
}

function isConstraint(mark: Mark): mark is Constraint {
  return typeof mark === "object";
}

/** Members of a union, unions inside it opened, each with the marks of the whole; any other type alone. */
export function membersOf(type: Type): readonly Type[] {
  const opened = open(type);
  if (opened.kind === "never") return [];
  if (opened.kind !== "union") return [type];
  const marks = ownMarks(type);
  const members = opened.members.some(isMadeOfOthers) ? opened.members.flatMap(membersOf) : opened.members;
  return marks.size === 0 ? members : members.map((member) => withMarks(member, marks));
}

function isMadeOfOthers(member: Type): boolean {
  const { kind } = open(member);
  return kind === "union" || kind === "never";
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
    if (scalar.kind === "primitive" && constraintsOf(member).length === 0) primitives.add(scalar.name);
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
  if (type.kind === "pattern") return json || primitives.has("string");
  return json && type.kind === "primitive" && ["string", "number", "boolean", "null"].includes(type.name);
}

/** Members that are the same have the same key; an unnamed object is only the same as itself. */
function identity(member: Type): string | Type {
  if (constraintsOf(member).length > 0) return member;
  const opened = open(member);
  if (opened.kind === "literal") return `literal ${JSON.stringify(opened.value)}`;
  if (opened.kind === "primitive" || opened.kind === "known") return `${opened.kind} ${opened.name}`;
  if (opened.kind === "pattern") return `pattern ${JSON.stringify(opened.pattern)}`;
  return member.kind === "named" ? `named ${member.id}` : member;
}

/** `undefined` taken out of a union, as an optional property's type is read. What does not hold it keeps its name. */
export function withoutUndefined(type: Type): { readonly type: Type; readonly removed: boolean } {
  const opened = open(type);
  if (isUndefined(opened)) return { type: neverType, removed: true };
  if (opened.kind !== "union" || !membersOf(opened).some(isUndefined)) return { type, removed: false };
  const kept = opened.members.map((member) => withoutUndefined(member).type).filter(({ kind }) => kind !== "never");
  const [only, ...more] = kept;
  const rest: Type = !only ? neverType : more.length === 0 ? only : { kind: "union", members: kept };
  return { type: withMarks(rest, ownMarks(type)), removed: true };
}

export function isUndefined(type: Type): boolean {
  return isPrimitive(type, "undefined");
}

export function isPrimitive(type: Type, name: PrimitiveName): boolean {
  const opened = open(type);
  return opened.kind === "primitive" && opened.name === name;
}

/** True for a literal and for a primitive. */
export function isScalar(type: Type): boolean {
  return type.kind === "literal" || type.kind === "primitive";
}
