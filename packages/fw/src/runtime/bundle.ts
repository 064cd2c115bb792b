import type { AuthenticatorDeclaration } from "../declare/authenticator.ts";
import type { Blob } from "../declare/blob.ts";
import type { BucketDeclaration } from "../declare/bucket.ts";
import type { CronDeclaration } from "../declare/cron.ts";
import type { DeclarationRecord } from "../declare/declaration-records.ts";
import type { EndpointDeclaration } from "../declare/endpoint.ts";
import type { EntityDeclaration } from "../declare/entity.ts";
import type { JobDeclaration } from "../declare/job.ts";
import type { FeedDeclaration } from "../declare/feed.ts";
import type { LimitDeclaration } from "../declare/limit.ts";
import type { MailDeclaration } from "../declare/mail.ts";
import type { CounterDeclaration, HistogramDeclaration } from "../declare/metric.ts";
import type { PolicyDeclaration } from "../declare/policy.ts";
import type { QueueDeclaration } from "../declare/queue.ts";
import type { Raw } from "../declare/raw.ts";
import type { ReplyStatus } from "../declare/reply.ts";
import type { RunnerDeclaration } from "../declare/runner.ts";
import type { SeedDeclaration } from "../declare/seed.ts";
import type { ServiceDeclaration } from "../declare/service.ts";
import type { SingletonDeclaration } from "../declare/singleton.ts";
import type { SiteDeclaration } from "../declare/site.ts";
import type { ErrorShapeDeclaration } from "../declare/error-shape.ts";
import type { StatusPageDeclaration } from "../declare/status.ts";
import type { SubscribeDeclaration } from "../declare/subscribe.ts";
import type { TenantDeclaration } from "../declare/tenant.ts";
import type { TopicDeclaration } from "../declare/topic.ts";
import type { WorkerDeclaration } from "../declare/worker.ts";
import type { AlertRule } from "../lib/alert-rule.ts";
import type { AssetTable } from "../lib/asset.ts";
import type { WrittenSettings } from "../lib/written-settings.ts";
import type { Destination, DeliveryPolicy } from "../platform/messages.ts";
import type { RawRequest } from "./decode/raw-request.ts";

/** The code of one or more services, as generated wiring exports it for the runtime. */
export interface Bundle {
  readonly app: string;
  /**
   * Index into `endpoints`; -1 for no such route; -2 for a path that is not valid percent-encoding, a 400. `path` is
   * the raw path without its query. Appends the decoded values of `{param}` segments to `params`, in order.
   */
  readonly match: (method: string, path: string, params: string[]) => number;
  /** The methods of all endpoints, sorted; for 405 and OPTIONS. */
  readonly methods: readonly string[];
  readonly endpoints: readonly BundledEndpoint[];
  /** In name order: if two sites contain one path, the first wins. */
  readonly packages: readonly BundledPackage[];
  /** True if a platform stores data, sends messages or starts work for it. */
  readonly keepsData?: true;
  /** True if it has pages that run once for each submit, which the platform records. */
  readonly submits?: true;
  /** True if it has live pages, whose reads the platform notifies of. */
  readonly followsPages?: true;
  /** True if it has jobs whose runs are recorded. */
  readonly recordsRuns?: true;
  // Omitted when empty.
  readonly auth?: BundledAuth;
  readonly authenticators?: readonly BundledAuthenticator[];
  readonly secrets?: readonly string[];
  readonly channels?: readonly string[];
  readonly entities?: readonly BundledEntity[];
  readonly buckets?: readonly BundledBucket[];
  readonly destinations?: readonly BundledDestination[];
  readonly consumers?: readonly BundledConsumer[];
  readonly crons?: readonly BundledCron[];
  readonly singletons?: readonly BundledSingleton[];
  readonly limits?: readonly BundledLimit[];
  readonly tenants?: readonly BundledTenant[];
  readonly feeds?: readonly BundledFeed[];
  readonly mails?: readonly BundledMail[];
  /** Only in bundles for development and tests. */
  readonly seeds?: readonly BundledSeed[];
  readonly metrics?: readonly BundledMetric[];
  readonly alerts?: readonly AlertRule[];
  readonly remotes?: readonly BundledRemote[];
  /** Settings of declarations in the source, compared with the loaded ones; absent in handwritten wiring. */
  readonly written?: BundledSettings;
}

