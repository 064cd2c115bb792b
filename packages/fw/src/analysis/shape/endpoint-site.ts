import type { ESTree } from "rolldown/utils";
import type { Endpoint } from "../../model/app.ts";
import { descriptionOf } from "../../model/kinds.ts";
import type { TypeResolver } from "../schema/schema.ts";
import type { SourceRange } from "../schema/type.ts";
import type { SourceModule } from "../source/module.ts";
import { handlerOf } from "./handler.ts";

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

export function handlerIn(resolver: TypeResolver, site: EndpointSite): ReturnType<typeof handlerOf> {
  const argument = site.call.arguments[handlerIndex(site)];
  resolver.reading.modules.add(site.module.path);
  return argument && handlerOf(resolver.reading.project, site.module, argument);
}

export function handlerPlace(site: EndpointSite): SourceRange {
  return placeIn(site.module, site.call.arguments[handlerIndex(site)] ?? site.call);
}

/** Which argument of the call its handler is; the type of the request is written at the same place. */
export function handlerIndex({ kind }: EndpointSite): number {
  return descriptionOf(kind).handler ?? 0;
}

export function placeIn(module: SourceModule, node: { readonly start: number; readonly end: number }): SourceRange {
  return { module, start: node.start, end: node.end };
}
