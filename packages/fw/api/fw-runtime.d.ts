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
    /** Resolves when `counted` includes the counts of other processes. */
    readonly collect?: () => Promise<void>;
    readonly log: LogSink;
    /** Called when an alert begins or stops firing. */
    readonly onChange?: () => void;
}
/** Watches the alerts of a running application and logs when one begins or stops firing. */
export declare class AlertReporter {
    #private;
    constructor(options: AlertReporterOptions);
    /** Replaces the alert rules. */
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
/** The environment of an application: its platform, its settings, and the observers of its requests. */
export interface ApplicationPorts {
    /** The settings of the place where the application runs. */
    readonly settings: Settings;
    readonly metrics?: Metrics;
    /** Exports the spans of traced requests. With it, fw also accepts a client's `traceparent`. */
    readonly spans?: SpanSink;
    /** Called for every opaque 500, for a dev console or an overlay. */
    readonly onFault?: (fault: RequestFault) => void;
    readonly watcher?: RequestWatcher;
    /** Changes an HTML document before it is sent: the dev bar, live reload. Never called for fragments. */
    readonly decorate?: Decorate;
    /** True if a Host header names this server; requests with others are refused. Defaults to all. */
    readonly isOwnHost?: (host: string | undefined) => boolean;
    /** The sign-in of an identity provider, if the application uses one. */
    readonly signInFlow?: SignInFlow;
    /** The platform with the application's data, opened with the bundle's `definitionsOf`; its opener closes it. */
    readonly platform?: Platform;
    /** Verifies deliveries and triggers of the platform; without it, all are refused. */
    readonly caller?: CallerVerifier;
    /** Verifies calls of the application's other services; without it, every caller is external. */
    readonly callers?: ServiceVerifier;
    /** The addresses of the application's other services, and this service's credentials for them. */
    readonly services?: ServiceDirectory;
    /** Checks connections to a service that clients reach only through another process; without it, all are accepted. */
    readonly admission?: Admission;
    /** Aborts when the process begins to stop, which asks background work to end. */
    readonly stopping?: AbortSignal;
}
/** A bundle that is ready to serve. */
export interface Application extends ApplicationPorts {
    readonly bundle: Bundle;
    readonly endpoints: ReadonlyMap<object, BundledEndpoint>;
    readonly entities: ReadonlyMap<EntityDeclaration, BundledEntity>;
    readonly destinations: ReadonlyMap<BundledDestination["declaration"], BundledDestination>;
    /** Absent if the application has no sign-in, and in a service whose code never asks for the user. */
    readonly sessions: Sessions | undefined;
    readonly sites: ReadonlyMap<SiteDeclaration, BundledSite>;
    /** The files of every site, in the order of the packages. */
    readonly files: readonly SiteFiles[];
    readonly host: Host;
    /** True if spans go to a collector. Spans that only a console of this machine shows change no log line and no header. */
    readonly exportsTraces: boolean;
    readonly csrf: CsrfTokens;
    readonly remotes: ReadonlyMap<EndpointDeclaration, BundledRemote>;
    readonly log: LogSink;
}
/** The bundle of an application, for lookups of its declarations. */
export type Wiring = Pick<Application, "bundle">;
/** The parts that decide whether requests are traced. */
export type Tracing = Pick<Application, "services" | "callers" | "spans" | "exportsTraces">;
/** The parts of an application that background work needs. */
export type BackgroundPorts = Tracing & Pick<Application, "host" | "log" | "onFault">;
/** Background ports for work that is found by its name and recorded in metrics. */
export type MeasuredPorts = BackgroundPorts & Wiring & Pick<Application, "metrics">;
/**
 * Returns the platform of an application. Throws a Fault if it was started without one; `purpose` completes the
 * message.
 */
export declare function platformOf({ platform }: Pick<Application, "platform">, purpose: string): Platform;
/** True if the application can identify users. */
export declare function hasUsers({ sessions, bundle }: Pick<Application, "sessions" | "bundle">): boolean;
/** Returns the package of an endpoint. */
export declare function packageOf(app: Wiring, endpoint: BundledEndpoint): BundledPackage | undefined;
/** Returns the milliseconds that an answer of an endpoint may take. */
export declare function timeoutOf(app: Wiring, endpoint: BundledEndpoint): number;

// background.d.ts
import type { Application } from "../application.ts";
/** Runs the background work of an application in this process: deliveries, crons and singletons. */
export declare class Background {
    #private;
    /** Switches to an application. Work in progress finishes on the previous one, except singletons, which restart. */
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
    readonly indexes: readonly (readonly {
        readonly field: string;
        readonly direction: "asc" | "desc";
    }[])[];
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
    readonly settings?: {
        readonly declaration: ServiceDeclaration;
        readonly domain: string;
    };
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
    list: boolean
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
    readonly allow?: {
        readonly declaration: PolicyDeclaration<never>;
        readonly name: string;
    };
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
export {};

// definitions.d.ts
import type { Definitions } from "../platform/contract.ts";
import type { BundledEntity, BundledConsumer } from "./bundle.ts";
/** The parts of a bundle, or of a model, that need a platform. */
interface StoredParts {
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
    /** True if it has pages with `once`. */
    readonly submits?: true;
    /** True if it has live pages. */
    readonly followsPages?: true;
    /** True if it has jobs whose runs are recorded. */
    readonly recordsRuns?: true;
    readonly destinations?: readonly {
        readonly kind: string;
    }[];
}
/** Returns the definitions that a platform needs before it stores an application's data. */
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
export { isJSON, isRecord } from "./decode/stored.ts";
export { exactText } from "../lib/exact-text.ts";
export { matchEncoded } from "./routing/match-encoded.ts";
export * as template from "./page/template-runtime.ts";
export { formFields, pathText, wireFields } from "./remote/request-text.ts";

// handler.d.ts
import type { Bundle } from "./bundle.ts";
import type { Exchange } from "./exchange/exchange.ts";
import type { HandlerOptions, Served } from "./options.ts";
/**
 * Answers the requests of a bundle. A server may switch to another handler between two requests; requests in progress
 * keep theirs.
 */
export type Handler = (exchange: Exchange) => void;
/** An application that is ready to serve. */
export interface Service {
    readonly handler: Handler;
    /** The argument of `Background.use`. */
    readonly app: Served;
}
/** Prepares a bundle to serve requests and run background work. Throws an UnsetSecrets if a secret is unset. */
export declare function createService(bundle: Bundle, options: HandlerOptions): Service;
/** Prepares a bundle to serve requests. Throws as `createService`. */
export declare function createHandler(bundle: Bundle, options: HandlerOptions): Handler;

// injected-endpoint.d.ts
import type { Request } from "../request.ts";
/** An endpoint of the framework below `/_fw/`. */
export interface InjectedEndpoint {
    readonly methods: readonly string[];
    /**
     * Answers a request. `rest` is the path below the endpoint's own, such as a token; "" if there is none. Throws a
     * StatusError to refuse it.
     */
    handle(request: Request, rest: string): void | Promise<void>;
}
/** Endpoints by path below `/_fw/` (`api/session`); a key that ends in `/` matches every path below it. */
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
    /** Members that fw itself adds to the line, next to the fields of the application. */
    readonly members?: Readonly<Record<string, unknown>>;
    /** The service whose endpoint wrote the line; undefined for other lines. */
    readonly service?: string | undefined;
}
export type LogSink = (record: LogRecord) => void;
type Fields = Readonly<Record<string, unknown>>;
/** A logger whose records all carry `tags`. */
export declare class TaggedLogger implements Logger {
    #private;
    /** With `isOwn`, the fields become members of the line: for processes of fw, whose lines other programs parse. */
    constructor(sink: LogSink, tags: Readonly<Record<string, string>>, service?: string, isOwn?: boolean);
    /** Returns a logger whose records carry more tags. */
    with(tags: Readonly<Record<string, string>>): TaggedLogger;
    debug(message: string, fields?: Fields): void;
    info(message: string, fields?: Fields): void;
    warn(message: string, fields?: Fields): void;
    error(message: string, fields?: Fields): void;
}
/** Returns the logger for messages of fw about an endpoint: the route is a tag, which a field cannot override. */
export declare function routeLogger(route: string, log: Logger): Logger;
export {};

// markdown.d.ts
import type { BundledSite } from "../bundle.ts";
type Trust = Pick<BundledSite, "trustedHTML">;
/** Loads the markdown libraries ahead of their first use. */
export declare function loadMarkdown(): Promise<void>;
/** Renders markdown as HTML, sanitised unless the site trusts its content. */
export declare function renderMarkdown(site: Trust, text: unknown): string;
/**
 * Returns HTML from data: unchanged if the framework created it or the site trusts its content, else sanitised. Escapes
 * HTML that the sanitiser would take too long for.
 */
export declare function renderHTML(site: Trust, value: unknown): string;
export {};

// log-line.d.ts
import type { LogRecord, LogSink } from "./log.ts";
/** Formats a record as one line of JSON for the platform's log reader. */
export declare function jsonLine(record: LogRecord): string;
/** Encodes a line as JSON. */
export declare function lineOf(members: Readonly<Record<string, unknown>>): string;
/** Formats a line for people: time, level, message, `key=value` fields and tags; stacks follow, indented. */
export declare function readableLine(record: LogRecord): string;
/** Creates a sink that writes each record in one of the formats above. */
export declare function lineSink(format: (record: LogRecord) => string, write: (line: string) => void): LogSink;
/** Merges the members, tags and fields of a record into a plain object that JSON can hold. */
export declare function flattenRecord({ members, tags, fields }: LogRecord): Readonly<Record<string, unknown>>;

// metrics.d.ts
import type { Bundle } from "../../bundle.ts";
/** The parts of a bundle that have metrics: those it declares, and its routes, crons and jobs. */
export type MeasuredBundle = Pick<Bundle, "endpoints" | "metrics" | "crons" | "consumers">;
/** Collects metrics until they are exported. No method throws or waits. */
export interface Metrics {
    /** Adds the metrics of an application. Called before it serves. */
    define(measured: MeasuredBundle): void;
    /** @param n a finite number of 0 or more, to be added to the declared counter */
    add(counter: string, n: number): void;
    /** @param value a finite number, as one sample of the declared histogram */
    observe(histogram: string, value: number): void;
    /** Called for every answered request. */
    request(route: string, status: number, ms: number): void;
    /** Called for a document that was read, or a message that was delivered, and that does not fit its type. */
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
    /** The number of routes with series of their own. */
    readonly mostRoutes?: number;
}
/**
 * Counts in memory since the instance started. Allocates all series before the first request: counting a request is
 * three additions.
 */
export declare class MetricStore implements Metrics {
    #private;
    constructor({ now, warn, mostRoutes }?: StoreOptions);
    /** Adds the metrics of an application and keeps existing counts. */
    define({ endpoints, metrics, crons, consumers }: MeasuredBundle): void;
    add(counter: string, n: number): void;
    observe(histogram: string, sample: number): void;
    request(route: string, status: number, ms: number): void;
    misfit({ kind, name }: {
        readonly kind: string;
        readonly name: string;
    }): void;
    /** Returns all counts. Declared metrics are present from the start, automatic ones from their first count on. */
    snapshot(): MetricSnapshot;
}
export {};

// hooks.d.ts
import type { User } from "../declare/user.ts";
import type { Span, SpanOperation } from "./observe/span.ts";
/** An error that was answered as an opaque 500. */
export interface RequestFault {
    readonly error: unknown;
    readonly requestId: string;
    /** The declared pattern, or `<unmatched>`. */
    readonly route: string;
}
/** Observes requests for a dev console, except those to the framework's endpoints. */
export interface RequestWatcher {
    /** Called when the endpoint is known. */
    began(request: WatchedRequest): void;
    /**
     * Called when the request has ended, also for one that no endpoint matched and that never began. The status is 499 if
     * the client disconnected first.
     */
    answered(request: WatchedRequest, ms: number, status: number): void;
    /** A step of a request, a message or a cron has ended: a query, a call, a message. Requests are no spans. */
    spanEnded(span: Span, operation?: SpanOperation): void;
}
/** A request, which a watcher reads and must not keep. */
export interface WatchedRequest {
    /** Free for the watcher; -1 until it sets a number. */
    watchedAs: number;
    readonly requestId: string;
    readonly exchange: {
        readonly method: string;
    };
    /** Percent-encoded, without the query. */
    readonly path: string;
    /** The declared pattern, or `<unmatched>`. */
    readonly route: string;
    /** On the clock of `performance.now`. */
    readonly startedAt: number;
    /** The service of its endpoint; undefined if no endpoint matched. */
    readonly service: string | undefined;
    /** The calling service. */
    readonly caller: string | undefined;
    /** The span of the call by another service. */
    readonly parent: string | undefined;
    /** The id of the trace; undefined if it follows from the request's (`traceIdOf`). */
    readonly foreignTrace: string | undefined;
    readonly session: {
        readonly identity: {
            readonly email: string;
        };
    } | undefined;
}
/** Changes an HTML document. */
export type Decorate = (html: string, page: DecoratedPage) => string;
/** The request that a document answers. */
export interface DecoratedPage {
    /** The signed-in user, if the service read the session. */
    readonly user: User | undefined;
    /** In seconds. A page with a maxAge is the same for every user, and so is a file with a fingerprinted name. */
    readonly maxAge: number;
    /** The path and query of the document. */
    readonly path: string;
    /** The answer so far; undefined for a file, whose validator it would change. */
    readonly answer: DecoratedAnswer | undefined;
}
/** The answer that contains a document. */
export interface DecoratedAnswer {
    /** The id of the request, and of its trace. */
    readonly id: string;
    readonly trace: string;
    readonly status: number;
    /** The duration so far. */
    readonly ms: number;
}
/** The content of the dev bar besides the user. */
export interface DevBarState {
    /** True if the application has sign-in. */
    readonly signsIn: boolean;
    /** The names of the firing alerts. */
    readonly firing: readonly string[];
}

// options.d.ts
import type { Application, ApplicationPorts } from "./application.ts";
import type { LogSink } from "./observe/log.ts";
import type { InjectedEndpoints } from "./routing/injected-endpoint.ts";
/** How a handler serves a bundle. */
export interface HandlerOptions extends ApplicationPorts {
    /** Takes every log record. Writes lines to standard output by default. */
    readonly log?: LogSink;
    /** Endpoints under `/_fw/`, matched before any route. */
    readonly injected?: InjectedEndpoints;
    /** At least 32 secret bytes that all instances of the service share; random for this process by default. */
    readonly csrfKey?: Uint8Array;
}
/** An application with the endpoints that are matched before its routes. */
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
    /** Returns the Host header, if it is not that of the address. */
    hostOf?(service: string): string;
    /** The name of this service, for verifiers that need it beside the token; local tokens contain it. */
    readonly name?: string;
    /** Returns a short-lived bearer token that identifies the caller and is valid for `service` only. */
    tokenFor(service: string): Promise<string> | string;
    /** Drops a token that was refused in front of the service, so that the next call gets a new one. */
    forgetToken?(service: string, token: string): void;
}