/**
 * Settings as the source has them, by declaration, or by label such as `alert slow` for kinds that the wiring knows by
 * name.
 */
export interface BundledSettings {
  readonly declarations: readonly (readonly [declaration: DeclarationRecord, settings: WrittenSettings])[];
  /** May contain several entries for Auth. */
  readonly byLabel: readonly (readonly [label: string, settings: WrittenSettings])[];
}

/** Encodes calls of an endpoint and decodes the results. */
export interface CallCodec {
  /** Encodes a request. */
  readonly encode: (request: never) => RemoteRequest;
  /** Decodes a result from its JSON value; a Blob and HTML are not decoded. Throws a BadInput. */
  readonly decode: (value: unknown) => unknown;
  /**
   * Decodes the body of a reply from its JSON value and its status; absent if the endpoint returns none. Throws a
   * BadInput.
   */
  readonly decodeReply?: (value: unknown, status: ReplyStatus | undefined) => unknown;
  /** True if a result contains an Int64, which JSON.parse would round. */
  readonly exactIntegers: boolean;
}

/** Encodes and decodes messages of sockets, queues and topics. */
export interface MessageCodec {
  /** Decodes an incoming message from its JSON value. Throws a BadInput. */
  readonly decode: (value: unknown) => unknown;
  /** Encodes an outgoing message as JSON text; absent if JSON.stringify is right. */
  readonly encode?: (message: unknown) => string;
  /** True if an incoming message contains an Int64, which JSON.parse would round. */
  readonly exactIntegers: boolean;
}

/** Encodes and decodes the messages of a socket. */
export interface SocketCodec extends MessageCodec {
  /** The codec of the client's end, for tests that open one in this process. */
  readonly visitor?: MessageCodec;
}

/** An endpoint of another service that this one may call. */
export interface BundledRemote extends CallCodec {
  readonly declaration: EndpointDeclaration;
  readonly kind: "api" | "page";
  /** The name of its service. */
  readonly service: string;
  /** The declared pattern, `GET /orders/{id}`. */
  readonly route: string;
  readonly method: string;
}

/** A request to another service. */
export interface RemoteRequest {
  /** Percent-encoded, with the query. */
  readonly path: string;
  /** JSON text of the body. */
  readonly json?: string | undefined;
  /** The raw body. */
  readonly raw?: Raw | undefined;
  /** Form fields by name: text, or files, which make it multipart. */
  readonly form?: readonly (readonly [name: string, value: string | Blob])[];
  /** Its headers and cookies, urlencoded. */
  readonly fields?: string;
}

/** The sign-in of an application. */
export interface BundledAuth {
  readonly social: boolean;
  readonly password: boolean;
  /** The names of the declared roles, sorted. */
  readonly roles: readonly string[];
  /** Present if accounts may have access tokens. */
  readonly tokens?: true;
  /** Present if people manage their accounts on pages of the framework. */
  readonly account?: true;
  /** Present if people create accounts there. */
  readonly signUp?: true;
  /** The path of a style sheet for the pages about signing in. */
  readonly style?: string;
  /** False for a service whose code never asks for the user: it reads no sessions, and forwards them unread. */
  readonly readsSessions?: false;
}

/** An authenticator, which identifies the users of credentials that this application did not issue. */
export interface BundledAuthenticator {
  /** The variable that holds it; names its logs. */
  readonly name: string;
  /** The inputs it reads; header names are in lower case. Called for requests that have all required inputs. */
  readonly credentials: readonly {
    readonly source: "header" | "cookie" | "query" | "path" | "form";
    readonly name: string;
    readonly required: boolean;
  }[];
  /** Absent in a service whose code never asks for the user: it forwards the credentials. */
  readonly declaration?: AuthenticatorDeclaration;
  /** Throws a BadInput for credentials of another type. */
  readonly decode?: (raw: RawRequest) => unknown;
}

export interface BundledBucket {
  readonly declaration: BucketDeclaration;
  readonly name: string;
}

/** A queue, topic or job, which receives messages. */
export interface BundledDestination extends MessageCodec {
  readonly kind: "queue" | "topic" | "job";
  readonly declaration: QueueDeclaration | TopicDeclaration | JobDeclaration;
  readonly name: string;
  /** The number of tasks in a run of a job. */
  readonly tasks: number;
}

