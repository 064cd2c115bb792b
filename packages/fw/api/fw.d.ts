// index.d.ts
/// <reference types="node" preserve="true" />
export { Alert, absent, percentile, rate, ratio, type AlertConfig, type AlertDeclaration, type Condition, type Measure, type RequestLabels, type StatusClass, } from "./alert.ts";
export { API } from "./api.ts";
export { Auth, type AuthConfig, type AuthDeclaration, type NewUser, type UserList, type UserPage, type Users, } from "./auth.ts";
export { Authenticator, type Authenticated, type AuthenticatorDeclaration, type AuthenticatorHandler, } from "./authenticator.ts";
export type { Body, Cookie, Form, Header, ID, Index, Indexable, Int, Int64, Json, Path, Query, Transient, Unique, Email, Max, MaxItems, MaxLength, Min, MinItems, MinLength, Pattern, Url, } from "./binding.ts";
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
export { Entity, transaction, type EntityDeclaration, type New, type Stored, type Written } from "./entity.ts";
export type { EntityPage, EntityQuery, Operator } from "./entity-query.ts";
export { Deny, Errorf, NotFound, isDenied, isEmailTaken, isNotFound, isTaken, type StatusError } from "./errors.ts";
export type { EventSource } from "./event.ts";
export { event, events, type EventData, type EventOptions, type Events, type EventsOptions, type ServerEvent, } from "./events.ts";
export type { HTML } from "./html.ts";
export { Job, type JobDeclaration } from "./job.ts";
export { Counter, Histogram, type CounterDeclaration, type HistogramDeclaration } from "./metric.ts";
export { Mount, type MountConfig, type MountDeclaration, type MountHandler } from "./mount.ts";
export { Page, type PageResult } from "./page.ts";
export { Policy, RequireRole, type PolicyDeclaration, type Verdict } from "./policy.ts";
export { Queue, type QueueDeclaration, type SendOptions } from "./queue.ts";
export type { Raw } from "./raw.ts";
export { Redirect, RedirectPermanent, type Redirection } from "./redirect.ts";
export { Role, type RoleDeclaration } from "./role.ts";
export { reply, type CookieSetting, type Reply, type ReplyOptions, type ReplyStatus } from "./reply.ts";
export type { RouteConfig } from "./route-config.ts";
export type { PathParams } from "./route-rules.ts";
export { Runner, type Run, type RunnerConfig, type RunnerDeclaration } from "./runner.ts";
export type { Footprint, Instances, Scaling, Traffic } from "./scaling.ts";
export { Secret, type SecretDeclaration } from "./secret.ts";
export { Service, type ServiceConfig, type ServiceDeclaration } from "./service.ts";
export { Socket, type Connection, type SocketConfig, type SocketDeclaration, type SocketHandler } from "./socket.ts";
export { Singleton, type SingletonConfig, type SingletonDeclaration } from "./singleton.ts";
export { Site, type SiteConfig, type SiteDeclaration } from "./site.ts";
export { StatusPage, type Status, type StatusPageDeclaration } from "./status.ts";
export { Subscribe, type SubscribeDeclaration } from "./subscribe.ts";
export type { AccessToken, CreatedToken, NewToken, Tokens } from "./token.ts";
export { Topic, type TopicDeclaration } from "./topic.ts";
export type { User } from "./user.ts";
export { Worker, type WorkerDeclaration } from "./worker.ts";

// alert.d.ts
import type { StatusClass } from "../lib/alert-rule.ts";
import type { ChannelDeclaration } from "./channel.ts";
import type { EndpointDeclaration } from "./endpoint.ts";
import type { CounterDeclaration, HistogramDeclaration } from "./metric.ts";
import type { Duration } from "./duration.ts";
/** When an alert fires, as `rate`, `ratio`, `percentile` and `absent` make it. */
export interface Condition {
}
/** A number that an alert looks at, to be compared. */
export interface Measure {
    /** Holds while the number is greater. */
    above(threshold: number): Condition;
    /** Holds while the number is less. */
    below(threshold: number): Condition;
}
export type { StatusClass };
/** The labels of an endpoint's requests. */
export interface RequestLabels {
    readonly status?: StatusClass;
}
type Metric = CounterDeclaration | HistogramDeclaration;
/** What a counter is added a second, how often a histogram observes, or how many requests an endpoint answers: `rate(signUp).above(50)`. */
export declare function rate(subject: EndpointDeclaration, labels?: RequestLabels): Measure;
export declare function rate(subject: Metric): Measure;
/** The share of an endpoint's answers that are of a class, `ratio(placeOrder, "5xx").above(0.02)`; or what one counter is of another. */
export declare function ratio(subject: EndpointDeclaration, status: StatusClass): Measure;
export declare function ratio(part: CounterDeclaration, whole: CounterDeclaration): Measure;
/**
 * The value that a share of all values is not above: `percentile(uploadBytes, 0.95).above(100_000)`. Of an endpoint, how long its
 * answers take, in milliseconds.
 */
export declare function percentile(_subject: EndpointDeclaration | HistogramDeclaration, quantile: number): Measure;
/** Nothing happened: no request of an endpoint, nothing counted or observed. */
export declare function absent(subject: EndpointDeclaration, labels?: RequestLabels): Condition;
export declare function absent(subject: Metric): Condition;
/** Settings of an alert, written as a literal. */
export interface AlertConfig {
    /** When it fires. */
    readonly if: Condition;
    /** The window that the condition looks back on, `"1m"` to `"25h"`. */
    readonly every: Duration;
    /** How long the condition has to hold, at most `"24h"`; at once by default. */
    readonly for?: Duration;
    /** Who is told. */
    readonly notify: readonly [ChannelDeclaration, ...ChannelDeclaration[]];
}
/** What `Alert` makes. */
export interface AlertDeclaration {
    /** Its name. */
    readonly name: string;
}
/**
 * Tells people when something is wrong: `export const orderErrors = Alert("order-errors", { if: ratio(placeOrder, "5xx").above(0.02),
 * every: "5m", for: "10m", notify: [oncall] })`.
 */
export declare function Alert(name: string, config: AlertConfig): AlertDeclaration;

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

// auth.d.ts
import type { Context } from "./context.ts";
import { type EventSource } from "./event.ts";
import type { RoleDeclaration } from "./role.ts";
import type { Refused } from "./route-rules.ts";
import { type Tokens } from "./token.ts";
import type { User } from "./user.ts";
/** The providers that sessions may come from; at least one is true. */
export interface AuthConfig {
    /** The social provider. */
    readonly social?: boolean;
    /** An address and a password, the provider `email`. */
    readonly password?: boolean;
    /** Access tokens, beside sessions: `Authorization: Bearer`. */
    readonly tokens?: boolean;
}
/** `unknown` where a provider may be declared, and nothing beside providers. */
type AuthRules<Config> = true extends SettingOf<Config, "social"> | SettingOf<Config, "password"> ? {
    readonly [Name in Exclude<keyof Config, keyof AuthConfig>]: never;
} : Refused<"fw/auth-provider: sessions come from a provider: write social: true, password: true, or both">;
type SettingOf<Config, Name extends string> = Config extends Readonly<Record<Name, infer Value>> ? Value : never;
/** The tokens of an Auth that declares them. */
type TokensOf<Config> = true extends SettingOf<Config, "tokens"> ? Tokens : Refused<"this Auth has no access tokens: write tokens: true">;
/** What `Auth` makes: the accounts, and what happens to them. */
export interface AuthDeclaration<AccessTokens = unknown> {
    readonly kind: "auth";
    /** The accounts. */
    readonly users: Users;
    /** Access tokens, where `tokens: true` declares them. */
    readonly tokens: AccessTokens;
    /** An account was made by `users.create`. */
    readonly registered: EventSource<User>;
    /** A session was made for somebody never seen before. */
    readonly firstSignIn: EventSource<User>;
}
/** What an account is made of. One address is one account. */
export interface NewUser {
    /** Their address, which signs them in. */
    readonly email: string;
    /** What they are called; "" by default. */
    readonly name?: string;
    /** Usually absent: an account that signs in with the social provider has none. */
    readonly password?: string;
}
/** A page of accounts. */
export interface UserPage {
    /** In the order of the listing. */
    readonly users: User[];
    /** The cursor of the following page; absent on the last. */
    readonly next?: string;
}
/** A listing of accounts, not yet read. */
export interface UserList {
    /** So many a page, 1 to 1,000; 20 by default. */
    limit(count: number): UserList;
    /** Reads a page. Without a cursor, or with an empty one, the first. */
    page(cursor?: string): Promise<UserPage>;
}
/** Account management. An unknown account is NotFound. */
export interface Users {
    /** Makes an account, whose `registered` event follows. Fails where `isEmailTaken(error)` when the address has one. */
    create(ctx: Context, user: NewUser): Promise<User>;
    /** The account with this id. */
    get(ctx: Context, id: string): Promise<User>;
    /** The account of this address, however its letters are written. */
    byEmail(ctx: Context, email: string): Promise<User>;
    /** All accounts, a page at a time. */
    list(ctx: Context): UserList;
    /** Adds a role. Sessions of the account have it on their next request. */
    grant(ctx: Context, id: string, role: RoleDeclaration): Promise<void>;
    /** Removes a role. Sessions of the account lose it on their next request. */
    revoke(ctx: Context, id: string, role: RoleDeclaration): Promise<void>;
    /** Refuses sign-in and ends the account's sessions; keeps the record. */
    disable(ctx: Context, id: string): Promise<void>;
    /** Allows sign-in again. */
    enable(ctx: Context, id: string): Promise<void>;
    /** Removes the account for good and ends its sessions. */
    delete(ctx: Context, id: string): Promise<void>;
}
/** Declares who may sign in: `export const auth = Auth({ social: true, password: true })`. */
export declare function Auth<const Config extends AuthConfig>(config: Config & AuthRules<Config>): AuthDeclaration<TokensOf<Config>>;
/** What account management asks of the runtime. */
export interface UserOperations extends Omit<Users, "list"> {
    /** "" is the first page's cursor. */
    page(ctx: Context, limit: number, cursor: string): Promise<UserPage>;
}
/** What it asks of the runtime, as part of the Host. */
export interface UserHost {
    readonly users: UserOperations;
}
export {};

