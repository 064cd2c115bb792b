import { sourceOfMarker } from "../../model/bindings.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { BoundField, RequestShape, WholeBody } from "../../model/request-shape.ts";
import type { Field, Schema } from "../../model/schema.ts";
import { settled, type Attempt, type Unsettled } from "../schema/pass.ts";
import { docOf } from "../schema/property-doc.ts";
import { NeedsChecker, questionKey } from "../schema/reading.ts";
import { isNothing } from "../schema/response.ts";
import type { Resolver } from "../schema/schema.ts";
import { withTags } from "../schema/tag.ts";
import { received, typeProblem, type TypeProblem } from "../schema/type-problem.ts";
import { membersOf, open, unionOf, withoutUndefined, type Place, type Property, type Type } from "../schema/type.ts";
import { toSchema } from "../schema/wire.ts";
import { spanOf } from "../source/position.ts";
import { boundField, markOf, type BindingFault } from "./bound-fields.ts";

/** What a request's type says, and what is wrong with it: rules turn the facts into diagnostics. */
export interface RequestFacts {
  readonly shape: RequestShape;
  /** The untagged fields, one for one as in `shape.body`, a file not counted there. */
  readonly untagged: readonly UntaggedField[];
  readonly faults: readonly BindingFault[];
  /** Fields that have the whole body, of which there is one at most where nothing is wrong. */
  readonly wholes: readonly UntaggedField[];
  /** A named type that its module does not export; `at` is its name. */
  readonly unexported?: { readonly name: string; readonly at: Span };
}

export interface UntaggedField {
  readonly name: string;
  readonly at: Span;
  readonly blob: boolean;
}

/** Of a request that has none. */
export const noFields: RequestFacts = {
  shape: { bound: [], body: [], carries: "nothing" },
  untagged: [],
  faults: [],
  wholes: [],
};

/** What reading the fields one by one adds up to. */
interface Fields {
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

/** The fields of a request: what is marked is bound, the others are read from the body. */
export function readFields(resolver: Resolver, type: Type, place: Place): Attempt<RequestFacts> {
  const opened = open(type);
  if (isNothing(opened) || isEmptyRecord(opened)) return settled(noFields);
  if (opened.kind !== "object" || opened.values)
    return { ...settled(noFields), refusals: [notARequest(opened, place)] };
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
  for (const property of opened.properties.values()) readField(resolver, property, property.place ?? place, fields);
  const { bound, untagged, faults, refusals, questions, wholes } = fields;
  const [first] = wholes;
  const body = fields.body.length > 0 ? [...fields.body, ...fields.absent] : [];
  const named = type.kind === "named" && type.name !== "" ? { type: type.id } : {};
  const whole = first && { whole: withoutPlace(first) };
  const shape = { bound, body, ...whole, carries: carriesOf(bound, body, first), ...named };
  const unexported =
    type.kind === "named" && !type.exported
      ? { name: type.name, at: spanOf(type.place.module, type.place) }
      : undefined;
  const places = wholes.map(({ property: name, at }) => ({ name, at, blob: false }));
  const value = { shape, untagged, faults, wholes: places, ...(unexported ? { unexported } : {}) };
  return { value, refusals, questions: [...questions.values()] };
}

function withoutPlace({ property, optional, schema, doc }: Fields["wholes"][number]): WholeBody {
  return { property, optional, ...(schema && { schema }), ...(doc !== undefined && { doc }) };
}

/** `Record<string, never>` is how an object without any fields is written where `{}` stands for anything. */
function isEmptyRecord(type: Type): boolean {
  return (
    type.kind === "object" &&
    type.values !== undefined &&
    open(type.values).kind === "never" &&
    type.properties.size === 0
  );
}

function notARequest(type: Type, place: Place): TypeProblem {
  const at = spanOf(place.module, place);
  if (type.kind === "refused") return received(typeProblem(type.reason, type.name, at));
  return typeProblem("request", requestName(type), at);
}

/** What somebody wrote in the place of a request. */
function requestName(type: Type): string {
  if (type.kind === "primitive" || type.kind === "known") return type.name === "null" ? "null" : `a ${type.name}`;
  if (type.kind === "array" || type.kind === "tuple") return "a list";
  if (type.kind === "object") return "a record";
  if (type.kind === "bound") return "a single parameter";
  return type.kind === "union" ? "a union of types" : `a ${type.kind}`;
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

function carriesOf(
  bound: readonly BoundField[],
  body: readonly Field[],
  whole: WholeBody | undefined,
): RequestShape["carries"] {
  if (bound.some(({ type }) => type.kind === "blob")) return "multipart";
  if (bound.some(({ source }) => source === "form")) return "form";
  if (whole !== undefined) return whole.schema === undefined ? "raw" : "json";
  return body.length > 0 ? "json" : "nothing";
}
