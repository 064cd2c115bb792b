// index.d.ts
export { AlertReporter } from "./observe/alerts/reporter.ts";
export type { ApplicationPorts } from "./application.ts";
export { Background } from "./background/background.ts";
export type { Bundle } from "./bundle.ts";
export { definitionsOf } from "./definitions.ts";
export * from "./generated.ts";
export { createHandler, createService, type Handler, type Service } from "./handler.ts";
export type { InjectedEndpoint, InjectedEndpoints } from "./routing/injected-endpoint.ts";
export type { LogRecord, LogSink } from "./observe/log.ts";
export { loadMarkdown } from "./page/markdown.ts";
export { jsonLine, lineSink, readableLine } from "./observe/log-line.ts";
export type { Metrics } from "./observe/metrics/metrics.ts";
export { MetricStore } from "./observe/metrics/store.ts";
export type { Decorate, DecoratedPage, RequestFault } from "./hooks.ts";
export type { HandlerOptions } from "./options.ts";
export type { ServiceDirectory } from "./remote/directory.ts";
export type { ServiceVerifier } from "./access/service-call.ts";
export { serve, serveHanded, type HandedServer, type RunningServer, type ServeOptions } from "./server.ts";
export { settings, type Settings } from "./settings.ts";
export { stopOnSignals, type StopOptions } from "./signals.ts";

// reporter.d.ts
import type { AlertRule } from "../../../lib/alert-rule.ts";
import type { LogSink } from "../log.ts";
import { type SnapshotOf } from "./watch.ts";
interface AlertReporterOptions {
    readonly snapshotOf: SnapshotOf;
    /** Resolves once `snapshotOf` includes the counts of other processes. */
    readonly collect?: () => Promise<void>;
    readonly log: LogSink;
    /** Called when an alert starts or stops firing. */
    readonly onChange?: () => void;
}
/** Watches the alerts of a running application and logs when one starts or stops firing. */
export declare class AlertReporter {
    #private;
    constructor(options: AlertReporterOptions);
    use(rules: readonly AlertRule[]): void;
    firing(): readonly string[];
    end(): void;
}
export {};

