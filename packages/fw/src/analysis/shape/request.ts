import { bodySchemas, type BoundField } from "../../model/request-shape.ts";
import { evaluate } from "../schema/evaluate.ts";
import { settled, type Attempt } from "../schema/pass.ts";
import { requestArgument } from "../schema/reading.ts";
import { settle, type Resolved, type Resolver } from "../schema/schema.ts";
import { topLevel } from "../schema/scope.ts";
import type { Place, Type } from "../schema/type.ts";
import { spanOf } from "../source/position.ts";
import { type EndpointSite, handlerIn, handlerIndex, handlerPlace, placeIn } from "./endpoint-site.ts";
import { requestNode } from "./handler.ts";
import { inferredArgument } from "./inferred.ts";
import { noFields, readFields, type RequestFacts } from "./request-fields.ts";

/** The shape of an endpoint's request. */
export function requestOf(resolver: Resolver, site: EndpointSite): Resolved<RequestFacts> {
  const handler = handlerPlace(site);
  const read = (): Attempt<RequestFacts> => {
    const type = requestType(resolver, site);
    if (type === "none") return settled(noFields);
    return type === "params" ? paramsRequest(site) : readFields(resolver, type.type, type.place);
  };
  return settle(resolver, handler, noFields, read, ({ shape }) => bodySchemas(shape));
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

/** A request without an annotation has the route's parameters, as text. */
function paramsRequest(site: EndpointSite): Attempt<RequestFacts> {
  const at = spanOf(site.module, handlerPlace(site));
  const bound = site.params.map((name): BoundField => {
    return { property: name, source: "path", wire: name, type: { kind: "string" }, list: false, optional: false, at };
  });
  return settled({ ...noFields, shape: { bound, body: [], carries: "nothing" } });
}
