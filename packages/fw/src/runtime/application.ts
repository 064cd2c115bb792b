import type { EndpointDeclaration } from "../declare/endpoint.ts";
import type { EntityDeclaration } from "../declare/entity.ts";
import type { Host } from "../declare/host.ts";
import type { SiteDeclaration } from "../declare/site.ts";
import type { Platform } from "../platform/contract.ts";
import { CsrfTokens } from "./access/csrf.ts";
import type { ServiceVerifier } from "./access/service-call.ts";
import { signInEndpoints } from "./auth/endpoints.ts";
import type { Sessions } from "./auth/session.ts";
import { sessionsOn } from "./auth/sessions.ts";
import type { SignInFlow } from "./auth/sign-in-flow.ts";
import type { CallerVerifier } from "./background/caller.ts";
import { backgroundEndpoints } from "./background/endpoints.ts";
import type {
  Bundle,
  BundledCarrier,
  BundledEndpoint,
  BundledEntity,
  BundledPackage,
  BundledRemote,
  BundledSite,
} from "./bundle.ts";
import { createHost } from "./host.ts";
import { jsonLine, lineSink, readableLine } from "./observe/log-line.ts";
import type { LogSink } from "./observe/log.ts";
import type { RequestMetrics } from "./observe/metrics.ts";
import type { Decorate, HandlerOptions, RequestFault } from "./options.ts";
import type { ServiceDirectory } from "./remote/directory.ts";
import type { InjectedEndpoints } from "./routing/injected.ts";
import { signedEndpoints } from "./signed/signed.ts";
import { openSite, type SiteFiles } from "./site/files.ts";

/** A bundle made ready to serve. */
export interface Application {
  readonly mode: HandlerOptions["mode"];
  readonly bundle: Bundle;
  readonly endpoints: ReadonlyMap<EndpointDeclaration, BundledEndpoint>;
  readonly entities: ReadonlyMap<EntityDeclaration, BundledEntity>;
  readonly carriers: ReadonlyMap<BundledCarrier["declaration"], BundledCarrier>;
  /** What keeps the application's data; absent where it keeps none. */
  readonly platform: Platform | undefined;
  /** Absent where nobody can sign in. */
  readonly sessions: Sessions | undefined;
  readonly sites: ReadonlyMap<SiteDeclaration, BundledSite>;
  /** The files of every site, in the order of the packages. */
  readonly files: readonly SiteFiles[];
  readonly host: Host;
  readonly csrf: CsrfTokens;
  readonly injected: InjectedEndpoints;
  readonly isOwnHost: HandlerOptions["isOwnHost"];
  readonly signInFlow: SignInFlow | undefined;
  /** Tells the platform's calls from others; without one all are refused. */
  readonly caller: CallerVerifier | undefined;
  /** Tells calls of other services from those of outsiders; without one all are outsiders'. */
  readonly callers: ServiceVerifier | undefined;
  /** Where other services are; absent where they all run in this process. */
  readonly services: ServiceDirectory | undefined;
  readonly remotes: ReadonlyMap<EndpointDeclaration, BundledRemote>;
  readonly log: LogSink;
  readonly metrics: RequestMetrics | undefined;
  readonly decorate: Decorate | undefined;
  readonly onFault: ((fault: RequestFault) => void) | undefined;
}

export function createApplication(bundle: Bundle, options: HandlerOptions): Application {
  const sites = bundle.packages.flatMap((each) => each.site ?? []);
  const app: Application = {
    mode: options.mode,
    bundle,
    endpoints: new Map(bundle.endpoints.map((endpoint) => [endpoint.declaration, endpoint])),
    entities: new Map((bundle.entities ?? []).map((entity) => [entity.declaration, entity])),
    carriers: new Map((bundle.carriers ?? []).map((carrier) => [carrier.declaration, carrier])),
    platform: options.platform,
    sessions: bundle.auth && options.platform && sessionsOn(options.platform),
    sites: new Map(sites.map((site) => [site.declaration, site])),
    files: sites.map(openSite),
    host: createHost(() => app),
    csrf: new CsrfTokens(options.csrfKey),
    injected: {
      ...(bundle.auth && signInEndpoints),
      ...(bundle.buckets && signedEndpoints),
      ...backgroundEndpoints(bundle, () => app),
      ...options.injected,
    },
    isOwnHost: options.isOwnHost,
    signInFlow: options.signInFlow,
    caller: options.caller,
    callers: options.callers,
    services: options.services,
    remotes: new Map((bundle.remotes ?? []).map((remote) => [remote.declaration, remote])),
    log: options.log ?? standardOutput(options.mode),
    metrics: options.metrics,
    decorate: options.decorate,
    onFault: options.onFault,
  };
  return app;
}

/** The package an endpoint belongs to. */
export function packageOf(app: Application, endpoint: BundledEndpoint): BundledPackage | undefined {
  return app.bundle.packages[endpoint.package];
}

function standardOutput(mode: HandlerOptions["mode"]): LogSink {
  return lineSink(mode === "dev" ? readableLine : jsonLine, (line) => process.stdout.write(line));
}
