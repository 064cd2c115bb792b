import { endpoint, type EndpointDeclaration, type Handler } from "./endpoint.ts";
import type { RouteConfig } from "./route-config.ts";
import type { APIRules, PathParams } from "./route-rules.ts";

/**
 * A JSON endpoint: `API("GET /orders/{id}", async (ctx, req: GetOrder) => order)`.
 *
 * The request's fields are read from where their types say (`Path`, `Query`, `Form`), unmarked ones from a JSON
 * body. Without an annotation, the request holds the route's parameters as strings. The result is sent as
 * JSON; a `Blob` is streamed with its own content type; `undefined` is a 204.
 */
export function API<const Route extends string, Req = PathParams<Route>, Res = unknown>(
  route: Route & APIRules<Route, NoInfer<Req>>,
  handler: Handler<Req, Res>,
  config?: RouteConfig<NoInfer<Req>>,
): EndpointDeclaration<Req, Res> {
  return endpoint("api", route, handler, config);
}
