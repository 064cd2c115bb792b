import { CsrfTokens } from "./access/csrf-tokens.ts";
import { accountEndpoints } from "./auth/account/endpoints.ts";
import { signInEndpoints } from "./auth/endpoints.ts";
import { Sessions } from "./auth/sessions.ts";
import { backgroundEndpoints } from "./background/endpoints.ts";
import type { Bundle } from "./bundle.ts";
import {
  usesAccounts,
  usesBackground,
  usesBuckets,
  usesData,
  usesIdentity,
  usesPages,
  usesSites,
} from "./capabilities.ts";
import { createHost } from "./host.ts";
import { traceHost } from "./trace-host.ts";
import { lineSink } from "./observe/log-line.ts";
import type { LogSink } from "./observe/log.ts";
import type { SpanSink } from "./observe/span.ts";
import type { HandlerOptions, Served } from "./options.ts";
import type { Settings } from "./settings.ts";
import { signedEndpoints } from "./signed/signed.ts";
import { openSite } from "./site/files.ts";
import { unused } from "./unused.ts";

export function createApplication(bundle: Bundle, { log, injected, csrfKey, ...ports }: HandlerOptions): Served {
  const auth = bundle.auth?.readsSessions === false ? undefined : bundle.auth;
  ports.metrics?.define(bundle);
  const sites = bundle.packages.flatMap((each) => each.site ?? []);
  const host = createHost(() => app);
  const spans = spanSink(ports);
  const app: Served = {
    ...ports,
    ...(spans && { spans }),
    exportsTraces: ports.spans !== undefined,
    bundle,
    endpoints: new Map(bundle.endpoints.map((endpoint) => [endpoint.declaration, endpoint])),
    entities: new Map((bundle.entities ?? []).map((entity) => [entity.declaration, entity])),
    destinations: new Map((bundle.destinations ?? []).map((destination) => [destination.declaration, destination])),
    sessions: usesIdentity && auth && ports.platform ? new Sessions(ports.platform) : undefined,
    sites: new Map(sites.map((site) => [site.declaration, site])),
    files: usesSites ? sites.map(openSite) : [],
    host: usesData && spans ? traceHost(host, spans) : host,
    csrf: usesPages || usesIdentity ? new CsrfTokens(csrfKey) : unused,
    injected: {
      ...(usesIdentity && auth && signInEndpoints),
      ...(usesAccounts && auth?.account && accountEndpoints),
      ...(usesBuckets && bundle.buckets && signedEndpoints),
      ...(usesBackground && backgroundEndpoints(bundle, () => app)),
      ...injected,
    },
    remotes: new Map((bundle.remotes ?? []).map((remote) => [remote.declaration, remote])),
    log: log ?? standardOutput(ports.settings),
  };
  return app;
}

/** Returns the receiver of finished spans: the collector, the watcher of a dev console, or both. */
function spanSink({ spans, watcher }: Pick<HandlerOptions, "spans" | "watcher">): SpanSink | undefined {
  if (watcher === undefined) return spans;
  return (span, of) => {
    watcher.spanEnded(span, of);
    spans?.(span);
  };
}

function standardOutput({ logLine }: Settings): LogSink {
  return lineSink(logLine, (line) => process.stdout.write(line));
}
