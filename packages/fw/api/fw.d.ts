// index.d.ts
/// <reference types="node" preserve="true" />
export { Alert, absent, percentile, rate, ratio, type AlertConfig, type AlertDeclaration, type Condition, type Measure, type RequestLabels, type StatusClass, } from "./alert.ts";
export { API } from "./api.ts";
export { Auth, type AuthConfig, type AccountMail, type AuthDeclaration, type NewUser, type UserList, type UserPage, type Users, } from "./auth.ts";
export { Authenticator, type Authenticated, type AuthenticatorDeclaration, type AuthenticatorHandler, } from "./authenticator.ts";
export type { Body, Cookie, Form, Header, ID, Index, Indexable, Int, Int64, Json, Path, Query, Ref, Search, Transient, Unique, Email, Max, MaxItems, MaxLength, Min, MinItems, MinLength, Pattern, Url, } from "./binding.ts";
export { blob, type Blob, type BlobOptions } from "./blob.ts";
export type { ByteSize } from "./byte-size.ts";
export { Bucket, type BucketDeclaration, type ObjectInfo, type PutPolicy, type SignedURL } from "./bucket.ts";
export { checked, type SchemaInput, type SchemaOutput, type StandardSchema } from "./checked.ts";
export { Channel, type ChannelDeclaration, type ChannelTarget } from "./channel.ts";
export type { Client, Context, HTMX, Logger } from "./context.ts";
export { Cron, type CronConfig, type CronDeclaration } from "./cron.ts";
export type { DeadLetter, DeliveryInfo, MessageHandler, QueueDelivery, TopicDelivery } from "./delivery.ts";
export type { Duration } from "./duration.ts";
export type { EndpointDeclaration, Handler } from "./endpoint.ts";
export { ErrorShape, type ErrorAnswer, type ErrorShapeDeclaration } from "./error-shape.ts";
export { Entity, transaction, type EntityDeclaration, type New, type Stored, type WithRefs, type Written, } from "./entity.ts";
export type { EntityPage, EntityQuery, Operator } from "./entity-query.ts";
export { Deny, Errorf, Invalid, NotFound, isDenied, isEmailTaken, isNotFound, isTaken, type StatusError, } from "./errors.ts";
export type { EventSource } from "./event.ts";
export { event, events, type EventData, type EventOptions, type Events, type EventsOptions, type ServerEvent, } from "./events.ts";
export { Feed, type FeedDeclaration, type FeedEvent, type FeedOptions } from "./feed.ts";
export type { HTML } from "./html.ts";
export { Job, type CancelOptions, type HistorySetting, type JobDeclaration, type JobRun, type RecordedJob, type RunListOptions, } from "./job.ts";
export { Mail, type MailAddress, type MailConfig, type MailContent, type MailDeclaration, type MailMessage, type MailOptions, } from "./mail.ts";
export { Limit, type LimitDeclaration, type LimitRate } from "./limit.ts";
export { MCP, type MCPConfig } from "./mcp.ts";
export { Counter, Histogram, type CounterDeclaration, type HistogramDeclaration } from "./metric.ts";
export { Mount, type MountConfig, type MountDeclaration, type MountHandler } from "./mount.ts";
export { Page, type FormInput, type FormProblems, type PageConfig, type PageResult } from "./page.ts";
export { Policy, RequireMember, RequireRole, type PolicyDeclaration, type Verdict } from "./policy.ts";
export { Queue, type QueueDeclaration, type SendOptions } from "./queue.ts";
export type { Raw } from "./raw.ts";
export { Redirect, RedirectPermanent, type Redirection } from "./redirect.ts";
export { Role, type RoleDeclaration } from "./role.ts";
export { reply, type CookieSetting, type Reply, type ReplyOptions, type ReplyStatus } from "./reply.ts";
export type { RouteConfig } from "./route-config.ts";
export type { PathParams } from "./route-rules.ts";
export type { RecordedRun, Run } from "./run.ts";
export { Runner, type RunnerConfig, type RunnerDeclaration } from "./runner.ts";
export type { Footprint, Instances, Scaling, Traffic } from "./scaling.ts";
export { Secret, type SecretDeclaration } from "./secret.ts";
export { Seed, type SeedDeclaration } from "./seed.ts";
export { Service, type ServiceConfig, type ServiceDeclaration } from "./service.ts";
export { Socket, type Connection, type SocketConfig, type SocketDeclaration, type SocketHandler } from "./socket.ts";
export { Singleton, type SingletonConfig, type SingletonDeclaration } from "./singleton.ts";
export { Site, flash, type RenderOptions, type SiteConfig, type SiteDeclaration } from "./site.ts";
export { StatusPage, type Status, type StatusPageDeclaration } from "./status.ts";
export { Subscribe, type SubscribeDeclaration } from "./subscribe.ts";
export type { AccessToken, CreatedToken, NewToken, Tokens } from "./token.ts";
export { Tenant, type Tenancy, type TenantDeclaration, type TenantSetting } from "./tenant.ts";
export { Topic, type TopicDeclaration } from "./topic.ts";
export type { User } from "./user.ts";
export { Worker, type WorkerDeclaration } from "./worker.ts";

// alert.d.ts
import type { StatusClass } from "../lib/alert-rule.ts";
import type { ChannelDeclaration } from "./channel.ts";
import type { EndpointDeclaration } from "./endpoint.ts";
import type { CounterDeclaration, HistogramDeclaration } from "./metric.ts";
import type { Duration } from "./duration.ts";
/** A condition of an alert, built with `rate`, `ratio`, `percentile` or `absent`. */
export interface Condition {
}
/** A measured value, to be compared with a threshold. */
export interface Measure {
    /** Builds a condition that is true while the value is greater than `threshold`. */
    above(threshold: number): Condition;
    /** Builds a condition that is true while the value is less than `threshold`. */
    below(threshold: number): Condition;
}
export type { StatusClass };
/** Selects an endpoint's requests by the status class of their responses. */
export interface RequestLabels {
    readonly status?: StatusClass;
}
type Metric = CounterDeclaration | HistogramDeclaration;
/**
 * Measures a rate per second over the alert's window: requests to an endpoint, increments of a counter, or observations
 * of a histogram. Example: `rate(signUp).above(50)`.
 */
export declare function rate(subject: EndpointDeclaration, labels?: RequestLabels): Measure;
export declare function rate(subject: Metric): Measure;
/**
 * Measures the share of an endpoint's responses with a status class, 0 to 1, or the quotient of two counters. Example:
 * `ratio(placeOrder, "5xx").above(0.02)`.
 */
export declare function ratio(subject: EndpointDeclaration, status: StatusClass): Measure;
export declare function ratio(part: CounterDeclaration, whole: CounterDeclaration): Measure;
/**
 * Measures a percentile of a histogram's values, or of an endpoint's latency in milliseconds. `quantile` is 0 to 1.
 * Example: `percentile(uploadBytes, 0.95).above(100_000)`.
 */
export declare function percentile(_subject: EndpointDeclaration | HistogramDeclaration, quantile: number): Measure;
/** Builds a condition that is true if the window contains no request, increment or observation. */
export declare function absent(subject: EndpointDeclaration, labels?: RequestLabels): Condition;
export declare function absent(subject: Metric): Condition;
/** Settings of an alert, written as a literal. */
export interface AlertConfig {
    /** The condition that fires the alert. */
    readonly if: Condition;
    /** The window that the condition is evaluated over, `"1m"` to `"25h"`. */
    readonly every: Duration;
    /**
     * The time for which the condition must hold before the alert fires, at most `"24h"`. By default it fires
     * immediately.
     */
    readonly for?: Duration;
    /** The channels to notify. */
    readonly notify: readonly [ChannelDeclaration, ...ChannelDeclaration[]];
}
/** The result of `Alert`. */
export interface AlertDeclaration {
    /** The name of the alert. */
    readonly name: string;
}
/**
 * Declares an alert, which notifies channels when a condition holds: `export const orderErrors = Alert("order-errors",
 * { if: ratio(placeOrder, "5xx").above(0.02), every: "5m", for: "10m", notify: [oncall] })`.
 */
export declare function Alert(name: string, config: AlertConfig): AlertDeclaration;

// api.d.ts
import { type EndpointDeclaration, type Handler } from "./endpoint.ts";
import type { RouteConfig } from "./route-config.ts";
import type { APIRules, PathParams } from "./route-rules.ts";
/**
 * Declares a JSON endpoint: `API("GET /orders/{id}", async (ctx, req: GetOrder) => order)`.
 *
 * The type of a request field determines its source (`Path`, `Query`, `Form` and others); unmarked fields come from a
 * JSON body. Without a type annotation, the request holds the route's parameters as strings. The result is sent as
 * JSON, a `Blob` is streamed with its own content type, and `undefined` becomes a 204.
 */
export declare function API<const Route extends string, Req = PathParams<Route>, Res = unknown>(route: Route & APIRules<Route, NoInfer<Req>>, handler: Handler<Req, Res>, config?: RouteConfig<NoInfer<Req>>): EndpointDeclaration<Req, Res>;

// auth.d.ts
import type { Context } from "./context.ts";
import { type EventSource } from "./event.ts";
import type { RoleDeclaration } from "./role.ts";
import type { Refused } from "./route-rules.ts";
import { type Tokens } from "./token.ts";
import type { User } from "./user.ts";
/** Settings of authentication, written as a literal. At least one of `social` and `password` must be true. */
export interface AuthConfig {
    /** Sign-in with the social provider. */
    readonly social?: boolean;
    /** Sign-in with an email address and a password; sessions have the provider `email`. */
    readonly password?: boolean;
    /** Access tokens in addition to sessions, sent as `Authorization: Bearer <secret>`. */
    readonly tokens?: boolean;
    /**
     * Pages where users manage their own accounts: passwords, a second factor, sessions and access tokens. Needs
     * `password: true`, and a `Subscribe` to `auth.mail` that sends the mails.
     */
    readonly account?: boolean;
    /** A page where users create accounts. Needs `account: true`. */
    readonly signUp?: boolean;
    /** The path of a stylesheet for the sign-in and account pages, such as `"/account.css"`. */
    readonly style?: `/${string}`;
}
/** Requires a config to enable a provider, and forbids unknown keys. Without a provider, the type states the rule. */
type AuthRules<Config> = true extends SettingOf<Config, "social"> | SettingOf<Config, "password"> ? {
    readonly [Name in Exclude<keyof Config, keyof AuthConfig>]: never;
} : Refused<"fw/auth-provider: Auth needs a sign-in provider: write social: true, password: true, or both">;
type SettingOf<Config, Name extends string> = Config extends Readonly<Record<Name, infer Value>> ? Value : never;
/** The type of `auth.tokens`, usable only with `tokens: true`. */
type TokensOf<Config> = true extends SettingOf<Config, "tokens"> ? Tokens : Refused<"this Auth has no access tokens: write tokens: true">;
/** The type of `auth.mail`, usable only with `account: true`. */
type MailOf<Config> = true extends SettingOf<Config, "account"> ? EventSource<AccountMail> : Refused<"this Auth sends no mails: write account: true">;
/** An account mail, for a subscriber to send. */
export interface AccountMail {
    /**
     * The reason for the mail: a sign-up, a sign-up with the address of an existing account, a forgotten password, an
     * address to verify, or a changed password or second factor.
     */
    readonly purpose: "sign-up" | "existing-account" | "reset" | "verify" | "password-changed" | "second-factor-changed";
    /** The recipient's address. */
    readonly to: string;
    /** The name of the user; "" if unknown. */
    readonly name: string;
    /** The path of the page to link to. Prefix it with your own origin, never with one taken from a request. */
    readonly path: string;
    /** The expiry time of the link; absent if its path contains no secret. */
    readonly expires?: Date;
}
/** The result of `Auth`: account management and account events. */
export interface AuthDeclaration<AccessTokens = unknown, Mail = unknown> {
    readonly kind: "auth";
    /** Account management. */
    readonly users: Users;
    /** Access tokens; needs `tokens: true`. */
    readonly tokens: AccessTokens;
    /**
     * Emitted when an account has been created: by `users.create`, on the sign-up page, or by a first sign-in with the
     * social provider.
     */
    readonly registered: EventSource<User>;
    /** Emitted at a user's first sign-in. */
    readonly firstSignIn: EventSource<User>;
    /** Emitted for each account mail to send; needs `account: true`. */
    readonly mail: Mail;
}
/** A new account. Each email address has at most one account. */
export interface NewUser {
    /** The email address to sign in with. */
    readonly email: string;
    /** The display name; "" by default. */
    readonly name?: string;
    /** The password; omit it for accounts that sign in with the social provider. */
    readonly password?: string;
}
/** A page of accounts. */
export interface UserPage {
    /** At most `limit` accounts, in a stable order. */
    readonly users: User[];
    /** The cursor of the next page; absent on the last page. */
    readonly next?: string;
}
/** A list of accounts, read page by page. */
export interface UserList {
    /** Sets the page size, 1 to 1,000; 20 by default. */
    limit(count: number): UserList;
    /** Reads the page at `cursor`; the first page if it is omitted or empty. */
    page(cursor?: string): Promise<UserPage>;
}
/** Manages accounts. An unknown account throws `NotFound` (404). */
export interface Users {
    /**
     * Creates an account and emits `registered`. Throws a 409, recognized by `isEmailTaken(error)`, if the email address
     * already has an account.
     */
    create(ctx: Context, user: NewUser): Promise<User>;
    /** Reads an account by id. */
    get(ctx: Context, id: string): Promise<User>;
    /** Reads an account by email address, ignoring case. */
    byEmail(ctx: Context, email: string): Promise<User>;
    /** Lists all accounts. */
    list(ctx: Context): UserList;
    /** Adds a role. It takes effect at the next request of each of the account's sessions and access tokens. */
    grant(ctx: Context, id: string, role: RoleDeclaration): Promise<void>;
    /** Removes a role. This takes effect at the next request of each of the account's sessions and access tokens. */
    revoke(ctx: Context, id: string, role: RoleDeclaration): Promise<void>;
    /** Blocks sign-in, ends the account's sessions and revokes its access tokens, but preserves the account. */
    disable(ctx: Context, id: string): Promise<void>;
    /** Allows sign-in again after `disable`. */
    enable(ctx: Context, id: string): Promise<void>;
    /** Deletes the account permanently, with its sessions and access tokens. */
    delete(ctx: Context, id: string): Promise<void>;
}
/** Declares how users sign in: `export const auth = Auth({ social: true, password: true })`. */
export declare function Auth<const Config extends AuthConfig>(config: Config & AuthRules<Config>): AuthDeclaration<TokensOf<Config>, MailOf<Config>>;
/** Account management, as the runtime implements it. */
export interface UserOperations extends Omit<Users, "list"> {
    /** Reads a page; an empty cursor reads the first one. */
    page(ctx: Context, limit: number, cursor: string): Promise<UserPage>;
}
/** The part of the Host that manages accounts. */
export interface UserHost {
    readonly users: UserOperations;
}
export {};

