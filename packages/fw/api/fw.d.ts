// index.d.ts
/// <reference types="node" preserve="true" />
export { API } from "./api.ts";
export type { Form, Int, Int64, Json, Path, Query } from "./binding.ts";
export { blob, type Blob, type BlobOptions } from "./blob.ts";
export type { Client, Context, Logger } from "./context.ts";
export type { EndpointDeclaration, Handler } from "./endpoint.ts";
export { Errorf, NotFound, isNotFound, type StatusError } from "./errors.ts";
export type { HTML } from "./html.ts";
export { Page, type PageResult } from "./page.ts";
export { Redirect, RedirectPermanent, type Redirection } from "./redirect.ts";
export type { Duration, RouteConfig } from "./route-config.ts";
export type { PathParams } from "./route-rules.ts";
export { Service, type ServiceConfig, type ServiceDeclaration } from "./service.ts";
export { Site, type SiteConfig, type SiteDeclaration } from "./site.ts";
export { StatusPage, type Status, type StatusPageDeclaration } from "./status.ts";

// api.d.ts
import { type EndpointDeclaration, type Handler } from "./endpoint.ts";
import type { RouteConfig } from "./route-config.ts";
import type { APIRules, PathParams } from "./route-rules.ts";
/**
 * A JSON endpoint: `API("GET /orders/{id}", async (ctx, req: GetOrder) => order)`.
 *
 * The request's fields are read from where their types say (`Path`, `Query`, `Form`), unmarked ones from a JSON
 * body. A request without an annotation has the route's parameters as text. The result is encoded as JSON; a
 * `Blob` is streamed with its own type; nothing is 204.
 */
export declare function API<const Route extends string, Req = PathParams<Route>, Res = unknown>(route: Route & APIRules<Route, NoInfer<Req>>, handler: Handler<Req, Res>, config?: RouteConfig): EndpointDeclaration<Req, Res>;

// binding.d.ts
import type { Blob } from "./blob.ts";
declare const path: unique symbol;
declare const query: unique symbol;
declare const form: unique symbol;
declare const int: unique symbol;
declare const int64: unique symbol;
/** A whole number that a double holds exactly: -(2^53-1) to 2^53-1. Plain numbers fit. */
export type Int = number & {
    readonly [int]?: never;
};
/** A 64-bit integer: -2^63 to 2^63-1, a bigint in code and a number in JSON. */
export type Int64 = bigint & {
    readonly [int64]?: never;
};
/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | {
    readonly [key: string]: Json;
};
/** What one path segment, query parameter or form field can hold. */
type Scalar = string | boolean | number | bigint;
/**
 * A `{name}` segment of the route: `Path` (a string), `Path<Int>`, `Path<"asc" | "desc">`.
 * The segment is named as the property is, or as the second argument says: `Path<Int, "post_id">`.
 */
export type Path<T extends Scalar = string, Name extends string = ""> = T & {
    readonly [path]?: Name;
};
/**
 * A query parameter: `page?: Query<Int>`. `Query<string[]>` receives every value of a repeated one and is
 * absent, or empty where it is required, when there is none.
 */
export type Query<T extends Scalar | string[] = string, Name extends string = ""> = T & {
    readonly [query]?: Name;
};
/** A form field: `title: Form`. `Form<Blob>` is a file and makes the request multipart. */
export type Form<T extends Scalar | string[] | Blob = string, Name extends string = ""> = T & {
    readonly [form]?: Name;
};
/**
 * What a field `P` of type `F` asks of its route: `path <name>`, `file <field>` in a form, `loose <field>` for a file
 * elsewhere, `body <field>`, or nothing for a query or form field. A type without members fits any marker, hence
 * the test for a scalar.
 */
export type FieldFact<F, P extends string> = [F] extends [{
    readonly [path]?: infer Name;
}] ? [F] extends [Scalar] ? `path ${NonNullable<Name> extends "" ? P : NonNullable<Name> & string}` : `body ${P}` : [F] extends [{
    readonly [query]?: unknown;
}] ? never : [F] extends [{
    readonly [form]?: unknown;
}] ? [F] extends [Blob] ? `file ${P}` : never : [F] extends [Blob] ? `loose ${P}` : `body ${P}`;
export {};

