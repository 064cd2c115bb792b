import type { ESTree } from "rolldown/utils";
import type { Endpoint } from "../../model/app.ts";
import { descriptionOf } from "../../model/kinds.ts";
import type { TypeResolver } from "../schema/schema.ts";
import type { SourceRange } from "../schema/type.ts";
import type { SourceModule } from "../source/module.ts";
import { handlerOf } from "./handler.ts";

/** A declaration that reads requests, and its call. */
export interface EndpointSite {
  readonly kind: Endpoint["kind"] | "authenticator" | "policy" | "tenant";
  readonly module: SourceModule;
  readonly call: ESTree.CallExpression;
  /** The declared constant, whose type the checker infers. */
  readonly name: ESTree.Node;
  /** The route's parameters, which form the request if no request type is declared. */
  readonly params: readonly string[];
}

export function handlerIn(resolver: TypeResolver, site: EndpointSite): ReturnType<typeof handlerOf> {
  const argument = site.call.arguments[handlerIndex(site)];
  resolver.reading.modules.add(site.module.path);
  return argument && handlerOf(resolver.reading.project, site.module, argument);
}

export function handlerPlace(site: EndpointSite): SourceRange {
  return placeIn(site.module, site.call.arguments[handlerIndex(site)] ?? site.call);
}

/** Returns the index of the handler among the call's arguments; the request has the same index among type arguments. */
export function handlerIndex({ kind }: EndpointSite): number {
  return descriptionOf(kind).handler ?? 0;
}

export function placeIn(module: SourceModule, node: { readonly start: number; readonly end: number }): SourceRange {
  return { module, start: node.start, end: node.end };
}