// authenticator.d.ts
import type { Context } from "./context.ts";
import type { RoleDeclaration } from "./role.ts";
/**
 * The identity that an authenticator returns: a User from `auth.users`, or a user without an account in this
 * application.
 */
export interface Authenticated {
    /** A unique id. Without an account, it must differ from every account's id, as in `partner:acme`. */
    readonly id: string;
    /** The email address; absent or "" if unknown. */
    readonly email?: string;
    /** The display name; absent or "" if unknown. */
    readonly name?: string;
    /** True if the issuer has verified the email address. */
    readonly emailVerified?: boolean;
    /** Roles of the identity, as declarations or names. */
    readonly roles?: readonly (RoleDeclaration | string)[];
}
/** `(ctx, credentials) => identity`. Returns undefined if the credentials are not valid. */
export type AuthenticatorHandler<Credentials> = (ctx: Context, credentials: Credentials) => Authenticated | undefined | Promise<Authenticated | undefined>;
/** The result of `Authenticator`. */
export interface AuthenticatorDeclaration<in Credentials = never> {
    /** The kind of declaration. */
    readonly kind: "authenticator";
}
/**
 * Declares how to identify users by credentials from another system: `Authenticator((ctx, { key }: { key:
 * Header<string, "X-Api-Key"> }) => partnerOf(key))`. Like a session's user, the identity applies in every service.
 */
export declare function Authenticator<Credentials>(handler: AuthenticatorHandler<Credentials>): AuthenticatorDeclaration<Credentials>;

// binding.d.ts
import type { Blob } from "./blob.ts";
declare const path: unique symbol;
declare const query: unique symbol;
declare const form: unique symbol;
declare const header: unique symbol;
declare const cookie: unique symbol;
declare const body: unique symbol;
declare const int: unique symbol;
declare const int64: unique symbol;
declare const id: unique symbol;
declare const index: unique symbol;
declare const transient: unique symbol;
declare const unique: unique symbol;
declare const ref: unique symbol;
declare const search: unique symbol;
declare const minLength: unique symbol;
declare const maxLength: unique symbol;
declare const pattern: unique symbol;
declare const email: unique symbol;
declare const url: unique symbol;
declare const min: unique symbol;
declare const max: unique symbol;
declare const minItems: unique symbol;
declare const maxItems: unique symbol;
/** A safe integer, -(2^53-1) to 2^53-1. Assignable from `number`. */
export type Int = number & {
    readonly [int]?: never;
};
/** A 64-bit integer, -2^63 to 2^63-1: a bigint in code, a number in JSON. */
export type Int64 = bigint & {
    readonly [int64]?: never;
};
/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | {
    readonly [key: string]: Json;
};
/** The id of an entity's document: a string field, exactly one per type. `create` generates it if omitted. */
export type ID = string & {
    readonly [id]?: never;
};
/** The types of values that can be indexed. */
export type Indexable = string | number | bigint | boolean | Date;
/**
 * A field that queries can filter and sort by: `status: Index<"open" | "paid">`. `Index<string[]>` indexes each
 * element, for `where(field, "contains", element)`.
 */
export type Index<T extends Indexable | readonly Indexable[]> = T & {
    readonly [index]?: T;
};
/**
 * An `Index` field with unique values: `email: Unique<string>`. Writing a value that another document has throws a 409,
 * recognized by `isTaken(error)`. Any number of documents may contain `null`.
 */
export type Unique<T extends Indexable> = T & {
    readonly [index]?: T;
} & {
    readonly [unique]?: never;
};
/**
 * The id of another document: `customer: Ref<Customer>`. The type determines the entity, so exactly one entity must
 * have that type. Reads with `with` also return the document. `Index<Ref<Customer>>` can be queried, and `Ref<Tag>[]`
 * is a list of ids.
 */
export type Ref<T extends object> = string & {
    readonly [ref]?: T;
};
/**
 * A string that `search(text)` finds by its words: `title: Search<string>`. Intended for names and short texts: all
 * `Search` fields of a document together may have at most 1,000 words and word prefixes, which is about 200 different
 * words.
 */
export type Search<T extends string | readonly string[]> = T & {
    readonly [search]?: never;
};
/** A field that is never stored, so documents are read without it. */
export type Transient<T> = T & {
    readonly [transient]?: never;
};
/** The name of the `ID` field of an entity's type. */
export type IDKey<T> = KeyMarked<T, typeof id>;
/** The names of the `Index` fields of an entity's type. */
type IndexKey<T> = KeyMarked<T, typeof index>;
/** The names of the `Transient` fields of an entity's type. */
export type TransientKey<T> = KeyMarked<T, typeof transient>;
/** The names of the `Search` fields of an entity's type. */
export type SearchKey<T> = KeyMarked<T, typeof search>;
/** The names of the fields that hold a `Ref`, or a list of them. */
export type RefKey<T> = {
    [P in keyof T]-?: [RefType<T[P]>] extends [never] ? never : P;
}[keyof T] & string;
/** The document type of a `Ref`, or of each `Ref` in a list. */
export type RefType<V> = NonNullable<V> extends readonly (infer Element)[] ? RefOf<Element> : RefOf<V>;
type RefOf<V> = [NonNullable<V>] extends [never] ? never : typeof ref extends keyof NonNullable<V> ? NonNullable<NonNullable<V>[typeof ref]> : never;
/**
 * The names of the fields with the marker `Mark`. Skips fields of type `any`, which have every key; `fw check` refuses
 * them.
 */
type KeyMarked<T, Mark extends symbol> = {
    [P in keyof T]-?: 0 extends 1 & T[P] ? never : [NonNullable<T[P]>] extends [never] ? never : Mark extends keyof NonNullable<T[P]> ? P : never;
}[keyof T] & string;
/** The value type of an `Index` field, without its marker. */
type IndexValue<V> = typeof index extends keyof NonNullable<V> ? NonNullable<NonNullable<V>[typeof index]> | Extract<V, null> : never;
/** The names of the fields that queries can use: `Index` fields and the id. */
export type QueryKey<T> = IndexKey<T> | IDKey<T>;
/** The type of the values that queries compare with a field of type `V`. */
export type QueryValue<V> = typeof id extends keyof NonNullable<V> ? string : IndexValue<V>;
/** A string with at least `Characters` characters (Unicode code points): `string & MinLength<1>`. */
export type MinLength<Characters extends number> = {
    readonly [minLength]?: Characters;
};
/** A string with at most `Characters` characters (Unicode code points): `string & MaxLength<200>`. */
export type MaxLength<Characters extends number> = {
    readonly [maxLength]?: Characters;
};
/**
 * A string that matches the pattern from start to end: `string & Pattern<"[a-z0-9]+(?:-[a-z0-9]+)*">`. Patterns match
 * in linear time; `fw check` refuses constructs that cannot, such as lookaheads and backreferences.
 */
export type Pattern<Expression extends string> = {
    readonly [pattern]?: Expression;
};
/**
 * An email address of up to 254 characters, by the rule of HTML's `<input type=email>` plus a dot in the domain:
 * `string & Email`.
 */
export type Email = {
    readonly [email]?: never;
};
/** An absolute http or https URL: `string & Url`. */
export type Url = {
    readonly [url]?: never;
};
/** A number greater than or equal to `Least`: `Int & Min<1>`. */
export type Min<Least extends number> = {
    readonly [min]?: Least;
};
/** A number less than or equal to `Most`: `Int & Max<100>`. */
export type Max<Most extends number> = {
    readonly [max]?: Most;
};
/** An array with at least `Items` items: `string[] & MinItems<1>`. */
export type MinItems<Items extends number> = {
    readonly [minItems]?: Items;
};
/** An array with at most `Items` items: `string[] & MaxItems<20>`. */
export type MaxItems<Items extends number> = {
    readonly [maxItems]?: Items;
};
/** The types of single values in path segments, query parameters, form fields, headers and cookies. */
type Scalar = string | boolean | number | bigint;
/**
 * A `{name}` segment of the route: `Path` (a string), `Path<Int>`, `Path<"asc" | "desc">`. The second type argument
 * names the segment if it differs from the property: `Path<Int, "post_id">`.
 */
export type Path<T extends Scalar = string, Name extends string = ""> = T & {
    readonly [path]?: Name;
};
/**
 * A query parameter: `page?: Query<Int>`. `Query<string[]>` and `Query<Int[]>` receive every value of a repeated
 * parameter. Without any value, an optional list is absent and a required one is empty.
 */
export type Query<T extends Scalar | readonly Scalar[] = string, Name extends string = ""> = T & {
    readonly [query]?: Name;
};
/** A form field: `title: Form`. `Form<Blob>` is an uploaded file and makes the request multipart. */
export type Form<T extends Scalar | readonly Scalar[] | Blob = string, Name extends string = ""> = T & {
    readonly [form]?: Name;
};
/**
 * A request header: `signature: Header<string, "X-Signature">`. `Header<string[]>` receives every element of a
 * comma-separated header.
 */
export type Header<T extends Scalar | readonly Scalar[] = string, Name extends string = ""> = T & {
    readonly [header]?: Name;
};
/** A request cookie other than fw's own: `theme?: Cookie<"light" | "dark">`. */
export type Cookie<T extends Scalar = string, Name extends string = ""> = T & {
    readonly [cookie]?: Name;
};
/** True for the type of a header or cookie. */
export type IsHeaderOrCookie<V> = typeof header extends keyof NonNullable<V> ? true : typeof cookie extends keyof NonNullable<V> ? true : false;
/**
 * The whole JSON body as one field, for arrays, unions and single values: `events: Body<Event[]>`. No other field of
 * the request may come from the body.
 */
export type Body<T> = (T & {
    readonly [body]?: never;
}) | Extract<T, null>;
interface PathMarker<Name = unknown> {
    readonly [path]?: Name;
}
interface QueryMarker {
    readonly [query]?: unknown;
}
interface HeaderMarker {
    readonly [header]?: unknown;
}
interface CookieMarker {
    readonly [cookie]?: unknown;
}
interface FormMarker {
    readonly [form]?: unknown;
}
interface FieldMarker extends PathMarker, QueryMarker, HeaderMarker, CookieMarker, FormMarker {
}
type Nothing = null | undefined;
/**
 * Describes what field `P` of type `V` requires of its route: `path <name>`, `file <field>` for a file in a form,
 * `loose <field>` for a file elsewhere, `body <field>`, or `never` for other bound fields and for fields of type
 * `never`. TypeScript evaluates it for every field of every request, so common cases come first, and markers are
 * interfaces, which need no instantiation.
 */
export type FieldFact<V, P extends string> = [V] extends [FieldMarker | Nothing] ? MarkedFact<V, P> : [V] extends [Blob | Nothing] ? `loose ${P}` : `body ${P}`;
type MarkedFact<V, P extends string> = [V] extends [PathMarker | Nothing] ? PathFact<V, P> : [V] extends [QueryMarker | HeaderMarker | CookieMarker | Nothing] ? never : [V] extends [FormMarker | Nothing] ? [V] extends [Blob | Nothing] ? `file ${P}` : never : [V] extends [Blob | Nothing] ? `loose ${P}` : `body ${P}`;
/** A path field must be a scalar, because a type without members is assignable to any marker. */
type PathFact<V, P extends string> = [NonNullable<V>] extends [never] ? [V] extends [undefined] ? never : `body ${P}` : [V] extends [PathMarker<infer Name> | Nothing] ? [V] extends [Scalar | Nothing] ? `path ${NonNullable<Name> extends "" ? P : NonNullable<Name> & string}` : `body ${P}` : never;
export {};

// blob.d.ts
/** Bytes with a content type. The standard `Blob` and `File` are assignable to it. */
export interface Blob {
    /** Streams the bytes from the beginning. */
    stream(): ReadableStream<Uint8Array>;
    /** The content type; "" if unknown. */
    readonly type: string;
    /** The size in bytes, if known. */
    readonly size?: number;
    /** A strong ETag without quotes; fw adds them to the header. */
    readonly etag?: string;
    /** The file name for downloads. For an uploaded file, its name on the client's computer, without the path. */
    readonly name?: string;
    /** If true, browsers save the file instead of showing it. */
    readonly download?: boolean;
}
/** Options of `blob`. */
export interface BlobOptions {
    /** The content type: `"image/png"`. */
    readonly type: string;
    /** The size in bytes; pass it for a stream if you know it. */
    readonly size?: number;
    /** A strong ETag without quotes: `abc`, not `"abc"`. */
    readonly etag?: string;
    /** The file name for downloads: `"Bericht für März.csv"`. */
    readonly name?: string;
    /** If true, browsers save the file instead of showing it. */
    readonly download?: boolean;
}
/** Creates a Blob from bytes, text or a stream. For a stream, the size is known only if you pass it. */
export declare function blob(content: Uint8Array | string | ReadableStream<Uint8Array>, options: BlobOptions): Blob;

// byte-size.d.ts
/** A size in bytes as a literal, in units of 1,024: `"512KB"`, `"10MB"`. */
export type ByteSize = `${number}${"B" | "KB" | "MB" | "GB"}`;

// bucket.d.ts
import type { Blob } from "./blob.ts";
import type { Context } from "./context.ts";
import { type EventSource } from "./event.ts";
import type { TenantSetting } from "./tenant.ts";
/** The metadata of an object in a bucket. */
export interface ObjectInfo {
    /** The object's key. */
    readonly key: string;
    /** The size in bytes. */
    readonly size: number;
    /** The content type it was written with. */
    readonly contentType: string;
    /** The time of the last write. */
    readonly updated: Date;
}
/** Limits for an upload through a signed URL. Uploads that violate them are rejected. */
export interface PutPolicy {
    /** The maximum size in bytes. */
    readonly maxSize?: number;
    /** The required content type or, except on Google Cloud, a pattern with a trailing wildcard such as `image/*`. */
    readonly contentType?: string;
}
/** A signed request for a browser to send. */
export interface SignedURL {
    /** The URL to request: absolute, or a path of the application. */
    readonly url: string;
    /** Headers that the request must include. */
    readonly headers: Readonly<Record<string, string>>;
}
/**
 * An object store. A key is 1 to 1,024 bytes without control characters; other keys throw a 400. Writes are atomic: a
 * reader sees either the old object or the new one. Writes are not part of transactions: inside `transaction` they take
 * effect immediately and are not rolled back.
 */