// application.d.ts
import type { EndpointDeclaration } from "../declare/endpoint.ts";
import type { EntityDeclaration } from "../declare/entity.ts";
import type { Host } from "../declare/host.ts";
import type { SiteDeclaration } from "../declare/site.ts";
import type { Platform } from "../platform/contract.ts";
import type { Admission } from "./access/trusted-proxy.ts";
import type { CsrfTokens } from "./access/csrf-tokens.ts";
import type { ServiceVerifier } from "./access/service-call.ts";
import type { Sessions } from "./auth/sessions.ts";
import type { SignInFlow } from "./auth/sign-in-flow.ts";
import type { CallerVerifier } from "./background/authenticate-platform.ts";
import type { Bundle, BundledDestination, BundledEndpoint, BundledEntity, BundledPackage, BundledRemote, BundledSite } from "./bundle.ts";
import type { LogSink } from "./observe/log.ts";
import type { Metrics } from "./observe/metrics/metrics.ts";
import type { SpanSink } from "./observe/span.ts";
import type { Decorate, RequestFault, RequestWatcher } from "./hooks.ts";
import type { ServiceDirectory } from "./remote/directory.ts";
import type { Settings } from "./settings.ts";
import type { SiteFiles } from "./site/files.ts";
/** The environment of an application: its platform, its settings, and observers of its requests. */
export interface ApplicationPorts {
    /** The settings that depend on where the application runs. */
    readonly settings: Settings;
    readonly metrics?: Metrics;
    /** Exports the spans of traced requests. If set, fw also accepts clients' `traceparent` headers. */
    readonly spans?: SpanSink;
    /**
     * Called for every failure of the application's code, in a request or in background work, for example to show it in a
     * dev console.
     */
    readonly onFault?: (fault: RequestFault) => void;
    readonly watcher?: RequestWatcher;
    /** Called with a new application. May replace its handlers to record their outgoing requests. */
    readonly follow?: (app: Pick<Application, "bundle" | "spans">) => void;
    /** Changes an HTML document before it is sent, to add the dev bar or live reload. Not called for fragments. */
    readonly decorate?: Decorate;
    /** True if a Host header names this server; other requests are refused. By default, every host is accepted. */
    readonly isOwnHost?: (host: string | undefined) => boolean;
    /** The identity provider's part of the sign-in page, if the application uses a provider. */
    readonly signInFlow?: SignInFlow;
    /** The platform with the application's data, opened with the bundle's `definitionsOf` and closed by its opener. */
    readonly platform?: Platform;
    /** Verifies the platform's deliveries and triggers; without it, all are refused. */
    readonly caller?: CallerVerifier;
    /** Verifies calls from the application's other services; without it, every caller is external. */
    readonly callers?: ServiceVerifier;
    /** The addresses of the application's other services, and this service's credentials for them. */
    readonly services?: ServiceDirectory;
    /** Checks connections to a service that clients reach only through another process; without it, all are accepted. */
    readonly admission?: Admission;
    /** Aborts when the process begins to shut down, which asks background work to finish. */
    readonly stopping?: AbortSignal;
}
/** A bundle that is ready to serve. */
export interface Application extends ApplicationPorts {
    readonly bundle: Bundle;
    readonly endpoints: ReadonlyMap<object, BundledEndpoint>;
    readonly entities: ReadonlyMap<EntityDeclaration, BundledEntity>;
    readonly destinations: ReadonlyMap<BundledDestination["declaration"], BundledDestination>;
    /** Undefined without sign-in or without a platform, and in a service whose code never reads the user. */
    readonly sessions: Sessions | undefined;
    readonly sites: ReadonlyMap<SiteDeclaration, BundledSite>;
    /** The files of every site, in package order. */
    readonly files: readonly SiteFiles[];
    readonly host: Host;
    /** True if spans go to a collector. Spans shown only in a local console do not affect log lines or headers. */
    readonly exportsTraces: boolean;
    readonly csrf: CsrfTokens;
    readonly remotes: ReadonlyMap<EndpointDeclaration, BundledRemote>;
    readonly log: LogSink;
}
/** An application's bundle, for looking up declarations. */
export type Wiring = Pick<Application, "bundle">;
/** The parts that determine whether requests are traced. */
export type Tracing = Pick<Application, "services" | "callers" | "spans" | "exportsTraces">;
/** The parts of an application that background work needs. */
export type BackgroundPorts = Tracing & Pick<Application, "host" | "log" | "onFault">;
/** Background ports for work that is looked up by name and recorded in metrics. */
export type MeasuredPorts = BackgroundPorts & Wiring & Pick<Application, "metrics">;
/**
 * Returns an application's platform. Throws a Fault if the application was started without one; `purpose` completes the
 * message.
 */
export declare function platformOf({ platform }: Pick<Application, "platform">, purpose: string): Platform;
/** True if the application can identify users. */
export declare function hasUsers({ sessions, bundle }: Pick<Application, "sessions" | "bundle">): boolean;
export declare function packageOf(app: Wiring, endpoint: BundledEndpoint): BundledPackage | undefined;
/** Returns the maximum duration of an endpoint's response, in milliseconds. */
export declare function timeoutOf(app: Wiring, endpoint: BundledEndpoint): number;

// background.d.ts
import type { Application } from "../application.ts";
/** Runs the background work of an application in this process: deliveries, crons, singletons and rewriting. */
export declare class Background {
    #private;
    /** Switches applications. Work in progress finishes on the previous one; singletons and rewriting restart. */
    use(app: Application): void;
    /** Aborts the work in progress and returns unfinished messages to their queues. */
    stop(): Promise<void>;
}

