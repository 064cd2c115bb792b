import type { ESTree } from "rolldown/utils";
import type { Endpoint } from "../../model/app.ts";
import { sourceOfMarker } from "../../model/bindings.ts";
import type { Span } from "../../model/diagnostic.ts";
import { descriptionOf } from "../../model/kinds.ts";
import { bodySchemas, type BoundField, type RequestShape, type WholeBody } from "../../model/request-shape.ts";
import type { Field, Schema } from "../../model/schema.ts";
import { evaluate } from "../schema/evaluate.ts";
import {
  NeedsChecker,
  questionKey,
  receivedArgument,
  requestArgument,
  responseArgument,
  sentArgument,
} from "../schema/reading.ts";
import { received, typeProblem, type TypeProblem } from "../schema/type-problem.ts";
import { settled, type Attempt, type Unsettled } from "../schema/pass.ts";
import { isNothing } from "../schema/response.ts";
import { resolveSchema, settle, type Resolved, type Resolver } from "../schema/schema.ts";
import { docOf } from "../schema/property-doc.ts";
import { topLevel } from "../schema/scope.ts";
import { withTags } from "../schema/tag.ts";
import { membersOf, open, unionOf, withoutUndefined, type Place, type Property, type Type } from "../schema/type.ts";
import { toSchema } from "../schema/wire.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import { boundField, markOf, type BindingFault } from "./bound-fields.ts";
import { handlerOf, requestNode, responseNode } from "./handler.ts";
import { inferredArgument } from "./inferred.ts";

export type { BindingFault } from "./bound-fields.ts";

/** The call that declares something which reads requests. */
export interface EndpointSite {
  readonly kind: Endpoint["kind"] | "authenticator";
  readonly module: SourceModule;
  readonly call: ESTree.CallExpression;
  /** The declared constant, whose type the checker infers. */
  readonly name: ESTree.Node;
  /** Names between braces of the route: what a request without an annotation has. */
  readonly params: readonly string[];
}

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

const nothing: RequestFacts = {
  shape: { bound: [], body: [], carries: "nothing" },
  untagged: [],
  faults: [],
  wholes: [],
};

/** The shape of an endpoint's request. */
export function requestOf(resolver: Resolver, site: EndpointSite): Resolved<RequestFacts> {
  const handler = handlerPlace(site);
  const read = (): Attempt<RequestFacts> => {
    const type = requestType(resolver, site);
    if (type === "none") return settled(nothing);
    return type === "params" ? paramsRequest(site) : readRequest(resolver, type.type, type.place);
  };
  return settle(resolver, handler, nothing, read, ({ shape }) => bodySchemas(shape));
}

/** The schema of an endpoint's response. A page answers with HTML and needs none. */
export function responseOf(resolver: Resolver, site: EndpointSite): Resolved<Schema> & { readonly inferred: boolean } {
  if (site.kind === "page") return pageResponse(site);
  const annotated = annotatedResponse(resolver, site);
  const place = annotated ? placeIn(annotated.module, annotated.node) : handlerPlace(site);
  const infer = (): Type => inferredArgument(resolver, placeIn(site.module, site.name), responseArgument);
  const read = (): Type => {
    const type = annotated && evaluate(annotated.node, topLevel(resolver.reading, annotated.module));
    return type && !isPromise(open(type)) ? type : infer();
  };
  const found = resolveSchema(resolver, place, "response", read);
  return { ...found, inferred: annotated === undefined };
}

/** What a socket receives, or sends: an argument of its declaration's type, as the checker infers it. */
export function messagesOf(resolver: Resolver, site: EndpointSite, direction: "received" | "sent"): Resolved<Schema> {
  const argument = direction === "received" ? receivedArgument : sentArgument;
  const read = (): Type => {
    const type = inferredArgument(resolver, placeIn(site.module, site.name), argument);
    // What is never sent needs nothing that encodes it.
    return open(type).kind === "never" ? { kind: "primitive", name: "null" } : type;
  };
  return resolveSchema(resolver, handlerPlace(site), "value", read);
}

/** A promise behind an alias is what it resolves to, which the checker says. */
function isPromise(type: Type): boolean {
  return type.kind === "refused" && type.name === "Promise";
}

function pageResponse(site: EndpointSite): Resolved<Schema> & { readonly inferred: boolean } {
  const at = spanOf(site.module, handlerPlace(site));
  return { ...settled({ kind: "void" }), at, types: {}, modules: [], inferred: false };
}

interface NodeIn {
  readonly module: SourceModule;
  readonly node: ESTree.TSType;
}

function annotatedResponse(resolver: Resolver, site: EndpointSite): NodeIn | undefined {
  const given = site.call.typeArguments?.params[handlerIndex(site) + 1];
  if (given) return { module: site.module, node: given };
  const handler = handlerIn(resolver, site);
  const node = handler && responseNode(handler);
  return handler && node && { module: handler.module, node };
}

function handlerIn(resolver: Resolver, site: EndpointSite): ReturnType<typeof handlerOf> {
  const argument = site.call.arguments[handlerIndex(site)];
  resolver.reading.touched.add(site.module.path);
  return argument && handlerOf(resolver.reading.project, site.module, argument);
}

function requestType(
  resolver: Resolver,
  site: EndpointSite,
): "none" | "params" | { readonly type: Type; readonly place: Place } {
  const given = site.call.typeArguments?.params[handlerIndex(site)];
  const handler = given ? undefined : handlerIn(resolver, site);
  const node = given ?? (handler && requestNode(handler));
  const module = given ? site.module : handler?.module;
  if (node && module) return { type: evaluate(node, topLevel(resolver.reading, module)), place: placeIn(module, node) };
  if (node === null) return "none";
  // What is written elsewhere, or under `satisfies`, has its parameters' types from there: the checker knows them.
  if (handler?.direct && site.call.typeArguments === null) return "params";
  const place = placeIn(site.module, site.name);
  return { type: inferredArgument(resolver, place, requestArgument), place: handlerPlace(site) };
}

function handlerPlace(site: EndpointSite): Place {
  return placeIn(site.module, site.call.arguments[handlerIndex(site)] ?? site.call);
}

/** Which argument of the call its handler is; the type of the request is written at the same place. */
function handlerIndex({ kind }: EndpointSite): number {
  return descriptionOf(kind).handler ?? 0;
}

function placeIn(module: SourceModule, node: { readonly start: number; readonly end: number }): Place {
  return { module, start: node.start, end: node.end };
}

/** A request without an annotation has the route's parameters, as text. */
function paramsRequest(site: EndpointSite): Attempt<RequestFacts> {
  const at = spanOf(site.module, handlerPlace(site));
  const bound = site.params.map((name): BoundField => {
    return { property: name, source: "path", wire: name, type: { kind: "string" }, list: false, optional: false, at };
  });
  return settled({ ...nothing, shape: { bound, body: [], carries: "nothing" } });
}

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

function readRequest(resolver: Resolver, type: Type, place: Place): Attempt<RequestFacts> {
  const opened = open(type);
  if (isNothing(opened) || isEmptyRecord(opened)) return settled(nothing);
  if (opened.kind !== "object" || opened.values) return { ...settled(nothing), refusals: [notARequest(opened, place)] };
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