// blob.d.ts
/** Bytes with a type: the platform's own `Blob` and `File` fit. */
export interface Blob {
    stream(): ReadableStream<Uint8Array>;
    /** Content type; "" when unknown. */
    readonly type: string;
    /** Bytes, when known. */
    readonly size?: number;
    /** Strong validator, bare: the header quotes it. */
    readonly etag?: string;
    /** Of an uploaded file: the name it had on the client's disk, without a path. */
    readonly name?: string;
}
export interface BlobOptions {
    readonly type: string;
    readonly size?: number;
    readonly etag?: string;
}
/** Builds a Blob from bytes, text or a stream. The size is known unless a stream is given without one. */
export declare function blob(content: Uint8Array | string | ReadableStream<Uint8Array>, options: BlobOptions): Blob;

// context.d.ts
/** Where a request came from. The zero Client (two empty strings) outside of requests. */
export interface Client {
    readonly ip: string;
    readonly userAgent: string;
}
/** A structured logger tagged with what it speaks for (`req=<id>` for a request). */
export interface Logger {
    debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
    info(message: string, fields?: Readonly<Record<string, unknown>>): void;
    warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
    error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
/** What everything that acts for a request takes first. */
export interface Context {
    readonly client: Client;
    readonly log: Logger;
    /** True when the request carries `HX-Request: true`. */
    readonly isHTMX: boolean;
    /** Aborts when the client disconnects or the drain ceiling is reached. */
    readonly signal: AbortSignal;
    readonly requestId: string;
}

// endpoint.d.ts
import type { Context } from "./context.ts";
import type { RouteConfig } from "./route-config.ts";
/** `(ctx, request) => response`. An error is thrown: `Errorf`, `NotFound`, or anything else for an opaque 500. */
export type Handler<Req, Res> = (ctx: Context, request: Req) => Res | Promise<Res>;
/** An endpoint. Call it from this package or any other: `await getOrder.call(ctx, { id })`. */
export interface EndpointDeclaration<in Req = never, out Res = unknown> {
    /**
     * Runs the endpoint as a caller would: its gate first, then its handler, here or in the service that has it.
     * Fails with what the handler throws, or with the refusal of the gate.
     */
    call(ctx: Context, request: Req): Promise<Res>;
}
export declare function endpoint<Req, Res>(kind: "api" | "page", route: string, handler: Handler<Req, Res>, config?: RouteConfig): EndpointDeclaration<Req, Res>;

// errors.d.ts
/** An error with a status and a message for the visitor, made by `Errorf`, `NotFound` and the framework. */
export declare class StatusError extends Error {
    readonly status: number;
}
/** A mistake of the program, as a panic is: visitors see an opaque 500, the log has the message. */
export declare class Fault extends Error {
    constructor(message: string);
}
/** `throw Errorf(422, "total must be positive")`: that status, 400 to 599, with that message for the visitor. */
export declare function Errorf(status: number, message: string): StatusError;
/** `throw NotFound()`: 404, `not found`. */
export declare function NotFound(): StatusError;
/** True for an error with a status and a message for the visitor. */
export declare function isStatusError(error: unknown): error is StatusError;
/** True for a 404: one thrown here, a miss of a store, or another service's answer. */
export declare function isNotFound(error: unknown): error is StatusError;

// html.d.ts
/** Rendered HTML. A document gets the document headers; a fragment does not. Only `site` makes it. */
export declare class HTML {
    readonly text: string;
    readonly document: boolean;
}
/** True for what `site.render` and `site.fragment` make. */
export declare function isHTML(value: unknown): value is HTML;

// page.d.ts
import type { Blob } from "./blob.ts";
import { type EndpointDeclaration, type Handler } from "./endpoint.ts";
import type { HTML } from "./html.ts";
import type { Redirection } from "./redirect.ts";
import type { RouteConfig } from "./route-config.ts";
import type { PageRules, PathParams } from "./route-rules.ts";
/** What a page answers with. */
export type PageResult = HTML | Redirection | Blob;
/**
 * An HTML endpoint: `Page("GET /notes/{id}", async (ctx, req: ShowNote) => site.render(ctx, "note.html", note))`.
 *
 * The request's fields are `Path`, `Query` or `Form`. A request without an annotation has the route's parameters
 * as text. Methods other than GET are guarded against forged forms.
 */
export declare function Page<const Route extends string, Req = PathParams<Route>>(route: Route & PageRules<Route, NoInfer<Req>>, handler: Handler<Req, PageResult>, config?: RouteConfig): EndpointDeclaration<Req, PageResult>;

// redirect.d.ts
/** What `Redirect` and `RedirectPermanent` make; a Page returns it. */
export declare class Redirection {
    /** The URL to go to, as it was given. */
    readonly target: string;
    readonly permanent: boolean;
}
/** 303 See Other; under `HX-Request`, 200 with `HX-Redirect`. */
export declare function Redirect(target: string): Redirection;
/** 301 Moved Permanently; under `HX-Request`, 200 with `HX-Redirect`. */
export declare function RedirectPermanent(target: string): Redirection;
/** True for what `Redirect` and `RedirectPermanent` make. */
export declare function isRedirection(value: unknown): value is Redirection;

// route-config.d.ts
import type { Refused } from "./route-rules.ts";
/** A length of time written as a literal: `"500ms"`, `"30s"`, `"15m"`, `"12h"`, `"7d"`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h" | "d"}`;
interface Common {
    /** True: reached by other services only, never from the public internet. */
    readonly private?: boolean;
}
interface SignedIn extends Common {
    /** True: 401 without a session; the user is available past it. */
    readonly signIn: true;
    readonly maxAge?: Refused<"fw/cache-signin: a route that requires sign-in has no maxAge (elsewhere, fw/max-age: a duration such as 10m)">;
}
interface Open extends Common {
    readonly signIn?: false;
    /** Shared-cache lifetime, `"1s"` to `"365d"`, of a page or a blob; without effect on JSON. */
    readonly maxAge?: Duration | Refused<'fw/max-age: a duration literal from 1 second to one year, such as "10m"'>;
}
/** Settings of one route, written as a literal: `{ signIn: true }`, `{ maxAge: "10m" }`, `{ private: true }`. */
export type RouteConfig = SignedIn | Open;
export {};

