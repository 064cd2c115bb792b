import type { AuthenticatorDeclaration } from "../declare/authenticator.ts";
import type { Blob } from "../declare/blob.ts";
import type { BucketDeclaration } from "../declare/bucket.ts";
import type { CronDeclaration } from "../declare/cron.ts";
import type { DeclarationRecord } from "../declare/declaration-records.ts";
import type { EndpointDeclaration } from "../declare/endpoint.ts";
import type { EntityDeclaration, OnDelete } from "../declare/entity.ts";
import type { JobDeclaration } from "../declare/job.ts";
import type { FeedDeclaration } from "../declare/feed.ts";
import type { LimitDeclaration } from "../declare/limit.ts";
import type { MailDeclaration } from "../declare/mail.ts";
import type { CounterDeclaration, HistogramDeclaration } from "../declare/metric.ts";
import type { MountDeclaration } from "../declare/mount.ts";
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

/** The code of one or more services, as the generated wiring exports it to the runtime. */
export interface Bundle {
  readonly app: string;
  /**
   * Returns an index into `endpoints`; -1 if no route matches; -2 (a 400) if the path's percent-encoding is invalid.
   * `path` is the raw path without its query. Appends the decoded values of `{param}` segments to `params`, in order.
   */
  readonly match: (method: string, path: string, params: string[]) => number;
  /** The methods of all endpoints, sorted. Used for 405 and OPTIONS. */
  readonly methods: readonly string[];
  readonly endpoints: readonly BundledEndpoint[];
  /** In name order: if two sites contain the same path, the first one wins. */
  readonly packages: readonly BundledPackage[];
  /** True if the code needs a platform to store data, send messages or start background work. */
  readonly keepsData?: true;
  /** True if there are pages that run once per submit, which the platform records. */
  readonly submits?: true;
  /** True if there are live pages. The platform then sends notifications of changes to what they read. */
  readonly followsPages?: true;
  /** True if there are jobs whose runs are recorded. */
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
  /** Present only in bundles for development and tests. */
  readonly seeds?: readonly BundledSeed[];
  readonly metrics?: readonly BundledMetric[];
  readonly alerts?: readonly AlertRule[];
  readonly remotes?: readonly BundledRemote[];
  readonly mcpServers?: readonly BundledMcpServer[];
  /** The settings in the source, for comparison with the loaded declarations; absent in handwritten wiring. */
  readonly written?: BundledSettings;
}

/**
 * Settings in the source, by declaration. For kinds that the wiring lists only by name, by a label such as `alert
 * slow`.
 */
export interface BundledSettings {
  readonly declarations: readonly (readonly [declaration: DeclarationRecord, settings: WrittenSettings])[];
  /** May contain several entries for Auth. */
  readonly byLabel: readonly (readonly [label: string, settings: WrittenSettings])[];
}

export interface CallCodec {
  readonly encode: (request: never) => RemoteRequest;
  /** Decodes a result from its JSON value. Blobs and HTML are not decoded. Throws a BadInput. */
  readonly decode: (value: unknown) => unknown;
  /**
   * Decodes the body of a reply from its JSON value and its status; absent if the endpoint returns no replies. Throws a
   * BadInput.
   */
  readonly decodeReply?: (value: unknown, status: ReplyStatus | undefined) => unknown;
  /** True if a result contains an Int64, which JSON.parse would round. */
  readonly exactIntegers: boolean;
}

/** Encodes and decodes messages of sockets, queues and topics, and arguments of jobs. */
export interface MessageCodec {
  /** Decodes an incoming message from its JSON value. Throws a BadInput. */
  readonly decode: (value: unknown) => unknown;
  /** Encodes an outgoing message as JSON text; absent if JSON.stringify suffices. */
  readonly encode?: (message: unknown) => string;
  /** True if an incoming message contains an Int64, which JSON.parse would round. */
  readonly exactIntegers: boolean;
}

export interface SocketCodec extends MessageCodec {
  /** The codec of the client's side, for tests that open a socket in this process. */
  readonly visitor?: MessageCodec;
}

/** An endpoint of another service that this service may call. */
export interface BundledRemote extends CallCodec, Pick<BundledEndpoint, "route" | "method"> {
  readonly declaration: EndpointDeclaration;
  readonly kind: "api" | "page";
  readonly service: string;
}

/** A server of the Model Context Protocol. */
export interface BundledMcpServer {
  readonly declaration: MountDeclaration;
  readonly info: { readonly name: string; readonly version: string };
  /** Instructions for the model, in addition to the descriptions of the tools. */
  readonly instructions?: string;
  readonly tools: readonly BundledTool[];
}

