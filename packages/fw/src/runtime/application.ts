import type { EndpointDeclaration } from "../declare/endpoint.ts";
import type { EntityDeclaration } from "../declare/entity.ts";
import { Fault } from "../declare/errors.ts";
import type { Host } from "../declare/host.ts";
import type { SiteDeclaration } from "../declare/site.ts";
import { trafficTimeoutMs } from "../lib/limits.ts";
import type { Platform } from "../platform/contract.ts";
import type { Admission } from "./access/trusted-proxy.ts";
import type { CsrfTokens } from "./access/csrf-tokens.ts";
import type { ServiceVerifier } from "./access/service-call.ts";
import type { Sessions } from "./auth/sessions.ts";
import type { SignInFlow } from "./auth/sign-in-flow.ts";
import type { CallerVerifier } from "./background/authenticate-platform.ts";
import type {
  Bundle,
  BundledDestination,
  BundledEndpoint,
  BundledEntity,
  BundledPackage,
  BundledRemote,
  BundledSite,
} from "./bundle.ts";
import type { LogSink } from "./observe/log.ts";
import type { Metrics } from "./observe/metrics/metrics.ts";
import type { SpanSink } from "./observe/span.ts";
import type { Decorate, RequestFault, RequestWatcher } from "./hooks.ts";
import type { ServiceDirectory } from "./remote/directory.ts";
import type { Settings } from "./settings.ts";
import type { SiteFiles } from "./site/files.ts";

/** What an application is served with: the place where it runs, what it stands on there, and who is told of what it does. */
export interface ApplicationPorts {
  /** What is not alike in all the places where an application runs. */
  readonly settings: Settings;
  readonly metrics?: Metrics;
  /** Is told of every answered request whose trace is recorded. With it, a visitor's `traceparent` counts, too. */
  readonly spans?: SpanSink;
  /** Is told of every opaque 500, for a dev console or an overlay. */
  readonly onFault?: (fault: RequestFault) => void;
  readonly watcher?: RequestWatcher;
  /** Changes an HTML document on its way out: the dev bar, live reload. Never called for fragments. */
  readonly decorate?: Decorate;
  /** Whether a Host header names this server; requests with others are refused. All do by default. */
  readonly isOwnHost?: (host: string | undefined) => boolean;
  /** How people sign in where an identity provider has them. */
  readonly signInFlow?: SignInFlow;
  /** What keeps the application's data, opened with the bundle's `definitionsOf`; who opened it closes it. */
  readonly platform?: Platform;
  /** Tells deliveries and triggers of the platform from others; without one all are refused. */
  readonly caller?: CallerVerifier;
  /** Tells calls of the application's other services from those of outsiders; without one all are outsiders'. */
  readonly callers?: ServiceVerifier;
  /** Where the application's other services are, and how this one shows them who it is. */
  readonly services?: ServiceDirectory;
  /** Who may connect, where visitors reach the service through another process only; everybody may by default. */
  readonly admission?: Admission;
  /** Aborts when the process begins to stop: work in the background is told. */
  readonly stopping?: AbortSignal;
}

/** A bundle made ready to serve. */
export interface Application extends ApplicationPorts {
  readonly bundle: Bundle;
  readonly endpoints: ReadonlyMap<object, BundledEndpoint>;
  readonly entities: ReadonlyMap<EntityDeclaration, BundledEntity>;
  readonly destinations: ReadonlyMap<BundledDestination["declaration"], BundledDestination>;
  /** Absent where nobody can sign in, and in a service whose code asks nobody who they are. */
  readonly sessions: Sessions | undefined;
  readonly sites: ReadonlyMap<SiteDeclaration, BundledSite>;
  /** The files of every site, in the order of the packages. */
  readonly files: readonly SiteFiles[];
  readonly host: Host;
  readonly csrf: CsrfTokens;
  readonly remotes: ReadonlyMap<EndpointDeclaration, BundledRemote>;
  readonly log: LogSink;
}

/** What was read of the source, for those who look something up in it. */
export type Wiring = Pick<Application, "bundle">;

/** What says whether a trace is followed, and by whom. */
export type Tracing = Pick<Application, "services" | "callers" | "spans">;

/** What background work is done with. */
export type BackgroundPorts = Tracing & Pick<Application, "host" | "log" | "onFault">;

/** The same where what is run is found by its name and counted. */
export type MeasuredPorts = BackgroundPorts & Wiring & Pick<Application, "metrics">;

/** What keeps an application's data. Throws a Fault where it was started without, which says what that is for. */
export function platformOf({ platform }: Pick<Application, "platform">, purpose: string): Platform {
  if (platform === undefined) throw new Fault(`this application was started without a platform to ${purpose}`);
  return platform;
}

/** The package an endpoint belongs to. */
export function packageOf(app: Wiring, endpoint: BundledEndpoint): BundledPackage | undefined {
  return app.bundle.packages[endpoint.package];
}

/** Milliseconds that an answer of an endpoint may take. */
export function timeoutOf(app: Wiring, endpoint: BundledEndpoint): number {
  return packageOf(app, endpoint)?.timeout ?? trafficTimeoutMs;
}