// service-call.d.ts
import type { Headers } from "../exchange/exchange.ts";
import { type Trace } from "../observe/trace.ts";
/** Verifies calls of the application's other services. */
export interface ServiceVerifier {
    /**
     * Returns the name of the calling service; undefined if the token is forged, has expired, or is for another service.
     * `named` is the name that the caller claims; the token must confirm it.
     */
    verify(token: string, claimedName: string | undefined): Promise<string | undefined> | string | undefined;
}
/** The header with the name of the calling service. */
export declare const callerHeader = "x-fw-caller";
/** The parts of a request that identify its caller. */
interface CallerRequest {
    readonly app: {
        readonly callers?: ServiceVerifier;
    };
    readonly exchange: Headers;
    readonly forwarded: boolean;
    caller: string | undefined;
}
/**
 * Sets the calling service; returns a promise only if that takes a while. The other headers of calls count only then,
 * because any client can send them. A request forwarded for a client is never a call.
 */
export declare function authenticateService(request: CallerRequest): Promise<void> | undefined;
/** Returns the name of the called endpoint. Only trust it if a service calls. */
export declare function calledRoute(request: Headers): string | undefined;
/** Returns the session id or access token that a call carries for its user. */
export declare function forwardedSessionId(request: Headers): string | undefined;
/** The header with the credentials of the user for an authenticator. */
export declare const credentialsHeader = "x-fw-credentials";
/** Returns the milliseconds for which the caller waits for the answer. */
export declare function calledDeadline(request: Headers): number | undefined;
/** Returns the address of the client on whose behalf a service calls; "" if there is none. */
export declare function calledIP(request: Headers): string;
/** Returns the origin at which that client reached the application; "" if there is none. */
export declare function calledOrigin(request: Headers): string;
export declare function calledTrace(request: Headers): Trace | undefined;
export {};