/** An API that an MCP server offers as a tool. */
export interface BundledTool {
  readonly declaration: EndpointDeclaration;
  readonly definition: { readonly name: string } & Readonly<Record<string, unknown>>;
  /** The segments of the route's path: text, or a one-element list with the argument for a parameter. */
  readonly path: readonly (string | readonly [argument: string])[];
  /** The arguments for bound fields outside the path. */
  readonly fields: readonly (readonly [
    argument: string,
    source: "query" | "form" | "header" | "cookie",
    wire: string,
  ])[];
  /** The arguments that form the JSON body, or the single argument that is the body; absent if there is no body. */
  readonly body?: readonly string[] | string;
  readonly carriesForm: boolean;
  /** True if results are wrapped in an object, because structured content must be one. */
  readonly wrapsResult: boolean;
}

export interface RemoteRequest {
  /** The percent-encoded path with its query. */
  readonly path: string;
  /** The body as JSON. */
  readonly json?: string | undefined;
  readonly raw?: Raw | undefined;
  /** Form fields by name, sent as multipart. Values are strings or files. */
  readonly form?: readonly (readonly [name: string, value: string | Blob])[];
  /** The headers and cookies, URL-encoded. */
  readonly fields?: string;
}

export interface BundledAuth {
  readonly social: boolean;
  readonly password: boolean;
  /** The names of the declared roles, sorted. */
  readonly roles: readonly string[];
  /** Present if accounts may have access tokens. */
  readonly tokens?: true;
  /** Present if users manage their accounts on pages of the framework. */
  readonly account?: true;
  /** Present if users can create accounts on pages of the framework. */
  readonly signUp?: true;
  /** The path of a stylesheet for the sign-in and account pages. */
  readonly style?: string;
  /** False for a service whose code never reads the user. Such a service only forwards sessions. */
  readonly readsSessions?: false;
}

/** An authenticator, which identifies users by credentials that other systems issued. */
export interface BundledAuthenticator {
  /** The variable that holds the authenticator, for log lines. */
  readonly name: string;
  /**
   * The inputs that the authenticator reads, with header names in lower case. It is called for requests that have at
   * least one input and all required ones.
   */
  readonly credentials: readonly {
    readonly source: "header" | "cookie" | "query" | "path" | "form";
    readonly name: string;
    readonly required: boolean;
  }[];
  /** Absent in a service that never reads the user and only forwards the credentials. */
  readonly declaration?: AuthenticatorDeclaration;
  /** Decodes the credentials. Throws a BadInput if they do not have the declared type. Absent like `declaration`. */
  readonly decode?: (raw: RawRequest) => unknown;
}

export interface BundledBucket {
  readonly declaration: BucketDeclaration;
  readonly name: string;
}

export interface BundledDestination extends MessageCodec {
  readonly kind: "queue" | "topic" | "job";
  readonly declaration: QueueDeclaration | TopicDeclaration | JobDeclaration;
  readonly name: string;
  /** The number of tasks in a run of a job. */
  readonly tasks: number;
}

export interface BundledConsumer {
  readonly kind: "worker" | "subscribe" | "runner";
  readonly declaration: WorkerDeclaration | SubscribeDeclaration | RunnerDeclaration;
  /** The variable that holds the consumer: `handler` in its logs. */
  readonly variable: string;
  /** Index into `packages`. */
  readonly package: number;
  /** `<package>-<variable>`: the name of its service, and its id on the platform. */
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
  /** A unix-cron expression with five fields. */
  readonly schedule: string;
  readonly timezone: string;
  /** In milliseconds. */
  readonly deadline: number;
}

export interface BundledLimit {
  readonly declaration: LimitDeclaration;
  readonly name: string;
}

export interface BundledTenant {
  readonly declaration: TenantDeclaration;
  readonly name: string;
  /** The bound request field that holds the tenant's id. */
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
  readonly id: string;
  readonly indexed: readonly BundledIndex[];
  /** Fields that are not stored. */
  readonly transient: readonly string[];
  /** The stored fields of each alternative of the type; absent if the type is unknown. */
  readonly alternatives?: readonly (readonly DocumentField[])[];
  /** The name of the Tenant that separates the documents; absent for shared documents. */
  readonly tenant?: string;
  /** The fields that refer to other documents; absent if there are none. */
  readonly refs?: readonly BundledRef[];
  /** The possible values of each field that queries count by; absent if there are none. */
  readonly countValues?: Readonly<Record<string, readonly (string | number | boolean | null)[]>>;
  /** The composite indexes that the application's queries need. */
  readonly indexes: readonly (readonly { readonly field: string; readonly direction: "asc" | "desc" }[])[];
}

/** A field that contains the id of another document, or a list of such ids. */
export interface BundledRef {
  readonly field: string;
  /** The name of the referenced entity. */
  readonly entity: string;
  /** The effect of deleting the referenced document; absent if there is none. */
  readonly onDelete?: OnDelete;
}

