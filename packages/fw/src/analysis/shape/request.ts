import type { Span } from "../../model/diagnostic.ts";
import { bodySchemas, type BoundField, type RequestShape, type WholeBody } from "../../model/request-shape.ts";
import type { Field } from "../../model/schema.ts";
import { evaluate } from "../schema/evaluate.ts";
import { resolved, type Attempt } from "../schema/conversion.ts";
import { requestArgument } from "../schema/type-reading.ts";
import { isNothing } from "../schema/response.ts";
import { runReading, type ResolvedType, type TypeResolver } from "../schema/schema.ts";
import { topLevel } from "../schema/type-scope.ts";
import { asReceived, typeProblem, type TypeProblem } from "../schema/type-problem.ts";
import { open, type SourceRange, type Type } from "../schema/type.ts";
import { spanOf } from "../source/position.ts";
import type { BindingFault } from "./bound-fields.ts";
import { type EndpointSite, handlerIn, handlerIndex, handlerPlace, placeIn } from "./endpoint-site.ts";
import { requestNode } from "./handler.ts";
import { inferredArgument } from "./inferred.ts";
import { type Fields, readFields, type UntaggedField } from "./request-fields.ts";

/** The content of a request type and its problems; rules turn these into diagnostics. */
export interface RequestFacts {
  readonly shape: RequestShape;
  /** The unmarked fields in source order, including files and fields that take the whole body. */
  readonly untagged: readonly UntaggedField[];
  readonly faults: readonly BindingFault[];
  /** Fields that take the whole body, at most one in a valid request. */
  readonly wholes: readonly UntaggedField[];
  /** A named type that its module does not export; `at` is the location of the name. */
  readonly unexported?: { readonly name: string; readonly at: Span };
}

/** The result for an endpoint without a request. */
const noFields: RequestFacts = {
  shape: { bound: [], body: [], carries: "nothing" },
  untagged: [],
  faults: [],
  wholes: [],
};

export function requestOf(resolver: TypeResolver, site: EndpointSite): ResolvedType<RequestFacts> {
  const handler = handlerPlace(site);
  const read = (): Attempt<RequestFacts> => {
    const type = requestType(resolver, site);
    if (type === "none") return resolved(noFields);
    return type === "params" ? paramsRequest(site) : readRequest(resolver, type.type, type.place);
  };
  return runReading(resolver, handler, noFields, read, ({ shape }) => bodySchemas(shape));
}

function requestType(
  resolver: TypeResolver,
  site: EndpointSite,
): "none" | "params" | { readonly type: Type; readonly place: SourceRange } {
  const given = site.call.typeArguments?.params[handlerIndex(site)];
  const handler = given ? undefined : handlerIn(resolver, site);
  const node = given ?? (handler && requestNode(handler, site.kind === "policy" || site.kind === "tenant" ? 2 : 1));
  const module = given ? site.module : handler?.module;
  if (node && module) return { type: evaluate(node, topLevel(resolver.reading, module)), place: placeIn(module, node) };
  if (node === null) return "none";
  // A handler defined elsewhere, or under `satisfies`, may take its types from a declared type: ask the checker.
  if (handler?.direct && site.call.typeArguments === null) return "params";
  const type = inferredArgument(resolver, placeIn(site.module, site.name), requestArgument);
  // A generic wrapper around a handler without a request infers `unknown` as the request's type.
  if (type.kind === "refused" && type.reason === "unknown" && type.name === "unknown") return "params";
  return { type, place: handlerPlace(site) };
}

/** Returns the request of an unannotated handler: the route's parameters as strings. */
function paramsRequest(site: EndpointSite): Attempt<RequestFacts> {
  const at = spanOf(site.module, handlerPlace(site));
  const bound = site.params.map((name): BoundField => {
    return { property: name, source: "path", wire: name, type: { kind: "string" }, list: false, optional: false, at };
  });
  return resolved({ ...noFields, shape: { bound, body: [], carries: "nothing" } });
}

/** Reads a request type, which must be an object. */
function readRequest(resolver: TypeResolver, type: Type, place: SourceRange): Attempt<RequestFacts> {
  const inner = open(type);
  if (isNothing(inner) || isEmptyRecord(inner)) return resolved(noFields);
  if (inner.kind !== "object" || inner.index) return { ...resolved(noFields), refusals: [notARequest(inner, place)] };
  const fields = readFields(resolver, inner.properties.values(), place);
  const { untagged, faults, refusals, questions } = fields;
  const wholes = fields.wholes.map(({ property: name, at }) => ({ name, at, blob: false }));
  const value = { shape: shapeOf(fields, type), untagged, faults, wholes, ...unexportedIn(type) };
  return { value, refusals, questions: [...questions.values()] };
}

function shapeOf({ bound, body: present, absent, wholes: [first], faults: [fault] }: Fields, type: Type): RequestShape {
  const body = present.length > 0 ? [...present, ...absent] : [];
  const whole = first && { whole: withoutPlace(first) };
  const named = type.kind === "named" && type.name !== "" ? { type: type.id } : {};
  const refused = fault && { refusedAt: fault.at };
  return { bound, ...refused, body, ...whole, carries: carriesOf(bound, body, first), ...named };
}

function unexportedIn(type: Type): Pick<RequestFacts, "unexported"> {
  if (type.kind !== "named" || type.exported) return {};
  return { unexported: { name: type.name, at: spanOf(type.range.module, type.range) } };
}

function withoutPlace({ property, optional, schema, doc }: Fields["wholes"][number]): WholeBody {
  return { property, optional, ...(schema && { schema }), ...(doc !== undefined && { doc }) };
}

/** True for `Record<string, never>`, which means an empty object where `{}` would mean any value. */
function isEmptyRecord(type: Type): boolean {
  return (
    type.kind === "object" &&
    type.index !== undefined &&
    open(type.index.value).kind === "never" &&
    type.properties.size === 0
  );
}

function notARequest(type: Type, place: SourceRange): TypeProblem {
  const at = spanOf(place.module, place);
  if (type.kind === "refused") return asReceived(typeProblem(type.reason, type.name, at));
  return typeProblem("request", requestName(type), at);
}

function requestName(type: Type): string {
  if (type.kind === "primitive" || type.kind === "known") return type.name === "null" ? "null" : `a ${type.name}`;
  if (type.kind === "array" || type.kind === "tuple") return "a list";
  if (type.kind === "object") return "a record";
  if (type.kind === "bound") return "a single parameter";
  return type.kind === "union" ? "a union of types" : `a ${type.kind}`;
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
