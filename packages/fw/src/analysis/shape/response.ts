import type { Schema } from "../../model/schema.ts";
import { evaluate } from "../schema/evaluate.ts";
import { resolved } from "../schema/conversion.ts";
import { receivedArgument, responseArgument, sentArgument } from "../schema/type-reading.ts";
import { resolveSchema, type ResolvedType, type TypeResolver } from "../schema/schema.ts";
import { topLevel } from "../schema/type-scope.ts";
import { open, type Type } from "../schema/type.ts";
import { spanOf } from "../source/position.ts";
import type { PlacedType } from "../types/type-argument.ts";
import { type EndpointSite, handlerIn, handlerIndex, handlerPlace, placeIn } from "./endpoint-site.ts";
import { responseNode } from "./handler.ts";
import { inferredArgument } from "./inferred.ts";
import { writtenResult } from "./written-result.ts";

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

/** Reads the result of a handler in a call without type arguments, where TypeScript infers the response from it. */
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