/** A consumer: worker, subscriber or runner. */
export interface BundledConsumer {
  readonly kind: "worker" | "subscribe" | "runner";
  readonly declaration: WorkerDeclaration | SubscribeDeclaration | RunnerDeclaration;
  /** The variable that holds it: `handler` in its logs. */
  readonly variable: string;
  /** Index into `packages`. */
  readonly package: number;
  /** `<package>-<variable>`: its service, and its id on the platform. */
  readonly service: string;
  readonly source: Destination;
  /** Times in milliseconds. */
  readonly delivery: Omit<DeliveryPolicy, "concurrency">;
}

export interface BundledCron {
  readonly declaration: CronDeclaration;
  readonly name: string;
  /** Index into `packages`. */
  readonly package: number;
  /** Five fields of unix-cron. */
  readonly schedule: string;
  readonly timezone: string;
  /** Milliseconds. */
  readonly deadline: number;
}

export interface BundledLimit {
  readonly declaration: LimitDeclaration;
  readonly name: string;
}

export interface BundledTenant {
  readonly declaration: TenantDeclaration;
  readonly name: string;
  /** The bound field of requests with the id of the tenant. */
  readonly field: string;
}

export interface BundledFeed {
  readonly declaration: FeedDeclaration;
  readonly name: string;
}

export interface BundledMail {
  readonly declaration: MailDeclaration;
  readonly name: string;
}

export interface BundledSingleton {
  readonly declaration: SingletonDeclaration;
  readonly name: string;
  /** `<package>-<variable>`: its service. */
  readonly service: string;
}

export interface BundledSeed {
  readonly declaration: SeedDeclaration;
  readonly name: string;
  /** Index into `packages`. */
  readonly package: number;
}

export interface BundledMetric {
  readonly declaration: CounterDeclaration | HistogramDeclaration;
  readonly kind: "counter" | "histogram";
  readonly name: string;
}

export interface BundledEntity {
  readonly declaration: EntityDeclaration;
  /** The kind of its documents on the platform. */
  readonly name: string;
  /** The field that holds the id. */
  readonly id: string;
  readonly indexed: readonly BundledIndex[];
  /** Fields that are not stored. */
  readonly transient: readonly string[];
  /** The stored fields, for each alternative of the type; absent if the type is not known. */
  readonly alternatives?: readonly (readonly DocumentField[])[];
  /** The name of the tenants that have documents of their own; absent for documents of all tenants. */
  readonly tenant?: string;
  /** The fields that refer to documents; absent without any. */
  readonly refs?: readonly BundledRef[];
  /** The composite indexes that the application's queries need. */
  readonly indexes: readonly (readonly { readonly field: string; readonly direction: "asc" | "desc" }[])[];
}

/** A field with the id of a document, or a list of them. */
export interface BundledRef {
  readonly field: string;
  /** The name of the entity whose documents it refers to. */
  readonly entity: string;
}

/** A field with an index of its own. */
interface BundledIndex {
  readonly name: string;
  readonly many: boolean;
  readonly unique?: true;
  /** The type as text, if a rule fills the field in older documents. */
  readonly rule?: string;
  /** The types of its values in documents; absent if they are not known. */
  readonly type?: string;
}

/** A stored field of a document. */
export interface DocumentField {
  readonly name: string;
  readonly optional: boolean;
  /** Whether a value that is there is of its type. */
  readonly is: (value: unknown) => boolean;
  /** The type in words. */
  readonly type: string;
}

export interface BundledPackage {
  readonly name: string;
  readonly service: string;
  readonly settings?: { readonly declaration: ServiceDeclaration; readonly domain: string };
  /** Milliseconds that one answer may take; absent for the default. */
  readonly timeout?: number;
  /** Other origins whose pages may call its APIs; absent if there are none. */
  readonly origins?: BundledOrigins;
  readonly site?: BundledSite;
  readonly status?: StatusPageDeclaration;
  readonly errors?: ErrorShapeDeclaration;
}

export interface BundledOrigins {
  readonly allowed: "*" | readonly string[];
  readonly credentials: boolean;
}

