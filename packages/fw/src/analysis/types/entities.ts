import type { FiniteValue } from "../../model/entity.ts";
import type { Field } from "../../model/schema.ts";
import type { DeclaredCall } from "../declared.ts";
import type { EntityField, EntityTypes, NestedIndex, ParsedEntity } from "../readers/entity.ts";
import { type Attempt, type PendingQuestion, resolved } from "../schema/conversion.ts";
import { evaluate } from "../schema/evaluate.ts";
import { isList, marksOf, referredTypes } from "../schema/marks.ts";
import { type ResolvedType, runReading, type TypeProblem, type TypeResolver } from "../schema/schema.ts";
import { withTags } from "../schema/tag.ts";
import { toSchema } from "../schema/to-schema.ts";
import { typeProblem } from "../schema/type-problem.ts";
import { questionKey } from "../schema/type-reading.ts";
import { topLevel } from "../schema/type-scope.ts";
import {
  open,
  type IndexSignature,
  type ObjectType,
  type Property,
  type RefusalReason,
  type SourceRange,
  type Type,
  withoutUndefined,
} from "../schema/type.ts";
import { spanOf } from "../source/position.ts";
import { typeArgumentOf } from "./type-argument.ts";
import { TypeQuery } from "./type-query.ts";

const nothing: EntityTypes = { fields: [], nested: [], refusals: [], complete: false };

export function entityQuery(
  resolver: TypeResolver,
  declared: DeclaredCall,
  read: ParsedEntity,
): TypeQuery<[EntityTypes]> {
  return new TypeQuery(declared, {
    reads: [() => typesOf(resolver, declared)],
    filled: ([{ value, types }]) => ({ read: { ...read, types: value }, types }),
  });
}

/** Reads the fields of `T` in `Entity<T>(name)`; none without `T`. */
function typesOf(resolver: TypeResolver, { call: { module, call } }: DeclaredCall): ResolvedType<EntityTypes> {
  const given = typeArgumentOf(resolver.reading.project, module, call);
  const { start, end } = given?.node ?? call.callee;
  const place: SourceRange = { module: given?.module ?? module, start, end };
  const read = (): Attempt<EntityTypes> => {
    if (!given) return resolved({ ...nothing, complete: true });
    const type = evaluate(given.node, topLevel(resolver.reading, given.module));
    const questions = new Map<string, PendingQuestion>();
    const fields = fieldsOf(resolver, open(type), { place, questions });
    const value = type.kind === "named" ? { ...fields, typeId: type.id } : fields;
    return { ...resolved(value), questions: [...questions.values()] };
  };
  return runReading(resolver, place, nothing, read, ({ document }) => (document === undefined ? [] : [document]));
}

/** The state of reading an entity's type: its location, and the questions for the checker. */
interface Reading {
  readonly place: SourceRange;
  readonly questions: Map<string, PendingQuestion>;
}

/** Reads the fields of an entity's type. For a union, returns the fields of all members. */
function fieldsOf(resolver: TypeResolver, type: Type, reading: Reading): EntityTypes {
  const { place } = reading;
  if (type.kind === "union") return unionOf(type.members.map((member) => fieldsOf(resolver, open(member), reading)));
  if (type.kind !== "object") return { ...nothing, refusals: [notADocument(type, place)] };
  if (type.className !== undefined) {
    return { ...nothing, refusals: [typeProblem("instance", type.className, spanOf(place.module, place))] };
  }
  const properties = [...type.properties.values()];
  const fields = properties.map((property) => fieldOf(property, property.range ?? place));
  const schemas = properties
    .filter((_, index) => fields[index]?.transient === false)
    .map((property) => storedField(resolver, property, reading));
  const complete = type.index === undefined;
  const ids = new Set(fields.filter(({ id }) => id).map(({ name }) => name));
  const documentFields = schemas.flatMap(({ field }) => field ?? []).filter(({ name }) => !ids.has(name));
  return {
    fields,
    nested: nestedIndexes(type, place),
    refusals: schemas.flatMap(({ refusals }) => refusals),
    complete,
    ...(complete && { document: { kind: "object", fields: documentFields } }),
  };
}

