import type { Blob } from "./blob.ts";
import { endpoint, type EndpointDeclaration, type Handler, type RouteConfig } from "./endpoint.ts";
import type { Redirection } from "./redirect.ts";

/** Rendered HTML. A document gets the document headers; a fragment does not. Only `site` makes it. */
export class HTML {
  readonly text: string;
  readonly document: boolean;
  /** @internal */
  constructor(text: string, document: boolean) {
    this.text = text;
    this.document = document;
  }
}

export type PageResult = HTML | Redirection | Blob;

/** An HTML endpoint: `Page("GET /", async (ctx) => site.render(ctx, "home.html", data))`. */
export function Page<Req = {}>(
  route: string,
  handler: Handler<Req, PageResult>,
  config?: RouteConfig,
): EndpointDeclaration<Req, PageResult> {
  return endpoint("page", route, handler, config);
}
