import type { Blob } from "./blob.ts";
import { endpoint, type EndpointDeclaration, type Handler } from "./endpoint.ts";
import type { HTML } from "./html.ts";
import type { Redirection } from "./redirect.ts";
import type { Reply } from "./reply.ts";
import type { RouteConfig } from "./route-config.ts";
import type { PageRules, PathParams } from "./route-rules.ts";

/** The result of a page's handler. */
export type PageResult = PageBody | Reply<PageBody>;

type PageBody = HTML | Redirection | Blob;

/**
 * An HTML endpoint: `Page("GET /notes/{id}", async (ctx, req: ShowNote) => site.render(ctx, "note.html", note))`.
 *
 * The request's fields are `Path`, `Query` or `Form`. Without an annotation, the request holds the route's
 * parameters as strings. Methods other than GET are protected against CSRF.
 */
export function Page<const Route extends string, Req = PathParams<Route>>(
  route: Route & PageRules<Route, NoInfer<Req>>,
  handler: Handler<Req, PageResult>,
  config?: RouteConfig,
): EndpointDeclaration<Req, PageResult> {
  return endpoint("page", route, handler, config);
}
