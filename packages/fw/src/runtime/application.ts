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
export function platformOf({ platform }: Pick<Application, "platform">, purpose: string): Platform {
  if (platform === undefined) throw new Fault(`this application was started without a platform to ${purpose}`);
  return platform;
}

/** True if the application can identify users. */
export function hasUsers({ sessions, bundle }: Pick<Application, "sessions" | "bundle">): boolean {
  return sessions !== undefined || bundle.auth !== undefined || bundle.authenticators !== undefined;
}

export function packageOf(app: Wiring, endpoint: BundledEndpoint): BundledPackage | undefined {
  return app.bundle.packages[endpoint.package];
}

/** Returns the maximum duration of an endpoint's response, in milliseconds. */
export function timeoutOf(app: Wiring, endpoint: BundledEndpoint): number {
  return packageOf(app, endpoint)?.timeout ?? trafficTimeoutMs;
}