export interface BucketDeclaration {
    /** Returns an object, to stream or to return from an API. Throws `NotFound` if it does not exist. */
    get(ctx: Context, key: string): Promise<Blob>;
    /** Writes an object from a Blob, a File or `blob(…)`. */
    put(ctx: Context, key: string, content: Blob): Promise<ObjectInfo>;
    /** Deletes an object, if it exists. */
    delete(ctx: Context, key: string): Promise<void>;
    /** True if the object exists. */
    exists(ctx: Context, key: string): Promise<boolean>;
    /** Lists objects whose keys start with `prefix`, in key order; all objects by default. */
    list(ctx: Context, prefix?: string): AsyncIterable<ObjectInfo>;
    /**
     * Creates a URL for a direct PUT from a browser, valid for a duration such as `"10m"`, at most 7 days. Uploads fail
     * with a 413 above `maxSize`, a 415 for another content type, and a 403 after the URL has expired. Google Cloud
     * responds with its own 400 or 403 instead.
     */
    signedPut(ctx: Context, key: string, lifetime: string, policy?: PutPolicy): Promise<SignedURL>;
    /** Creates a URL to download the object, valid for a duration such as `"10m"`, at most 7 days. */
    signedGet(ctx: Context, key: string, lifetime: string): Promise<SignedURL>;
    /** Emitted after every successful write, including uploads through signed URLs. */
    readonly uploaded: EventSource<ObjectInfo>;
}
/**
 * Declares an object store: `export const photos = Bucket("photos")`. With `{ tenant: orgs }`, each tenant has its own
 * keys.
 */
export declare function Bucket(name: string, settings?: TenantSetting): BucketDeclaration;
/** Bucket operations, as the runtime implements them. */
export interface BucketOperations {
    get(ctx: Context, bucket: BucketDeclaration, key: string): Promise<Blob>;
    put(ctx: Context, bucket: BucketDeclaration, key: string, content: Blob): Promise<ObjectInfo>;
    delete(ctx: Context, bucket: BucketDeclaration, key: string): Promise<void>;
    exists(ctx: Context, bucket: BucketDeclaration, key: string): Promise<boolean>;
    list(ctx: Context, bucket: BucketDeclaration, prefix: string): AsyncIterable<ObjectInfo>;
    signedPut(ctx: Context, bucket: BucketDeclaration, key: string, lifetime: string, policy: PutPolicy): Promise<SignedURL>;
    signedGet(ctx: Context, bucket: BucketDeclaration, key: string, lifetime: string): Promise<SignedURL>;
}
/** The part of the Host that stores objects. */
export interface BucketHost {
    readonly buckets: BucketOperations;
}

// checked.d.ts
/** A schema that implements https://standardschema.dev, such as one from zod, valibot or arktype. */
export interface StandardSchema<Input = unknown, Output = unknown> {
    readonly "~standard": {
        readonly version: 1;
        readonly vendor: string;
        readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
        readonly types?: {
            readonly input: Input;
            readonly output: Output;
        } | undefined;
    };
}
type SchemaResult<Output> = {
    readonly value: Output;
    readonly issues?: undefined;
} | {
    readonly issues: readonly SchemaIssue[];
};
interface SchemaIssue {
    readonly message: string;
    readonly path?: readonly (PropertyKey | {
        readonly key: PropertyKey;
    })[] | undefined;
}
type SchemaTypes<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>;
/** The input type of a schema: `order: Body<SchemaInput<typeof NewOrder>>`. */
export type SchemaInput<S extends StandardSchema> = SchemaTypes<S>["input"];
/** The output type of a schema. */
export type SchemaOutput<S extends StandardSchema> = SchemaTypes<S>["output"];
/**
 * Validates a value with a schema and returns its output: `const order = await checked(NewOrder, req.order)`. An
 * invalid value throws a 400 that lists the issues in `details.problems`, like fw's own validation. `at` names the
 * value in messages: `body`, `query limit`.
 */
export declare function checked<S extends StandardSchema>(schema: S, value: SchemaInput<S>, at?: string): Promise<SchemaOutput<S>>;
export {};

// channel.d.ts
import type { SecretDeclaration } from "./secret.ts";
/** An email address, or a secret that holds the webhook URL. */
export type ChannelTarget = {
    readonly email: string;
    readonly webhook?: undefined;
} | {
    readonly webhook: SecretDeclaration;
    readonly email?: undefined;
};
/** The result of `Channel`. */
export interface ChannelDeclaration {
    /** The name of the channel. */
    readonly name: string;
}
/** Declares where to send alerts: `export const oncall = Channel("oncall", { email: "oncall@example.com" })`. */
export declare function Channel(name: string, target: ChannelTarget): ChannelDeclaration;