// authenticator.d.ts
import type { Context } from "./context.ts";
import type { RoleDeclaration } from "./role.ts";
/** Who an authenticator says that somebody is: a User of `auth.users`, or what is known of somebody who has no account here. */
export interface Authenticated {
    /** Theirs alone, also among the accounts of this application where it has some: `partner:acme`. */
    readonly id: string;
    /** Their address; "" where it is not known. */
    readonly email?: string;
    /** What they are called; "" where that is not known. */
    readonly name?: string;
    /** Whether somebody vouches for the address. */
    readonly emailVerified?: boolean;
    /** The roles that they have, or names of some. */
    readonly roles?: readonly (RoleDeclaration | string)[];
}
/** `(ctx, credentials) => who that is`; undefined for credentials of nobody. */
export type AuthenticatorHandler<Credentials> = (ctx: Context, credentials: Credentials) => Authenticated | undefined | Promise<Authenticated | undefined>;
/** What `Authenticator` makes. */
export interface AuthenticatorDeclaration<in Credentials = never> {
    /** Tells it from other declarations. */
    readonly kind: "authenticator";
}
/**
 * Declares how credentials that are not this application's say who sends a request: `Authenticator((ctx, { key }: { key:
 * Header<string, "X-Api-Key"> }) => partnerOf(key))`. Who they are counts in every service, as a session's user does.
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
declare const minLength: unique symbol;
declare const maxLength: unique symbol;
declare const pattern: unique symbol;
declare const email: unique symbol;
declare const url: unique symbol;
declare const min: unique symbol;
declare const max: unique symbol;
declare const minItems: unique symbol;
declare const maxItems: unique symbol;
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
/** The field that names an entity's document: a string, one a type. `create` makes it where it is left out. */
export type ID = string & {
    readonly [id]?: never;
};
/** What an index can hold. */
export type Indexable = string | number | bigint | boolean | Date;
/**
 * A field that queries may filter and order by: `status: Index<"open" | "paid">`. `Index<string[]>` has an entry for each
 * element, and `where(field, "contains", element)` finds it.
 */
export type Index<T extends Indexable | readonly Indexable[]> = T & {
    readonly [index]?: T;
};
/**
 * An `Index` field of which a value is one document's: `email: Unique<string>`. A write that would give a document another's value is
 * refused with a 409, for which `isTaken(error)` is true; `null` is anybody's.
 */
export type Unique<T extends Indexable> = T & {
    readonly [index]?: T;
} & {
    readonly [unique]?: never;
};
/** A field that is kept out of the stored document, and so is absent from what comes back. */
export type Transient<T> = T & {
    readonly [transient]?: never;
};
/** Name of the `ID` field of an entity's type. */
export type IDKey<T> = KeyMarked<T, typeof id>;
/** Names of the `Index` fields of an entity's type. */
type IndexKey<T> = KeyMarked<T, typeof index>;
/** Names of the `Transient` fields of an entity's type. */
export type TransientKey<T> = KeyMarked<T, typeof transient>;
type KeyMarked<T, Mark extends symbol> = {
    [P in keyof T]-?: [NonNullable<T[P]>] extends [never] ? never : Mark extends keyof NonNullable<T[P]> ? P : never;
}[keyof T] & string;
/** What an `Index` field holds, without its mark. */
type IndexValue<V> = typeof index extends keyof NonNullable<V> ? NonNullable<NonNullable<V>[typeof index]> | Extract<V, null> : never;
/** Names of the fields that queries may name: `Index` fields, and the id. */
export type QueryKey<T> = IndexKey<T> | IDKey<T>;
/** What queries compare such a field with. */
export type QueryValue<V> = typeof id extends keyof NonNullable<V> ? string : IndexValue<V>;
/** A text of at least so many characters: `string & MinLength<1>`. */
export type MinLength<Characters extends number> = {
    readonly [minLength]?: Characters;
};
/** A text of at most so many characters: `string & MaxLength<200>`. */
export type MaxLength<Characters extends number> = {
    readonly [maxLength]?: Characters;
};
/**
 * A text that is wholly of a regular expression: `string & Pattern<"[a-z0-9]+(?:-[a-z0-9]+)*">`. It is matched in one pass; what
 * cannot be, such as a look-ahead or a reference to a group, is refused before anything runs.
 */
