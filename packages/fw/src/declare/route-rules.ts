import type { Path, SegmentOf, SourceOf } from "./binding.ts";
import type { Blob } from "./blob.ts";

declare const refused: unique symbol;

/** A type that nothing has. Its argument is the sentence an editor shows where a rule is broken. */
export interface Refused<Sentence extends string> {
  readonly [refused]: Sentence;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The names between braces of a route. */
type ParamsOf<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamsOf<Rest>
  : never;

/** What a handler that does not annotate its request gets: the route's parameters, as text. */
export type PathParams<Route extends string> = { [Name in ParamsOf<Route>]: Path };

type FieldsOf<Req, Source extends string> = keyof {
  [P in keyof Req as SourceOf<NonNullable<Req[P]>> extends Source ? P : never]: P;
};

type SegmentsOf<Req> = { [P in FieldsOf<Req, "path">]-?: SegmentOf<NonNullable<Req[P]>, P> }[FieldsOf<Req, "path">];

type FilesOf<Req, Source extends string> = {
  [P in FieldsOf<Req, Source>]-?: NonNullable<Req[P]> extends Blob ? P : never;
}[FieldsOf<Req, Source>];

/** `unknown` where the route of an API suits its request, else the rule that it breaks. */
export type APIRules<Route extends string, Req> = string extends Route
  ? unknown
  : Route extends `${Method} /${string}`
    ? ParamRules<ParamsOf<Route>, SegmentsOf<Req>> & BodyRules<Route, FieldsOf<Req, "body">> & BlobRules<Route, Req>
    : Refused<"fw/const-route: a route is a method and a path, such as GET /orders/{id}">;

/** `unknown` where the route of a Page suits its request, else the rule that it breaks. */
export type PageRules<Route extends string, Req> = string extends Route
  ? unknown
  : Route extends `${Method} /${string}`
    ? ParamRules<ParamsOf<Route>, SegmentsOf<Req>> & PageBodyRules<FieldsOf<Req, "body">> & BlobRules<Route, Req>
    : Refused<"fw/const-route: a route is a method and a path, such as GET /orders/{id}">;

type ParamRules<Params, Segments> = [Params] extends [Segments]
  ? [Segments] extends [Params]
    ? unknown
    : Refused<`fw/route-params: the route has no {${Exclude<Segments, Params> & string}}`>
  : Refused<`fw/route-params: {${Exclude<Params, Segments> & string}} has no Path field in the request`>;

type BodyRules<Route, Body> = Route extends `GET ${string}`
  ? [Body] extends [never]
    ? unknown
    : Refused<`fw/body-on-get: ${Body & string} would be read from a body, which a GET has not; mark it Query or Path`>
  : unknown;

type PageBodyRules<Body> = [Body] extends [never]
  ? unknown
  : Refused<`fw/page-binding: ${Body & string} would be read from a JSON body, which a page has not; mark it Path, Query or Form`>;

type BlobRules<Route, Req> = [FilesOf<Req, "form">] extends [never]
  ? [FilesOf<Req, "body">] extends [never]
    ? unknown
    : Refused<`fw/blob-binding: a file comes in a form; make ${FilesOf<Req, "body"> & string} a Form<Blob>`>
  : Route extends `GET ${string}`
    ? Refused<`fw/blob-binding: a GET carries no file, such as ${FilesOf<Req, "form"> & string}`>
    : [FieldsOf<Req, "body">] extends [never]
      ? unknown
      : Refused<`fw/blob-binding: beside a file every field is Path, Query or Form; mark ${FieldsOf<Req, "body"> & string}`>;