function unionOf(parts: readonly EntityTypes[]): EntityTypes {
  const all = parts.flatMap((part) => part.fields);
  const fields = new Map(
    all.map((field) => {
      const alternatives = all.filter(({ name }) => name === field.name);
      return [field.name, { ...field, ...joinMarks(alternatives) }];
    }),
  );
  const documents = parts.flatMap(({ document }) => document ?? []);
  return {
    fields: [...fields.values()],
    nested: parts.flatMap((part) => part.nested),
    refusals: parts.flatMap((part) => part.refusals),
    complete: parts.every(({ complete }) => complete),
    ...(documents.length === parts.length && { document: { kind: "union", variants: documents } }),
  };
}

/** Joins the marks that a field has in several members of a union: a mark in any member applies to the field. */
function joinMarks(alternatives: readonly EntityField[]): Partial<EntityField> {
  return {
    indexed: alternatives.some(({ indexed }) => indexed),
    unique: alternatives.some(({ unique }) => unique),
    many: alternatives.some(({ many }) => many),
    search: alternatives.some(({ search }) => search),
    values: joinValues(alternatives.map(({ values }) => values)),
    refs: [...new Set(alternatives.flatMap(({ refs }) => refs))],
  };
}

function notADocument(type: Type, place: SourceRange): TypeProblem {
  const at = spanOf(place.module, place);
  return type.kind === "refused"
    ? typeProblem(type.reason, type.name, at)
    : typeProblem("document", kindName(type), at);
}

function kindName(type: Type): string {
  if (type.kind === "primitive" || type.kind === "known") return `a ${type.name}`;
  return type.kind === "array" || type.kind === "tuple" ? "a list" : `a ${type.kind}`;
}

function fieldOf(property: Property, place: SourceRange): EntityField {
  const type = property.type();
  const marks = marksOf(type);
  return {
    name: property.name,
    at: spanOf(place.module, place),
    id: marks.has("id"),
    indexed: marks.has("index"),
    unique: marks.has("unique"),
    transient: marks.has("transient"),
    many: marks.has("index") && isList(type),
    search: marks.has("search"),
    values: finiteValues(type),
    refs: referredTypes(type),
  };
}

/**
 * Lists the values of a literal, `boolean`, `null` or a union of them, without `undefined`; returns undefined for other
 * types.
 */
function finiteValues(type: Type): readonly FiniteValue[] | undefined {
  const opened = open(type);
  if (opened.kind === "literal") return [opened.value];
  if (opened.kind === "primitive") return primitiveValues[opened.name];
  return opened.kind === "union" ? joinValues(opened.members.map(finiteValues)) : undefined;
}

const primitiveValues: { readonly [name: string]: readonly FiniteValue[] | undefined } = {
  boolean: [false, true],
  null: [null],
  undefined: [],
};

/** Joins the values of alternatives, without duplicates; undefined if one alternative's values are unknown. */
function joinValues(parts: readonly (readonly FiniteValue[] | undefined)[]): readonly FiniteValue[] | undefined {
  return parts.includes(undefined) ? undefined : [...new Set(parts.flatMap((part) => part ?? []))];
}

interface StoredField {
  /** Absent if documents can hold the value but JSON cannot, such as a plain `bigint`. */
  readonly field?: Field;
  readonly refusals: readonly TypeProblem[];
}

/**
 * Reads a field as documents store it, and the parts that no document can hold. Documents support more types than JSON.
 */
function storedField({ wire }: TypeResolver, property: Property, { place: whole, questions }: Reading): StoredField {
  const { name, range: place = whole } = property;
  let { optional } = property;
  if (optional && open(withoutUndefined(property.type()).type).kind === "never")
    return { field: { name, schema: { kind: "never" }, optional }, refusals: [] };
  const read = toSchema(
    wire,
    () => {
      const { type, removed } = withoutUndefined(property.type());
      optional ||= removed;
      return type;
    },
    place,
  );
  for (const question of read.questions) questions.set(questionKey(question.question), question);
  const lists = nestedLists(property, place).map((at) =>
    typeProblem("list", "a list inside a list", spanOf(at.module, at)),
  );
  const schema = withTags(read.value, wire.table);
  return {
    ...(read.refusals.length === 0 && { field: { name, schema, optional } }),
    refusals: [...read.refusals.filter(({ reason }) => unstorableReasons.has(reason)), ...lists],
  };
}

