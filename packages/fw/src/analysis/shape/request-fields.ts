import { sourceOfMarker } from "../../model/bindings.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { BoundField, WholeBody } from "../../model/request-shape.ts";
import type { Field, Schema } from "../../model/schema.ts";
import type { Unsettled } from "../schema/pass.ts";
import { docOf } from "../schema/property-doc.ts";
import { NeedsChecker, questionKey } from "../schema/reading.ts";
import type { Resolver } from "../schema/schema.ts";
import { withTags } from "../schema/tag.ts";
import { received, type TypeProblem } from "../schema/type-problem.ts";
import { membersOf, open, unionOf, withoutUndefined, type Place, type Property, type Type } from "../schema/type.ts";
import { toSchema } from "../schema/wire.ts";
import { spanOf } from "../source/position.ts";
import { boundField, markOf, type BindingFault } from "./bound-fields.ts";

/** A field that is read from the body. */
export interface UntaggedField {
  readonly name: string;
  readonly at: Span;
  readonly blob: boolean;
}

/** What the fields of a request add up to: what is marked is bound, the others are of the body. */
export interface Fields {
  readonly bound: BoundField[];
  readonly body: Field[];
  /** Fields that must not be there, which a body without others is not read for. */
  readonly absent: Field[];
  /** Fields that have the whole body. */
  readonly wholes: (WholeBody & { readonly at: Span })[];
  readonly untagged: UntaggedField[];
  readonly faults: BindingFault[];
  readonly refusals: TypeProblem[];
  readonly questions: Map<string, Unsettled>;
}

/** Reads the fields of a request, which stand at a place unless they say themselves where. */
export function readFields(resolver: Resolver, properties: Iterable<Property>, place: Place): Fields {
  const fields: Fields = {
    bound: [],
    body: [],
    absent: [],
    wholes: [],
    untagged: [],
    faults: [],
    refusals: [],
    questions: new Map(),
  };
  for (const property of properties) readField(resolver, property, property.place ?? place, fields);
  return fields;
}

function readField(resolver: Resolver, property: Property, place: Place, fields: Fields): void {
  try {
    addField(resolver, property, place, fields);
  } catch (error) {
    if (!(error instanceof NeedsChecker)) throw error;
    fields.questions.set(questionKey(error.question), error);
  }
}

function addField(resolver: Resolver, property: Property, place: Place, fields: Fields): void {
  const { name } = property;
  const { type, removed } = withoutUndefined(property.type());
  const optional = property.optional || removed;
  const at = spanOf(place.module, place);
  const doc = docOf(property);
  const described = doc === undefined ? {} : { doc };
  if (optional && open(type).kind === "never") {
    fields.absent.push({ name, schema: { kind: "never" }, optional });
    return;
  }
  const mark = markOf(type);
  if (mark) {
    const field = boundField({ name, optional, at }, mark);
    if ("kind" in field) fields.faults.push(field);
    else fields.bound.push({ ...field, ...described });
    return;
  }
  const opened = open(type);
  const members = membersOf(type);
  const wholes = members.flatMap((member) => wholeIn(member) ?? []);
  const blob = opened.kind === "known" && opened.name === "Blob";
  fields.untagged.push({ name, at, blob });
  if (blob) return;
  const valueIs = (value: Type): Schema => valueOf(resolver, value, property, place, fields);
  if (wholes.some(({ raw }) => raw)) fields.wholes.push({ property: name, optional, at, ...described });
  else if (wholes.length > 0) {
    const schema = valueIs(unionOf(members.map((member) => wholeIn(member)?.json ?? member)));
    fields.wholes.push({ property: name, optional, at, ...described, schema });
  } else fields.body.push({ name, schema: valueIs(type), optional, ...described });
}

/** What a type says of the whole body; undefined for one of a value. */
function wholeIn(type: Type): { readonly raw?: true; readonly json?: Type } | undefined {
  const opened = open(type);
  if (opened.kind !== "refused") return undefined;
  if (opened.reason === "raw") return { raw: true };
  return opened.whole && { json: opened.whole };
}

/** The schema of a value of a body; what is wrong with it is told of its field. */
function valueOf(resolver: Resolver, type: Type, { name }: Property, place: Place, fields: Fields): Schema {
  const { value, refusals, questions } = toSchema(resolver.wire, () => type, place);
  for (const refusal of refusals) {
    if (refusal.reason === "instance") continue;
    const source = refusal.reason === "bound" ? sourceOfMarker(refusal.name) : undefined;
    if (!source) fields.refusals.push(received(refusal));
    else fields.faults.push({ kind: "nested", property: name, source, at: refusal.at, type: refusal.name });
  }
  for (const each of questions) fields.questions.set(questionKey(each.question), each);
  return withTags(value, resolver.wire.table);
}
