import { endpoint, type EndpointDeclaration, type Handler } from "./endpoint.ts";
import type { RouteConfig } from "./route-config.ts";
import type { APIRules, PathParams } from "./route-rules.ts";

/**
 * Declares a JSON endpoint: `API("GET /orders/{id}", async (ctx, req: GetOrder) => order)`.
 *
 * The type of a request field determines its source (`Path`, `Query`, `Form` and others); unmarked fields come from a
 * JSON body. Without a type annotation, the request holds the route's parameters as strings. The result is sent as
 * JSON, a `Blob` is streamed with its own content type, and `undefined` becomes a 204.
 */
export function API<const Route extends string, Req = PathParams<Route>, Res = unknown>(
  route: Route & APIRules<Route, NoInfer<Req>>,
  handler: Handler<Req, Res>,
  config?: RouteConfig<NoInfer<Req>>,
): EndpointDeclaration<Req, Res> {
  return endpoint("api", route, handler, config);
}
