import { endpoint, type EndpointDeclaration, type Handler, type RouteConfig } from "./endpoint.ts";

/** A JSON endpoint: `API("GET /orders/{id}", async (ctx, req: GetOrder) => order)`. */
export function API<Req = {}, Res = unknown>(
  route: string,
  handler: Handler<Req, Res>,
  config?: RouteConfig,
): EndpointDeclaration<Req, Res> {
  return endpoint("api", route, handler, config);
}