export interface BundledSite {
  readonly declaration: SiteDeclaration;
  /** Directory of the files to serve, absolute or relative to the process's working directory. */
  readonly dir: string;
  /** The files at the time of the build; absent in the dev loop, which reads the directory itself. */
  readonly assets?: AssetTable;
  readonly redirects: Readonly<Record<string, string>>;
  readonly trustedHTML: boolean;
  readonly notFound?: string;
  /** The file for paths that nothing else matches. */
  readonly fallback?: string;
  /** Compiled templates by name (`index.html`, `notes/_list.html`). */
  readonly templates: Readonly<Record<string, CompiledTemplate>>;
}

/** Renders a template. `page` supplies the parts that depend on the request: csrf, content, markdown. */
export type CompiledTemplate = (data: unknown, page: TemplatePage) => string;

/** A field of a form as it was sent. */
export interface SentField {
  /** Its text, "" for passwords; undefined if the page does not answer its form. */
  readonly value: string | undefined;
  /** Its problems as sentences. */
  readonly problems: readonly string[];
}

export interface TemplatePage {
  /** Returns the hidden input as HTML; "" on a page with MaxAge. */
  csrf(): string;
  /** Returns the token; "" on a page with MaxAge. */
  csrfToken(): string;
  /** Returns what was sent in a field of the form of a route, if this page answers it. */
  field(route: string, name: string): SentField;
  /** Returns the message that the request before left for this page; "" if there is none. */
  flash(): string;
  /** Chooses one of the languages of the site, the default first. */
  language(languages: readonly string[]): string;
  /** Renders markdown as sanitised HTML. */
  markdown(text: unknown): string;
  /** Returns a value as HTML (`{{{value}}}`): unchanged if the framework rendered it, else sanitised. */
  html(value: unknown): string;
  /** The rendered page, inside a layout; "" elsewhere. */
  readonly content: string;
}

/** A text of a request: its property, its place, its name or its position there, and whether it is a list. */
export type BundledField = readonly [
  property: string,
  source: "path" | "query" | "form",
  wire: string | number,
  list: boolean,
];

export interface BundledEndpoint {
  /** The declaration of a mount has no `call`. */
  readonly declaration: EndpointDeclaration;
  readonly kind: "api" | "page" | "mount" | "socket";
  /** The declared pattern, `GET /orders/{id}`: the label of logs and metrics. */
  readonly route: string;
  /** `*` for a mount, which takes every method. */
  readonly method: string;
  /** Index into `packages`. */
  readonly package: number;
  /** Also true if there is a policy. */
  readonly signIn: boolean;
  /** The policy, and the variable that holds it. */
  readonly allow?: { readonly declaration: PolicyDeclaration<never>; readonly name: string };
  readonly private: boolean;
  /** Seconds; 0 for none. */
  readonly maxAge: number;
  /** The status of an answer; absent for the default. */
  readonly status?: number;
  /** The maximum bytes of an external body; absent for the default. */
  readonly maxBody?: number;
  /** The kind of content besides the URL. */
  readonly carries: "nothing" | "json" | "raw" | "form" | "multipart" | "stream";
  /** Names of the headers that its requests bind, formatted for Vary; absent if they bind none. */
  readonly varies?: string;
  /** True if the JSON body contains an Int64, which JSON.parse would round. */
  readonly exactIntegers: boolean;
  /** The fields that its `invalid` shows again; absent for pages without one. */
  readonly fields?: readonly BundledField[];
  /** True for a page that runs once for each submit of a form. */
  readonly once?: true;
  /** True for a page that open browsers follow. */
  readonly live?: true;
  /** Throws a BadInput (`runtime/decode/raw-request.ts`) with the exact 400 text. */
  readonly decode: (raw: RawRequest) => unknown;
  /** Decodes all but the form, for the policy of a page with `invalid`; absent for other pages. */
  readonly decodeForPolicy?: (raw: RawRequest) => unknown;
  /** Encodes a response as JSON text; absent if JSON.stringify is right. */
  readonly encode?: (response: unknown) => string;
  /** Encodes and decodes messages; only present for a socket. */
  readonly socket?: SocketCodec;
  /** For in-process calls by other services; absent if there are none. */
  readonly call?: CallCodec;
}