// route-rules.d.ts
import type { FieldFact, Path } from "./binding.ts";
declare const refused: unique symbol;
/** A type that nothing has. Its argument is the sentence an editor shows where a rule is broken. */
export interface Refused<Sentence extends string> {
    readonly [refused]: Sentence;
}
/** The names between braces of a route. */
type ParamsOf<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamsOf<Rest> : never;
/** What a handler that does not annotate its request gets: the route's parameters, as text. */
export type PathParams<Route extends string> = {
    [Name in ParamsOf<Route>]: Path;
};
/** What the fields of a request ask of the route, each once; the checker reads every field a single time. */
type FactsOf<Req> = {
    [P in keyof Req & string]-?: FieldFact<NonNullable<Req[P]>, P>;
}[keyof Req & string];
/** True where the request has every parameter and asks for nothing beside `Others`. */
type Fits<Facts, Params, Others> = [Params] extends [Facts] ? [Facts] extends [Params | Others] ? true : false : false;
type Segments<Route extends string> = `path ${ParamsOf<Route>}`;
/** `unknown` where the route of an API suits its request, else the rule that it breaks. */
export type APIRules<Route extends string, Req> = string extends Route ? unknown : Route extends `GET /${string}` ? Fits<FactsOf<Req>, Segments<Route>, never> extends true ? unknown : BrokenParams<FactsOf<Req>, Segments<Route>> & BrokenGet<FactsOf<Req>> : Route extends `${"POST" | "PUT" | "PATCH" | "DELETE"} /${string}` ? Fits<FactsOf<Req>, Segments<Route>, `body ${string}`> extends true ? unknown : Fits<FactsOf<Req>, Segments<Route>, `file ${string}`> extends true ? unknown : BrokenParams<FactsOf<Req>, Segments<Route>> & BrokenFiles<FactsOf<Req>> : Refused<"fw/const-route: a route is a method and a path, such as GET /orders/{id}">;
/** `unknown` where the route of a Page suits its request, else the rule that it breaks. */
export type PageRules<Route extends string, Req> = string extends Route ? unknown : Route extends `GET /${string}` ? Fits<FactsOf<Req>, Segments<Route>, never> extends true ? unknown : BrokenParams<FactsOf<Req>, Segments<Route>> & BrokenPage<FactsOf<Req>> & BrokenGet<Exclude<FactsOf<Req>, `body ${string}`>> : Route extends `${"POST" | "PUT" | "PATCH" | "DELETE"} /${string}` ? Fits<FactsOf<Req>, Segments<Route>, `file ${string}`> extends true ? unknown : BrokenParams<FactsOf<Req>, Segments<Route>> & BrokenPage<FactsOf<Req>> & BrokenFiles<Exclude<FactsOf<Req>, `body ${string}`>> : Refused<"fw/const-route: a route is a method and a path, such as GET /orders/{id}">;
/** The names behind `Kind` among the facts. */
type NamesOf<Facts, Kind extends string> = Facts extends `${Kind} ${infer Name}` ? Name : never;
type BrokenParams<Facts, Params> = [Params] extends [Facts] ? [Exclude<NamesOf<Facts, "path">, NamesOf<Params, "path">>] extends [never] ? unknown : Refused<`fw/route-params: the route has no {${Exclude<NamesOf<Facts, "path">, NamesOf<Params, "path">>}}`> : Refused<`fw/route-params: {${NamesOf<Exclude<Params, Facts>, "path">}} has no Path field in the request`>;
type BrokenGet<Facts> = [NamesOf<Facts, "body">] extends [never] ? [NamesOf<Facts, "file" | "loose">] extends [never] ? unknown : Refused<`fw/blob-binding: a GET carries no file, such as ${NamesOf<Facts, "file" | "loose">}`> : Refused<`fw/body-on-get: ${NamesOf<Facts, "body">} would be read from a body, which a GET has not; mark it Query or Path`>;
type BrokenPage<Facts> = [NamesOf<Facts, "body">] extends [never] ? unknown : Refused<`fw/page-binding: ${NamesOf<Facts, "body">} would be read from a JSON body, which a page has not; mark it Path, Query or Form`>;
type BrokenFiles<Facts> = [NamesOf<Facts, "loose">] extends [never] ? [NamesOf<Facts, "file">] extends [never] ? unknown : [NamesOf<Facts, "body">] extends [never] ? unknown : Refused<`fw/blob-binding: beside a file every field is Path, Query or Form; mark ${NamesOf<Facts, "body">}`> : Refused<`fw/blob-binding: a file comes in a form; make ${NamesOf<Facts, "loose">} a Form<Blob>`>;
export {};

