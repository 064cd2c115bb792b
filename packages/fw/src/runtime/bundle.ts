import type { AuthenticatorDeclaration } from "../declare/authenticator.ts";
import type { Blob } from "../declare/blob.ts";
import type { BucketDeclaration } from "../declare/bucket.ts";
import type { CronDeclaration } from "../declare/cron.ts";
import type { Declared } from "../declare/declared.ts";
import type { EndpointDeclaration } from "../declare/endpoint.ts";
import type { EntityDeclaration } from "../declare/entity.ts";
import type { JobDeclaration } from "../declare/job.ts";
import type { CounterDeclaration, HistogramDeclaration } from "../declare/metric.ts";
import type { PolicyDeclaration } from "../declare/policy.ts";
import type { QueueDeclaration } from "../declare/queue.ts";
import type { Raw } from "../declare/raw.ts";
import type { ReplyStatus } from "../declare/reply.ts";
import type { RunnerDeclaration } from "../declare/runner.ts";
import type { ServiceDeclaration } from "../declare/service.ts";
import type { SingletonDeclaration } from "../declare/singleton.ts";
import type { SiteDeclaration } from "../declare/site.ts";
import type { StatusPageDeclaration } from "../declare/status.ts";
import type { SubscribeDeclaration } from "../declare/subscribe.ts";
import type { TopicDeclaration } from "../declare/topic.ts";
import type { WorkerDeclaration } from "../declare/worker.ts";
import type { AlertRule } from "../lib/alert-rule.ts";
import type { AssetTable } from "../lib/asset.ts";
import type { WrittenSettings } from "../lib/written-settings.ts";
import type { Destination, DeliveryPolicy } from "../platform/messages.ts";
import type { RawRequest } from "./decode/raw-request.ts";

/** What generated wiring exports by default and the runtime serves: the code of one or more services. */
export interface Bundle {
  readonly app: string;
  /**
   * Index into `endpoints`; -1 for no such route; -2 for a path that is not valid percent-encoding, a 400. `path` is
   * the raw path without its query. Appends the decoded values of `{param}` segments to `params`, in order.
   */
  readonly match: (method: string, path: string, params: string[]) => number;
  /** Every method that some endpoint of the bundle answers, sorted; for 405 and OPTIONS. */
  readonly methods: readonly string[];
  readonly endpoints: readonly BundledEndpoint[];
  /** In name order: where two sites hold one path, the first keeps it. */
  readonly packages: readonly BundledPackage[];
  /** True where a platform keeps data, sends messages or starts work for it. */
  readonly keepsData?: true;
  // Each absent where there are none.
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
  readonly metrics?: readonly BundledMetric[];
  readonly alerts?: readonly AlertRule[];
  readonly remotes?: readonly BundledRemote[];
  /** What the source says of declarations besides their rows, to be compared with what loads; absent in wiring that nothing generated. */
  readonly written?: BundledSettings;
}

/** Settings as the source has them, by the declaration; of those that the wiring knows by name, by `alert slow`. */
export interface BundledSettings {
  readonly declarations: readonly (readonly [declaration: Declared, settings: WrittenSettings])[];
  /** Of Auth there may be several. */
  readonly named: readonly (readonly [label: string, settings: WrittenSettings])[];
}

/** How a call of an endpoint is written, and its answer read. */
export interface CallCodec {
  /** A request as it goes over the wire. */
  readonly encode: (request: never) => RemoteRequest;
  /** A response from its JSON value; a Blob and HTML are not decoded. Throws a BadInput. */
  readonly decode: (value: unknown) => unknown;
  /** The body of a reply, from its JSON value and its status; absent where there are none. Throws a BadInput. */
  readonly decodeReply?: (value: unknown, status: ReplyStatus | undefined) => unknown;
  /** True when a response holds an Int64, which JSON.parse would round. */
  readonly exactIntegers: boolean;
}

/** How messages are read and written: those of a socket, and those that are sent and delivered. */
export interface MessageCodec {
  /** A message that came, from its JSON value. Throws a BadInput. */
  readonly decode: (value: unknown) => unknown;
  /** JSON text of a message that is sent; absent where JSON.stringify is right. */
  readonly encode?: (message: unknown) => string;
  /** True when a message that comes holds an Int64, which JSON.parse would round. */
  readonly exactIntegers: boolean;
}

/** How a socket's messages are read and written. */
export interface SocketCodec extends MessageCodec {
  /** The same at the visitor's end, where tests have one in this process. */
  readonly visitor?: MessageCodec;
}

/** An endpoint of another service, which this one may call. */
export interface BundledRemote extends CallCodec {
  readonly declaration: EndpointDeclaration;
  readonly kind: "api" | "page";
  /** The name of the service that has it. */
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
  /** The body as it is. */
  readonly raw?: Raw | undefined;
  /** Form fields by name: text, or files, which make it multipart. */
  readonly form?: readonly (readonly [name: string, value: string | Blob])[];
  /** Its headers and cookies, urlencoded. */
  readonly fields?: string;
}

/** Who may sign in, and what they can carry. */
export interface BundledAuth {
  readonly social: boolean;
  readonly password: boolean;
  /** The names of the declared roles, sorted. */
  readonly roles: readonly string[];
  /** Present where access tokens speak for accounts, too. */
  readonly tokens?: true;
  /** False for a service whose code asks nobody who they are: it reads no sessions, and hands on those that it is given. */
  readonly readsSessions?: false;
}