// context.d.ts
import type { Tenancy, TenantDeclaration } from "./tenant.ts";
import type { User } from "./user.ts";
/** The client of a request. Both fields are "" outside requests. */
export interface Client {
    /** The client's IPv4 or IPv6 address. */
    readonly ip: string;
    /** The `User-Agent` header; "" if there is none. */
    readonly userAgent: string;
}
/** Details of an htmx request; `false` and "" for other requests. */
export interface HTMX {
    /** True for a boosted link or form (`hx-boost`), which expects a whole document. */
    readonly boosted: boolean;
    /** True for a history restore after a cache miss, which expects a whole document. */
    readonly historyRestore: boolean;
    /** The id of the target element; "" if it has none. */
    readonly target: string;
    /** The id of the element that triggered the request; "" if it has none. */
    readonly trigger: string;
}
/** A structured logger. Each line includes the id of the request or work that it belongs to (`req=<id>`). */
export interface Logger {
    /** Logs details for debugging. */
    debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
    /** Logs an event. `fields` are structured data; an Error includes its stack. */
    info(message: string, fields?: Readonly<Record<string, unknown>>): void;
    /** Logs something unexpected that does not require action yet. */
    warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
    /** Logs a failure that requires action. */
    error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
/**
 * The context of a request, message or run: the first argument of handlers and of most operations. You may destructure
 * it, but not copy it: `{ ...ctx }` loses its accessors, and TypeScript rejects it as a Context.
 */
export declare abstract class Context {
    /** The client that sent the request. */
    abstract get client(): Client;
    /** The logger, tagged with the id of the request or work. */
    abstract get log(): Logger;
    /** True for requests with `HX-Request: true`. */
    abstract get isHTMX(): boolean;
    /** Details of the htmx request. */
    abstract get htmx(): HTMX;
    /** True if htmx expects a fragment; false for whole documents, including boosted links and history restores. */
    abstract get wantsFragment(): boolean;
    /** The public origin of the request, such as `https://app.example.com`; "" outside requests. */
    abstract get origin(): string;
    /**
     * The current time. In a test, it is the time of `app.clock`, so code that compares times can be tested without
     * waiting.
     */
    abstract now(this: void): Date;
    /** Aborts when the client disconnects, the deadline passes or the service must stop. */
    abstract get signal(): AbortSignal;
    /** The id in log lines and in the `X-Request-Id` response header; outside requests, the name of the work. */
    abstract get requestId(): string;
    /**
     * The signed-in user. Use it only behind a `signIn` or `allow` gate: it throws if there is no user, and the response
     * is a 500.
     */
    abstract user(this: void): User;
    /**
     * The signed-in user or undefined, for public routes. Always undefined on routes with `maxAge`: their
     * responses are shared.
     */
    abstract maybeUser(this: void): User | undefined;
    /**
     * The tenant of the request, message or call, with its user's membership. Use it behind a `RequireMember` gate: it
     * throws outside a tenant, and the response is a 500.
     */
    abstract tenant<Member extends object>(this: void, tenants: TenantDeclaration<Member>): Tenancy<Member>;
}

// cron.d.ts
import type { Context } from "./context.ts";
import type { Duration } from "./duration.ts";
import type { Instances, Scaling } from "./scaling.ts";
/** Settings of a cron, written as a literal. */
export interface CronConfig extends Scaling<Instances> {
    /** A time zone from the tz database, such as `"Europe/Zurich"`; UTC by default. */
    readonly timezone?: string;
    /** The deadline of a run, `"15s"` to `"30m"`; 3 minutes by default. `ctx.signal` aborts when it passes. */
    readonly deadline?: Duration;
}
/** The result of `Cron`. */
export interface CronDeclaration {
    /** The name, as used by `fw run cron <name>`. */
    readonly name: string;
}
/**
 * Declares a function that runs on a schedule: `export const digest = Cron("digest", "0 7 * * 1", async (ctx) => …)`,
 * or `"every 15m"`.
 */
export declare function Cron(name: string, schedule: string, handler: (ctx: Context) => void | Promise<unknown>, config?: CronConfig): CronDeclaration;

// delivery.d.ts
import type { Context } from "./context.ts";
import type { Duration } from "./duration.ts";
import type { Scaling } from "./scaling.ts";
/** Delivery settings of a consumer, written as a literal. */
export interface TopicDelivery extends Scaling {
    /** The number of attempts before a message becomes a dead letter: 5 to 100, 10 by default. */
    readonly maxAttempts?: number;
    /** The delay before the second attempt, `"10s"` by default; it doubles with each further attempt. */
    readonly minBackoff?: Duration;
    /** The longest delay between two attempts, `"10m"` by default. */
    readonly maxBackoff?: Duration;
}
/** Delivery settings of a worker, written as a literal. */
export interface QueueDelivery extends TopicDelivery {
    /** The maximum number of deliveries per second, up to 500. */
    readonly rateLimit?: number;
}
/** Information about a delivery, for its handler. */
export interface DeliveryInfo {
    /** The number of this attempt, from 1. */
    readonly attempt: number;
    /** The message's id, the same at every attempt. */
    readonly id: string;
}
/**
 * Handles a message. If it throws, the message is delivered again later. Delivery is at least once, so handlers should
 * be idempotent.
 */
export type MessageHandler<Message> = (ctx: Context, message: Message, delivery: DeliveryInfo) => void | Promise<unknown>;
/** A message whose attempts have all failed. */
export interface DeadLetter<Message> {
    /** The message's id. */
    readonly id: string;
    /** The message, as its handler receives it. */
    readonly message: Message;
    /** The number of attempts made. */
    readonly attempts: number;
    /** The error of the last attempt. */
    readonly reason: string;
}

// duration.d.ts
/** A duration as a literal: `"500ms"`, `"30s"`, `"15m"`, `"12h"`, `"7d"`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h" | "d"}`;

// endpoint.d.ts
import type { Context } from "./context.ts";
import type { StatusError } from "./errors.ts";
import type { RouteConfig } from "./route-config.ts";
/**
 * `(ctx, request) => response`. Throw `Errorf` or `NotFound` for an error response; an error that is not a
 * `StatusError` becomes an opaque 500. Returning an `Errorf` has the same effect as throwing it, and also adds its type
 * to the generated client.
 */
export type Handler<Req, Res> = (ctx: Context, request: Req) => Res | Promise<Res>;
/** An endpoint. Code in any package can call it: `await getOrder.call(ctx, { id })`. */
export interface EndpointDeclaration<in Req = never, Res = unknown> {
    /**
     * Runs the endpoint's gate and handler, in this process or in the service that contains it. Rejects with the error of
     * the gate or the handler.
     */
    call(ctx: Context, request: Req): Promise<Exclude<Res, StatusError>>;
}
/** Creates and registers the declaration of an `API` or a `Page`. */
export declare function endpoint<Req, Res>(kind: "api" | "page", route: string, handler: Handler<Req, Res>, config?: RouteConfig): EndpointDeclaration<Req, Res>;
/** The part of the Host that calls endpoints. */
export interface EndpointHost {
    call(ctx: Context, endpoint: EndpointDeclaration, request: unknown): Promise<unknown>;
}

// error-shape.d.ts
/** The error that an `ErrorShape` converts to JSON. */
export interface ErrorAnswer {
    /** The HTTP status, 400 to 599. */
    readonly status: number;
    /** The public message from the handler or the framework. */
    readonly message: string;
    /** The name of the policy that refused the request; "" if none did. */
    readonly policy: string;
    /** The problems of a request that does not match its type, such as `{ at: "body title", problem: "is required" }`. */
    readonly problems: readonly {
        readonly at: string;
        readonly problem: string;
    }[];
    /** The details of the error; undefined if it has none. */
    readonly details: unknown;
}
/** The result of `ErrorShape`. */
export interface ErrorShapeDeclaration<Body = unknown> {
    /** The kind of declaration. */
    readonly kind: "errors";
    /** Returns the body of an error response. */
    readonly handler: (error: ErrorAnswer) => Body;
}
/**
 * Declares the JSON body of the error responses of a package's APIs, which replaces `{"error": …}`: `ErrorShape(({
 * message }) => ({ errors: { body: [message] } }))`. It must be exported; at most one per package.
 */
export declare function ErrorShape<Body>(handler: ErrorShapeDeclaration<Body>["handler"]): ErrorShapeDeclaration<Body>;

// entity.d.ts
import type { IDKey, RefKey, RefType, TransientKey } from "./binding.ts";
import type { Context } from "./context.ts";
import { type EntityQuery } from "./entity-query.ts";
import type { Evolution, OldData } from "./evolution.ts";
import type { Refused } from "./route-rules.ts";
import type { TenantSetting } from "./tenant.ts";
/** A document as read from the store. `Transient` fields are optional, because they are never stored. */
export type Stored<T> = [Extract<TransientKey<T>, RequiredKey<T>>] extends [never] ? T : Optional<T, TransientKey<T>>;
/** A document to create: the id and `Transient` fields are optional. */
export type New<T> = Optional<T, IDKey<T> | TransientKey<T>>;
/** A document to write under its id; `Transient` fields are optional. */
export type Written<T> = Optional<T, TransientKey<T>>;
type RequiredKey<T> = {
    [P in keyof T]-?: undefined extends T[P] ? never : P;
}[keyof T];
/** `T` with optional properties `Key`. Distributes over unions. */
type Optional<T, Key> = T extends unknown ? {
    [P in keyof T as P extends Key ? never : P]: T[P];
} & {
    [P in keyof T as P extends Key ? P : never]?: T[P];
} : never;
/**
 * A document whose `Ref` fields `F` are replaced with the documents they refer to. A missing document is undefined, or
 * omitted from a list.
 */
export type WithRefs<D, F> = [F] extends [never] ? D : D extends unknown ? {
    [P in keyof D]: P extends F ? Referred<D[P]> : D[P];
} : never;
type Referred<V> = [NonNullable<V>] extends [readonly unknown[]] ? Stored<RefType<V>>[] | Extract<V, null> : Stored<RefType<V>> | undefined | Extract<V, null>;
/** Options for reads. */
export interface ReadOptions<F extends string> {
    /** The `Ref` fields whose documents are also read, with one request per field. */
    readonly with: F | readonly F[];
}
/** The effect of deleting a document on a document that refers to it. */
export type OnDelete = "refuse" | "cascade" | "clear";
/** Rules for references. */
export interface ReferenceRules<F extends string> {
    /**
     * The effect of deleting a referenced document, by `Ref` field: `refuse` fails with a 409, `cascade` also deletes the
     * documents that refer to it, and `clear` removes its id from their optional field or list. All changes are one
     * transaction. The field needs an `Index`. A document with such a field can only refer to documents that exist.
     */
    readonly onDelete?: {
        readonly [P in F]?: OnDelete;
    };
}
/** A collection of documents of one type. A document is at most 1 MiB. */
export interface EntityDeclaration<T extends object = object> {
    /** Reads a document by id; throws `NotFound` if it does not exist. */
    get(ctx: Context, id: string): Promise<Stored<T>>;
    get<F extends RefKey<T>>(ctx: Context, id: string, options: ReadOptions<F>): Promise<WithRefs<Stored<T>, F>>;
    /** Reads a document by id; undefined if it does not exist. */
    find(ctx: Context, id: string): Promise<Stored<T> | undefined>;
    find<F extends RefKey<T>>(ctx: Context, id: string, options: ReadOptions<F>): Promise<WithRefs<Stored<T>, F> | undefined>;
    /**
     * Reads documents in the order of `ids`, with undefined for missing ones. Each batch of 1,000 is one consistent read.
     */
    getMany(ctx: Context, ids: readonly string[]): Promise<(Stored<T> | undefined)[]>;
    getMany<F extends RefKey<T>>(ctx: Context, ids: readonly string[], options: ReadOptions<F>): Promise<(WithRefs<Stored<T>, F> | undefined)[]>;
    /** Stores a new document, generating its id if omitted. Throws a 409 if the id exists. */
    create(ctx: Context, document: New<T>): Promise<Stored<T>>;
    /** Writes a document under its id, replacing an existing one. */
    put(ctx: Context, document: Written<T>): Promise<Stored<T>>;
    /**
     * Reads a document, applies `change` and writes the result, all in one transaction. If another write conflicts,
     * `change` runs again. `change` may mutate its argument or return another document. Throws `NotFound` if the document
     * does not exist.
     */
    update(ctx: Context, id: string, change: (document: Stored<T>) => Written<T> | void | Promise<Written<T> | void>): Promise<Stored<T>>;
    /** Deletes a document, if it exists. */
    delete(ctx: Context, id: string): Promise<void>;
    /**
     * Starts a query: filter with `where`, sort with `orderBy`, read with `all`, `first`, `count`, `page` or `each`. If
     * more than four filters are added conditionally, pass their number: `query({ conditions: 5 })`.
     */
    query(options?: {
        readonly conditions?: 5 | 6 | 7 | 8;
    }): EntityQuery<T>;
}
/** `unknown` if the type has exactly one `ID` field; otherwise a type that states the rule. */
type EntityRules<T> = [IDKey<T>] extends [never] ? Refused<"fw/entity-id: the type of an entity needs a field of the type ID"> : IsUnion<IDKey<T>> extends true ? Refused<"fw/entity-id: the type of an entity can have only one field of the type ID"> : unknown;
type IsUnion<K, All = K> = K extends unknown ? ([All] extends [K] ? false : true) : never;
/**
 * Declares a collection of documents: `Entity<Order>("orders")`. The type has one `ID` field. Mark fields to filter and
 * sort by with `Index<T>`, and fields that are not stored with `Transient<T>`. The second argument has rules for
 * documents of older versions, `{ upgrade: { currency: "EUR" } }`, for tenants, `{ tenant: orgs }`, and for deleting
 * referenced documents, `{ onDelete: { customer: "refuse" } }`.
 */
export declare function Entity<T extends object>(name: string & EntityRules<T>, evolution?: Evolution<T, OldData, IDKey<T> | TransientKey<T>> & TenantSetting & ReferenceRules<RefKey<T>>): EntityDeclaration<T>;
/**
 * Runs reads and writes of several entities atomically. Inside `work`, pass `tx` instead of `ctx`. If a document that
 * `work` has read changes before the commit, `work` runs again, so it must not have other side effects. If `work`
 * throws, nothing is written.
 */
export declare function transaction<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T>;
export {};

// entity-query.d.ts
import type { QueryKey, QueryValue, RefKey, SearchKey } from "./binding.ts";
import type { Context } from "./context.ts";
import type { EntityDeclaration, Stored, WithRefs } from "./entity.ts";
import type { Refused } from "./route-rules.ts";
/** A page of documents. */
export interface EntityPage<T, D = Stored<T>> {
    /** The documents, in the query's order. */
    readonly items: D[];
    /** An opaque cursor for the next page; absent on the last page. */
    readonly next?: string;
}
/** The operators that a field supports; list fields support only `contains`. */
export type Operator<V> = [NonNullable<V>] extends [readonly unknown[]] ? "contains" : "==" | "<" | "<=" | ">" | ">=" | "in";
/** The type of the operand for an operator. */
type Operand<V, O> = O extends "contains" ? V extends readonly (infer Element)[] ? Element : never : O extends "in" ? readonly V[] : V;
/** The name of an `Index` field or the id; for any other field, a type that states the rule. */
type Indexed<T, F extends string> = F extends QueryKey<T> ? F : Refused<`fw/unindexed-query: ${F} is not an Index field of this entity`>;
type Sortable<T, F extends string> = F extends QueryKey<T> ? [NonNullable<QueryValue<T[F]>>] extends [readonly unknown[]] ? Refused<`fw/unindexed-query: ${F} is a list, which has no order`> : F : Indexed<T, F>;
/** A sort order: fields with directions, the most significant first. */
export type Sort<T> = {
    readonly [F in QueryKey<T> & keyof T as Sortable<T, F> extends F ? F : never]?: "asc" | "desc";
};
/** `unknown` if the type has a `Search` field; otherwise a type that states the rule. */
type Searchable<T> = [SearchKey<T>] extends [never] ? Refused<"fw/unindexed-query: no field of this entity is marked with Search"> : unknown;
/** The names of numeric `Index` fields. */
type NumberKey<T> = {
    [F in QueryKey<T> & keyof T]: [Exclude<QueryValue<T[F]>, null | undefined>] extends [number | bigint] ? F : never;
}[QueryKey<T> & keyof T];
/** True for string, number and boolean types except `string` and `number` themselves. */
type IsFinite<V> = [V] extends [string | number | boolean] ? string extends V ? false : number extends V ? false : true : false;
/** The names of `Index` fields with a finite number of values: literals, booleans and null. */
type FiniteKey<T> = {
    [F in QueryKey<T> & keyof T]: IsFinite<Exclude<QueryValue<T[F]>, null | undefined>> extends true ? F : never;
}[QueryKey<T> & keyof T];
/** The number of documents that have a value. */
export interface ValueCount<V> {
    readonly value: V;
    readonly count: number;
}
type SumOf<V> = bigint extends V ? bigint | number : number;
/**
 * An immutable query builder: every method returns a new query. Fields, operators and directions must be constants,
 * because fw derives the required indexes from the source.
 */
export interface EntityQuery<T extends object, D = Stored<T>> {
    /**
     * Filters by an `Index` field or the id. Multiple filters are combined with AND. Ranges (`<`, `<=`, `>`, `>=`) are
     * limited to one field, which must come first in `orderBy`; `in` takes 1 to 30 values, and several `in` filters at
     * most 30 combinations of their values.
     */
    where<F extends keyof T & string, O extends Operator<QueryValue<T[F]>>>(field: F & Indexed<T, F>, operator: O, value: Operand<QueryValue<T[F]>, O>): EntityQuery<T, D>;
    /**
     * Sorts by a field; call it again for further fields. The id breaks ties. Documents without the field are omitted.
     */
    orderBy<F extends keyof T & string>(field: F & Sortable<T, F>, direction?: "asc" | "desc"): EntityQuery<T, D>;
    /**
     * Sorts by one of several named orders, each with its own index:
     * `sortBy(req.sort ?? "newest", { newest: { placed: "desc" }, cheapest: { total: "asc", placed: "desc" } })`.
     */
    sortBy<Name extends string>(chosen: Name, sorts: {
        readonly [N in Name]: Sort<T>;
    }): EntityQuery<T, D>;
    /**
     * Filters by words: every word of `text` must occur in the document's `Search` fields, except that the last one may
     * be incomplete. Ignores case and accents. A text without words matches nothing; more than 10 words throw a 400. The
     * query's order applies to the results.
     */
    search(text: string & Searchable<T>): EntityQuery<T, D>;
    /**
     * Also returns the documents that `Ref` fields refer to. Each page needs one more request per field, however many
     * documents it has. A missing document is undefined, or omitted from a list.
     */
    with<F extends RefKey<T>>(...fields: readonly F[]): EntityQuery<T, WithRefs<D, F>>;
    /** Limits the number of documents, or sets the page size: 1 to 1,000; other values throw a 400. */
    limit(documents: number): EntityQuery<T, D>;
    /**
     * Skips this many documents, 0 to 1,000; other values throw a 400. Skipped documents are still read, so prefer a
     * cursor. Counts, sums, averages and later pages ignore it.
     */
    offset(documents: number): EntityQuery<T, D>;
    /** Reads all matching documents up to the limit. Without a limit, throws if there are more than 10,000. */
    all(ctx: Context): Promise<D[]>;
    /** Reads the first matching document, or undefined. */
    first(ctx: Context): Promise<D | undefined>;
    /** Counts matching documents up to the limit. */
    count(ctx: Context): Promise<number>;
    /**
     * Counts matching documents for each value of an `Index` field, whose type must have at most 30 values: literals,
     * booleans and null. Returns the counts in the order of the type, all from one snapshot. Ignores the limit.
     */
    countBy<F extends FiniteKey<T>>(ctx: Context, field: F): Promise<ValueCount<Exclude<QueryValue<T[F]>, undefined>>[]>;
    /**
     * Sums a numeric `Index` field over all matching documents that have it, ignoring the limit; 0 if there are none. For
     * `Int64` the sum is a bigint, or a number if it exceeds 64 bits.
     */
    sum<F extends NumberKey<T>>(ctx: Context, field: F): Promise<SumOf<QueryValue<T[F]>>>;
    /**
     * Averages a numeric `Index` field over all matching documents that have it, ignoring the limit; undefined if there
     * are none.
     */
    average(ctx: Context, field: NumberKey<T>): Promise<number | undefined>;
    /**
     * Reads the page at `cursor` (`next` of the previous page), or the first page. A page has 20 documents unless `limit`
     * sets another size.
     */
    page(ctx: Context, cursor?: string): Promise<EntityPage<T, D>>;
    /** Iterates over all matching documents, up to the limit if one is set. */
    each(ctx: Context): AsyncIterable<D>;
}
/** A query as data. */
export interface QueryPlan {
    readonly entity: EntityDeclaration;
    /** The filters, combined with AND. */
    readonly filters: readonly {
        readonly field: string;
        readonly operator: "==" | "<" | "<=" | ">" | ">=" | "in" | "contains";
        readonly value: unknown;
    }[];
    /** The sort order, the most significant field first. */
    readonly orders: readonly {
        readonly field: string;
        readonly direction: "asc" | "desc";
    }[];
    /** The maximum number of documents, or the page size. */
    readonly limit?: number;
    /** The number of documents to skip. */
    readonly offset?: number;
    /** The texts to search for. */
    readonly searches?: readonly string[];
    /** The `Ref` fields whose documents are also read. */
    readonly with?: readonly string[];
}
/** Creates the builder for a query. */
export declare function query<T extends object, D = Stored<T>>(plan: QueryPlan): EntityQuery<T, D>;
/** Entity operations, as the runtime implements them. The caller owns the returned documents: they are copies. */
export interface EntityOperations {
    get(ctx: Context, entity: EntityDeclaration, id: string, refs: readonly string[]): Promise<object>;
    find(ctx: Context, entity: EntityDeclaration, id: string, refs: readonly string[]): Promise<object | undefined>;
    getMany(ctx: Context, entity: EntityDeclaration, ids: readonly string[], refs: readonly string[]): Promise<(object | undefined)[]>;
    create(ctx: Context, entity: EntityDeclaration, document: object): Promise<object>;
    put(ctx: Context, entity: EntityDeclaration, document: object): Promise<object>;
    update(ctx: Context, entity: EntityDeclaration, id: string, change: DocumentChange): Promise<object>;
    delete(ctx: Context, entity: EntityDeclaration, id: string): Promise<void>;
    all(ctx: Context, plan: QueryPlan): Promise<object[]>;
    first(ctx: Context, plan: QueryPlan): Promise<object | undefined>;
    count(ctx: Context, plan: QueryPlan): Promise<number>;
    countBy(ctx: Context, plan: QueryPlan, field: string): Promise<ValueCount<unknown>[]>;
    total(ctx: Context, plan: QueryPlan, field: string): Promise<Total>;
    page(ctx: Context, plan: QueryPlan, cursor: string | undefined): Promise<EntityPage<object>>;
    each(ctx: Context, plan: QueryPlan): AsyncIterable<object>;
    transaction<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T>;
}
/** Aggregates of a numeric field. */
export interface Total {
    readonly sum: number | bigint;
    readonly average: number | undefined;
}
export type DocumentChange = (document: object) => object | void | Promise<object | void>;
/** The part of the Host that stores documents. */
export interface EntityHost {
    readonly entities: EntityOperations;
}
export {};

// errors.d.ts
export { isStatusError } from "./brand.ts";
/**
 * An error with an HTTP status and a public message, created by functions such as `Errorf` and `NotFound`, or by the
 * framework.
 */
export declare class StatusError<Status extends number = number, Details = unknown> extends Error {
    /** The HTTP status, 400 to 599. */
    readonly status: Status;
    /** Additional JSON for clients; undefined if there is none. */
    readonly details: Details;
}
/** A bug in the program: clients get an opaque 500, and the message goes to the log. */
export declare class Fault extends Error {
    constructor(message: string);
}
/** Options of `Errorf`. */
export interface ErrorOptions<Details> {
    /** JSON to send with the message in an API's response: `{"error": …, "details": …}`. */
    readonly details?: Details;
}
/**
 * Creates an error response with a status, 400 to 599, and a public message: `throw Errorf(422, "total must be
 * positive")`. `details` is JSON for programs: `Errorf(422, "the order is not complete", { details: { missing:
 * ["total"] } })`. If an API returns it instead of throwing, the generated client and the OpenAPI document include the
 * status and the details.
 */
export declare function Errorf<const Status extends number, Details = undefined>(status: Status, message: string, options?: ErrorOptions<Details>): StatusError<Status, Details>;
/** Creates a 404 `not found`: `throw NotFound()`. */
export declare function NotFound(): StatusError<404, undefined>;
/**
 * Creates a 422 for field problems that only the handler can detect: `throw Invalid({ email: "is taken" })`.
 * Pages with `invalid` handle it like a field that does not match its type; elsewhere, the problems become the details
 * of the error.
 */
export declare function Invalid(problems: Readonly<Record<string, string>>): StatusError<422, {
    readonly problems: readonly {
        readonly at: string;
        readonly problem: string;
    }[];
}>;
/** True for an error created by `Invalid`. */
export declare function isInvalid(error: unknown): error is ReturnType<typeof Invalid>;
/** Creates a 403 with a public message, for a policy to return or throw. */
export declare function Deny(message: string): StatusError;
/** Creates the 409 for an email address that already has an account. */
export declare function emailTaken(message: string): StatusError;
/** True for a refusal by a policy of this service, or of a service that it called. */
export declare function isDenied(error: unknown): error is StatusError;
/** True for the 409 of `users.create` if the email address already has an account. */
export declare function isEmailTaken(error: unknown): error is StatusError;
/** Creates the 409 for a `Unique` value that another document has. `field` is the field's name. */
export declare function takenError(message: string, field: string): StatusError;
/** True for the 409 of a `Unique` field, in this service or a called one. Pass `field` to check for one field. */
export declare function isTaken(error: unknown, field?: string): error is StatusError<409, {
    readonly taken: string;
}>;
/** True for a 404: `NotFound()`, a missing document or object, or the response of another service. */
export declare function isNotFound(error: unknown): error is StatusError;

// event.d.ts
import { type EventKind } from "../lib/events.ts";
/**
 * A source of events for `Subscribe`, such as `auth.registered`, `bucket.uploaded`, a topic, or the dead letters of a
 * queue.
 */
export interface EventSource<out Event> {
    /** Never set; exists only for the type of the events. */
    readonly event?: Event;
}
/** Creates a source for fw's own events, such as uploads to a bucket or dead letters of a queue. */
export declare function eventSource<Event>(kind: EventKind, about?: string): EventSource<Event>;

// events.d.ts
import type { Blob } from "./blob.ts";
import type { Duration } from "./duration.ts";
declare const EVENT: unique symbol;
/** Options of an event. */
export interface EventOptions {
    /** The event's id. A reconnecting client sends the last one in `Last-Event-ID`. */
    readonly id?: string;
    /** The event's type for `addEventListener`; `message` by default. */
    readonly name?: string;
    /** The client's reconnection delay after this event. */
    readonly retry?: Duration;
}
/** A server-sent event. */
export interface ServerEvent<Data = unknown> extends EventOptions {
    readonly data: Data;
    readonly [EVENT]: true;
}
/** The data type of the events of an iterable. */
export type EventData<Value> = Value extends ServerEvent<infer Data> ? EventData<Data> : Value extends undefined ? null : Value;
/** A response of server-sent events, typed for the generated client. */
export interface Events<out Data> extends Blob {
    /** Never set; exists only for the type of the events' data. */
    readonly data?: Data;
}
/** Options of `events`. */
export interface EventsOptions {
    /**
     * The heartbeat interval, `"15s"` by default. An idle stream sends comments, so that proxies do not close it and
     * disconnected clients are detected.
     */
    readonly heartbeat?: Duration;
    /** The client's reconnection delay. */
    readonly retry?: Duration;
}
/** Creates an event with an id, a name or a retry delay: `yield event(order, { id: order.id, name: "placed" })`. */
export declare function event<Data>(data: Data, options?: EventOptions): ServerEvent<Data>;
/**
 * Creates a response of server-sent events: `return events(placed(ctx.signal))`. Each value becomes an event with JSON
 * data; yield `event(…)` to set an id or a name. Ends the iterable when the client disconnects or the service stops.
 */
export declare function events<Value>(source: AsyncIterable<Value>, options?: EventsOptions): Events<EventData<Value>>;
/** True for the result of `events`. */
export declare function isEventStream(value: unknown): value is EventStream;
/** Encodes events as a byte stream. */
export declare class EventStream implements Blob {
    #private;
    readonly type: string;
    constructor(source: AsyncIterable<unknown>, { heartbeat, retry }: EventsOptions);
    /** Ends the stream after the last complete event. */
    end(): void;
    stream(): ReadableStream<Uint8Array>;
}
export {};

// feed.d.ts
import type { Context } from "./context.ts";
import type { ServerEvent } from "./events.ts";
import type { TenantSetting } from "./tenant.ts";
/** Options of `feed.events`. */
export interface FeedOptions {
    /**
     * The id of the last event that the client has received, such as its `Last-Event-ID`. Without it, the iterable yields
     * only new events.
     */
    readonly after?: string | undefined;
}
/** An event of a feed. `data` is the published value; pass `id` as `after` to continue after this event. */
export interface FeedEvent<T> extends ServerEvent<T> {
    readonly id: string;
    /** True if the client has missed earlier events that are no longer stored. */
    readonly hasGap: boolean;
}
/** The result of `Feed`. */
export interface FeedDeclaration<T = unknown> {
    /** The kind of declaration. */
    readonly kind: "feed";
    /** The name, as written. */
    readonly name: string;
    /**
     * Publishes a value of at most 64 KiB of JSON to all followers of the key, in every process. Inside a transaction, it
     * is published if and only if the transaction commits.
     */
    publish(ctx: Context, key: string, value: T): Promise<void>;
    /**
     * Follows a key: `return events(tickets.events(ctx, id, { after }))`, or `for await (const { data } of
     * tickets.events(ctx, id)) await socket.send(data)`. The iterable ends with the request.
     */
    events(ctx: Context, key: string, options?: FeedOptions): AsyncIterable<FeedEvent<T>>;
    /** Follows a key like `events`, and adds the name to `presence` until the iterable ends. */
    join(ctx: Context, key: string, name: string, options?: FeedOptions): AsyncIterable<FeedEvent<T>>;
    /**
     * Returns the names that have joined a key in any process, sorted and without duplicates. Reads at most 1,000 of the
     * connections that have joined.
     */
    presence(ctx: Context, key: string): Promise<readonly string[]>;
    /**
     * Yields the result of `presence` now and after every change. If you pass a name, it is present until the iterable
     * ends.
     */
    followPresence(ctx: Context, key: string, name?: string): AsyncIterable<readonly string[]>;
}
/**
 * Declares a feed of events for connected clients: `export const tickets = Feed<TicketChange>("tickets")`. Each key,
 * such as the id of a ticket, has its own ordered events. With `{ tenant: orgs }`, each tenant has its own keys.
 */
export declare function Feed<T>(name: string, settings?: TenantSetting): FeedDeclaration<T>;
/** The operations of feeds, as the runtime implements them. */
export interface FeedOperations {
    publish(ctx: Context, feed: FeedDeclaration, key: string, value: unknown): Promise<void>;
    events(ctx: Context, feed: FeedDeclaration, key: string, options: FeedOptions): AsyncIterable<FeedEvent<unknown>>;
    join(ctx: Context, feed: FeedDeclaration, key: string, name: string, options: FeedOptions): AsyncIterable<FeedEvent<unknown>>;
    presence(ctx: Context, feed: FeedDeclaration, key: string): Promise<readonly string[]>;
    followPresence(ctx: Context, feed: FeedDeclaration, key: string, name: string | undefined): AsyncIterable<readonly string[]>;
}
/** The part of the Host that publishes to feeds and follows them. */
export interface FeedHost {
    readonly feeds: FeedOperations;
}

// html.d.ts
/** Rendered HTML, created only by a `Site`. fw sends documents with security headers, fragments without. */
export declare class HTML {
    /** The markup. */
    readonly text: string;
    /** True for a whole document, false for a fragment. */
    readonly document: boolean;
}
/** True for the results of `site.render`, `site.fragment` and `site.markdown`. */
export declare function isHTML(value: unknown): value is HTML;

// job.d.ts
import type { Context } from "./context.ts";
import type { Duration } from "./duration.ts";
import type { Evolution, OldMessage } from "./evolution.ts";
import type { RecordedRun, Run } from "./run.ts";
import type { TenantSetting } from "./tenant.ts";
/** Long-running work, started by code or by an operator. */
export interface JobDeclaration<in out Args = never, out Task extends Run = Run> {
    /** The name, as used by `fw run job <name>`. */
    readonly name: string;
    /** The type of `run` in the job's runner; never set. */
    readonly task?: Task;
    /** Starts a run and resolves with its id without waiting for the run to end. */
    start(ctx: Context, args: Args): Promise<string>;
}
/** A job whose runs are recorded, so that code can read their progress and cancel them. */
export interface RecordedJob<in out Args = never> extends JobDeclaration<Args, RecordedRun> {
    /** Returns a run. Throws `NotFound` (404) for an unknown id and for a run that is no longer recorded. */
    get(ctx: Context, id: string): Promise<JobRun>;
    /** Returns the newest runs, newest first. */
    list(ctx: Context, options?: RunListOptions): Promise<readonly JobRun[]>;
    /**
     * Cancels a run. A waiting run never starts. In a running one, `ctx.signal` aborts, and the run becomes `cancelled`
     * when its handler ends, or after `within`. Resolves with true if the run had not ended yet. Inside a transaction,
     * the run is cancelled if and only if the transaction commits.
     */
    cancel(ctx: Context, id: string, options?: CancelOptions): Promise<boolean>;
}
/** Options of `list`. */
export interface RunListOptions {
    /** The maximum number of runs: 1 to 1,000; 100 by default. */
    readonly limit?: number;
}
/** Options of `cancel`. */
export interface CancelOptions {
    /** The grace period for a running handler: `"0s"` to `"1h"`, `"10s"` by default. */
    readonly within?: Duration;
}
/** A recorded run of a job. */
export interface JobRun {
    readonly id: string;
    /** A run with several tasks is `running` from the start of its first task until none is running or waiting. */
    readonly state: "waiting" | "running" | "done" | "failed" | "cancelled";
    /** The completed share of the work, 0 to 1: the average over its tasks. */
    readonly progress: number;
    /** The latest note in a progress report of any task; absent if there is none. */
    readonly note?: string;
    /** The id of the user whose request started the run; absent for other runs. */
    readonly by?: string;
    /** The time of `start`. */
    readonly requestedAt: Date;
    /** The time when its first task started; absent until then. */
    readonly beganAt?: Date;
    /** The time when its last task ended; absent until then. */
    readonly endedAt?: Date;
    /** The time of the first `cancel`; absent if there was none. */
    readonly cancelledAt?: Date;
    /** The error message of a task's latest failed attempt, even if the task is being retried. */
    readonly error?: string;
    /** The highest number of attempts of any task. */
    readonly attempts: number;
    readonly tasks: number;
}
/** The setting that makes a job record its runs. */
export interface HistorySetting {
    /** How long a run stays recorded after its end: `"1d"` to `"366d"`. A job keeps at most its last 1,000 ended runs. */
    readonly history: Duration;
}
/** Declares a job whose runs are recorded: `export const rebuild = Job<Rebuild>("rebuild", { history: "30d" })`. */
export declare function Job<Args = void>(name: string, settings: Evolution<Args, OldMessage> & TenantSetting & HistorySetting): RecordedJob<Args>;
/**
 * Declares a job: `export const rebuild = Job<{ since: Date }>("rebuild")`. A `Runner` implements it. With
 * `{ tenant: orgs }`, each tenant has its own runs.
 */
export declare function Job<Args = void>(name: string, evolution?: Evolution<Args, OldMessage> & TenantSetting): JobDeclaration<Args>;
/** The operations on recorded runs, as the runtime implements them. */
export interface RunOperations {
    get(ctx: Context, job: JobDeclaration, id: string): Promise<JobRun>;
    list(ctx: Context, job: JobDeclaration, options: RunListOptions): Promise<readonly JobRun[]>;
    cancel(ctx: Context, job: JobDeclaration, id: string, options: CancelOptions): Promise<boolean>;
}
/** The part of the Host that starts jobs and reads their runs. `start` resolves with the run's id. */
export interface JobHost {
    readonly messages: {
        start(ctx: Context, job: JobDeclaration, args: unknown): Promise<string>;
    };
    readonly runs: RunOperations;
}

// mail.d.ts
import type { Context } from "./context.ts";
import type { Duration } from "./duration.ts";
import type { HTML } from "./html.ts";
import type { QueueDeclaration } from "./queue.ts";
/** The name and email address of a recipient. */
export interface MailAddress {
    /** "" if unknown. */
    name: string;
    address: string;
}
/** A mail, as its worker receives it. Mail libraries accept these fields. */
export interface MailMessage {
    /** The name of the `Mail` that rendered it. */
    mail: string;
    to: MailAddress;
    subject: string;
    text: string;
    html: string;
}
/** The content of a mail. */
export type MailContent = Pick<MailMessage, "subject" | "text" | "html">;
/** Settings of a mail. */
export interface MailConfig<Data> {
    /** The queue whose worker sends the mail. */
    readonly queue: QueueDeclaration<MailMessage>;
    /** Example data for the preview in the console of `fw dev`. */
    readonly sample?: Data;
}
/** Options of `mail.send`. */
export interface MailOptions {
    /** One address, with or without a name. */
    readonly to: string | MailAddress;
    /** The delay before the first delivery, at most 30 days. */
    readonly delay?: Duration;
}
/** The result of `Mail`. */
export interface MailDeclaration<Data = never> {
    /** The name, as written. */
    readonly name: string;
    /** Renders the mail. The document's title becomes the subject, and its content without markup becomes the text. */
    render(ctx: Context, data: Data): Promise<MailContent>;
    /**
     * Renders the mail, sends it to the queue and resolves with the message's id. Inside a transaction, the mail is sent
     * if and only if the transaction commits.
     */
    send(ctx: Context, data: Data, options: MailOptions): Promise<string>;
}
/**
 * Declares a mail: `export const welcome = Mail("welcome", (ctx, data: Welcome) => site.fragment(ctx,
 * "mails/welcome.html", data), { queue: mails })`. A `Worker` of the queue sends it.
 */
export declare function Mail<Data>(name: string, document: (ctx: Context, data: Data) => HTML, settings: MailConfig<NoInfer<Data>>): MailDeclaration<Data>;
/** The part of the Host that converts documents to mails. */
export interface MailHost {
    readonly mails: {
        /** Converts a document to the content of a mail: the subject, the text and the HTML. */
        content(mail: string, document: HTML): Promise<MailContent>;
        /** Converts a document to a mail for a recipient; throws for anything but a single address. */
        message(mail: string, to: string | MailAddress, document: HTML): Promise<MailMessage>;
    };
}

// limit.d.ts
import type { Context } from "./context.ts";
import type { Duration } from "./duration.ts";
import type { TenantSetting } from "./tenant.ts";
/** A maximum rate: `"10/h"`, or `"5/15m"` for another window. At most 1,000 uses per window of 1 second to 31 days. */
export type LimitRate = `${number}/${"s" | "m" | "h" | "d" | Duration}`;
/** A rate limit with a separate count for each key, exact across processes and machines. */
export interface LimitDeclaration {
    /**
     * Counts one use of a key, such as an address or a user id. If the key has reached its rate, throws a 429 with
     * `Retry-After` and `details: { retryAfter }`, both in seconds. Refused uses do not count. Call it before a
     * transaction, not inside one: a transaction that runs again would count the use again.
     */
    take(ctx: Context, key: string): Promise<void>;
}
/**
 * Declares a limit on the rate of uses for each key: `export const signUps = Limit("sign-up", "10/h")`. With `{ tenant:
 * orgs }`, the keys of each tenant are counted separately.
 */
export declare function Limit(name: string, rate: LimitRate, settings?: TenantSetting): LimitDeclaration;
/** The operations of limits, as the runtime implements them. */
export interface LimitOperations {
    take(ctx: Context, limit: LimitDeclaration, key: string): Promise<void>;
}
/** The part of the Host that counts uses of limits. */
export interface LimitHost {
    readonly limits: LimitOperations;
}

// mcp.d.ts
import type { Context } from "./context.ts";
import type { EndpointDeclaration } from "./endpoint.ts";
import type { MountConfig, MountDeclaration, MountRules } from "./mount.ts";
/** Settings of an MCP server, written as a literal. */
export interface MCPConfig extends Omit<MountConfig, "private"> {
    /** APIs of any package, for AI agents to call as tools named after the constants. */
    readonly tools: readonly EndpointDeclaration[];
}
/**
 * Declares an MCP server, which offers APIs to AI agents as tools: `MCP("/mcp", { tools: [listOrders, placeOrder] })`.
 * The constants name the tools, their doc comments describe them, and their types are the schemas. Each call must pass
 * the gate and the policy of its API.
 */
export declare function MCP<const Path extends string>(path: Path & MountRules<Path>, settings: MCPConfig): MountDeclaration;
/** The part of the Host that handles the messages of MCP clients. */
export interface MCPHost {
    readonly mcp: {
        answer(ctx: Context, server: MountDeclaration, request: Request): Promise<Response>;
    };
}

// metric.d.ts
import type { Context } from "./context.ts";
/** A number that only increases, such as the number of orders placed. */
export interface CounterDeclaration {
    /** Adds a nonnegative number. Never blocks or throws: invalid values are logged and ignored. */
    add(ctx: Context, n: number): void;
}
/** A distribution of values, such as latencies or sizes. */
export interface HistogramDeclaration {
    /** Records a value. Never blocks or throws: invalid values are logged and ignored. */
    observe(ctx: Context, value: number): void;
}
/** Declares a counter: `export const placed = Counter("orders_placed")`. */
export declare function Counter(name: string): CounterDeclaration;
/** Declares a histogram: `export const size = Histogram("upload_bytes")`. */
export declare function Histogram(name: string): HistogramDeclaration;
/** Metric operations, as the runtime implements them. They never throw. */
export interface MetricOperations {
    add(ctx: Context, counter: CounterDeclaration, n: number): void;
    observe(ctx: Context, histogram: HistogramDeclaration, value: number): void;
}
/** The part of the Host that records metrics. */
export interface MetricHost {
    readonly metrics: MetricOperations;
}

// mount.d.ts
import type { ByteSize } from "./byte-size.ts";
import type { Context } from "./context.ts";
import type { PolicyDeclaration } from "./policy.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";
/** Settings of a mount, written as a literal. */
export interface MountConfig extends Scaling {
    /** If true, requests without a signed-in user get a 401, and `ctx.user()` is available. */
    readonly signIn?: boolean;
    /** The policy that decides which signed-in users may access the mounted path; implies `signIn`. */
    readonly allow?: PolicyDeclaration;
    /** If true, only other services of the application can reach it. */
    readonly private?: boolean;
    /** The maximum size of a request body, such as `"10MB"`; 1 MB by default. */
    readonly maxBody?: ByteSize | Refused<'fw/max-body: a size literal from "1B" to "1GB"'>;
}
/** `(ctx, request) => response`, with the standard `Request` and `Response`. */
export type MountHandler = (ctx: Context, request: Request) => Response | Promise<Response>;
/** The result of `Mount`. */
export interface MountDeclaration {
}
/** `unknown` if the path is valid; otherwise a type that states the rule. */
export type MountRules<Path extends string> = string extends Path ? unknown : Path extends `/${string}` ? Path extends `${string}{${string}` | `${string}*${string}` ? Refused<"fw/const-route: a mount gets every path below its own: write it without parameters"> : unknown : Refused<"fw/const-route: a mount takes a path without a method, such as /graphql">;
/**
 * Passes every request at or below a path to a fetch handler: `Mount("/graphql", (ctx, request) => yoga.fetch(request,
 * { ctx }))`. Routes declared below the path take precedence.
 */
export declare function Mount<const Path extends string>(path: Path & MountRules<Path>, handler: MountHandler, config?: MountConfig): MountDeclaration;

// page.d.ts
import type { IsHeaderOrCookie } from "./binding.ts";
import type { Blob } from "./blob.ts";
import type { Context } from "./context.ts";
import { type EndpointDeclaration, type Handler } from "./endpoint.ts";
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
        Exclude<Req[Field], undefined>
    ] extends [readonly unknown[]] ? readonly string[] : string;
};
/** The problems of a request by field, as sentences without a subject: "must be an email address". */
export type FormProblems<Req> = {
    readonly [Field in keyof Req]?: readonly string[];
};
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
    readonly invalid?: (ctx: Context, input: FormInput<Req>, problems: FormProblems<Req>) => PageResult | Promise<PageResult>;
};
/**
 * Declares an HTML endpoint: `Page("GET /notes/{id}", async (ctx, req: ShowNote) => site.render(ctx, "note.html",
 * note))`.
 *
 * The request's fields are `Path`, `Query`, `Form`, `Header` or `Cookie`. Without a type annotation, the request holds
 * the route's parameters as strings. Methods other than GET are protected against CSRF.
 */
