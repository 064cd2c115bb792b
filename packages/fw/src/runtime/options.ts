import type { Platform } from "../platform/contract.ts";
import type { Admission } from "./access/trusted-proxy.ts";
import type { ServiceVerifier } from "./access/service-call.ts";
import type { SignInFlow } from "./auth/sign-in-flow.ts";
import type { CallerVerifier } from "./background/authenticate-platform.ts";
import type { Decorate, RequestFault, RequestWatcher } from "./hooks.ts";
import type { LogSink } from "./observe/log.ts";
import type { Metrics } from "./observe/metrics.ts";
import type { SpanSink } from "./observe/span.ts";
import type { ServiceDirectory } from "./remote/directory.ts";
import type { InjectedEndpoints } from "./routing/injected-endpoint.ts";
import type { Settings } from "./settings.ts";

/** How a handler serves a bundle. */
export interface HandlerOptions {
  /** What is not alike in all the places where an application runs. */
  readonly settings: Settings;
  /** Takes every log record. By default they are lines of standard output. */
  readonly log?: LogSink;
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
  /** Endpoints under `/_fw/`, answered before any route. */
  readonly injected?: InjectedEndpoints;
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
  /** At least 32 secret bytes that every instance of the service shares; by default random for this process. */
  readonly csrfKey?: Uint8Array;
}