/** What says whose credentials are that are not this application's. */
export interface BundledAuthenticator {
  /** The variable that holds it. */
  readonly name: string;
  /** What it reads; names of headers are in lower case. It is asked about requests that have all that is needed. */
  readonly credentials: readonly {
    readonly source: "header" | "cookie" | "query" | "path" | "form";
    readonly name: string;
    readonly needed: boolean;
  }[];
  /** Absent in a service whose code asks nobody who they are: it hands on what it is given. */
  readonly declaration?: AuthenticatorDeclaration;
  /** Throws a BadInput for credentials of another type. */
  readonly decode?: (raw: RawRequest) => unknown;
}

export interface BundledBucket {
  readonly declaration: BucketDeclaration;
  readonly name: string;
}

/** What has messages. */
export interface BundledDestination extends MessageCodec {
  readonly kind: "queue" | "topic" | "job";
  readonly declaration: QueueDeclaration | TopicDeclaration | JobDeclaration;
  readonly name: string;
  /** Tasks of one run of a job. */
  readonly tasks: number;
}

/** Who gets messages. */
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

export interface BundledSingleton {
  readonly declaration: SingletonDeclaration;
  readonly name: string;
  /** `<package>-<variable>`: its service. */
  readonly service: string;
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
  readonly indexed: readonly { readonly name: string; readonly many: boolean; readonly unique?: true }[];
  /** Fields that are not kept. */
  readonly transient: readonly string[];
  /** The composite indexes that the application's queries need. */
  readonly indexes: readonly (readonly { readonly field: string; readonly direction: "asc" | "desc" }[])[];
}

export interface BundledPackage {
  readonly name: string;
  readonly service: string;
  readonly settings?: { readonly declaration: ServiceDeclaration; readonly domain: string };
  /** Milliseconds that one answer may take; absent where it is the default. */
  readonly timeout?: number;
  /** Other origins whose pages may call its APIs; absent where none may. */
  readonly origins?: BundledOrigins;
  readonly site?: BundledSite;
  readonly status?: StatusPageDeclaration;
}

export interface BundledOrigins {
  readonly allowed: "*" | readonly string[];
  readonly credentials: boolean;
}

export interface BundledSite {
  readonly declaration: SiteDeclaration;
  /** Directory of the files to serve, absolute or relative to the process's working directory. */
  readonly dir: string;
  /** The files as they were when the bundle was built; absent in the dev loop, where the directory itself is asked. */
  readonly assets?: AssetTable;
  readonly redirects: Readonly<Record<string, string>>;
  readonly trustedHTML: boolean;
  readonly notFound?: string;
  /** The file for paths that nothing else answers. */
  readonly fallback?: string;
  /** Compiled templates by name (`index.html`, `notes/_list.html`). */
  readonly templates: Readonly<Record<string, CompiledTemplate>>;
}

/** Fills a template. `page` supplies what depends on the request: csrf, content, markdown. */
export type CompiledTemplate = (data: unknown, page: TemplatePage) => string;

export interface TemplatePage {
  /** The hidden input, ready-made HTML; "" on a page with MaxAge. */
  csrf(): string;
  /** The bare token; "" on a page with MaxAge. */
  csrfToken(): string;
  /** Sanitised HTML of markdown text. */
  markdown(text: unknown): string;
  /** A value as HTML (`{{{value}}}`): what the framework rendered as it stands, anything else sanitised. */
  html(value: unknown): string;
  /** The rendered page, inside a layout; "" elsewhere. */
  readonly content: string;
}

export interface BundledEndpoint {
  /** That of a mount has no `call`. */
  readonly declaration: EndpointDeclaration;
  readonly kind: "api" | "page" | "mount" | "socket";
  /** The declared pattern, `GET /orders/{id}`: the label of logs and metrics. */
  readonly route: string;
  /** `*` of a mount, which takes every one. */
  readonly method: string;
  /** Index into `packages`. */
  readonly package: number;
  /** Also true where there is a policy. */
  readonly signIn: boolean;
  /** The policy, and the variable that holds it. */
  readonly allow?: { readonly declaration: PolicyDeclaration; readonly name: string };
  readonly private: boolean;
  /** Seconds; 0 for none. */
  readonly maxAge: number;
  /** Of an answer; absent where it is the usual one. */
  readonly status?: number;
  /** Bytes of a body that comes from outside; absent where the usual bound holds. */
  readonly maxBody?: number;
  /** What the request carries besides its URL. */
  readonly carries: "nothing" | "json" | "raw" | "form" | "multipart" | "stream";
  /** Names of the headers that its requests bind, as Vary lists them; absent where they bind none. */
  readonly varies?: string;
  /** True when the JSON body holds an Int64, which JSON.parse would round. */
  readonly exactIntegers: boolean;
  /** Throws a BadInput (`runtime/decode/raw-request.ts`) with the exact 400 text. */
  readonly decode: (raw: RawRequest) => unknown;
  /** JSON text of a response; absent where JSON.stringify is right. */
  readonly encode?: (response: unknown) => string;
  /** How messages are read and written; absent of what is no socket. */
  readonly socket?: SocketCodec;
  /** For calls by code of other services in this process; absent where there are none. */
  readonly call?: CallCodec;
}
