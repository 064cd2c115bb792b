import type { IsHeaderOrCookie } from "./binding.ts";
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
 * The path, query and form fields of a request as text, as the browser sent them; "" for missing fields, files and
 * passwords. Headers and cookies are left out.
 */
export type FormInput<Req> = {
  readonly [Field in keyof Req as IsHeaderOrCookie<Req[Field]> extends true ? never : Field]-?: [
    Exclude<Req[Field], undefined>,
  ] extends [readonly unknown[]]
    ? readonly string[]
    : string;
};

/** The problems of a request by field, as sentences without a subject: "must be an email address". */
export type FormProblems<Req> = { readonly [Field in keyof Req]?: readonly string[] };

/** Settings of a page, written as a literal: all settings of a route, and `invalid`, `once` and `live`. */
export type PageConfig<Req> = RouteConfig<Req> & {
  /**
   * Runs the handler only once for each rendered form: submitting the same form again with the same content returns the
   * first response. Requires a platform that stores data.
   */
  readonly once?: boolean;
  /**
   * Keeps the page up to date in open browsers: when an entity that it has read changes, fw renders it again and
   * updates the document in place. Text that users have typed is preserved.
   */
  readonly live?: boolean;
  /**
   * Handles requests whose form or query fields do not match their types, and requests whose handler throws `Invalid`.
   * Usually, it renders the page with the form again, where `{{value}}` and `{{errors}}` show the text and the problems
   * of each field. HTML is sent with status 422; replies, redirects and blobs keep their own status.
   */
  readonly invalid?: (
    ctx: Context,
    input: FormInput<Req>,
    problems: FormProblems<Req>,
  ) => PageResult | Promise<PageResult>;
};

/**
 * Declares an HTML endpoint: `Page("GET /notes/{id}", async (ctx, req: ShowNote) => site.render(ctx, "note.html",
 * note))`.
 *
 * The request's fields are `Path`, `Query`, `Form`, `Header` or `Cookie`. Without a type annotation, the request holds
 * the route's parameters as strings. Methods other than GET are protected against CSRF.
 */
export function Page<const Route extends string, Req = PathParams<Route>>(
  route: Route & PageRules<Route, NoInfer<Req>>,
  handler: Handler<Req, PageResult>,
  config?: PageConfig<NoInfer<Req>>,
): EndpointDeclaration<Req, PageResult> {
  return endpoint("page", route, handler, config);
}