// server.d.ts
import type { Socket } from "node:net";
import type { Handler } from "./handler.ts";
/** The address to listen on. */
export type Listens = 
/** Port 0 selects a free port; listens on all interfaces by default. */
{
    readonly port: number;
    readonly host?: string;
}
/** A socket that the parent process has opened, by its descriptor. */
 | {
    readonly fd: number;
};
export type ServeOptions = Listens & {
    /** Overrides the defaults, in milliseconds. */
    readonly times?: Partial<ServerTimes>;
};
/** In milliseconds; each defaults to the limit with its name. */
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
    /** Changes the handler, from the next request on. */
    swap(handler: Handler): void;
    /**
     * Stops listening. Resolves after the last answer, or after the drain's ceiling, when the remaining requests are
     * aborted and their connections closed.
     */
    close(): Promise<void>;
    /** Closes all connections immediately. */
    cut(): void;
}
/** A server without a port: another process accepts its connections. */
export interface HandedServer extends Omit<RunningServer, "port"> {
    accept(socket: Socket): void;
}
/** Listens and answers requests with `handler`. Rejects with the system's error if it cannot listen. */
export declare function serve(handler: Handler, options: ServeOptions): Promise<RunningServer>;
/** Answers requests on connections that are passed to it. */
export declare function serveHanded(handler: Handler, times?: Partial<ServerTimes>): HandedServer;

// settings.d.ts
export type { Settings } from "./places.ts";
/**
 * The settings of each place where an application runs. A namespace, not an object: bundlers drop the places that
 * nothing reads.
 */
export * as settings from "./places.ts";

// signals.d.ts
import type { RunningServer } from "./server.ts";
export interface StopOptions {
    /** Sends the remaining metrics and logs. */
    readonly flush?: () => Promise<void>;
    /** The signals that stop it; SIGTERM and SIGINT by default. */
    readonly signals?: readonly NodeJS.Signals[];
    /** Milliseconds from the signal to the end of the process. */
    readonly shutdownMs?: number;
    /** Milliseconds that the flush has at least. */
    readonly flushMs?: number;
}
/** Stops the server, then ends the process with an exit code; does nothing if it is stopping already. */
export type Stop = (exitCode: number) => void;
/**
 * Stops the server and the process on a signal; a second one ends the process immediately. Returns a function that
 * stops them for any other reason.
 */
export declare function stopOnSignals(server: RunningServer, options?: StopOptions): Stop;
