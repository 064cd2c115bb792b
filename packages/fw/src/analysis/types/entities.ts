import type { Declared } from "../declared.ts";
import type { EntityFieldRead, EntityRead, EntityTypes } from "../readers/read.ts";
import { evaluate } from "../schema/evaluate.ts";
import { isList, marksOf } from "../schema/marks.ts";
import { settle, type Attempt, type Resolved, type Resolver } from "../schema/schema.ts";
import { open, type Place, type Property, type Type } from "../schema/type.ts";
import { spanOf } from "../source/position.ts";
import { PendingType } from "./pending.ts";

const nothing: EntityTypes = { fields: [], complete: false };

/** An entity whose type is being read. */
export function pendingEntity(resolver: Resolver, declared: Declared, read: EntityRead): PendingType<EntityTypes> {
  return new PendingType(
    declared,
    () => typesOf(resolver, declared),
    ({ value }) => ({ read: { ...read, types: value } }),
  );
}

/** The fields of `T` in `Entity<T>(name)`; none are written where `T` is not. */
function typesOf(resolver: Resolver, { call: { module, call } }: Declared): Resolved<EntityTypes> {
  const node = call.typeArguments?.params[0];
  const { start, end } = node ?? call.callee;
  const place: Place = { module, start, end };
  const read = (): Attempt<EntityTypes> => {
    if (!node) return settled({ fields: [], complete: true });
    const type = evaluate(resolver.reading, node, { module, parameters: new Map() });
    return settled(fieldsOf(open(type), place));
  };
  return settle(resolver, place, nothing, read, () => []);
}

function settled(value: EntityTypes): Attempt<EntityTypes> {
  return { value, refusals: [], questions: [] };
}

/** Of a union the fields of all its alternatives: a document has those of one. */
function fieldsOf(type: Type, place: Place): EntityTypes {
  if (type.kind === "union") {
    const parts = type.members.map((member) => fieldsOf(open(member), place));
    const fields = new Map(parts.flatMap((part) => part.fields.map((each) => [each.name, each])));
    return { fields: [...fields.values()], complete: parts.every(({ complete }) => complete) };
  }
  if (type.kind !== "object") return nothing;
  const fields = [...type.properties.values()].map((property) => fieldOf(property, property.place ?? place));
  return { fields, complete: type.values === undefined };
}

function fieldOf(property: Property, place: Place): EntityFieldRead {
  const type = property.type();
  const marks = marksOf(type);
  return {
    name: property.name,
    at: spanOf(place.module, place),
    id: marks.has("id"),
    indexed: marks.has("index"),
    transient: marks.has("transient"),
    many: marks.has("index") && isList(type),
  };
}