export type Pattern<Expression extends string> = {
    readonly [pattern]?: Expression;
};
/** A text that is an email address, as forms of browsers take them: `string & Email`. */
export type Email = {
    readonly [email]?: never;
};
/** A text that is a URL of the web: `string & Url`. */
export type Url = {
    readonly [url]?: never;
};
/** A number from this one on: `Int & Min<1>`. */
export type Min<Least extends number> = {
    readonly [min]?: Least;
};
/** A number up to this one: `Int & Max<100>`. */
export type Max<Most extends number> = {
    readonly [max]?: Most;
};
/** A list of at least so many items: `string[] & MinItems<1>`. */
export type MinItems<Items extends number> = {
    readonly [minItems]?: Items;
};
/** A list of at most so many items: `string[] & MaxItems<20>`. */
export type MaxItems<Items extends number> = {
    readonly [maxItems]?: Items;
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
 * A header of the request: `signature: Header<string, "X-Signature">`. `Header<string[]>` receives every element of a
 * comma-separated one.
 */
export type Header<T extends Scalar | string[] = string, Name extends string = ""> = T & {
    readonly [header]?: Name;
};
/** A cookie of the application's own: `theme?: Cookie<"light" | "dark">`. */
export type Cookie<T extends Scalar = string, Name extends string = ""> = T & {
    readonly [cookie]?: Name;
};
/**
 * The whole JSON body in one field: `events: Body<Event[]>`, a list, a union or a single value. No other field is read from
 * the body beside it.
 */
export type Body<T> = (T & {
    readonly [body]?: never;
}) | Extract<T, null>;
/**
 * What a field `P` of type `F` asks of its route: `path <name>`, `file <field>` in a form, `loose <field>` for a file
 * elsewhere, `body <field>`, or nothing for another bound field, and for one that must be absent. A type without
 * members fits any marker, hence the test for a scalar.
 */
export type FieldFact<F, P extends string> = [F] extends [never] ? never : [NonNullable<F>] extends [never] ? `body ${P}` : MarkedFact<NonNullable<F>, P>;
type MarkedFact<F, P extends string> = [F] extends [{
    readonly [path]?: infer Name;
}] ? [F] extends [Scalar] ? `path ${NonNullable<Name> extends "" ? P : NonNullable<Name> & string}` : `body ${P}` : [F] extends [{
    readonly [query]?: unknown;
} | {
    readonly [header]?: unknown;
} | {
    readonly [cookie]?: unknown;
}] ? never : [F] extends [{
    readonly [form]?: unknown;
}] ? [F] extends [Blob] ? `file ${P}` : never : [F] extends [Blob] ? `loose ${P}` : `body ${P}`;
export {};

// blob.d.ts
/** Bytes with a type: the platform's own `Blob` and `File` fit. */
export interface Blob {
    /** The bytes, from their beginning. */
    stream(): ReadableStream<Uint8Array>;
    /** Content type; "" when unknown. */
    readonly type: string;
    /** Bytes, when known. */
    readonly size?: number;
    /** Strong validator, bare: the header quotes it. */
    readonly etag?: string;
    /**
     * The name that whoever gets it saves it under; of an uploaded file, the one it had on the client's disk, without a
     * path.
     */
    readonly name?: string;
    /** True: a browser saves it and shows nothing. */
    readonly download?: boolean;
}
/** What is known of bytes that become a Blob. */
export interface BlobOptions {
    /** The content type: `"image/png"`. */
    readonly type: string;
    /** Bytes; to be given for a stream, where it is known. */
    readonly size?: number;
    /** Strong validator, bare: `abc`, not `"abc"`. */
    readonly etag?: string;
    /** The name that whoever gets it saves it under: `"Bericht für März.csv"`. */
    readonly name?: string;
    /** True: a browser saves it and shows nothing. */
    readonly download?: boolean;
}
/** Builds a Blob from bytes, text or a stream. The size is known unless a stream is given without one. */
export declare function blob(content: Uint8Array | string | ReadableStream<Uint8Array>, options: BlobOptions): Blob;

// byte-size.d.ts
/** A number of bytes written as a literal, in units of 1,024: `"512KB"`, `"10MB"`. */
export type ByteSize = `${number}${"B" | "KB" | "MB" | "GB"}`;

// bucket.d.ts
import type { Blob } from "./blob.ts";
import type { Context } from "./context.ts";
import { type EventSource } from "./event.ts";
/** What is known of an object of a bucket. */
export interface ObjectInfo {
    /** The name under which it is kept. */
    readonly key: string;
    /** Bytes. */
    readonly size: number;
    /** Its media type, as it was put. */
    readonly contentType: string;
    /** When it was written. */
    readonly updated: Date;
}
/** What an upload by signed URL may be; enforced while it comes in. */
export interface PutPolicy {
    /** Bytes. */
    readonly maxSize?: number;
    /** A media type, or one with a trailing wildcard such as `image/*`. */
    readonly contentType?: string;
}
/** A request that a browser can make by itself. */
export interface SignedURL {
    /** Where the request goes: an absolute URL, or a path of the application. */
    readonly url: string;
    /** Headers that the request must carry. */
    readonly headers: Readonly<Record<string, string>>;
}
/**
 * Objects by key. A key is 1 to 1,024 bytes without control characters; another one is a 400. A write is whole: a
 * reader sees the object before it or after it. It takes no part in a transaction: inside of one it is made at once, for good.
 */
export interface BucketDeclaration {
    /** The object, with its type, size and ETag; a miss is NotFound. Read its stream, or return it. */
    get(ctx: Context, key: string): Promise<Blob>;
    /** Writes the object from a Blob, File or `blob(…)`. */
    put(ctx: Context, key: string, content: Blob): Promise<ObjectInfo>;
    /** Removes the object; does nothing where there is none. */
    delete(ctx: Context, key: string): Promise<void>;
    /** Whether there is an object. */
    exists(ctx: Context, key: string): Promise<boolean>;
    /** The objects whose keys begin with `prefix` (all by default), in key order. */
    list(ctx: Context, prefix?: string): AsyncIterable<ObjectInfo>;
    /**
     * A URL that a browser PUTs to directly, for a lifetime such as `"10m"`, 7 days at most. 413 beyond `maxSize`, 415 for
     * another type, 403 once it has expired.
     */
    signedPut(ctx: Context, key: string, lifetime: string, policy?: PutPolicy): Promise<SignedURL>;
    /** A URL that downloads the object, for a lifetime such as `"10m"`, 7 days at most. */
    signedGet(ctx: Context, key: string, lifetime: string): Promise<SignedURL>;
    /** Told of every successful write, also those by signed URL. */
    readonly uploaded: EventSource<ObjectInfo>;
}
/** Declares an object store: `export const photos = Bucket("photos")`. */
export declare function Bucket(name: string): BucketDeclaration;
/** What a bucket's declaration asks of the runtime. */
export interface BucketOperations {
    get(ctx: Context, bucket: BucketDeclaration, key: string): Promise<Blob>;
    put(ctx: Context, bucket: BucketDeclaration, key: string, content: Blob): Promise<ObjectInfo>;
    delete(ctx: Context, bucket: BucketDeclaration, key: string): Promise<void>;
    exists(ctx: Context, bucket: BucketDeclaration, key: string): Promise<boolean>;
    list(ctx: Context, bucket: BucketDeclaration, prefix: string): AsyncIterable<ObjectInfo>;
    signedPut(ctx: Context, bucket: BucketDeclaration, key: string, lifetime: string, policy: PutPolicy): Promise<SignedURL>;
    signedGet(ctx: Context, bucket: BucketDeclaration, key: string, lifetime: string): Promise<SignedURL>;
}
/** What it asks of the runtime, as part of the Host. */
export interface BucketHost {
    readonly buckets: BucketOperations;
}

// checked.d.ts
/** What zod, valibot, arktype and others make: a schema of https://standardschema.dev. */
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
/** What is given to a schema: `order: Body<SchemaInput<typeof NewOrder>>`. */
export type SchemaInput<S extends StandardSchema> = SchemaTypes<S>["input"];
/** What a schema makes of it. */
export type SchemaOutput<S extends StandardSchema> = SchemaTypes<S>["output"];
/**
 * What a schema makes of a value: `const order = await checked(NewOrder, req.order)`. A value that it does not take is a 400 with all
 * that is wrong in its `details.problems`, as of a request that misses its types. `at` says where the value was: `body`, `query limit`.
 */
export declare function checked<S extends StandardSchema>(schema: S, value: SchemaInput<S>, at?: string): Promise<SchemaOutput<S>>;
export {};

// channel.d.ts
import type { SecretDeclaration } from "./secret.ts";
/** An address, or a secret that holds the URL to post to. */
export type ChannelTarget = {
    readonly email: string;
    readonly webhook?: undefined;
} | {
    readonly webhook: SecretDeclaration;
    readonly email?: undefined;
};
/** What `Channel` makes. */
export interface ChannelDeclaration {
    /** Its name. */
    readonly name: string;
}
/** Who is told of alerts: `export const oncall = Channel("oncall", { email: "oncall@example.com" })`. */
export declare function Channel(name: string, target: ChannelTarget): ChannelDeclaration;

// context.d.ts
import type { User } from "./user.ts";
/** Where a request came from. The zero Client (two empty strings) outside of requests. */
export interface Client {
    /** The address that the request came from: IPv4 or IPv6 text. */
    readonly ip: string;
    /** The header `User-Agent`; "" without one. */
    readonly userAgent: string;
}
/** What htmx says of a request; nothing but `false` and "" where htmx did not send it. */
export interface HTMX {
    /** A link or a form of an element with `hx-boost`: the whole document is wanted. */
    readonly boosted: boolean;
    /** The browser went back to a page that htmx does not remember: the whole document is wanted. */
    readonly historyRestore: boolean;
    /** The id of the element that the answer goes into; "" where it has none. */
    readonly target: string;
    /** The id of the element that asked; "" where it has none. */
    readonly trigger: string;
}
/** A structured logger tagged with what it speaks for (`req=<id>` for a request). */
export interface Logger {
    /** For whoever looks for a mistake. */
    debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
    /** What happened. `fields` become members of the line, an Error with its stack. */
    info(message: string, fields?: Readonly<Record<string, unknown>>): void;
    /** What somebody should know of. */
    warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
    /** What somebody has to do something about. */
    error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
/** What everything that acts for a request takes first. */
export interface Context {
    /** Where the request came from. */
    readonly client: Client;
    /** The log, tagged with the request. */
    readonly log: Logger;
    /** True when the request carries `HX-Request: true`. */
    readonly isHTMX: boolean;
    /** What else htmx says of the request. */
    readonly htmx: HTMX;
    /** True when htmx asks for a part of a page; false for whole documents, boosted links and restored history among them. */
    readonly wantsFragment: boolean;
    /** Scheme, host and port at which the visitor reached the application, as in `https://app.example.com`; "" outside of requests. */
    readonly origin: string;
    /** Aborts when the client disconnects or the drain ceiling is reached. */
    readonly signal: AbortSignal;
    /** What the request's log lines carry, and its response as `X-Request-Id`; of other work, the name of that. */
    readonly requestId: string;
    /** Who is signed in. Past a `signIn` or `allow` gate only: where nobody is, it is a fault of the program. */
    user(): User;
    /** Who is signed in, if anybody is; for public routes. Nobody on a route with `maxAge`, which is the same for everybody. */
    maybeUser(): User | undefined;
}

// cron.d.ts
import type { Context } from "./context.ts";
import type { Duration } from "./duration.ts";
import type { Instances, Scaling } from "./scaling.ts";
/** Settings of a cron, written as a literal. */
export interface CronConfig extends Scaling<Instances> {
    /** A name of the tz database, `"Europe/Zurich"`; UTC by default. */
    readonly timezone?: string;
    /** How long one run may take, `"15s"` to `"30m"`; 3 minutes by default. `ctx.signal` aborts then. */
    readonly deadline?: Duration;
}
/** What `Cron` makes. */
export interface CronDeclaration {
    /** Its name, which `fw run cron` takes. */
    readonly name: string;
}
/** Runs on a schedule: `export const digest = Cron("digest", "0 7 * * 1", async (ctx) => …)`, or `"every 15m"`. */
export declare function Cron(name: string, schedule: string, handler: (ctx: Context) => void | Promise<unknown>, config?: CronConfig): CronDeclaration;

// delivery.d.ts
import type { Context } from "./context.ts";
import type { Duration } from "./duration.ts";
import type { Scaling } from "./scaling.ts";
/** How a consumer gets its messages, a literal. */
export interface TopicDelivery extends Scaling {
    /** Deliveries of one message before it is dead: 5 to 100, 10 by default. */
    readonly maxAttempts?: number;
    /** Before the second delivery, `"10s"` by default; twice as long before each further one. */
    readonly minBackoff?: Duration;
    /** Between two deliveries of one message at most, `"10m"` by default. */
    readonly maxBackoff?: Duration;
}
/** How a worker gets its messages, a literal. */
export interface QueueDelivery extends TopicDelivery {
    /** Deliveries a second. */
    readonly rateLimit?: number;
}
/** What a handler is told about a delivery. */
export interface DeliveryInfo {
    /** 1 at the first delivery. */
    readonly attempt: number;
    /** Of the message, the same at every attempt. */
    readonly id: string;
}
/** Handles one message; when it throws, the message comes again later. It may come more than once. */
export type MessageHandler<Message> = (ctx: Context, message: Message, delivery: DeliveryInfo) => void | Promise<unknown>;
/** A message that was not handled in all its attempts. */
export interface DeadLetter<Message> {
    /** The message's. */
    readonly id: string;
    /** What was sent. */
    readonly message: Message;
    /** How often it was delivered. */
    readonly attempts: number;
    /** What the last attempt failed with. */
    readonly reason: string;
}

// duration.d.ts
/** A length of time written as a literal: `"500ms"`, `"30s"`, `"15m"`, `"12h"`, `"7d"`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h" | "d"}`;

// endpoint.d.ts
import type { Context } from "./context.ts";
import type { StatusError } from "./errors.ts";
import type { RouteConfig } from "./route-config.ts";
/**
 * `(ctx, request) => response`. An error is thrown: `Errorf`, `NotFound`, or anything else for an opaque 500. One with a status may be
 * returned as well, and is thrown for it: its type tells clients of it.
 */
export type Handler<Req, Res> = (ctx: Context, request: Req) => Res | Promise<Res>;
/** An endpoint. Call it from this package or any other: `await getOrder.call(ctx, { id })`. */
export interface EndpointDeclaration<in Req = never, Res = unknown> {
    /**
     * Runs the endpoint as a caller would: its gate first, then its handler, here or in the service that has it.
     * Fails with what the handler throws, or returns of errors, or with the refusal of the gate.
     */
    call(ctx: Context, request: Req): Promise<Exclude<Res, StatusError>>;
}
/** What `API` and `Page` make. */
export declare function endpoint<Req, Res>(kind: "api" | "page", route: string, handler: Handler<Req, Res>, config?: RouteConfig): EndpointDeclaration<Req, Res>;
/** What an endpoint asks of the runtime, as part of the Host. */
export interface EndpointHost {
    call(ctx: Context, endpoint: EndpointDeclaration, request: unknown): Promise<unknown>;
}

// entity.d.ts
import type { IDKey, TransientKey } from "./binding.ts";
import type { Context } from "./context.ts";
import { type EntityQuery } from "./entity-query.ts";
import type { Refused } from "./route-rules.ts";
/** A document as it comes back: without what is not kept. */
export type Stored<T> = [Extract<TransientKey<T>, RequiredKey<T>>] extends [never] ? T : Optional<T, TransientKey<T>>;
/** A document to create: its id may be left out, and so may what is not kept. */
export type New<T> = Optional<T, IDKey<T> | TransientKey<T>>;
/** A document to write under its id. */
export type Written<T> = Optional<T, TransientKey<T>>;
type RequiredKey<T> = {
    [P in keyof T]-?: undefined extends T[P] ? never : P;
}[keyof T];
/** The alternatives of a union stay apart. */
type Optional<T, Key> = T extends unknown ? {
    [P in keyof T as P extends Key ? never : P]: T[P];
} & {
    [P in keyof T as P extends Key ? P : never]?: T[P];
} : never;
/** Documents of one type, kept by id. A document is at most 1 MiB. */
export interface EntityDeclaration<T extends object = object> {
    /** The document; a miss is NotFound. */
    get(ctx: Context, id: string): Promise<Stored<T>>;
    /** The document, or undefined. */
    find(ctx: Context, id: string): Promise<Stored<T> | undefined>;
    /** The documents in the order of the ids, each one's undefined where there is none; of each 1,000 ids one moment. */
    getMany(ctx: Context, ids: readonly string[]): Promise<(Stored<T> | undefined)[]>;
    /** Keeps a new document, under an id of its own making where none is given. An id that is taken is a 409. */
    create(ctx: Context, document: New<T>): Promise<Stored<T>>;
    /** Keeps a document under its id, whether there is one or not. */
    put(ctx: Context, document: Written<T>): Promise<Stored<T>>;
    /**
     * Replaces a document by what `change` makes of it, in a transaction: when somebody else writes it meanwhile, `change`
     * runs again. It may alter and return what it gets, or return another document. A miss is NotFound.
     */
    update(ctx: Context, id: string, change: (document: Stored<T>) => Written<T> | void | Promise<Written<T> | void>): Promise<Stored<T>>;
    /** Removes the document; does nothing where there is none. */
    delete(ctx: Context, id: string): Promise<void>;
    /** All documents, to be narrowed by `where`, sorted by `orderBy` and read by `all`, `first`, `count`, `page` or `each`. */
    query(): EntityQuery<T>;
}
/** `unknown` where a type has one `ID` field, else the rule that it breaks. */
type EntityRules<T> = [IDKey<T>] extends [never] ? Refused<"fw/entity-id: the type of an entity has one field of the type ID"> : IsUnion<IDKey<T>> extends true ? Refused<"fw/entity-id: the type of an entity has only one field of the type ID"> : unknown;
type IsUnion<K, All = K> = K extends unknown ? ([All] extends [K] ? false : true) : never;
/**
 * Declares what is kept: `Entity<Order>("orders")`, of a type with one `ID` field. Fields to filter and order by are
 * `Index<T>`, fields that are not kept `Transient<T>`.
 */
export declare function Entity<T extends object>(name: string & EntityRules<T>): EntityDeclaration<T>;
/**
 * Reads and writes of several entities that happen at one moment, or not at all: inside `work`, `tx` goes where `ctx`
 * goes. When something that was read changes meanwhile, `work` runs again from its beginning, so it should do nothing
 * else. An error that it throws writes nothing.
 */
export declare function transaction<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T>;
export {};

// entity-query.d.ts
import type { QueryKey, QueryValue } from "./binding.ts";
import type { Context } from "./context.ts";
import type { EntityDeclaration, Stored } from "./entity.ts";
import type { Refused } from "./route-rules.ts";
/** One page of documents. */
export interface EntityPage<T> {
    /** The documents, in the query's order. */
    readonly items: Stored<T>[];
    /** The cursor of the page after this one, opaque; absent on the last. */
    readonly next?: string;
}
/** Comparisons that a field allows: an array is asked for what it contains. */
export type Operator<V> = [NonNullable<V>] extends [readonly unknown[]] ? "contains" : "==" | "<" | "<=" | ">" | ">=" | "in";
/** What a comparison compares with. */
type Operand<V, O> = O extends "contains" ? V extends readonly (infer Element)[] ? Element : never : O extends "in" ? readonly V[] : V;
/** The name where it is an `Index` field's or the id's, else the rule that is broken. */
type Indexed<T, F extends string> = F extends QueryKey<T> ? F : Refused<`fw/unindexed-query: ${F} is not an Index field of this entity`>;
type Sortable<T, F extends string> = F extends QueryKey<T> ? [NonNullable<QueryValue<T[F]>>] extends [readonly unknown[]] ? Refused<`fw/unindexed-query: ${F} is a list, which has no order`> : F : Indexed<T, F>;
/** A way to sort: fields and directions, the first before the next. */
export type Sort<T> = {
    readonly [F in QueryKey<T> & keyof T as Sortable<T, F> extends F ? F : never]?: "asc" | "desc";
};
/** Names of the `Index` fields that hold numbers. */
type NumberKey<T> = {
    [F in QueryKey<T> & keyof T]: [Exclude<QueryValue<T[F]>, null | undefined>] extends [number | bigint] ? F : never;
}[QueryKey<T> & keyof T];
type SumOf<V> = bigint extends V ? bigint | number : number;
/**
 * A query that is being put together. Every step makes another one. The fields, operators and directions are constants:
 * the indexes that it needs are derived from the source.
 */
export interface EntityQuery<T extends object> {
    /**
     * Only documents whose `field`, an `Index` or the id, compares so with `value`. Several filters all hold. Ranges (`<`, `<=`, `>`, `>=`) are
     * for one field, which is then the first to order by; `in` takes 1 to 30 values.
     */
    where<F extends keyof T & string, O extends Operator<QueryValue<T[F]>>>(field: F & Indexed<T, F>, operator: O, value: Operand<QueryValue<T[F]>, O>): EntityQuery<T>;
    /** Sorts by a field, then by the next one named; at last by id. Documents without the field are not found. */
    orderBy<F extends keyof T & string>(field: F & Sortable<T, F>, direction?: "asc" | "desc"): EntityQuery<T>;
    /**
     * Sorts in the way that somebody chose among these, each of which has its index:
     * `sortBy(req.sort ?? "newest", { newest: { placed: "desc" }, cheapest: { total: "asc", placed: "desc" } })`.
     */
    sortBy<Name extends string>(chosen: Name, sorts: {
        readonly [N in Name]: Sort<T>;
    }): EntityQuery<T>;
    /** At most so many documents, or so many a page: 1 to 1,000, else a 400. */
    limit(documents: number): EntityQuery<T>;
    /** Every document that is found, up to the limit; without one, at most 10,000. */
    all(ctx: Context): Promise<Stored<T>[]>;
    /** The first document, or undefined. */
    first(ctx: Context): Promise<Stored<T> | undefined>;
    /** How many documents are found, up to the limit. */
    count(ctx: Context): Promise<number>;
    /**
     * The sum of an `Index` field of numbers, over every document that is found and has it, whatever the limit; 0 where there is none.
     * Of `Int64` it is a bigint, and a number where 64 bits do not hold it.
     */
    sum<F extends NumberKey<T>>(ctx: Context, field: F): Promise<SumOf<QueryValue<T[F]>>>;
    /** Their average; undefined where there is none. */
    average(ctx: Context, field: NumberKey<T>): Promise<number | undefined>;
    /** The page after a cursor (`next` of the page before), or the first; of 20 documents unless `limit` says otherwise. */
    page(ctx: Context, cursor?: string): Promise<EntityPage<T>>;
    /** Every document, one after the other, however many there are. */
    each(ctx: Context): AsyncIterable<Stored<T>>;
}
/** What a query asks for, as data. */
export interface QueryPlan {
    /** Whose documents. */
    readonly entity: EntityDeclaration;
    /** All of them hold. */
    readonly filters: readonly {
        readonly field: string;
        readonly operator: "==" | "<" | "<=" | ">" | ">=" | "in" | "contains";
        readonly value: unknown;
    }[];
    /** The first sorts, the next one where it ties. */
    readonly orders: readonly {
        readonly field: string;
        readonly direction: "asc" | "desc";
    }[];
    /** Documents, or documents a page. */
    readonly limit?: number;
}
/** A query that asks for this. */
export declare function query<T extends object>(plan: QueryPlan): EntityQuery<T>;
/** What an entity's declaration and its queries ask of the runtime. Documents are copies of the caller's own. */
export interface EntityOperations {
    get(ctx: Context, entity: EntityDeclaration, id: string): Promise<object>;
    find(ctx: Context, entity: EntityDeclaration, id: string): Promise<object | undefined>;
    getMany(ctx: Context, entity: EntityDeclaration, ids: readonly string[]): Promise<(object | undefined)[]>;
    create(ctx: Context, entity: EntityDeclaration, document: object): Promise<object>;
    put(ctx: Context, entity: EntityDeclaration, document: object): Promise<object>;
    update(ctx: Context, entity: EntityDeclaration, id: string, change: DocumentChange): Promise<object>;
    delete(ctx: Context, entity: EntityDeclaration, id: string): Promise<void>;
    all(ctx: Context, plan: QueryPlan): Promise<object[]>;
    first(ctx: Context, plan: QueryPlan): Promise<object | undefined>;
    count(ctx: Context, plan: QueryPlan): Promise<number>;
    total(ctx: Context, plan: QueryPlan, field: string): Promise<Total>;
    page(ctx: Context, plan: QueryPlan, cursor: string | undefined): Promise<EntityPage<object>>;
    each(ctx: Context, plan: QueryPlan): AsyncIterable<object>;
    transaction<T>(ctx: Context, work: (tx: Context) => Promise<T>): Promise<T>;
}
/** What the numbers of a field come to. */
export interface Total {
    readonly sum: number | bigint;
    readonly average: number | undefined;
}
export type DocumentChange = (document: object) => object | void | Promise<object | void>;
/** What it asks of the runtime, as part of the Host. */
export interface EntityHost {
    readonly entities: EntityOperations;
}
export {};

// errors.d.ts
/** An error with a status and a message for the visitor, made by `Errorf`, `NotFound` and the framework. */
export declare class StatusError<Status extends number = number, Details = unknown> extends Error {
    /** The HTTP status: 400 to 599. */
    readonly status: Status;
    /** What a client is told besides the message, as JSON; undefined for nothing. */
    readonly details: Details;
}
/** A mistake of the program, as a panic is: visitors see an opaque 500, the log has the message. */
export declare class Fault extends Error {
    constructor(message: string);
}
/** What an error says besides its message. */
export interface ErrorOptions<Details> {
    /** Rides beside the message in the answer of an API: `{"error": …, "details": …}`. */
    readonly details?: Details;
}
/**
 * `throw Errorf(422, "total must be positive")`: that status, 400 to 599, with that message for the visitor. `details` are for
 * programs: `Errorf(422, "the order is not complete", { details: { missing: ["total"] } })`. The handler of an API may return
 * it in place of throwing it: then the client and the OpenAPI document know the status and the shape of the details.
 */
export declare function Errorf<const Status extends number, Details = undefined>(status: Status, message: string, options?: ErrorOptions<Details>): StatusError<Status, Details>;
/** `throw NotFound()`: 404, `not found`. */
export declare function NotFound(): StatusError<404, undefined>;
/** Refuses with 403 and a message for the visitor: returned or thrown by a policy. */
export declare function Deny(message: string): StatusError;
/** 409: the address has an account already. */
export declare function emailTaken(message: string): StatusError;
/** True for the refusal of a policy, here or in the service that was called. */
export declare function isDenied(error: unknown): error is StatusError;
/** True when an account was to be made for an address that has one. */
export declare function isEmailTaken(error: unknown): error is StatusError;
/** 409: another document has the value of a `Unique` field. */
export declare function taken(message: string, field: string): StatusError;
/** True when another document has the value of a `Unique` field, of this one where it is named; here or in a service that was called. */
export declare function isTaken(error: unknown, field?: string): error is StatusError<409, {
    readonly taken: string;
}>;
/** True for an error with a status and a message for the visitor. */
export declare function isStatusError(error: unknown): error is StatusError;
/** True for a 404: one thrown here, a miss of a store, or another service's answer. */
export declare function isNotFound(error: unknown): error is StatusError;

// event.d.ts
import { type EventKind } from "../lib/events.ts";
/** Something that happens and that subscribers are told of: `auth.registered`, `bucket.uploaded`, a topic, the dead letters of a queue. */
export interface EventSource<out Event> {
    /** Never there: what an event is, for the compiler. */
    readonly event?: Event;
}
/** The source of what fw tells of itself, about a bucket, a queue or a topic where one is named. */
export declare function eventSource<Event>(kind: EventKind, about?: string): EventSource<Event>;

// events.d.ts
import type { Blob } from "./blob.ts";
import type { Duration } from "./duration.ts";
declare const EVENT: unique symbol;
/** What a server-sent event says besides its data. */
export interface EventOptions {
    /** What a client that comes back says it has seen last, in `Last-Event-ID`. */
    readonly id?: string;
    /** What listeners know it by; `message` where nothing is said. */
    readonly name?: string;
    /** How long a client waits before it comes back, from now on. */
    readonly retry?: Duration;
}
/** One server-sent event. */
export interface ServerEvent<Data = unknown> extends EventOptions {
    readonly data: Data;
    readonly [EVENT]: true;
}
/** What an event of an iterable's value carries. */
export type EventData<Value> = Value extends ServerEvent<infer Data> ? EventData<Data> : Value extends undefined ? null : Value;
/** Server-sent events as an answer: bytes for whoever calls, typed data for the generated client. */
export interface Events<out Data> extends Blob {
    /** Never there: what each event carries, for the compiler. */
    readonly data?: Data;
}
/** How events are sent. */
export interface EventsOptions {
    /** A comment goes out where nothing else did for so long, `"15s"` by default: who is gone is noticed, and nobody on the way gives up. */
    readonly heartbeat?: Duration;
    /** How long a client waits before it comes back. */
    readonly retry?: Duration;
}
/** An event with more than its data: `yield event(order, { id: order.id, name: "placed" })`. */
export declare function event<Data>(data: Data, options?: EventOptions): ServerEvent<Data>;
/**
 * Server-sent events as what an API answers: `return events(placed(ctx.signal))`. Each value that comes is an event with that as its
 * JSON, `event(…)` one that says more. A client that goes away, or a service that stops, ends the iterable.
 */
export declare function events<Value>(source: AsyncIterable<Value>, options?: EventsOptions): Events<EventData<Value>>;
/** True for what `events` makes. */
export declare function isEventStream(value: unknown): value is EventStream;
/** Events that are sent, as the bytes they come to. */
export declare class EventStream implements Blob {
    #private;
    readonly type: string;
    constructor(source: AsyncIterable<unknown>, { heartbeat, retry }: EventsOptions);
    /** Ends what is being sent after the event that went out last. */
    end(): void;
    stream(): ReadableStream<Uint8Array>;
}
export {};

// html.d.ts
/** Rendered HTML. A document gets the document headers; a fragment does not. Only `site` makes it. */
export declare class HTML {
    /** The markup. */
    readonly text: string;
    /** Whether it is a whole document. */
    readonly document: boolean;
}
/** True for what `site.render` and `site.fragment` make. */
export declare function isHTML(value: unknown): value is HTML;

// job.d.ts
import type { Context } from "./context.ts";
/** Work that is started by hand or by code and may take long. */
export interface JobDeclaration<in out Args = never> {
    /** Its name, which `fw run job` takes. */
    readonly name: string;
    /** Starts a run and resolves with its id, long before the run ends. */
    start(ctx: Context, args: Args): Promise<string>;
}
/** Declares a job: `export const rebuild = Job<{ since: Date }>("rebuild")`. A `Runner` is its body. */
export declare function Job<Args = void>(name: string): JobDeclaration<Args>;
/** What a job asks of the runtime, as part of the Host. It resolves with an id. */
export interface JobHost {
    readonly messages: {
        start(ctx: Context, job: JobDeclaration, args: unknown): Promise<string>;
    };
}

// metric.d.ts
import type { Context } from "./context.ts";
/** A number that only grows, such as orders that were placed. */
export interface CounterDeclaration {
    /** Adds a number of 0 or more. Neither waits nor fails: what cannot be added is left out, and the log says so. */
    add(ctx: Context, n: number): void;
}
/** How the values of something are spread, such as milliseconds or bytes. */
export interface HistogramDeclaration {
    /** Records one value. Neither waits nor fails: what is no number is left out, and the log says so. */
    observe(ctx: Context, value: number): void;
}
/** Declares a counter: `export const placed = Counter("orders_placed")`. */
export declare function Counter(name: string): CounterDeclaration;
/** Declares a histogram: `export const size = Histogram("upload_bytes")`. */
export declare function Histogram(name: string): HistogramDeclaration;
/** What counters and histograms ask of the runtime. Neither throws. */
export interface MetricOperations {
    add(ctx: Context, counter: CounterDeclaration, n: number): void;
    observe(ctx: Context, histogram: HistogramDeclaration, value: number): void;
}
/** What it asks of the runtime, as part of the Host. */
export interface MetricHost {
    readonly metrics: MetricOperations;
}

// mount.d.ts
import type { ByteSize } from "./byte-size.ts";
import type { Context } from "./context.ts";
import type { PolicyDeclaration } from "./policy.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";
/** Settings of what is mounted, written as a literal. */
export interface MountConfig extends Scaling {
    /** True: 401 without a session; the user is available past it. */
    readonly signIn?: boolean;
    /** Decides which signed-in users may use it; implies `signIn`. */
    readonly allow?: PolicyDeclaration;
    /** True: reached by other services only, never from the public internet. */
    readonly private?: boolean;
    /** How large the body of a request may be, in place of 1 MB: `"10MB"`. */
    readonly maxBody?: ByteSize | Refused<'fw/max-body: a size literal from "1B" to "1GB"'>;
}
/** `(ctx, request) => response`, as whatever speaks fetch has it. */
export type MountHandler = (ctx: Context, request: Request) => Response | Promise<Response>;
/** What `Mount` makes. */
export interface MountDeclaration {
}
/** The rule that a path breaks, or `unknown`. */
type MountRules<Path extends string> = string extends Path ? unknown : Path extends `/${string}` ? Path extends `${string}{${string}` | `${string}*${string}` ? Refused<"fw/const-route: a mount takes every path below its own: write it without parameters"> : unknown : Refused<"fw/const-route: a mount has a path and no method, such as /graphql">;
/**
 * Hands every request at and below a path to something that speaks fetch: `Mount("/graphql", (ctx, request) => yoga.fetch(request, { ctx }))`.
 * Routes below the path that are declared besides go first.
 */
export declare function Mount<const Path extends string>(path: Path & MountRules<Path>, handler: MountHandler, config?: MountConfig): MountDeclaration;
export {};

// page.d.ts
import type { Blob } from "./blob.ts";
import { type EndpointDeclaration, type Handler } from "./endpoint.ts";
import type { HTML } from "./html.ts";
import type { Redirection } from "./redirect.ts";
import type { Reply } from "./reply.ts";
import type { RouteConfig } from "./route-config.ts";
import type { PageRules, PathParams } from "./route-rules.ts";
/** What a page answers with. */
export type PageResult = PageBody | Reply<PageBody>;
type PageBody = HTML | Redirection | Blob;
/**
 * An HTML endpoint: `Page("GET /notes/{id}", async (ctx, req: ShowNote) => site.render(ctx, "note.html", note))`.
 *
 * The request's fields are `Path`, `Query` or `Form`. A request without an annotation has the route's parameters
 * as text. Methods other than GET are guarded against forged forms.
 */
export declare function Page<const Route extends string, Req = PathParams<Route>>(route: Route & PageRules<Route, NoInfer<Req>>, handler: Handler<Req, PageResult>, config?: RouteConfig): EndpointDeclaration<Req, PageResult>;
export {};

// policy.d.ts
import type { Context } from "./context.ts";
import type { StatusError } from "./errors.ts";
import type { RoleDeclaration } from "./role.ts";
import type { Refused } from "./route-rules.ts";
import type { User } from "./user.ts";
/** Nothing to admit, `Deny(message)` to refuse. Any other error, returned or thrown, is an opaque 500. */
export type Verdict = StatusError | Error | void | undefined | null;
/** Decides which signed-in users may use a route. It sees the user and not the request. */
export interface PolicyDeclaration {
    /** Tells it from other declarations. */
    readonly kind: "policy";
}
/**
 * Declares a policy: `export const Verified = Policy((ctx, user) => user.emailVerified ? undefined : Deny("verify your
 * address first"))`. Exported. A route names it: `{ allow: Verified }`.
 */
export declare function Policy(decide: (ctx: Context, user: User) => Verdict | Promise<Verdict>): PolicyDeclaration;
/** Declares a policy that admits who carries any one of the roles: `export const CanEdit = RequireRole(Editor, Admin)`. */
export declare function RequireRole(role: RoleDeclaration, ...others: readonly RoleDeclaration[]): PolicyDeclaration;
export declare function RequireRole(this: Refused<"fw/empty-role: a RequireRole has at least one role, such as RequireRole(Editor)">): never;

// queue.d.ts
import type { Context } from "./context.ts";
import type { DeadLetter } from "./delivery.ts";
import { type EventSource } from "./event.ts";
import type { Duration } from "./duration.ts";
/** How one message is sent. */
export interface SendOptions {
    /** Before the first delivery. */
    readonly delay?: Duration;
}
/** Messages of one type for one worker. */
export interface QueueDeclaration<in out Message = never> {
    /**
     * Keeps the message, 256 KiB of JSON at most, and resolves with its id. It is delivered at least once. In a transaction it
     * is sent when the transaction commits, and only then.
     */
    send(ctx: Context, message: Message, options?: SendOptions): Promise<string>;
    /** Messages that were not handled in all their attempts. */
    readonly dead: EventSource<DeadLetter<Message>>;
}
/** Declares a queue: `export const emails = Queue<Email>("emails")`. A `Worker` handles its messages. */
export declare function Queue<Message>(name: string): QueueDeclaration<Message>;
/** What a queue asks of the runtime, as part of the Host. It resolves with an id. */
export interface QueueHost {
    readonly messages: {
        send(ctx: Context, queue: QueueDeclaration, message: unknown, options: SendOptions): Promise<string>;
    };
}

// raw.d.ts
/** The body of a request as it came: `body: Raw`, for what signs its bytes and for types that fw does not read. */
export interface Raw {
    /** All of it; none where the request has no body. */
    readonly bytes: Uint8Array<ArrayBuffer>;
    /** Its content type as it was sent; "" where it says none. */
    readonly type: string;
    /** The bytes as UTF-8. What is none becomes U+FFFD. */
    text(): string;
}

// redirect.d.ts
/** What `Redirect` and `RedirectPermanent` make; a Page returns it. */
export declare class Redirection {
    /** The URL to go to, as it was given. */
    readonly target: string;
    /** 301 instead of 303. */
    readonly permanent: boolean;
}
/** 303 See Other; under `HX-Request`, 200 with `HX-Redirect`. */
export declare function Redirect(target: string): Redirection;
/** 301 Moved Permanently; under `HX-Request`, 200 with `HX-Redirect`. */
export declare function RedirectPermanent(target: string): Redirection;
/** True for what `Redirect` and `RedirectPermanent` make. */
export declare function isRedirection(value: unknown): value is Redirection;

// role.d.ts
/** A name that an identity carries. */
export interface RoleDeclaration {
    /** Tells it from other declarations. */
    readonly kind: "role";
    /** What identities carry: `"editor"`. */
    readonly name: string;
}
/** Declares a role: `export const Editor = Role("editor")`. Exported; its name is a constant. */
export declare function Role(name: string): RoleDeclaration;

// reply.d.ts
import type { Duration } from "./duration.ts";
/** The statuses that a reply can have: those that HTTP has registered for whole answers. */
export type ReplyStatus = (200 | 201 | 202 | 203 | 204 | 205 | 207 | 208 | 226) | (300 | 301 | 302 | 303 | 304 | 307 | 308) | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417) | (418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451) | (500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511);
/** A cookie to set. What is not said is the safe choice. */
export interface CookieSetting {
    /** Any text. */
    readonly value: string;
    /** How long the browser keeps it; until it is closed where nothing is said. */
    readonly maxAge?: Duration;
    /** False: scripts of the page may read it. */
    readonly httpOnly?: boolean;
    /** Whether requests that another site starts carry it: by default with links that lead here, and with nothing else. */
    readonly sameSite?: "lax" | "strict" | "none";
    /** The path below which it is sent, `/` by default. */
    readonly path?: string;
    /** True: over https only; by default where the request came by it. */
    readonly secure?: boolean;
}
/** What a reply says besides its body. */
export interface ReplyOptions<Status extends ReplyStatus | undefined> {
    /** The status; by default the one that the body has when it is returned by itself. */
    readonly status?: Status;
    /** Headers by name. Those that fw decides on, `Set-Cookie` among them, are refused. */
    readonly headers?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
    /** Cookies by name: a text, a text with settings, or null to remove one. */
    readonly cookies?: Readonly<Record<string, string | CookieSetting | null | undefined>>;
}
/** A body with its status, headers and cookies. */
export interface Reply<Body = unknown, Status extends ReplyStatus | undefined = ReplyStatus | undefined> {
    /** What is sent. */
    readonly body: Body;
    /** Undefined where it is the body's own. */
    readonly status: Status;
    /** As they were given. */
    readonly headers: NonNullable<ReplyOptions<undefined>["headers"]>;
    /** As they were given. */
    readonly cookies: NonNullable<ReplyOptions<undefined>["cookies"]>;
}
/**
 * An answer that is more than its body: `return reply(order, { status: 201, headers: { Location: path } })`. The client and
 * the OpenAPI document know its status and its body, also where several are returned.
 */
export declare function reply<Body, const Status extends ReplyStatus | undefined = undefined>(body: Body, options?: ReplyOptions<Status>): Reply<Body, Status>;
/** True for what `reply` makes. */
export declare function isReply(value: unknown): value is Reply;

// route-config.d.ts
import type { ByteSize } from "./byte-size.ts";
import type { Duration } from "./duration.ts";
import type { PolicyDeclaration } from "./policy.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";
interface Every extends Scaling {
    /** The status of an API's answer in place of 200, or of 204 where it answers nothing. */
    readonly status?: 200 | 201 | 202 | 203 | 204 | Refused<"fw/route-status: a constant success status, 200 to 204; what is decided at run time is a reply">;
    /** How large the body of a request may be, in place of 1 MB (of an upload: 1 GB): `"10MB"`. */
    readonly maxBody?: ByteSize | Refused<'fw/max-body: a size literal from "1B" to "32MB" (for uploads "1GB")'>;
}
interface SignedIn extends Every {
    /** True: 401 without a session; the user is available past it. */
    readonly signIn: true;
    /** True: reached by other services only, never from the public internet. */
    readonly private?: boolean;
    readonly allow?: undefined;
    readonly maxAge?: Refused<"fw/cache-signin: a route that requires sign-in has no maxAge (elsewhere, fw/max-age: a duration such as 10m)">;
}
interface Allowed extends Every {
    /** Decides which signed-in users may use the route; implies `signIn`. */
    readonly allow: PolicyDeclaration;
    readonly signIn?: boolean;
    readonly private?: false | Refused<"fw/policy-private: a route has a policy or is private: a private one is reached without a session">;
    readonly maxAge?: Refused<"fw/cache-signin: a route that requires sign-in has no maxAge (elsewhere, fw/max-age: a duration such as 10m)">;
}
interface Open extends Every {
    readonly signIn?: false;
    readonly private?: boolean;
    readonly allow?: undefined;
    /** Shared-cache lifetime, `"1s"` to `"365d"`, of a page or a blob; without effect on JSON. */
    readonly maxAge?: Duration | Refused<'fw/max-age: a duration literal from 1 second to one year, such as "10m"'>;
}
/** Settings of one route, written as a literal: `{ signIn: true }`, `{ allow: CanEdit }`, `{ status: 201 }`, `{ maxAge: "10m" }`, `{ private: true }`. */
export type RouteConfig = SignedIn | Allowed | Open;
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
    [P in keyof Req & string]-?: FieldFact<Exclude<Req[P], undefined>, P>;
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

// runner.d.ts
import type { Context } from "./context.ts";
import type { JobDeclaration } from "./job.ts";
import type { Duration } from "./duration.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";
/** Settings of a runner, written as a literal. */
export interface RunnerConfig extends Scaling<Refused<"fw/traffic: nothing comes in that instances could share; tasks and timeout are settings of a Runner">> {
    /** How often a task that failed is tried again: 0 to 10, 3 by default. */
    readonly attempts?: number;
    /** Tasks of one run, side by side; 1 by default. */
    readonly tasks?: number;
    /** How long one attempt of a task may take; 10 minutes by default. `ctx.signal` aborts then. */
    readonly timeout?: Duration;
}
/** Which part of a run this is. */
export interface Run {
    /** Of the run, the same for all its tasks and attempts. */
    readonly id: string;
    /** 0 to `tasks` - 1. */
    readonly task: number;
    /** How many the run has. */
    readonly tasks: number;
    /** 1 at the first attempt. */
    readonly attempt: number;
}
/** What `Runner` makes. */
export interface RunnerDeclaration<Args = never> {
}
/** The body of a job: `export const rebuildIndex = Runner(rebuild, async (ctx, args, run) => …, { tasks: 4 })`. */
export declare function Runner<Args>(job: JobDeclaration<Args>, handler: (ctx: Context, args: Args, run: Run) => void | Promise<unknown>, config?: RunnerConfig): RunnerDeclaration<Args>;

// scaling.d.ts
import type { Duration } from "./duration.ts";
/** What the processes of a service are made of and how many there are. On a handler it is for the whole service of the handler. */
export interface Scaling<Limits = Traffic> {
    /** How it scales: for requests as they come (`"default"`), for quick answers (`"latency"`) or for long work (`"batch"`). */
    readonly profile?: "default" | "latency" | "batch";
    readonly footprint?: Footprint;
    readonly traffic?: Limits;
}
/** What one instance has. */
export interface Footprint {
    /** 0.08 to 1, 2, 4, 6 or 8. Below 1, an instance answers one request at a time. */
    readonly cpu?: number;
    /** `"128Mi"` to `"32Gi"`, as far as the cpu allows. */
    readonly memory?: `${number}${"Mi" | "Gi"}`;
}
/** How many instances there are, and what each takes on. */
export interface Instances {
    /** Kept running without requests. */
    readonly minInstances?: number;
    readonly maxInstances?: number;
    /** Requests that one instance answers at the same time, 1 to 1000. */
    readonly concurrency?: number;
}
export interface Traffic extends Instances {
    /** How long one answer may take, `"1s"` to `"60m"`. `ctx.signal` aborts then. */
    readonly timeout?: Duration;
}

// secret.d.ts
/** Configuration that is never committed: from `.env` on a laptop, from the secret store in the cloud. */
export interface SecretDeclaration {
    /** Tells it from other declarations. */
    readonly kind: "secret";
    /** The name of the variable that holds it: `"MAIL_KEY"`. */
    readonly name: string;
    /** The value, fixed when the service starts; a service whose secrets are not all set does not start. */
    value(): string;
}
/** What a service says that does not start, and a test that has not set the secret. */
export declare function unsetSecret(name: string): string;
/** The secret's value, from now on always the same, or undefined; a variable that is empty is not set. */
export declare function fixSecret(name: string): string | undefined;
/** Gives a secret its value for this process; undefined forgets it. */
export declare function setSecret(name: string, value: string | undefined): void;
/** From now on the environment gives no secret its value: only `setSecret` does. */
export declare function ignoreEnvironment(): void;
/** Declares a secret: `export const mailKey = Secret("MAIL_KEY")`. */
export declare function Secret(name: string): SecretDeclaration;

// service.d.ts
import type { Scaling } from "./scaling.ts";
/** Settings of a service, written as a literal. */
export interface ServiceConfig extends Scaling {
    /** A bare fully-qualified name. */
    readonly domain?: string;
    /**
     * Other origins whose pages may call the APIs, exactly as browsers name them: `["https://app.example.com"]`. `"*"` lets every
     * page call them, without cookies.
     */
    readonly origins?: "*" | readonly string[];
    /** True: calls from `origins` may carry the session's cookie. */
    readonly credentials?: boolean;
}
/** What `Service` makes. */
export interface ServiceDeclaration {
    /** Tells it from other declarations. */
    readonly kind: "service";
    /** The settings as they were written. */
    readonly config: ServiceConfig;
    /** The declared domain in every environment; "" when none was declared. */
    domain(): string;
}
/** Settings of the whole service. One a package. */
export declare function Service(config?: ServiceConfig): ServiceDeclaration;

// socket.d.ts
import type { ByteSize } from "./byte-size.ts";
import type { Context } from "./context.ts";
import type { PolicyDeclaration } from "./policy.ts";
import type { APIRules, PathParams, Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";
/** Settings of a socket, written as a literal. */
export interface SocketConfig extends Scaling {
    /** True: 401 without a session, before the connection is one of messages; the user is available past it. */
    readonly signIn?: boolean;
    /** Decides which signed-in users may connect; implies `signIn`. */
    readonly allow?: PolicyDeclaration;
    /** How large a message may be, in place of 64 kB: `"1MB"`. */
    readonly maxBody?: ByteSize | Refused<'fw/max-body: a size literal from "1B" to "32MB"'>;
}
/** One visitor's end of a socket: the messages that come are iterated, each decoded and checked. */
export interface Connection<In, Out> extends AsyncIterable<In> {
    /**
     * Sends a message. Resolves when it is on its way, so that whoever awaits it sends no faster than the visitor reads; with false where
     * they have gone.
     */
    send(message: Out): Promise<boolean>;
    /** Ends the connection: with 1000, or a code of the application's own from 4000 to 4999, and a reason of at most 123 bytes. */
    close(code?: number, reason?: string): void;
}
/** `(ctx, request, socket) => …`; the connection ends when it returns. */
export type SocketHandler<Req, In, Out> = (ctx: Context, request: Req, socket: Connection<In, Out>) => void | Promise<void>;
/** What `Socket` makes. */
export interface SocketDeclaration<in Req = never, In = unknown, Out = unknown> {
}
/**
 * A WebSocket of typed messages: `Socket("GET /rooms/{id}", async (ctx, { id }: { id: Path }, socket: Connection<Said, Heard>) => {
 * for await (const said of socket) … })`. Its gates and the origin of the page are asked before there is a connection.
 */
export declare function Socket<const Route extends string, Req = PathParams<Route>, In = unknown, Out = unknown>(route: Route & SocketRules<Route, NoInfer<Req>>, handler: SocketHandler<Req, In, Out>, config?: SocketConfig): SocketDeclaration<Req, In, Out>;
/** `unknown` where the route suits the request, else the rule that it breaks. */
type SocketRules<Route extends string, Req> = string extends Route ? unknown : Route extends `GET /${string}` ? APIRules<Route, Req> : Refused<"fw/const-route: a socket begins as a GET, such as GET /rooms/{id}">;
export {};

// singleton.d.ts
import type { Context } from "./context.ts";
import type { Refused } from "./route-rules.ts";
import type { Scaling } from "./scaling.ts";
/** Settings of a singleton, written as a literal. */
export interface SingletonConfig extends Scaling<{
    readonly maxInstances?: Refused<"fw/singleton-max: one body runs, however many instances there are">;
}> {
}
/** What `Singleton` makes. */
export interface SingletonDeclaration {
    /** Its name, which its log lines carry. */
    readonly name: string;
}
/**
 * Runs once, however many instances there are, for as long as the service runs: `export const relay = Singleton("relay", async
 * (ctx) => { while (!ctx.signal.aborted) … })`. A body that ends or throws is started again after a growing pause.
 */
export declare function Singleton(name: string, body: (ctx: Context) => void | Promise<unknown>, config?: SingletonConfig): SingletonDeclaration;

// site.d.ts
import type { Context } from "./context.ts";
import type { HTML } from "./html.ts";
/** Settings of a site, written as a literal. */
export interface SiteConfig {
    /** A shell command that makes the directory `out`, which is then served; both relative to the package's directory. */
    readonly build?: {
        readonly command: string;
        readonly out: string;
    };
    /** Paths that have moved, and where to: `{ "/old-prices": "/prices" }`. Answered with a 301. */
    readonly redirects?: Readonly<Record<string, string>>;
    /** Leaves markdown unsanitised, for content never supplied by users. */
    readonly trustedHTML?: boolean;
    /** Template rendered for a mistyped URL and for a page's NotFound. */
    readonly notFound?: string;
    /** The file of a client-side router, such as `index.html`: what a browser gets that goes to a path which nothing else answers. */
    readonly fallback?: string;
}
/** What `Site` makes. */
export interface SiteDeclaration {
    /** Tells it from other declarations. */
    readonly kind: "site";
    /** The directory as it was written. */
    readonly dir: string;
    /** The settings as they were written. */
    readonly config: SiteConfig;
    /** A whole document: the template inside `templates/layout.html`. */
    render(ctx: Context, template: string, data?: unknown): HTML;
    /** The template alone, for partial requests. */
    fragment(ctx: Context, template: string, data?: unknown): HTML;
    /** Sanitised HTML of markdown text, which a page may return and a template shows as it stands. */
    markdown(ctx: Context, text: string): HTML;
}
/** A directory of static files and, in `templates/`, the templates of pages. One a package. */
export declare function Site(dir: string, config?: SiteConfig): SiteDeclaration;
/** What a site asks of the runtime, as part of the Host. */
export interface SiteHost {
    render(ctx: Context, site: SiteDeclaration, template: string, data: unknown): HTML;
    fragment(ctx: Context, site: SiteDeclaration, template: string, data: unknown): HTML;
    markdown(ctx: Context, site: SiteDeclaration, text: string): HTML;
}

// status.d.ts
import type { Context } from "./context.ts";
import type { HTML } from "./html.ts";
/** What a status page renders. */
export interface Status {
    /** The HTTP status. */
    readonly code: number;
    /** Name of the policy that refused; "" for every refusal the framework makes on its own account. */
    readonly policy: string;
    /** What the visitor would read without a status page: the message of a handler's own refusal, or the framework's. */
    readonly message: string;
}
/** What `StatusPage` makes. */
export interface StatusPageDeclaration {
    /** Tells it from other declarations. */
    readonly kind: "status";
    /** Renders a refusal; its HTML goes out with the refusal's status. */
    readonly handler: (ctx: Context, status: Status) => HTML | Promise<HTML>;
}
/** Renders refusals as a designed page. Exported, at most one a package. */
export declare function StatusPage(handler: StatusPageDeclaration["handler"]): StatusPageDeclaration;

// subscribe.d.ts
import type { MessageHandler, TopicDelivery } from "./delivery.ts";
import type { EventSource } from "./event.ts";
/** What `Subscribe` makes. */
export interface SubscribeDeclaration<Event = never> {
}
/**
 * Handles the events of a topic, of `bucket.uploaded`, of `auth.registered` or `auth.firstSignIn`, or the dead letters of a
 * queue or topic: `export const thumbnail = Subscribe(photos.uploaded, async (ctx, info) => …)`.
 */
export declare function Subscribe<Event>(source: EventSource<Event>, handler: MessageHandler<Event>, delivery?: TopicDelivery): SubscribeDeclaration<Event>;

// token.d.ts
import type { Context } from "./context.ts";
import type { Duration } from "./duration.ts";
import type { RoleDeclaration } from "./role.ts";
import type { User } from "./user.ts";
/** Whose token it is. */
type Owner = Pick<User, "id" | "provider">;
/** What an access token is made of. */
export interface NewToken {
    /** What its owner knows it by, 1 to 100 characters. */
    readonly name: string;
    /** How long it works: `"90d"`, or until it is revoked. */
    readonly expires: Duration | "never";
    /** The roles that it carries as long as its owner has them; all of its owner's by default. */
    readonly roles?: readonly RoleDeclaration[];
}
/** An access token as its owner sees it in a list. */
export interface AccessToken {
    /** What it is revoked by. */
    readonly id: string;
    readonly name: string;
    readonly created: Date;
    /** When it ends by itself; absent where it does not. */
    readonly expires?: Date;
    /** The names of the roles that it carries at most; absent where it carries all of its owner's. */
    readonly roles?: string[];
}
/** An access token that was just made, with what is sent as `Authorization: Bearer <secret>`. It is shown this once. */
export interface CreatedToken extends AccessToken {
    readonly secret: string;
}
/** Access tokens. */
export interface Tokens {
    /** Makes a token for an account. One that is made with a token carries no role which that one does not. An unknown or disabled account is NotFound. */
    create(ctx: Context, user: Owner, token: NewToken): Promise<CreatedToken>;
    /** The live tokens of an account, the newest first. */
    list(ctx: Context, user: Owner): Promise<AccessToken[]>;
    /** Ends a token of the account, at once. One that is not there, or somebody else's, is NotFound. */
    revoke(ctx: Context, user: Owner, id: string): Promise<void>;
}
/** What tokens ask of the runtime, as part of the Host. */
export interface TokenHost {
    readonly tokens: Tokens;
}
/** The tokens of an Auth that declares them. */
export declare const tokens: Tokens;
export {};

// topic.d.ts
import type { Context } from "./context.ts";
import type { DeadLetter } from "./delivery.ts";
import { type EventSource } from "./event.ts";
/** Events of one type for any number of subscribers. */
export interface TopicDeclaration<in out Event = never> extends EventSource<Event> {
    /**
     * Keeps the event, 256 KiB of JSON at most, for every subscriber and resolves with its id. Each gets it at least once. In a
     * transaction it is published when the transaction commits, and only then.
     */
    publish(ctx: Context, event: Event): Promise<string>;
    /** Events that a subscriber did not handle in all their attempts. */
    readonly dead: EventSource<DeadLetter<Event>>;
}
/** Declares a topic: `export const orderPlaced = Topic<OrderPlaced>("order-placed")`. Each `Subscribe` gets every event. */
export declare function Topic<Event>(name: string): TopicDeclaration<Event>;
/** What a topic asks of the runtime, as part of the Host. It resolves with an id. */
export interface TopicHost {
    readonly messages: {
        publish(ctx: Context, topic: TopicDeclaration, event: unknown): Promise<string>;
    };
}

// user.d.ts
import type { RoleDeclaration } from "./role.ts";
/** Somebody who is signed in, or has an account. */
export interface User {
    /** Of the account: opaque, and never another one's. */
    readonly id: string;
    /** Their address. */
    readonly email: string;
    /** "" where none was given. */
    readonly name: string;
    /**
     * Which declared provider minted the session; of an account that was not signed in to, the one it would use; `other` where an
     * Authenticator knows them.
     */
    readonly provider: "social" | "email" | "other";
    /**
     * The provider's claim about the address. The social provider guarantees it, the email provider only what the
     * project requires.
     */
    readonly emailVerified: boolean;
    /** Names of the roles that the session was minted with, sorted. */
    readonly roles: readonly string[];
    /** Whether the role is among them. */
    hasRole(role: RoleDeclaration): boolean;
}

// worker.d.ts
import type { MessageHandler, QueueDelivery } from "./delivery.ts";
import type { QueueDeclaration } from "./queue.ts";
/** What `Worker` makes. */
export interface WorkerDeclaration<Message = never> {
}
/** Handles the messages of a queue: `export const sendEmail = Worker(emails, async (ctx, email) => …)`. One a queue. */
export declare function Worker<Message>(queue: QueueDeclaration<Message>, handler: MessageHandler<Message>, delivery?: QueueDelivery): WorkerDeclaration<Message>;