// service.d.ts
export interface ServiceConfig {
    /** A bare fully-qualified name. */
    readonly domain?: string;
    readonly profile?: "default" | "latency" | "batch";
}
export interface ServiceDeclaration {
    readonly kind: "service";
    readonly config: ServiceConfig;
    /** The declared domain in every environment; "" when none was declared. */
    domain(): string;
}
/** Settings of the whole service. One a package. */
export declare function Service(config?: ServiceConfig): ServiceDeclaration;

// site.d.ts
import type { Context } from "./context.ts";
import type { HTML } from "./html.ts";
export interface SiteConfig {
    readonly build?: {
        readonly command: string;
        readonly out: string;
    };
    readonly redirects?: Readonly<Record<string, string>>;
    /** Leaves markdown unsanitised, for content never supplied by users. */
    readonly trustedHTML?: boolean;
    /** Template rendered for a mistyped URL and for a page's NotFound. */
    readonly notFound?: string;
}
export interface SiteDeclaration {
    readonly kind: "site";
    readonly dir: string;
    readonly config: SiteConfig;
    /** A whole document: the template inside `templates/layout.html`. */
    render(ctx: Context, template: string, data?: unknown): HTML;
    /** The template alone, for partial requests. */
    fragment(ctx: Context, template: string, data?: unknown): HTML;
    /** Sanitised HTML of markdown text. */
    markdown(ctx: Context, text: string): string;
}
/** A directory of static files and, in `templates/`, the templates of pages. One a package. */
export declare function Site(dir: string, config?: SiteConfig): SiteDeclaration;

// status.d.ts
import type { Context } from "./context.ts";
import type { HTML } from "./html.ts";
/** What a status page renders. */
export interface Status {
    /** The HTTP status. */
    readonly code: number;
    /** Name of the policy that refused; "" for every refusal the framework makes on its own account. */
    readonly policy: string;
}
export interface StatusPageDeclaration {
    readonly kind: "status";
    readonly handler: (ctx: Context, status: Status) => HTML | Promise<HTML>;
}
/** Renders refusals as a designed page. Exported, at most one a package. */
export declare function StatusPage(handler: StatusPageDeclaration["handler"]): StatusPageDeclaration;