export declare function Page<const Route extends string, Req = PathParams<Route>>(route: Route & PageRules<Route, NoInfer<Req>>, handler: Handler<Req, PageResult>, config?: PageConfig<NoInfer<Req>>): EndpointDeclaration<Req, PageResult>;
export {};

// policy.d.ts
import type { Context } from "./context.ts";
import type { StatusError } from "./errors.ts";
import type { RoleDeclaration } from "./role.ts";
import type { Refused } from "./route-rules.ts";
import type { TenantDeclaration } from "./tenant.ts";
import type { User } from "./user.ts";
/**
 * The result of a policy: `undefined` or `null` admits the user, `Deny(message)` refuses the request with a 403. Any
 * other error, returned or thrown, becomes an opaque 500.
 */
export type Verdict = StatusError | Error | void | undefined | null;
/** A rule that decides which signed-in users may use a route. It can also read fields of the request. */
export interface PolicyDeclaration<in Req = unknown> {
    /** The kind of declaration. */
    readonly kind: "policy";
}
/**
 * Declares a policy: `export const Verified = Policy((ctx, user) => user.emailVerified ? undefined : Deny("verify your
 * address first"))`. Export it and use it in a route: `{ allow: Verified }`.
 *
 * A third parameter declares fields of the request, which every route with the policy must bind the same way: `export
 * const IsMember = Policy(async (ctx, user, { org }: { org: Path }) => …)`.
 */
