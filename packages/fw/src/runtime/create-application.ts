import { CsrfTokens } from "./access/csrf-tokens.ts";
import { signInEndpoints } from "./auth/endpoints.ts";
import { sessionsOn } from "./auth/sessions.ts";
import { backgroundEndpoints } from "./background/endpoints.ts";
import type { Bundle } from "./bundle.ts";
import { createHost } from "./host.ts";
import { tracedHost } from "./traced-host.ts";
import { lineSink } from "./observe/log-line.ts";
import type { LogSink } from "./observe/log.ts";
import type { HandlerOptions } from "./options.ts";
import type { Settings } from "./settings.ts";
import { signedEndpoints } from "./signed/signed.ts";
import type { Served } from "./served.ts";
import { openSite } from "./site/files.ts";

/** Makes a bundle ready to serve. */
export function createApplication(bundle: Bundle, options: HandlerOptions): Served {
  const auth = bundle.auth?.readsSessions === false ? undefined : bundle.auth;
  options.metrics?.define(bundle);
  const sites = bundle.packages.flatMap((each) => each.site ?? []);
  const host = createHost(() => app);
  const app: Served = {
    settings: options.settings,
    bundle,
    endpoints: new Map(bundle.endpoints.map((endpoint) => [endpoint.declaration, endpoint])),
    entities: new Map((bundle.entities ?? []).map((entity) => [entity.declaration, entity])),
    destinations: new Map((bundle.destinations ?? []).map((destination) => [destination.declaration, destination])),
    platform: options.platform,
    sessions: auth && options.platform && sessionsOn(options.platform),
    sites: new Map(sites.map((site) => [site.declaration, site])),
    files: sites.map(openSite),
    host: options.spans ? tracedHost(host, options.spans) : host,
    csrf: new CsrfTokens(options.csrfKey),
    injected: {
      ...(auth && signInEndpoints),
      ...(bundle.buckets && signedEndpoints),
      ...backgroundEndpoints(bundle, () => app),
      ...options.injected,
    },
    isOwnHost: options.isOwnHost,
    signInFlow: options.signInFlow,
    caller: options.caller,
    callers: options.callers,
    services: options.services,
    admission: options.admission,
    stopping: options.stopping,
    remotes: new Map((bundle.remotes ?? []).map((remote) => [remote.declaration, remote])),
    log: options.log ?? standardOutput(options.settings),
    metrics: options.metrics,
    spans: options.spans,
    decorate: options.decorate,
    onFault: options.onFault,
    watcher: options.watcher,
  };
  return app;
}

function standardOutput({ logLine }: Settings): LogSink {
  return lineSink(logLine, (line) => process.stdout.write(line));
}
