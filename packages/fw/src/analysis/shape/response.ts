import type { Schema } from "../../model/schema.ts";
import { evaluate } from "../schema/evaluate.ts";
import { resolved } from "../schema/conversion.ts";
import { receivedArgument, responseArgument, sentArgument } from "../schema/type-reading.ts";
import { resolveSchema, type ResolvedType, type TypeResolver } from "../schema/schema.ts";
import { topLevel } from "../schema/type-scope.ts";
import { open, type Type, type Property } from "../schema/type.ts";
import { spanOf } from "../source/position.ts";
import type { PlacedType } from "../types/type-argument.ts";
import { type EndpointSite, handlerIn, handlerIndex, handlerPlace, placeIn } from "./endpoint-site.ts";
import { responseNode, type HandlerFunction } from "./handler.ts";
import { inferredArgument } from "./inferred.ts";
import type { ESTree } from "rolldown/utils";
import { resolveName } from "../resolution/resolve-name.ts";
import { propertyName } from "../source/expression.ts";
import type { Project } from "../source/project.ts";

/** Reads the schema of an endpoint's response. A page responds with HTML and needs none. */
export function responseOf(
  resolver: TypeResolver,
  site: EndpointSite,
): ResolvedType<Schema> & { readonly inferred: boolean } {
  if (site.kind === "page") return pageResponse(site);
  const annotated = annotatedResponse(resolver, site);
  const place = annotated ? placeIn(annotated.module, annotated.node) : handlerPlace(site);
  const infer = (): Type =>
    writtenResponse(resolver, site) ?? inferredArgument(resolver, placeIn(site.module, site.name), responseArgument);
  const read = (): Type => {
    const type = annotated && evaluate(annotated.node, topLevel(resolver.reading, annotated.module));
    return type && !isPromise(open(type)) ? type : infer();
  };
  const found = resolveSchema(resolver, place, "response", read);
  return { ...found, inferred: annotated === undefined };
}

/** Reads the messages that a socket receives or sends; the checker infers them. */
export function messagesOf(
  resolver: TypeResolver,
  site: EndpointSite,
  direction: "received" | "sent",
): ResolvedType<Schema> {
  const argument = direction === "received" ? receivedArgument : sentArgument;
  const read = (): Type => {
    const type = inferredArgument(resolver, placeIn(site.module, site.name), argument);
    // Messages that are never sent need no encoder.
    return open(type).kind === "never" ? { kind: "primitive", name: "null" } : type;
  };
  return resolveSchema(resolver, handlerPlace(site), "value", read);
}

/** True for a promise behind an alias, whose result the checker has to resolve. */
function isPromise(type: Type): boolean {
  return type.kind === "refused" && type.name === "Promise";
}

function pageResponse(site: EndpointSite): ResolvedType<Schema> & { readonly inferred: boolean } {
  const at = spanOf(site.module, handlerPlace(site));
  return { ...resolved({ kind: "void" }), at, types: {}, modules: [], inferred: false };
}

/**
 * Reads the response type from a handler's result if the call has no type arguments; undefined if the source does not
 * show it.
 */
function writtenResponse(resolver: TypeResolver, site: EndpointSite): Type | undefined {
  const handler = site.call.typeArguments ? undefined : handlerIn(resolver, site);
  return handler && writtenResult(resolver.reading.project, handler);
}

function annotatedResponse(resolver: TypeResolver, site: EndpointSite): PlacedType | undefined {
  const given = site.call.typeArguments?.params[handlerIndex(site) + 1];
  if (given) return { module: site.module, node: given };
  const handler = handlerIn(resolver, site);
  const node = handler && responseNode(handler);
  return handler && node && { module: handler.module, node };
}

/**
 * Returns the type of a handler's result without asking the checker, if it is a single expression of literals and
 * constants. TypeScript widens such literals: `() => 1` responds with a number.
 */
function writtenResult(project: Project, handler: HandlerFunction): Type | undefined {
  const result = handler.direct ? resultOf(handler.node) : undefined;
  return result && typeOf({ project, handler }, result);
}

interface Reading {
  readonly project: Project;
  readonly handler: HandlerFunction;
}

function resultOf({ body }: HandlerFunction["node"]): ESTree.Expression | undefined {
  if (body?.type !== "BlockStatement") return body ?? undefined;
  const [statement] = body.body;
  return body.body.length === 1 && statement?.type === "ReturnStatement"
    ? (statement.argument ?? undefined)
    : undefined;
}

function typeOf(reading: Reading, node: ESTree.Expression): Type | undefined {
  if (node.type === "ParenthesizedExpression") return typeOf(reading, node.expression);
  if (node.type === "Identifier") return constantType(reading, node.name);
  return node.type === "ObjectExpression" ? objectType(reading, node) : literalType(node);
}

function literalType(node: ESTree.Expression): Type | undefined {
  if (node.type === "TemplateLiteral") return { kind: "primitive", name: "string" };
  const isNegative = node.type === "UnaryExpression" && node.operator === "-";
  const value = isNegative ? node.argument : node;
  if (value.type !== "Literal") return undefined;
  const name = typeof value.value;
  if (name !== "number" && (isNegative || (name !== "string" && name !== "boolean"))) return undefined;
  return { kind: "primitive", name };
}

/**
 * Returns the type of a constant of the application without an annotation, if its initializer is a literal. Undefined
 * for other names.
 */
function constantType({ project, handler: { module, node } }: Reading, name: string): Type | undefined {
  const parameters = module.text.slice(node.start, node.body?.start ?? node.end);
  // A parameter of this name shadows the constant.
  if (parameters.split(/[^\p{ID_Continue}$]+/u).includes(name)) return undefined;
  const target = resolveName(project, module, name);
  if (target.kind !== "binding" || target.binding.kind !== "variable") return undefined;
  const { mutable, node: declarator } = target.binding;
  return mutable || declarator.id.typeAnnotation || !declarator.init ? undefined : literalType(declarator.init);
}

function objectType(reading: Reading, { properties }: ESTree.ObjectExpression): Type | undefined {
  const types = new Map<string, Property>();
  for (const property of properties) {
    const name = property.type === "Property" && property.kind === "init" ? propertyName(property) : undefined;
    if (property.type !== "Property" || name === undefined || name === "__proto__" || types.has(name)) return undefined;
    const type = typeOf(reading, property.value);
    if (type === undefined) return undefined;
    types.set(name, { name, optional: false, range: undefined, type: () => type });
  }
  return types.size === 0 ? undefined : { kind: "object", properties: types };
}