export declare function Policy<Req = unknown>(decide: (ctx: Context, user: User, request: Req) => Verdict | Promise<Verdict>): PolicyDeclaration<Req>;
/**
 * Declares a policy that admits users with at least one of the roles: `export const CanEdit = RequireRole(Editor,
 * Admin)`.
 */
export declare function RequireRole(role: RoleDeclaration, ...others: readonly RoleDeclaration[]): PolicyDeclaration;
export declare function RequireRole(this: Refused<"fw/empty-role: RequireRole needs at least one role, such as RequireRole(Editor)">): never;
/** The possible values of a membership's `role`. */
type RoleOf<Member> = Member extends {
    readonly role: infer Role extends string;
} ? Role : never;
/**
 * Declares a policy that admits members of the request's tenant; with roles, only members with one of them: `export
 * const OrgAdmin = RequireMember(orgs, "admin")`. The handler runs inside the tenant.
 */
export declare function RequireMember<Member extends object, Req>(tenant: TenantDeclaration<Member, Req>, ...roles: readonly RoleOf<Member>[]): PolicyDeclaration<Req>;
export {};

// queue.d.ts
import type { Context } from "./context.ts";
import type { Evolution, OldMessage } from "./evolution.ts";
import type { DeadLetter } from "./delivery.ts";
import { type EventSource } from "./event.ts";
import type { TenantSetting } from "./tenant.ts";
import type { Duration } from "./duration.ts";
/** Options of `send`. */
export interface SendOptions {
    /** The delay before the first delivery, at most 30 days. */
    readonly delay?: Duration;
    /**
     * Debounces messages: a new message replaces the waiting one with the same key, so only the last is delivered, after
     * its own delay. A delivery that has started is not affected.
     */
    readonly key?: string;
}
/** A queue of messages of one type for one worker. */
export interface QueueDeclaration<in out Message = never> {
    /**
     * Enqueues a message of at most 256 KiB of JSON and resolves with its id. Delivery is at least once. Inside a
     * transaction, the message is sent if and only if the transaction commits.
     */
    send(ctx: Context, message: Message, options?: SendOptions): Promise<string>;
    /**
     * Cancels the waiting message with a key: no further attempt starts. Resolves with true if no delivery has started,
     * and with false if one may have started or there is no such message. Inside a transaction, the message is cancelled
     * if and only if the transaction commits.
     */
    cancel(ctx: Context, key: string): Promise<boolean>;
    /** The dead letters: messages whose attempts have all failed. */
    readonly dead: EventSource<DeadLetter<Message>>;
}
/** Declares a queue: `export const emails = Queue<Email>("emails")`. A `Worker` handles its messages. */
export declare function Queue<Message>(name: string, evolution?: Evolution<Message, OldMessage> & TenantSetting): QueueDeclaration<Message>;
/** The part of the Host that sends messages. `send` resolves with the message's id. */
export interface QueueHost {
    readonly messages: {
        send(ctx: Context, queue: QueueDeclaration, message: unknown, options: SendOptions): Promise<string>;
        cancel(ctx: Context, queue: QueueDeclaration, key: string): Promise<boolean>;
    };
}

// raw.d.ts
/**
 * The unparsed body of a request: `body: Raw`. Use it to verify signatures, or for content types that fw does not
 * parse.
 */
export interface Raw {
    /** The bytes; empty if the request has no body. */
    readonly bytes: Uint8Array<ArrayBuffer>;
    /** The content type as sent; "" if there is none. */
    readonly type: string;
    /** Decodes the bytes as UTF-8; invalid sequences become U+FFFD. */
    text(): string;
}

// redirect.d.ts
/** A redirect for a Page to return, created by `Redirect` or `RedirectPermanent`. */
export declare class Redirection {
    /** The target URL, as passed. */
    readonly target: string;
    /** True for a 301, false for a 303. */
    readonly permanent: boolean;
}
/** Creates a 303 See Other. For htmx requests (`HX-Request`), the response is a 200 with `HX-Redirect`. */
export declare function Redirect(target: string): Redirection;
/** Creates a 301 Moved Permanently. For htmx requests (`HX-Request`), the response is a 200 with `HX-Redirect`. */
export declare function RedirectPermanent(target: string): Redirection;
/** True for the results of `Redirect` and `RedirectPermanent`. */
export declare function isRedirection(value: unknown): value is Redirection;

// role.d.ts
/** A role that can be granted to users, and that policies such as `RequireRole` check. */
export interface RoleDeclaration {
    /** The kind of declaration. */
    readonly kind: "role";
    /** The name in users and tokens: `"editor"`. */
    readonly name: string;
}
/** Declares a role: `export const Editor = Role("editor")`. It must be exported, with a constant name. */
export declare function Role(name: string): RoleDeclaration;

