import type { FieldFact, Path } from "./binding.ts";

declare const refused: unique symbol;

/** A type without values, for code that breaks a rule. Editors show its argument, which states the rule. */
export interface Refused<Sentence extends string> {
  readonly [refused]: Sentence;
}

/** The parameter names of a route. */
type ParamsOf<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamsOf<Rest>
  : never;

/** The request type of a handler without a type annotation: the route's parameters as strings. */
export type PathParams<Route extends string> = { [Name in ParamsOf<Route>]: Path };

/** The union of the `FieldFact`s of all request fields, so that TypeScript evaluates each field once. */
type FactsOf<Req> = { [P in keyof Req & string]-?: FieldFact<Req[P], P> }[keyof Req & string];

/** True if `Facts` contains every route parameter and nothing else except `Others`. */
type Fits<Facts, Params, Others> = [Params] extends [Facts]
  ? [Facts] extends [Params | Others]
    ? true
    : false
  : false;

type Segments<Route extends string> = `path ${ParamsOf<Route>}`;

/** `unknown` if the route of an API matches its request; otherwise a type that states the rule. */
export type APIRules<Route extends string, Req> = string extends Route
  ? unknown
  : Route extends `GET /${string}`
    ? Fits<FactsOf<Req>, Segments<Route>, never> extends true
      ? unknown
      : BrokenParams<FactsOf<Req>, Segments<Route>> & BrokenGet<FactsOf<Req>>
    : Route extends `${"POST" | "PUT" | "PATCH" | "DELETE"} /${string}`
      ? Fits<FactsOf<Req>, Segments<Route>, `body ${string}`> extends true
        ? unknown
        : Fits<FactsOf<Req>, Segments<Route>, `file ${string}`> extends true
          ? unknown
          : BrokenParams<FactsOf<Req>, Segments<Route>> & BrokenFiles<FactsOf<Req>>
      : Refused<"fw/const-route: a route needs a method and a path, such as GET /orders/{id}">;

/** `unknown` if the route of a Page matches its request; otherwise a type that states the rule. */
export type PageRules<Route extends string, Req> = string extends Route
  ? unknown
  : Route extends `GET /${string}`
    ? Fits<FactsOf<Req>, Segments<Route>, never> extends true
      ? unknown
      : BrokenParams<FactsOf<Req>, Segments<Route>> &
          BrokenPage<FactsOf<Req>> &
          BrokenGet<Exclude<FactsOf<Req>, `body ${string}`>>
    : Route extends `${"POST" | "PUT" | "PATCH" | "DELETE"} /${string}`
      ? Fits<FactsOf<Req>, Segments<Route>, `file ${string}`> extends true
        ? unknown
        : BrokenParams<FactsOf<Req>, Segments<Route>> &
            BrokenPage<FactsOf<Req>> &
            BrokenFiles<Exclude<FactsOf<Req>, `body ${string}`>>
      : Refused<"fw/const-route: a route needs a method and a path, such as GET /orders/{id}">;

/** The names after `Kind` in the facts. */
type NamesOf<Facts, Kind extends string> = Facts extends `${Kind} ${infer Name}` ? Name : never;

type BrokenParams<Facts, Params> = [Params] extends [Facts]
  ? [Exclude<NamesOf<Facts, "path">, NamesOf<Params, "path">>] extends [never]
    ? unknown
    : Refused<`fw/route-params: the route has no {${Exclude<NamesOf<Facts, "path">, NamesOf<Params, "path">>}}`>
  : Refused<`fw/route-params: {${NamesOf<Exclude<Params, Facts>, "path">}} has no Path field in the request`>;

type BrokenGet<Facts> = [NamesOf<Facts, "body">] extends [never]
  ? [NamesOf<Facts, "file" | "loose">] extends [never]
    ? unknown
    : Refused<`fw/blob-binding: a GET carries no file, such as ${NamesOf<Facts, "file" | "loose">}`>
  : Refused<`fw/body-on-get: ${NamesOf<Facts, "body">} would be read from a body, which a GET has not; mark it Query or Path`>;

type BrokenPage<Facts> = [NamesOf<Facts, "body">] extends [never]
  ? unknown
  : Refused<`fw/page-binding: ${NamesOf<Facts, "body">} would be read from a JSON body, which a page has not; mark it Path, Query or Form`>;

type BrokenFiles<Facts> = [NamesOf<Facts, "loose">] extends [never]
  ? [NamesOf<Facts, "file">] extends [never]
    ? unknown
    : [NamesOf<Facts, "body">] extends [never]
      ? unknown
      : Refused<`fw/blob-binding: beside a file every field is Path, Query or Form; mark ${NamesOf<Facts, "body">}`>
  : Refused<`fw/blob-binding: a file comes in a form; make ${NamesOf<Facts, "loose">} a Form<Blob>`>;