/** The reasons why documents cannot hold a type. `any` is one, but not `unknown`, which code must check. */
const unstorableReasons: ReadonlySet<RefusalReason> = new Set([
  "any",
  "function",
  "symbol",
  "map",
  "set",
  "class",
  "instance",
  "global",
  "blob",
]);

/**
 * Finds `Index` and `Search` marks inside a field's value or on an index signature, where no query can use them. Skips
 * embedded documents of other entities, recognized by their `ID`.
 */
function nestedIndexes({ properties, index }: ObjectType, whole: SourceRange): NestedIndex[] {
  const indexes: NestedIndex[] = [];
  let seen = new Set<string>();
  const visit = (type: Type, path: string, place: SourceRange): void => {
    if (isIndexed(type)) indexes.push({ path, at: spanOf(place.module, place) });
    else visitParts(type, path, place);
  };
  const visitKeys = ({ key, value }: IndexSignature, path: string, place: SourceRange): void =>
    visit(isIndexed(key) ? key : value, path, place);
  const visitParts = (type: Type, path: string, place: SourceRange): void => {
    if (type.kind === "named") {
      if (seen.has(type.id)) return;
      seen.add(type.id);
      visitParts(type.target(), path, place);
    } else if (type.kind === "marked") visitParts(type.base, path, place);
    else if (type.kind === "union") for (const member of type.members) visitParts(member, path, place);
    else if (type.kind === "array") visit(type.items, `${path}[]`, place);
    else if (type.kind === "tuple")
      for (const [n, item] of type.items.entries()) visit(item.type, `${path}[${n}]`, place);
    else if (type.kind === "object") {
      const inside = [...type.properties.values()].map((each) => ({ each, type: each.type() }));
      if (inside.some((part) => marksOf(part.type).has("id"))) return;
      for (const { each, type: value } of inside) visit(value, `${path}.${each.name}`, each.range ?? place);
      if (type.index !== undefined) visitKeys(type.index, `${path}.*`, place);
    }
  };
  for (const property of properties.values()) {
    seen = new Set();
    visitParts(property.type(), property.name, property.range ?? whole);
  }
  if (index !== undefined) visitKeys(index, "*", whole);
  return indexes;
}

function isIndexed(type: Type): boolean {
  const marks = marksOf(type);
  return marks.has("index") || marks.has("search");
}

/** Finds lists directly inside lists in a field's value, each location once. An object in between makes them valid. */
function nestedLists(property: Property, at: SourceRange): readonly SourceRange[] {
  const found = new Map<string, SourceRange>();
  const seen = new Set<string>();
  const look = (type: Type, place: SourceRange, isItem: boolean): void => {
    if (type.kind === "named") {
      const key = `${isItem} ${type.id}`;
      if (seen.has(key)) return;
      seen.add(key);
      look(type.target(), place, isItem);
    } else if (type.kind === "marked") look(type.base, place, isItem);
    else if (type.kind === "union") for (const member of type.members) look(member, place, isItem);
    else if (type.kind === "array" || type.kind === "tuple") {
      if (isItem) found.set(`${place.module.path}:${place.start}`, place);
      for (const item of itemsOf(type)) look(item, place, true);
    } else if (type.kind === "object") {
      for (const each of type.properties.values()) look(each.type(), each.range ?? place, false);
      if (type.index !== undefined) look(type.index.value, place, false);
    }
  };
  look(property.type(), at, false);
  return [...found.values()];
}

function itemsOf(list: Extract<Type, { kind: "array" | "tuple" }>): readonly Type[] {
  return list.kind === "array" ? [list.items] : list.items.map(({ type }) => type);
}