// reply.d.ts
import type { Duration } from "./duration.ts";
export { isReply } from "./brand.ts";
/** The statuses that a reply can have: the final HTTP statuses except the obsolete 305 and 306. */
export type ReplyStatus = (200 | 201 | 202 | 203 | 204 | 205 | 207 | 208 | 226) | (300 | 301 | 302 | 303 | 304 | 307 | 308) | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417) | (418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451) | (500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511);
/** A cookie to set. The defaults are the safe choices. */
export interface CookieSetting {
    /** The value: any string. */
    readonly value: string;
    /** The cookie's lifetime. By default, it lasts until the browser closes. */
    readonly maxAge?: Duration;
    /** If false, scripts on the page can read the cookie; true by default. */
    readonly httpOnly?: boolean;
    /** Whether cross-site requests include the cookie. By default (`lax`), they do only when the user follows a link. */
    readonly sameSite?: "lax" | "strict" | "none";
    /** Browsers send the cookie for URLs with this path prefix; `/` by default. */
    readonly path?: string;
    /**
     * If true, browsers send the cookie only over https; by default true for requests over https. Always true with
     * `sameSite: "none"`.
     */
    readonly secure?: boolean;
}
/** Options of `reply`. */
export interface ReplyOptions<Status extends ReplyStatus | undefined> {
    /** The status; by default, the one that the body would have without `reply`. */
    readonly status?: Status;
    /** Headers by name. Headers that fw controls, such as `Set-Cookie`, are refused. */
    readonly headers?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
    /** Cookies by name: a value, a value with settings, or null to delete the cookie. */
    readonly cookies?: Readonly<Record<string, string | CookieSetting | null | undefined>>;
}
/** A response body with status, headers and cookies. */
export interface Reply<Body = unknown, Status extends ReplyStatus | undefined = ReplyStatus | undefined> {
    /** The response body. */
    readonly body: Body;
    /** The status; undefined for the body's default. */
    readonly status: Status;
    /** The headers, as passed. */
    readonly headers: NonNullable<ReplyOptions<undefined>["headers"]>;
    /** The cookies, as passed. */
    readonly cookies: NonNullable<ReplyOptions<undefined>["cookies"]>;
}
/**
 * Adds a status, headers or cookies to a response: `return reply(order, { status: 201, headers: { Location: path } })`.
 * The generated client and the OpenAPI document include the status and body of every reply that a handler can return.
 */
export declare function reply<Body, const Status extends ReplyStatus | undefined = undefined>(body: Body, options?: ReplyOptions<Status>): Reply<Body, Status>;

// route-config.d.ts
import type { ByteSize } from "./byte-size.ts";
import type { Duration } from "./duration.ts";
import type { PolicyDeclaration } from "./policy.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";
interface Every extends Scaling {
    /** The success status of an API; by default 200, or 204 if it returns nothing. */
    readonly status?: 200 | 201 | 202 | 203 | 204 | Refused<"fw/route-status: a constant success status, 200 to 204; to choose it at run time, return reply(…)">;
    /** The maximum size of a request body, such as `"10MB"`; by default 1 MB, or 1 GB for uploads. */
    readonly maxBody?: ByteSize | Refused<'fw/max-body: a size literal from "1B" to "32MB" (for uploads "1GB")'>;
}
interface SignedIn extends Every {
    /** If true, requests without a signed-in user get a 401, and `ctx.user()` is available. */
    readonly signIn: true;
    /** If true, only other services of the application can reach it. */
    readonly private?: boolean;
    readonly allow?: undefined;
    readonly maxAge?: Refused<"fw/cache-signin: a route that requires sign-in cannot have maxAge (elsewhere, fw/max-age: a duration such as 10m)">;
}
interface AllowedRoute<in Req> extends Every {
    /** The policy that decides which signed-in users may use the route; implies `signIn`. */
    readonly allow: PolicyDeclaration<Req>;
    readonly signIn?: boolean;
    readonly private?: false | Refused<"fw/policy-private: a private route cannot have a policy: other services can call it without a session">;
    readonly maxAge?: Refused<"fw/cache-signin: a route that requires sign-in cannot have maxAge (elsewhere, fw/max-age: a duration such as 10m)">;
}
interface Open extends Every {
    readonly signIn?: false;
    readonly private?: boolean;
    readonly allow?: undefined;
    /** How long shared caches may store a page or a blob, `"1s"` to `"365d"`. It has no effect on JSON. */
    readonly maxAge?: Duration | Refused<'fw/max-age: a duration literal from 1 second to one year, such as "10m"'>;
}
/**
 * Settings of a route, written as a literal: `{ signIn: true }`, `{ allow: CanEdit }`, `{ status: 201 }`,
 * `{ maxAge: "10m" }`, `{ private: true }`.
 */
export type RouteConfig<Req = never> = SignedIn | AllowedRoute<Req> | Open;
export {};

// route-rules.d.ts
import type { FieldFact, Path } from "./binding.ts";
declare const refused: unique symbol;
/** A type without values, for code that breaks a rule. Editors show its argument, which states the rule. */
export interface Refused<Sentence extends string> {
    readonly [refused]: Sentence;
}
/** The parameter names of a route. */
type ParamsOf<Route extends string> = Route extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamsOf<Rest> : never;
/** The request type of a handler without a type annotation: the route's parameters as strings. */
export type PathParams<Route extends string> = {
    [Name in ParamsOf<Route>]: Path;
};
/** The union of the `FieldFact`s of all request fields, so that TypeScript evaluates each field once. */
type FactsOf<Req> = {
    [P in keyof Req & string]-?: FieldFact<Req[P], P>;
}[keyof Req & string];
/** True if `Facts` contains every route parameter and nothing else except `Others`. */
type Fits<Facts, Params, Others> = [Params] extends [Facts] ? [Facts] extends [Params | Others] ? true : false : false;
type Segments<Route extends string> = `path ${ParamsOf<Route>}`;
/** `unknown` if the route of an API matches its request; otherwise a type that states the rule. */
export type APIRules<Route extends string, Req> = string extends Route ? unknown : Route extends `GET /${string}` ? Fits<FactsOf<Req>, Segments<Route>, never> extends true ? unknown : BrokenParams<FactsOf<Req>, Segments<Route>> & BrokenGet<FactsOf<Req>> : Route extends `${"POST" | "PUT" | "PATCH" | "DELETE"} /${string}` ? Fits<FactsOf<Req>, Segments<Route>, `body ${string}`> extends true ? unknown : Fits<FactsOf<Req>, Segments<Route>, `file ${string}`> extends true ? unknown : BrokenParams<FactsOf<Req>, Segments<Route>> & BrokenFiles<FactsOf<Req>> : Refused<"fw/const-route: a route needs a method and a path, such as GET /orders/{id}">;
/** `unknown` if the route of a Page matches its request; otherwise a type that states the rule. */
export type PageRules<Route extends string, Req> = string extends Route ? unknown : Route extends `GET /${string}` ? Fits<FactsOf<Req>, Segments<Route>, never> extends true ? unknown : BrokenParams<FactsOf<Req>, Segments<Route>> & BrokenPage<FactsOf<Req>> & BrokenGet<Exclude<FactsOf<Req>, `body ${string}`>> : Route extends `${"POST" | "PUT" | "PATCH" | "DELETE"} /${string}` ? Fits<FactsOf<Req>, Segments<Route>, `file ${string}`> extends true ? unknown : BrokenParams<FactsOf<Req>, Segments<Route>> & BrokenPage<FactsOf<Req>> & BrokenFiles<Exclude<FactsOf<Req>, `body ${string}`>> : Refused<"fw/const-route: a route needs a method and a path, such as GET /orders/{id}">;
/** The names after `Kind` in the facts. */
type NamesOf<Facts, Kind extends string> = Facts extends `${Kind} ${infer Name}` ? Name : never;
type BrokenParams<Facts, Params> = [Params] extends [Facts] ? [Exclude<NamesOf<Facts, "path">, NamesOf<Params, "path">>] extends [never] ? unknown : Refused<`fw/route-params: the route has no {${Exclude<NamesOf<Facts, "path">, NamesOf<Params, "path">>}}`> : Refused<`fw/route-params: {${NamesOf<Exclude<Params, Facts>, "path">}} has no Path field in the request`>;
type BrokenGet<Facts> = [NamesOf<Facts, "body">] extends [never] ? [NamesOf<Facts, "file" | "loose">] extends [never] ? unknown : Refused<`fw/blob-binding: a GET carries no file, such as ${NamesOf<Facts, "file" | "loose">}`> : Refused<`fw/body-on-get: ${NamesOf<Facts, "body">} would be read from a body, which a GET has not; mark it Query or Path`>;
type BrokenPage<Facts> = [NamesOf<Facts, "body">] extends [never] ? unknown : Refused<`fw/page-binding: ${NamesOf<Facts, "body">} would be read from a JSON body, which a page has not; mark it Path, Query or Form`>;
type BrokenFiles<Facts> = [NamesOf<Facts, "loose">] extends [never] ? [NamesOf<Facts, "file">] extends [never] ? unknown : [NamesOf<Facts, "body">] extends [never] ? unknown : Refused<`fw/blob-binding: beside a file every field is Path, Query or Form; mark ${NamesOf<Facts, "body">}`> : Refused<`fw/blob-binding: a file comes in a form; make ${NamesOf<Facts, "loose">} a Form<Blob>`>;
export {};

// run.d.ts
/** Information about a task, for the runner. */
export interface Run {
    /** The run's id, the same for all its tasks and attempts. */
    readonly id: string;
    /** The index of this task, 0 to `tasks` - 1. */
    readonly task: number;
    /** The number of tasks in the run. */
    readonly tasks: number;
    /** The number of this attempt, from 1. */
    readonly attempt: number;
}
/** Information about a task of a job with `history`. */
export interface RecordedRun extends Run {
    /**
     * Reports the completed share of this task, 0 to 1, with an optional note: `run.progress(0.4, "rows")`. It never
     * waits: fw records the latest report about once a second, less often if the run has several tasks. Throws for a
     * share outside 0 to 1.
     */
    progress(this: void, share: number, note?: string): void;
}

// runner.d.ts
import type { Context } from "./context.ts";
import type { JobDeclaration } from "./job.ts";
import type { Duration } from "./duration.ts";
import type { Run } from "./run.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";
/** Settings of a runner, written as a literal. */
export interface RunnerConfig extends Scaling<Refused<"fw/traffic: a Runner receives no requests; set tasks and timeout instead">> {
    /** The number of retries of a failed task: 0 to 10, 3 by default. */
    readonly attempts?: number;
    /** The number of parallel tasks in a run; 1 by default. */
    readonly tasks?: number;
    /** The deadline of one attempt of a task; 10 minutes by default. `ctx.signal` aborts when it passes. */
    readonly timeout?: Duration;
}
/** The result of `Runner`. */
export interface RunnerDeclaration<Args = never> {
}
/**
 * Declares a job's runner: `export const rebuildIndex = Runner(rebuild, async (ctx, args, run) => …, { tasks: 4 })`.
 */
export declare function Runner<Args, Task extends Run>(job: JobDeclaration<Args, Task>, handler: (ctx: Context, args: Args, run: Task) => void | Promise<unknown>, config?: RunnerConfig): RunnerDeclaration<Args>;

// scaling.d.ts
import type { Duration } from "./duration.ts";
/** The size and number of a service's instances. Set on a handler, it applies to the handler's whole service. */
export interface Scaling<Limits = Traffic> {
    /** The scaling profile: for ordinary requests (`"default"`), low latency (`"latency"`) or long work (`"batch"`). */
    readonly profile?: "default" | "latency" | "batch";
    readonly footprint?: Footprint;
    readonly traffic?: Limits;
}
/** The resources of one instance. Values that are not set follow from the profile and the other values. */
export interface Footprint {
    /** The number of CPUs: 0.08 to 1, 2, 4, 6 or 8. Below 1, an instance handles one request at a time. */
    readonly cpu?: number;
    /** The memory, `"128Mi"` to `"32Gi"`; the CPU determines the valid range. */
    readonly memory?: `${number}${"Mi" | "Gi"}`;
}
/** The number of instances, and how many requests each one handles concurrently. */
export interface Instances {
    /** The number of instances that run even without requests. */
    readonly minInstances?: number;
    readonly maxInstances?: number;
    /** The maximum number of concurrent requests per instance, 1 to 1000. */
    readonly concurrency?: number;
}
export interface Traffic extends Instances {
    /** The deadline of a request, `"1s"` to `"60m"`. `ctx.signal` aborts when it passes. */
    readonly timeout?: Duration;
}

// secret.d.ts
/**
 * A configuration value that is never committed. It is read from an environment variable, which `.env` sets in
 * development and the secret store in the cloud.
 */
export interface SecretDeclaration {
    /** The kind of declaration. */
    readonly kind: "secret";
    /** The name of the environment variable: `"MAIL_KEY"`. */
    readonly name: string;
    /** The value, fixed when the service starts. A service does not start unless all its secrets are set. */
    value(): string;
}
/** Returns the error message for a missing secret. */
export declare function unsetSecret(name: string): string;
/** Reads a secret and fixes its value. Returns undefined if it is unset or empty. */
export declare function fixSecret(name: string): string | undefined;
/** Sets a secret's value for this process. With undefined, the secret is read from the environment again. */
export declare function setSecret(name: string, value: string | undefined): void;
/** Stops reading secrets from the environment, so that only `setSecret` sets them. */
export declare function ignoreEnvironment(): void;
/** Declares a secret: `export const mailKey = Secret("MAIL_KEY")`. */
export declare function Secret(name: string): SecretDeclaration;

// seed.d.ts
import type { Context } from "./context.ts";
/** The result of `Seed`. */
export interface SeedDeclaration {
    /** The name, as used by `fw seed <name>`. */
    readonly name: string;
}
/**
 * Declares data for development and tests: `export const demo = Seed("demo", async (ctx) => { await orders.put(ctx, {
 * id: "o1", … }); })`. It runs once when `fw dev` starts with an empty store, on demand with `fw seed demo`, and in
 * tests with `app.seed(demo)`. Builds do not contain it.
 */
export declare function Seed(name: string, body: (ctx: Context) => void | Promise<unknown>): SeedDeclaration;

// service.d.ts
import type { Scaling } from "./scaling.ts";
/** Settings of a service, written as a literal. */
export interface ServiceConfig extends Scaling {
    /** A fully qualified host name, without scheme, port or path. */
    readonly domain?: string;
    /**
     * Origins allowed by CORS, exactly as browsers send them: `["https://app.example.com"]`. `"*"` allows every origin,
     * but without cookies.
     */
    readonly origins?: "*" | readonly string[];
    /** If true, requests from `origins` may use the session cookie. */
    readonly credentials?: boolean;
}
/** The result of `Service`. */
export interface ServiceDeclaration {
    /** The kind of declaration. */
    readonly kind: "service";
    /** The settings, as written. */
    readonly config: ServiceConfig;
    /** The declared domain, the same in every environment; "" if none is declared. */
    domain(): string;
}
/** Declares settings for the package's service. At most one per package. */
export declare function Service(config?: ServiceConfig): ServiceDeclaration;

