import type { Declared } from "../declared.ts";
import type { EntityField, ParsedEntity, EntityTypes } from "../readers/entity.ts";
import { evaluate } from "../schema/evaluate.ts";
import { typeProblem } from "../schema/type-problem.ts";
import { isList, marksOf } from "../schema/marks.ts";
import { topLevel } from "../schema/type-scope.ts";
import { resolved, type Attempt } from "../schema/conversion.ts";
import { runReading, type TypeProblem, type ResolvedType, type TypeResolver } from "../schema/schema.ts";
import {
  open,
  withoutUndefined,
  type SourceRange,
  type Property,
  type RefusalReason,
  type Type,
} from "../schema/type.ts";
import { toSchema } from "../schema/to-schema.ts";
import { spanOf } from "../source/position.ts";
import { nestedIndexes } from "./nested-indexes.ts";
import { nestedLists } from "./nested-lists.ts";
import { typeArgumentOf } from "./type-argument.ts";
import { TypeQuery } from "./type-query.ts";

const nothing: EntityTypes = { fields: [], refusals: [], complete: false };

/** Reads the document type of an entity. */
export function entityQuery(resolver: TypeResolver, declared: Declared, read: ParsedEntity): TypeQuery<[EntityTypes]> {
  return new TypeQuery(declared, {
    reads: [() => typesOf(resolver, declared)],
    filled: ([{ value }]) => ({ read: { ...read, types: value } }),
  });
}

/** Reads the fields of `T` in `Entity<T>(name)`; none without `T`. */
function typesOf(resolver: TypeResolver, { call: { module, call } }: Declared): ResolvedType<EntityTypes> {
  const given = typeArgumentOf(resolver.reading.project, module, call);
  const { start, end } = given?.node ?? call.callee;
  const place: SourceRange = { module: given?.module ?? module, start, end };
  const read = (): Attempt<EntityTypes> => {
    if (!given) return resolved({ fields: [], refusals: [], complete: true });
    const type = evaluate(given.node, topLevel(resolver.reading, given.module));
    return resolved(fieldsOf(resolver, open(type), place));
  };
  return runReading(resolver, place, nothing, read, () => []);
}

/** Lists the fields of all members of a union: a document has those of one member. */
function fieldsOf(resolver: TypeResolver, type: Type, place: SourceRange): EntityTypes {
  if (type.kind === "union") {
    const parts = type.members.map((member) => fieldsOf(resolver, open(member), place));
    const fields = new Map(parts.flatMap((part) => part.fields.map((each) => [each.name, each])));
    const refusals = parts.flatMap((part) => part.refusals);
    return { fields: [...fields.values()], refusals, complete: parts.every(({ complete }) => complete) };
  }
  if (type.kind !== "object") return { ...nothing, refusals: [notADocument(type, place)] };
  if (type.className !== undefined) {
    return { ...nothing, refusals: [typeProblem("instance", type.className, spanOf(place.module, place))] };
  }
  const properties = [...type.properties.values()];
  const fields = properties.map((property) => fieldOf(property, property.range ?? place));
  const stored = properties.filter((_, index) => fields[index]?.transient === false);
  const refusals = stored.flatMap((property) => unstorable(resolver, property, property.range ?? place));
  return { fields, refusals, complete: type.index === undefined };
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
    nested: nestedIndexes(property).map(({ path, place: at = place }) => ({ path, at: spanOf(at.module, at) })),
  };
}

/** Reports values that no document can hold. Documents allow more than JSON, and the checker is not asked. */
function unstorable({ wire }: TypeResolver, property: Property, place: SourceRange): TypeProblem[] {
  const { refusals } = toSchema(wire, () => withoutUndefined(property.type()).type, place);
  const lists = nestedLists(property, place).map((at) =>
    typeProblem("list", "a list inside a list", spanOf(at.module, at)),
  );
  return [...refusals.filter(({ reason }) => unstorableReasons.has(reason)), ...lists];
}

const unstorableReasons: ReadonlySet<RefusalReason> = new Set([
  "function",
  "symbol",
  "map",
  "set",
  "class",
  "instance",
  "global",
  "blob",
]);