/** A field with its own index. */
interface BundledIndex {
  readonly name: string;
  readonly many: boolean;
  readonly unique?: true;
  /** The field's type as a string, if a migration rule fills in the field in older documents. */
  readonly rule?: string;
  /** The types of its values in documents; absent if unknown. */
  readonly type?: string;
}

export interface DocumentField {
  readonly name: string;
  readonly optional: boolean;
  /** Returns true for a value of the field's type. */
  readonly is: (value: unknown) => boolean;
  readonly type: string;
}

export interface BundledPackage {
  readonly name: string;
  readonly service: string;
  readonly settings?: { readonly declaration: ServiceDeclaration; readonly domain: string };
  /** Milliseconds that a response may take; absent if the default applies. */
  readonly timeout?: number;
  /** Other origins whose pages may use its public APIs, mounts and sockets; absent if there are none. */
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
  /** The files as of the build; absent in the dev loop, which reads the directory itself. */
  readonly assets?: AssetTable;
  readonly redirects: Readonly<Record<string, string>>;
  readonly trustedHTML: boolean;
  readonly notFound?: string;
  /** The file that is served for paths that match nothing else. */
  readonly fallback?: string;
  /** Compiled templates by name (`index.html`, `notes/_list.html`). */
  readonly templates: Readonly<Record<string, CompiledTemplate>>;
}

/**
 * Renders a template. `page` supplies everything that does not come from `data`, such as the form token and the content
 * of a layout.
 */
export type CompiledTemplate = (data: unknown, page: TemplatePage) => string;

export interface SentField {
  /** The submitted string, "" for passwords; undefined if this page is not the response to its form. */
  readonly value: string | undefined;
  readonly problems: readonly string[];
}

export interface TemplatePage {
  /** Returns a hidden input with the form token, as HTML; "" for a page that gets none, such as one with `maxAge`. */
  csrf(): string;
  /** Returns the form token; "" for a page that gets none, such as one with `maxAge`. */
  csrfToken(): string;
  /** Returns the submitted value of a field in a route's form, if this page is the response to that form. */
  field(route: string, name: string): SentField;
  /** Returns the flash message to show on this page; "" if there is none. */
  flash(): string;
  /** Chooses one of the site's languages. The first one is the default. */
  language(languages: readonly string[]): string;
  markdown(text: unknown): string;
  /**
   * Returns a value as HTML (`{{{value}}}`): unchanged if the framework rendered it or the site trusts its content,
   * otherwise sanitized.
   */
  html(value: unknown): string;
  /** The rendered page that a layout surrounds; "" outside layouts. */
  readonly content: string;
}

/** A text field of a request. `wire` is its name, or its position in the path. */
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
  /** `*` for a mount, which accepts every method. */
  readonly method: string;
  /** Index into `packages`. */
  readonly package: number;
  /** True if the endpoint requires a user, for itself or for its policy. */
  readonly signIn: boolean;
  /** The policy, and the variable that holds it. */
  readonly allow?: { readonly declaration: PolicyDeclaration<never>; readonly name: string };
  readonly private: boolean;
  /** In seconds; 0 for none. */
  readonly maxAge: number;
  /** The response status; absent if the default applies. */
  readonly status?: number;
  /** The maximum bytes of a body from outside the application; absent if the default applies. */
  readonly maxBody?: number;
  /** The kind of body that requests carry. */
  readonly carries: "nothing" | "json" | "raw" | "form" | "multipart" | "stream";
  /** The names of the headers that requests bind, formatted for Vary; absent if there are none. */
  readonly varies?: string;
  /** True if the JSON body contains an Int64, which JSON.parse would round. */
  readonly exactIntegers: boolean;
  /** The fields that the page's `invalid` handler can display again; absent for pages without one. */
  readonly fields?: readonly BundledField[];
  /** True for a page whose handler runs once for each submit of a form. */
  readonly once?: true;
  /** True for a page that updates in open browsers. */
  readonly live?: true;
  /** Decodes a request. Throws a BadInput (`runtime/decode/bad-input.ts`) with the exact message of the 400. */
  readonly decode: (raw: RawRequest) => unknown;
  /** Decodes everything except the form, for the policy of a page with `invalid`; absent for other pages. */
  readonly decodeForPolicy?: (raw: RawRequest) => unknown;
  /** Encodes a response as JSON text; absent if JSON.stringify suffices. */
  readonly encode?: (response: unknown) => string;
  /** Encodes and decodes messages; only present for a socket. */
  readonly socket?: SocketCodec;
  /** The codec for in-process calls by other services; absent if no other service calls the endpoint. */
  readonly call?: CallCodec;
}
