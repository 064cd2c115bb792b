import { sourceOfMarker } from "../../model/bindings.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { BoundField, WholeBody } from "../../model/request-shape.ts";
import type { Field, Schema } from "../../model/schema.ts";
import type { PendingQuestion } from "../schema/conversion.ts";
import { docOf } from "../schema/property-doc.ts";
import { NeedsChecker, questionKey } from "../schema/type-reading.ts";
import type { TypeResolver } from "../schema/schema.ts";
import { withTags } from "../schema/tag.ts";
import { asReceived, type TypeProblem } from "../schema/type-problem.ts";
import {
  membersOf,
  open,
  unionOf,
  withoutUndefined,
  type SourceRange,
  type Property,
  type Type,
} from "../schema/type.ts";
import { toSchema } from "../schema/to-schema.ts";
import { spanOf } from "../source/position.ts";
import { boundField, markOf, type BindingFault } from "./bound-fields.ts";

/** A field of a request without a binding marker. */
export interface UntaggedField {
  readonly name: string;
  readonly at: Span;
  readonly blob: boolean;
}

/** The fields of a request: marked fields are bound, others form the body. */
export interface Fields {
  readonly bound: BoundField[];
  readonly body: Field[];
  /** Fields of type `never`; checked only if the body has other fields. */
  readonly absent: Field[];
  readonly wholes: (WholeBody & { readonly at: Span })[];
  readonly untagged: UntaggedField[];
  readonly faults: BindingFault[];
  readonly refusals: TypeProblem[];
  readonly questions: Map<string, PendingQuestion>;
}

/** Reads the fields of a request. `place` is the location of fields without their own. */
export function readFields(resolver: TypeResolver, properties: Iterable<Property>, place: SourceRange): Fields {
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
  for (const property of properties) readField(resolver, property, property.range ?? place, fields);
  return fields;
}

function readField(resolver: TypeResolver, property: Property, place: SourceRange, fields: Fields): void {
  try {
    addField(resolver, property, place, fields);
  } catch (error) {
    if (!(error instanceof NeedsChecker)) throw error;
    fields.questions.set(questionKey(error.question), error);
  }
}

function addField(resolver: TypeResolver, property: Property, place: SourceRange, fields: Fields): void {
  const { type, removed } = withoutUndefined(property.type());
  const field = { name: property.name, optional: property.optional || removed, at: spanOf(place.module, place) };
  const { name, optional, at } = field;
  if (optional && open(type).kind === "never") {
    fields.absent.push({ name, schema: { kind: "never" }, optional });
    return;
  }
  const described = descriptionOf(property);
  const mark = markOf(type);
  if (mark) return addBound(boundField(field, mark), described, fields);
  noteUntagged(field, type, fields);
  if (isBlob(type)) return;
  const whole = wholeOf(type);
  if (whole === "raw") return void fields.wholes.push({ property: name, optional, at, ...described });
  const schema = valueOf(resolver, whole ?? type, property, place, fields);
  if (whole === undefined) fields.body.push({ name, schema, optional, ...described });
  else fields.wholes.push({ property: name, optional, at, ...described, schema });
}

function descriptionOf(property: Property): { readonly doc?: string } {
  const doc = docOf(property);
  return doc === undefined ? {} : { doc };
}

function addBound(field: BoundField | BindingFault, described: { readonly doc?: string }, fields: Fields): void {
  if ("kind" in field) fields.faults.push(field);
  else fields.bound.push({ ...field, ...described });
}

/** Records an unmarked field. Ignores a type that does not compile, which may be a marker that is not imported. */
function noteUntagged({ name, at }: Omit<UntaggedField, "blob">, type: Type, fields: Fields): void {
  const inner = open(type);
  if (inner.kind !== "refused" || inner.reason !== "mistake") fields.untagged.push({ name, at, blob: isBlob(type) });
}

function isBlob(type: Type): boolean {
  const inner = open(type);
  return inner.kind === "known" && inner.name === "Blob";
}

/** Returns the type of a field that takes the whole body as JSON, `raw` for its bytes; undefined for other fields. */
function wholeOf(type: Type): Type | "raw" | undefined {
  const members = membersOf(type);
  const wholes = members.flatMap((member) => wholeIn(member) ?? []);
  if (wholes.length === 0) return undefined;
  return wholes.some(({ raw }) => raw) ? "raw" : unionOf(members.map((member) => wholeIn(member)?.json ?? member));
}

/** Recognizes the type of a field that takes the whole body; undefined for any other type. */
function wholeIn(type: Type): { readonly raw?: true; readonly json?: Type } | undefined {
  const inner = open(type);
  if (inner.kind !== "refused") return undefined;
  if (inner.reason === "raw") return { raw: true };
  return inner.whole && { json: inner.whole };
}

/** Converts a value in the body; its problems are reported at the field. */
function valueOf(resolver: TypeResolver, type: Type, { name }: Property, place: SourceRange, fields: Fields): Schema {
  const { value, refusals, questions } = toSchema(resolver.wire, () => type, place);
  for (const refusal of refusals) {
    if (refusal.reason === "instance") continue;
    const source = refusal.reason === "bound" ? sourceOfMarker(refusal.name) : undefined;
    if (!source) fields.refusals.push(asReceived(refusal));
    else fields.faults.push({ kind: "nested", property: name, source, at: refusal.at, type: refusal.name });
  }
  for (const each of questions) fields.questions.set(questionKey(each.question), each);
  return withTags(value, resolver.wire.table);
}
