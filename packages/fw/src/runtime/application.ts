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
import type { Metrics } from "./observe/metrics.ts";
import type { SpanSink } from "./observe/span.ts";
import type { Decorate, RequestFault, RequestWatcher } from "./hooks.ts";
import type { ServiceDirectory } from "./remote/directory.ts";
import type { Settings } from "./settings.ts";
import type { SiteFiles } from "./site/files.ts";

/** A bundle made ready to serve. */
export interface Application {
  readonly settings: Settings;
  readonly bundle: Bundle;
  readonly endpoints: ReadonlyMap<object, BundledEndpoint>;
  readonly entities: ReadonlyMap<EntityDeclaration, BundledEntity>;
  readonly destinations: ReadonlyMap<BundledDestination["declaration"], BundledDestination>;
  /** What keeps the application's data; absent where it keeps none. */
  readonly platform: Platform | undefined;
  /** Absent where nobody can sign in, and in a service whose code asks nobody who they are. */
  readonly sessions: Sessions | undefined;
  readonly sites: ReadonlyMap<SiteDeclaration, BundledSite>;
  /** The files of every site, in the order of the packages. */
  readonly files: readonly SiteFiles[];
  readonly host: Host;
  readonly csrf: CsrfTokens;
  /** Whether a Host header names this server; all do without one. */
  readonly isOwnHost: ((host: string | undefined) => boolean) | undefined;
  readonly signInFlow: SignInFlow | undefined;
  /** Tells the platform's calls from others; without one all are refused. */
  readonly caller: CallerVerifier | undefined;
  /** Tells calls of other services from those of outsiders; without one all are outsiders'. */
  readonly callers: ServiceVerifier | undefined;
  /** Where other services are; absent where they all run in this process. */
  readonly services: ServiceDirectory | undefined;
  /** Who may connect; everybody without one. */
  readonly admission: Admission | undefined;
  /** Aborts when the process begins to stop. */
  readonly stopping: AbortSignal | undefined;
  readonly remotes: ReadonlyMap<EndpointDeclaration, BundledRemote>;
  readonly log: LogSink;
  readonly metrics: Metrics | undefined;
  /** Is told of requests; absent where nobody is. */
  readonly spans: SpanSink | undefined;
  readonly decorate: Decorate | undefined;
  readonly onFault: ((fault: RequestFault) => void) | undefined;
  readonly watcher: RequestWatcher | undefined;
}

/** What was read of the source, for those who look something up in it. */
export type Wiring = Pick<Application, "bundle">;

/** What says whether a trace is followed, and by whom. */
export type Tracing = Pick<Application, "services" | "callers" | "spans">;

/** What background work is done with. */
export type BackgroundPorts = Tracing & Pick<Application, "host" | "log" | "onFault">;

/** The same where what is run is found by its name and counted. */
export type MeasuredPorts = BackgroundPorts & Wiring & Pick<Application, "metrics">;

/** The package an endpoint belongs to. */
export function packageOf(app: Wiring, endpoint: BundledEndpoint): BundledPackage | undefined {
  return app.bundle.packages[endpoint.package];
}