// socket.d.ts
import type { ByteSize } from "./byte-size.ts";
import type { Context } from "./context.ts";
import type { PolicyDeclaration } from "./policy.ts";
import type { APIRules, PathParams, Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";
/** Settings of a socket, written as a literal. */
export interface SocketConfig<in Req = never> extends Scaling {
    /** If true, connections without a signed-in user get a 401 before the upgrade, and `ctx.user()` is available. */
    readonly signIn?: boolean;
    /** The policy that decides which signed-in users may connect; implies `signIn`. */
    readonly allow?: PolicyDeclaration<Req>;
    /** The maximum size of a message, such as `"1MB"`; 64 kB by default. */
    readonly maxBody?: ByteSize | Refused<'fw/max-body: a size literal from "1B" to "32MB"'>;
}
/** One client's connection. Iterate over it to receive messages, each decoded and validated. */
export interface Connection<In, Out> extends AsyncIterable<In> {
    /**
     * Sends a message. Resolves with true once it is buffered, or with false if the connection has ended. It waits only
     * while the buffer is full, so a slow client does not delay others. fw disconnects clients that do not read.
     */
    send(message: Out): Promise<boolean>;
    /** Closes the connection with code 1000 or an application code, 4000 to 4999, and a reason of at most 123 bytes. */
    close(code?: number, reason?: string): void;
}
/** `(ctx, request, socket) => …`. The connection closes when the function returns. */
export type SocketHandler<Req, In, Out> = (ctx: Context, request: Req, socket: Connection<In, Out>) => void | Promise<void>;
/** The result of `Socket`. */
export interface SocketDeclaration<in Req = never, In = unknown, Out = unknown> {
}
/**
 * Declares a WebSocket with typed messages: `Socket("GET /rooms/{id}", async (ctx, { id }: { id: Path }, socket:
 * Connection<Said, Heard>) => { for await (const said of socket) … })`. fw checks the gates and the page's origin
 * before it accepts the connection.
 */
export declare function Socket<const Route extends string, Req = PathParams<Route>, In = unknown, Out = unknown>(route: Route & SocketRules<Route, NoInfer<Req>>, handler: SocketHandler<Req, In, Out>, config?: SocketConfig<NoInfer<Req>>): SocketDeclaration<Req, In, Out>;
/** `unknown` if the route matches the request; otherwise a type that states the rule. */
type SocketRules<Route extends string, Req> = string extends Route ? unknown : Route extends `GET /${string}` ? APIRules<Route, Req> : Refused<"fw/const-route: a socket route must be a GET, such as GET /rooms/{id}">;
export {};

// singleton.d.ts
import type { Context } from "./context.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";
/** Settings of a singleton, written as a literal. */
export interface SingletonConfig extends Scaling<{
    readonly maxInstances?: Refused<"fw/singleton-max: a singleton always has one running instance">;
}> {
}
/** The result of `Singleton`. */
export interface SingletonDeclaration {
    /** The name, as it appears in log lines. */
    readonly name: string;
}
/**
 * Declares a function that runs in one instance of the service at a time, for as long as the service runs: `export
 * const relay = Singleton("relay", async (ctx) => { while (!ctx.signal.aborted) … })`. If it returns or throws, it
 * restarts with exponential backoff.
 */
export declare function Singleton(name: string, body: (ctx: Context) => void | Promise<unknown>, config?: SingletonConfig): SingletonDeclaration;

// site.d.ts
import type { Context } from "./context.ts";
import type { HTML } from "./html.ts";
/** Settings of a site, written as a literal. */
export interface SiteConfig {
    /**
     * A shell command that builds the directory `out`, which is the site's directory or contains it. The command runs in
     * the package's directory, and `out` is relative to that directory.
     */
    readonly build?: {
        readonly command: string;
        readonly out: string;
    };
    /** Permanent redirects (301) from old paths to new ones: `{ "/old-prices": "/prices" }`. */
    readonly redirects?: Readonly<Record<string, string>>;
    /**
     * Turns off sanitizing of markdown and of `{{{html}}}` in templates. Use it only for content that never comes from
     * users.
     */
    readonly trustedHTML?: boolean;
    /** The template for unknown URLs and for pages that throw `NotFound`. */
    readonly notFound?: string;
    /** The default language, for users whose language has no file in `templates/messages/`. */
    readonly language?: string;
    /**
     * The file of the site to serve to browsers for paths that match nothing else, such as the `index.html` of an app
     * with client-side routing.
     */
    readonly fallback?: string;
}
/** Options of `site.render` and `site.fragment`. */
export interface RenderOptions {
    /** The language of the page, such as the language of the user's account. By default, the request determines it. */
    readonly language?: string | undefined;
}
/** The result of `Site`. */
export interface SiteDeclaration {
    /** The kind of declaration. */
    readonly kind: "site";
    /** The directory, as written. */
    readonly dir: string;
    /** The settings, as written. */
    readonly config: SiteConfig;
    /** Renders a whole document: the template inside `templates/layout.html`. */
    render(ctx: Context, template: string, data?: unknown, options?: RenderOptions): HTML;
    /** Renders the template alone, for partial requests. */
    fragment(ctx: Context, template: string, data?: unknown, options?: RenderOptions): HTML;
    /** Converts markdown to sanitized HTML. A page can return it; templates insert it without escaping. */
    markdown(ctx: Context, text: string): HTML;
}
/** Declares a directory of static files, with page templates in `templates/`. At most one per package. */
export declare function Site(dir: string, config?: SiteConfig): SiteDeclaration;
/**
 * Sets a message for the next page in this browser, usually before a redirect: `flash(ctx, "Saved.")`. A template shows
 * it once, with `{{@flash}}`.
 */
export declare function flash(ctx: Context, message: string): void;
/** The part of the Host that renders templates. */
export interface SiteHost {
    render(ctx: Context, site: SiteDeclaration, template: string, data: unknown, options?: RenderOptions): HTML;
    fragment(ctx: Context, site: SiteDeclaration, template: string, data: unknown, options?: RenderOptions): HTML;
    markdown(ctx: Context, site: SiteDeclaration, text: string): HTML;
    flash(ctx: Context, message: string): void;
}

// status.d.ts
import type { Context } from "./context.ts";
import type { HTML } from "./html.ts";
/** The error that a `StatusPage` renders. */
export interface Status {
    /** The HTTP status. */
    readonly code: number;
    /** The name of the policy that refused the request; "" if no policy did. */
    readonly policy: string;
    /** The public error message from the handler or the framework. */
    readonly message: string;
}
/** The result of `StatusPage`. */
export interface StatusPageDeclaration {
    /** The kind of declaration. */
    readonly kind: "status";
    /** Renders an error page, which is sent with the error's status. */
    readonly handler: (ctx: Context, status: Status) => HTML | Promise<HTML>;
}
/**
 * Declares how the error responses of a package's pages are rendered; without it, they are plain text. It renders no
 * 404 if the Site has a `notFound` template, and no responses to htmx. It must be exported; at most one per package.
 */
export declare function StatusPage(handler: StatusPageDeclaration["handler"]): StatusPageDeclaration;

// subscribe.d.ts
import type { MessageHandler, TopicDelivery } from "./delivery.ts";
import type { EventSource } from "./event.ts";
/** The result of `Subscribe`. */
export interface SubscribeDeclaration<Event = never> {
}
/**
 * Declares a handler for events of a topic, `bucket.uploaded`, `auth.registered`, `auth.firstSignIn`, `auth.mail`, or
 * the dead letters of a queue or topic: `export const thumbnail = Subscribe(photos.uploaded, async (ctx, info) => …)`.
 */
export declare function Subscribe<Event>(source: EventSource<Event>, handler: MessageHandler<Event>, delivery?: TopicDelivery): SubscribeDeclaration<Event>;

// token.d.ts
import type { Context } from "./context.ts";
import type { Duration } from "./duration.ts";
import type { RoleDeclaration } from "./role.ts";
import type { User } from "./user.ts";
/** The account that owns the token. */
type Owner = Pick<User, "id" | "provider">;
/** Options for a new access token. */
export interface NewToken {
    /** A label for the owner, 1 to 100 characters. */
    readonly name: string;
    /** The lifetime, such as `"90d"`, or `"never"` for a token that stays valid until revoked. */
    readonly expires: Duration | "never";
    /** The token's roles; by default, all roles of its owner. A role applies only while the owner has it. */
    readonly roles?: readonly RoleDeclaration[];
}
/** An access token without its secret. */
export interface AccessToken {
    /** The id to revoke it by. */
    readonly id: string;
    readonly name: string;
    readonly created: Date;
    /** The expiry time; absent if it does not expire. */
    readonly expires?: Date;
    /** The names of the token's roles; absent if it has all of its owner's roles. */
    readonly roles?: string[];
}
/** A new access token with its secret, sent as `Authorization: Bearer <secret>`. The secret cannot be read again. */
export interface CreatedToken extends AccessToken {
    readonly secret: string;
}
/** Manages access tokens. */
export interface Tokens {
    /**
     * Creates a token for an account. If a token authenticates the request, the new one has only roles of that token and
     * expires no later. Throws `NotFound` for an unknown or disabled account.
     */
    create(ctx: Context, user: Owner, token: NewToken): Promise<CreatedToken>;
    /** Lists an account's valid tokens, newest first. */
    list(ctx: Context, user: Owner): Promise<AccessToken[]>;
    /** Revokes a token of the account immediately. Throws `NotFound` if the account has no such token. */
    revoke(ctx: Context, user: Owner, id: string): Promise<void>;
}
/** The part of the Host that manages access tokens. */
export interface TokenHost {
    readonly tokens: Tokens;
}
/** The tokens of an Auth with `tokens: true`. */
export declare const tokens: Tokens;
export {};

// tenant.d.ts
import type { Context } from "./context.ts";
import type { User } from "./user.ts";
/** The tenant of a context, with its user's membership. */
export interface Tenancy<Member extends object = object> {
    /** The id of the tenant. */
    readonly id: string;
    /** The membership that `Tenant`'s function returned. Throws in work that no member requested, such as a worker's. */
    readonly member: Member;
}
/** Customers, teams or organizations that share the application but must not see each other's data. */
export interface TenantDeclaration<Member extends object = object, in Req = never> {
    /**
     * Returns a context inside a tenant, for work that no member requested: in a worker, a cron, or a route for
     * operators. It does not check membership.
     */
    as(ctx: Context, id: string): Context;
    /** Returns a context inside a tenant of the signed-in user; throws a 403 if the user is not a member. */
    enter(ctx: Context, id: string): Promise<Context>;
}
/** Finds a user's membership; undefined if the user is not a member. */
export type FindMember<Member extends object, Req> = (ctx: Context, user: User, request: Req) => Member | undefined | Promise<Member | undefined>;
/**
 * Declares the application's tenants: `export const orgs = Tenant("orgs", (ctx, user, { org }: { org: Path }) =>
 * memberships.find(ctx, `${org}:${user.id}`))`. The third parameter has one bound field, the tenant's id; the function
 * returns the user's membership, or undefined. Entities, buckets, queues and other data with `{ tenant: orgs }` are
 * separate for each tenant.
 */
export declare function Tenant<Member extends object, Req>(name: string, membership: FindMember<Member, Req>): TenantDeclaration<Member, Req>;
/** The tenant setting of data: a `Tenant`, or `"shared"` for data that belongs to no tenant. */
export interface TenantSetting {
    /** The `Tenant` that separates the data, or `"shared"` for data shared by all tenants. */
    readonly tenant?: TenantDeclaration | "shared";
}
/** The operations of tenants, as the runtime implements them. */
export interface TenantOperations {
    as(ctx: Context, tenant: TenantDeclaration, id: string): Context;
    enter(ctx: Context, tenant: TenantDeclaration, id: string): Promise<Context>;
    current(ctx: Context, tenant: TenantDeclaration): Tenancy;
}
/** The part of the Host that implements tenants. */
export interface TenantHost {
    readonly tenants: TenantOperations;
}

// topic.d.ts
import type { Context } from "./context.ts";
import type { Evolution, OldMessage } from "./evolution.ts";
import type { DeadLetter } from "./delivery.ts";
import { type EventSource } from "./event.ts";
import type { TenantSetting } from "./tenant.ts";
/** A stream of events of one type, for any number of subscribers. */
export interface TopicDeclaration<in out Event = never> extends EventSource<Event> {
    /**
     * Publishes an event of at most 256 KiB of JSON and resolves with its id. Each subscriber receives it at least once.
     * Inside a transaction, the event is published if and only if the transaction commits.
     */
    publish(ctx: Context, event: Event): Promise<string>;
    /** The dead letters: events that a subscriber failed to handle in all attempts. */
    readonly dead: EventSource<DeadLetter<Event>>;
}
/**
 * Declares a topic: `export const orderPlaced = Topic<OrderPlaced>("order-placed")`. Every `Subscribe` receives each
 * event.
 */
export declare function Topic<Event>(name: string, evolution?: Evolution<Event, OldMessage> & TenantSetting): TopicDeclaration<Event>;
/** The part of the Host that publishes events. `publish` resolves with the event's id. */
export interface TopicHost {
    readonly messages: {
        publish(ctx: Context, topic: TopicDeclaration, event: unknown): Promise<string>;
    };
}

// user.d.ts
import type { RoleDeclaration } from "./role.ts";
/** A signed-in user, or an account. */
export interface User {
    /** The account's opaque id, never reused; without an account, the id from the Authenticator. */
    readonly id: string;
    /** The email address; "" if an Authenticator returned none. */
    readonly email: string;
    /** The display name; "" if none is known. */
    readonly name: string;
    /**
     * The provider of the session, or the provider that the account signs in with; `other` if an Authenticator identified
     * a user without an account.
     */
    readonly provider: "social" | "email" | "other";
    /**
     * True if the provider has verified the email address, or the user has followed a link that fw sent to it. Always
     * true for the social provider.
     */
    readonly emailVerified: boolean;
    /** The names of the user's roles, sorted. */
    readonly roles: readonly string[];
    /** True if the user has the role. */
    hasRole(role: RoleDeclaration): boolean;
}

// worker.d.ts
import type { MessageHandler, QueueDelivery } from "./delivery.ts";
import type { QueueDeclaration } from "./queue.ts";
/** The result of `Worker`. */
export interface WorkerDeclaration<Message = never> {
}
/** Declares a queue's handler: `export const sendEmail = Worker(emails, async (ctx, email) => …)`. One per queue. */
export declare function Worker<Message>(queue: QueueDeclaration<Message>, handler: MessageHandler<Message>, delivery?: QueueDelivery): WorkerDeclaration<Message>;