// bundle.d.ts
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
    readonly info: {
        readonly name: string;
        readonly version: string;
    };
    /** Instructions for the model, in addition to the descriptions of the tools. */
    readonly instructions?: string;
    readonly tools: readonly BundledTool[];
}
/** An API that an MCP server offers as a tool. */
export interface BundledTool {
    readonly declaration: EndpointDeclaration;
    readonly definition: {
        readonly name: string;
    } & Readonly<Record<string, unknown>>;
    /** The segments of the route's path: text, or a one-element list with the argument for a parameter. */
    readonly path: readonly (string | readonly [argument: string])[];
    /** The arguments for bound fields outside the path. */
    readonly fields: readonly (readonly [
        argument: string,
        source: "query" | "form" | "header" | "cookie",
        wire: string
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
    readonly indexes: readonly (readonly {
        readonly field: string;
        readonly direction: "asc" | "desc";
    }[])[];
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
    readonly settings?: {
        readonly declaration: ServiceDeclaration;
        readonly domain: string;
    };
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
    list: boolean
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
    readonly allow?: {
        readonly declaration: PolicyDeclaration<never>;
        readonly name: string;
    };
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
export {};

// definitions.d.ts
import type { Definitions } from "../platform/contract.ts";
import type { BundledEntity, BundledConsumer, Bundle } from "./bundle.ts";
/** The parts of a bundle or a model that need a platform. */
interface StoredParts extends Pick<Bundle, "submits" | "followsPages" | "recordsRuns"> {
    readonly entities?: readonly Pick<BundledEntity, "name" | "id" | "indexed" | "indexes">[];
    readonly buckets?: readonly {
        readonly name: string;
    }[];
    readonly consumers?: readonly Pick<BundledConsumer, "service" | "source" | "delivery">[];
    readonly auth?: {
        readonly account?: true;
    };
    readonly crons?: object;
    readonly limits?: object;
    readonly feeds?: object;
    readonly destinations?: readonly {
        readonly kind: string;
    }[];
}
/** Returns the definitions that a platform needs to store an application's data. */
export declare function definitionsOf(parts: StoredParts): Definitions;
export {};

// generated.d.ts
export { bodyInt64, bodyJSON, bodyNumber, deepestFailure, keyWithin, memoized, merged, noneOf, pushPath, refuse, toDate, tooDeep, within, wrong, wrongAt, } from "./decode/body.ts";
export { withinLimits as limited } from "./decode/limited.ts";
export { whole400 } from "./decode/problems.ts";
export { isOfPattern } from "./decode/pattern.ts";
export { cookieText, headerList, headerText } from "./decode/header-cookie.ts";
export { queryList, queryPairs, queryText } from "./decode/query-string.ts";
export { formFile, formList, formText, ofPattern, oneOf, oneOfNumbers, required, toBoolean, toInt, toInt64, toNumber, unlessBlank, } from "./decode/scalars.ts";
export { isJSON } from "./decode/stored.ts";
export { isRecord } from "../lib/record-in.ts";
export { exactText } from "../lib/exact-text.ts";
export { matchEncoded } from "./routing/match-encoded.ts";
export * as template from "./page/template-runtime.ts";
export { formFields, pathText, wireFields } from "./remote/request-text.ts";

// handler.d.ts
import type { Bundle } from "./bundle.ts";
import type { Exchange } from "./exchange/exchange.ts";
import type { HandlerOptions, Served } from "./options.ts";
/**
 * Responds to the requests of a bundle. A server may switch handlers between two requests; requests in progress keep
 * the handler they started with.
 */
export type Handler = (exchange: Exchange) => void;
/** An application that is ready to be served. */
export interface Service {
    readonly handler: Handler;
    /** The argument of `Background.use`. */
    readonly app: Served;
}
/** Prepares a bundle to serve requests and run background work. Throws an UnsetSecrets if a secret is unset. */
export declare function createService(bundle: Bundle, options: HandlerOptions): Service;
/** Prepares a bundle to serve requests. Throws like `createService`. */
export declare function createHandler(bundle: Bundle, options: HandlerOptions): Handler;

// injected-endpoint.d.ts
import type { Request } from "../request.ts";
/** An endpoint of the framework below `/_fw/`. */
export interface InjectedEndpoint {
    readonly methods: readonly string[];
    /**
     * Handles a request. `rest` is the remainder of the path after the endpoint's own, such as a token; "" if there is
     * none. Throws a StatusError to refuse the request.
     */
    handle(request: Request, rest: string): void | Promise<void>;
}
/** Endpoints by path below `/_fw/` (`api/session`). A key that ends in `/` matches every path below it. */
export type InjectedEndpoints = Readonly<Record<string, InjectedEndpoint>>;

// log.d.ts
import type { Logger } from "../../declare/context.ts";
export type LogLevel = "debug" | "info" | "warn" | "error";
export interface LogRecord {
    readonly at: Date;
    readonly level: LogLevel;
    readonly message: string;
    /** Tags such as `req` with the request's id. */
    readonly tags: Readonly<Record<string, string>>;
    readonly fields: Readonly<Record<string, unknown>>;
    /** Members that fw itself adds to the line, alongside the application's fields. */
    readonly members?: Readonly<Record<string, unknown>>;
    /** The service whose endpoint wrote the line; undefined for other lines. */
    readonly service?: string | undefined;
}
export type LogSink = (record: LogRecord) => void;
type Fields = Readonly<Record<string, unknown>>;
/** A logger whose records all carry `tags`. */
export declare class TaggedLogger implements Logger {
    #private;
    /** With `isOwn`, fields become members of the line. Used in fw's own processes, whose lines other programs parse. */
    constructor(sink: LogSink, tags: Readonly<Record<string, string>>, service?: string, isOwn?: boolean);
    with(tags: Readonly<Record<string, string>>): TaggedLogger;
    debug(message: string, fields?: Fields): void;
    info(message: string, fields?: Fields): void;
    warn(message: string, fields?: Fields): void;
    error(message: string, fields?: Fields): void;
}
/** Returns the logger for fw's messages about an endpoint. The route is a tag, so no field can override it. */
export declare function routeLogger(route: string, log: Logger): Logger;
export {};

// markdown.d.ts
import type { BundledSite } from "../bundle.ts";
type Trust = Pick<BundledSite, "trustedHTML">;
/** Loads the markdown libraries before they are first used. */
export declare function loadMarkdown(): Promise<void>;
/** Renders markdown as HTML, sanitized unless the site trusts its content. */
export declare function renderMarkdown(site: Trust, text: unknown): string;
/**
 * Returns HTML from data: unchanged if the framework created it or the site trusts its content, otherwise sanitized.
 * Escapes HTML that would take too long to sanitize.
 */
export declare function renderHTML(site: Trust, value: unknown): string;
export {};

// log-line.d.ts
import type { LogRecord, LogSink } from "./log.ts";
/** Formats a record as one line of JSON for the platform's log reader. */
export declare function jsonLine(record: LogRecord): string;
export declare function lineOf(members: Readonly<Record<string, unknown>>): string;
/** Formats a line for the terminal: time, level, message, `key=value` fields and tags. Indented stacks follow. */
export declare function readableLine(record: LogRecord): string;
/** Formats a line of words and `key=value` fields. The indented stacks of errors follow. */
export declare function lineWithFields(words: readonly string[], fields: Readonly<Record<string, unknown>>): string;
/** Creates a sink that writes each record as a line, formatted by `format`. */
export declare function lineSink(format: (record: LogRecord) => string, write: (line: string) => void): LogSink;
/** Merges the members, tags and fields of a record into a plain object that JSON can represent. */
export declare function flattenRecord({ members, tags, fields }: LogRecord): Readonly<Record<string, unknown>>;

// metrics.d.ts
import type { Bundle } from "../../bundle.ts";
/** The parts of a bundle that have metrics: its declared metrics, routes, crons and jobs. */
export type MeasuredBundle = Pick<Bundle, "endpoints" | "metrics" | "crons" | "consumers">;
/** Records metrics for export. No method throws or waits. */
export interface Metrics {
    /** Adds the metrics of an application. Called before the application is served. */
    define(measured: MeasuredBundle): void;
    /** @param n a finite number of 0 or more, to be added to the declared counter */
    add(counter: string, n: number): void;
    /** @param value a finite number, as one sample of the declared histogram */
    observe(histogram: string, value: number): void;
    /** Called when a request, a cron run or an attempt of a task has ended, but not for the framework's own endpoints. */
    request(route: string, status: number, ms: number): void;
    /** Called for a document or a delivered message that does not fit its type. */
    misfit(source: {
        readonly kind: string;
        readonly name: string;
    }): void;
}

// store.d.ts
import type { MeasuredBundle, Metrics } from "./metrics.ts";
import type { MetricSnapshot } from "./snapshot.ts";
interface StoreOptions {
    /** Milliseconds since 1970. */
    readonly now?: () => number;
    /** Called at most once for each kind of warning. */
    readonly warn?: (sentence: string) => void;
    /** The maximum number of routes with separate series. */
    readonly mostRoutes?: number;
}
/**
 * Counts in memory from the start of the instance. The series of routes and declared metrics are allocated in advance,
 * so counting a request takes four additions.
 */
export declare class MetricStore implements Metrics {
    #private;
    constructor({ now, warn, mostRoutes }?: StoreOptions);
    /** Adds the metrics of an application. Keeps existing counts. */
    define({ endpoints, metrics, crons, consumers }: MeasuredBundle): void;
    add(counter: string, n: number): void;
    observe(histogram: string, sample: number): void;
    request(route: string, status: number, ms: number): void;
    misfit({ kind, name }: {
        readonly kind: string;
        readonly name: string;
    }): void;
    /** Returns all counts. Declared metrics are always present, and automatic ones once they have been counted. */
    snapshot(): MetricSnapshot;
}
export {};

// hooks.d.ts
import type { User } from "../declare/user.ts";
import type { Span, SpanOperation } from "./observe/span.ts";
/** A failure of the application's code: an error behind an opaque 500, or in background work. */
export interface RequestFault {
    readonly error: unknown;
    readonly requestId: string;
    /** The declared pattern, or `<unmatched>`; for background work, its name. */
    readonly route: string;
}
/** Observes requests for a dev console, except requests to the framework's endpoints. */
export interface RequestWatcher {
    /** Called once the endpoint is known. */
    requestBegan(request: WatchedRequest): void;
    /**
     * Called when a request has ended. If no endpoint matched the request, `requestBegan` was not called before. The
     * status is 499 if the client disconnected first.
     */
    requestEnded(request: WatchedRequest, ms: number, status: number): void;
    /**
     * Called when an operation within a request or background work has ended, such as a query, a call or the sending of a
     * message. Requests themselves are not spans.
     */
    spanEnded(span: Span, operation?: SpanOperation): void;
}
/** A request, which a watcher may read but not retain. */
export interface WatchedRequest {
    /** For the watcher's own use; -1 until it sets a number. */
    watchedAs: number;
    readonly requestId: string;
    readonly exchange: {
        readonly method: string;
    };
    /** The path, percent-encoded and without the query. */
    readonly path: string;
    /** The declared pattern, or `<unmatched>`. */
    readonly route: string;
    /** On the clock of `performance.now`. */
    readonly startedAt: number;
    /** Undefined if no endpoint matched. */
    readonly endpoint: WatchedEndpoint | undefined;
    /** True once a stream, a file or a socket has started. The duration of such a response depends on the client. */
    readonly streams: boolean;
    /** The service of its endpoint; undefined if no endpoint matched. */
    readonly service: string | undefined;
    readonly caller: string | undefined;
    /** The id of the caller's span, if another service makes the request. */
    readonly parent: string | undefined;
    /** The id of the trace; undefined if it is derived from the request's id (`traceIdOf`). */
    readonly foreignTrace: string | undefined;
    readonly session: {
        readonly identity: {
            readonly email: string;
        };
    } | undefined;
}
/** An endpoint. A watcher may replace its declaration to observe the handler. */
export interface WatchedEndpoint {
    declaration: {
        readonly handler: (ctx: never, input: never, socket: never) => unknown;
    };
}
export type Decorate = (html: string, page: DecoratedPage) => string;
/** The request that a document responds to. */
export interface DecoratedPage {
    /** The signed-in user, if the service read the session. */
    readonly user: User | undefined;
    /** In seconds. A page with a maxAge is the same for every user, as is a file with a fingerprinted name. */
    readonly maxAge: number;
    readonly path: string;
    /** The response so far; undefined for a file, because its validator must not depend on the response. */
    readonly answer: DecoratedAnswer | undefined;
}
/** A response that contains a document. */
export interface DecoratedAnswer {
    /** The request's id. `trace` is the id of its trace. */
    readonly id: string;
    readonly trace: string;
    readonly status: number;
    /** Milliseconds since the request began. */
    readonly ms: number;
}
/** The content of the dev bar, except for the user. */
export interface DevBarState {
    /** True if the application has sign-in. */
    readonly signsIn: boolean;
    readonly firing: readonly string[];
}

// options.d.ts
import type { Application, ApplicationPorts } from "./application.ts";
import type { LogSink } from "./observe/log.ts";
import type { InjectedEndpoints } from "./routing/injected-endpoint.ts";
export interface HandlerOptions extends ApplicationPorts {
    /** Receives every log record; by default, lines are written to standard output. */
    readonly log?: LogSink;
    /** Endpoints under `/_fw/`, matched before any route. */
    readonly injected?: InjectedEndpoints;
    /**
     * At least 32 secret bytes that all instances of the service share; by default, a key for each process over HTTP and
     * a public key over HTTPS (`CsrfTokens`).
     */
    readonly csrfKey?: Uint8Array;
}
/** An application together with the endpoints that are matched before its routes. */
export interface Served extends Application {
    readonly injected: InjectedEndpoints;
}

// directory.d.ts
/** The addresses of the application's other services, and this service's credentials for them. */
export interface ServiceDirectory {
    /**
     * Returns the origin of a service: `http://127.0.0.1:8081`, `https://orders.example.com`. Rejects if it may not be
     * called.
     */
    addressOf(service: string): Promise<string> | string;
    /** Returns the Host header if it differs from the address. */
    hostOf?(service: string): string;
    /** The name of this service, for verifiers that need it in addition to the token. Local tokens contain it. */
    readonly name?: string;
    /** Returns a short-lived bearer token that identifies the caller and is valid for `service` only. */
    tokenFor(service: string): Promise<string> | string;
    /** Drops a token that was refused in front of the service, so the next call uses a new one. */
    forgetToken?(service: string, token: string): void;
}

// service-call.d.ts
import type { Headers } from "../exchange/exchange.ts";
import { type Trace } from "../observe/trace.ts";
export interface ServiceVerifier {
    /**
     * Returns the name of the calling service; undefined if the token is forged, expired, or meant for another service.
     * The token must confirm the name that the caller claims.
     */
    verify(token: string, claimedName: string | undefined): Promise<string | undefined> | string | undefined;
}
export declare const callerHeader = "x-fw-caller";
/** The parts of a request that identify the calling service. */
interface CallerRequest {
    readonly app: {
        readonly callers?: ServiceVerifier;
    };
    readonly exchange: Headers;
    readonly forwarded: boolean;
    caller: string | undefined;
}
/**
 * Sets `caller` if a valid token identifies the calling service. Returns a promise only if verification is
 * asynchronous. Trust a call's other headers only after that, because any client can send them. A request forwarded for
 * a client is never a call.
 */
export declare function authenticateService(request: CallerRequest): Promise<void> | undefined;
/** Returns the name of the called endpoint, if the request names one. Trust it only in calls from a service. */
export declare function calledRoute(request: Headers): string | undefined;
/** Returns the session id or access token that a call carries for its user; undefined if none is well-formed. */
export declare function forwardedSessionId(request: Headers): string | undefined;
/** The header with a user's credentials for an authenticator. */
export declare const credentialsHeader = "x-fw-credentials";
/** Returns how long the caller waits for the response, in milliseconds; undefined if it does not say. */
export declare function calledDeadline(request: Headers): number | undefined;
/** Returns the address of the client on whose behalf a service makes the call; "" if there is none. */
export declare function calledIP(request: Headers): string;
/** Returns the origin at which the client reached the application; "" if there is none. */
export declare function calledOrigin(request: Headers): string;
export declare function calledTrace(request: Headers): Trace | undefined;
export {};

// server.d.ts
import type { Socket } from "node:net";
import type { Handler } from "./handler.ts";
export type Listens = 
/** Port 0 selects a free port; listens on all interfaces by default. */
{
    readonly port: number;
    readonly host?: string;
}
/** A socket that the parent process opened, by its file descriptor. */
 | {
    readonly fd: number;
};
export type ServeOptions = Listens & {
    /** Overrides the defaults, in milliseconds. */
    readonly times?: Partial<ServerTimes>;
};
/** In milliseconds; each defaults to the limit of the same name. */
export interface ServerTimes {
    readonly headersMs: number;
    readonly bodyMs: number;
    readonly slowCheckMs: number;
    readonly stalledMs: number;
    readonly keepAliveMs: number;
    readonly drainMs: number;
}
export interface RunningServer {
    readonly port: number;
    /** Changes the handler, starting with the next request. */
    swap(handler: Handler): void;
    /**
     * Stops listening. Resolves after the last response, or at the drain's time limit, when remaining requests are
     * aborted and their connections are closed.
     */
    close(): Promise<void>;
    cut(): void;
}
/** A server without a port. Another process accepts its connections. */
export interface HandedServer extends Omit<RunningServer, "port"> {
    accept(socket: Socket): void;
}
/** Listens and handles requests with `handler`. Rejects with the system's error if it cannot listen. */
export declare function serve(handler: Handler, options: ServeOptions): Promise<RunningServer>;
/** Handles requests on connections that are passed to it. */
export declare function serveHanded(handler: Handler, times?: Partial<ServerTimes>): HandedServer;

// settings.d.ts
export type { Settings } from "./places.ts";
/**
 * The settings of each place where an application can run. A namespace rather than an object, so bundlers drop unused
 * places.
 */
export * as settings from "./places.ts";

// signals.d.ts
import type { RunningServer } from "./server.ts";
export interface StopOptions {
    /** Sends the remaining metrics and logs. */
    readonly flush?: () => Promise<void>;
    /** The signals that stop the process; SIGTERM and SIGINT by default. */
    readonly signals?: readonly NodeJS.Signals[];
    /** Milliseconds that the platform gives the process between the signal and its exit. */
    readonly shutdownMs?: number;
    /** The minimum time for the flush, in milliseconds. */
    readonly flushMs?: number;
}
/** Stops the server and then exits with the given code. Does nothing if the process is already stopping. */
export type Stop = (exitCode: number) => void;
/**
 * Stops the server and the process on a signal. A second signal that is no echo ends the process immediately. Returns a
 * function that stops them for any other reason.
 */
export declare function stopOnSignals(server: RunningServer, options?: StopOptions): Stop;
