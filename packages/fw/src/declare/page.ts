import type { Blob } from "./blob.ts";
import type { Context } from "./context.ts";
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
 * The fields of a request as they were sent: the texts of path, query and form fields. A field that was not sent, a
 * file and a password are "".
 */
export type FormInput<Req> = {
  readonly [Field in keyof Req]-?: [Exclude<Req[Field], undefined>] extends [readonly unknown[]]
    ? readonly string[]
    : string;
};

/** The problems of a request by field, as sentences without their subject: "must be an email address". */
export type FormProblems<Req> = { readonly [Field in keyof Req]?: readonly string[] };

/** Settings of a page, written as a literal: those of any route, `invalid`, `once` and `live`. */
export type PageConfig<Req> = RouteConfig<Req> & {
  /**
   * Runs the handler once for each form: a second submit of the same form with the same content gets the answer of the
   * first. The service needs a platform that stores data.
   */
  readonly once?: boolean;
  /**
   * Open browsers follow the page: fw renders it again when an entity that it has read changes, and changes the
   * document in place. Typed text stays.
   */
  readonly live?: boolean;
  /**
   * Answers a request whose form or query fields don't fit their types, and one whose handler throws `Invalid`, with
   * status 422. Usually it renders the page of the form again; the templates' `{{value}}` and `{{errors}}` then show
   * the text and the problems of each field.
   */
  readonly invalid?: (
    ctx: Context,
    input: FormInput<Req>,
    problems: FormProblems<Req>,
  ) => PageResult | Promise<PageResult>;
};

/**
 * An HTML endpoint: `Page("GET /notes/{id}", async (ctx, req: ShowNote) => site.render(ctx, "note.html", note))`.
 *
 * The request's fields are `Path`, `Query` or `Form`. Without an annotation, the request holds the route's
 * parameters as strings. Methods other than GET are protected against CSRF.
 */
export function Page<const Route extends string, Req = PathParams<Route>>(
  route: Route & PageRules<Route, NoInfer<Req>>,
  handler: Handler<Req, PageResult>,
  config?: PageConfig<NoInfer<Req>>,
): EndpointDeclaration<Req, PageResult> {
  return endpoint("page", route, handler, config);
}
