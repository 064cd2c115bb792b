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
  usesEntities,
} from "./capabilities.ts";
import { createHost } from "./host.ts";
import { lineSink } from "./observe/log-line.ts";
import type { LogSink } from "./observe/log.ts";
import { type SpanSink, beginSpan, isFailure } from "./observe/span.ts";
import type { HandlerOptions, Served } from "./options.ts";
import type { Settings } from "./settings.ts";
import { signedEndpoints } from "./signed/signed.ts";
import { openSite } from "./site/files.ts";
import { unused } from "./unused.ts";
import type { Context } from "../declare/context.ts";
import type { Host } from "../declare/host.ts";
import { originOf } from "./calls/origin.ts";

const noAttributes = {};

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
  ports.follow?.(app);
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

/**
 * Wraps a host so that its operations on entities, buckets, users and tokens become spans of the caller's trace.
 * Operations without a promise, such as streams, get no span.
 */
function traceHost(host: Host, spans: SpanSink): Host {
  return {
    ...host,
    entities: usesEntities ? traceOperations("entity", host.entities, spans) : host.entities,
    buckets: usesBuckets ? traceOperations("bucket", host.buckets, spans) : host.buckets,
    users: usesIdentity ? traceOperations("users", host.users, spans) : host.users,
    tokens: usesIdentity ? traceOperations("tokens", host.tokens, spans) : host.tokens,
  };
}

type Operation = (ctx: Context, ...args: unknown[]) => unknown;

function traceOperations<Operations extends object>(part: string, operations: Operations, spans: SpanSink): Operations {
  const wrapped = Object.entries(operations).map(([name, operation]: [string, Operation]) => {
    const label = `${part}.${name}`;
    const step: Operation = (ctx, ...args) => {
      const subject = nameIn(args[0]);
      const text = subject === undefined ? label : `${label} ${subject}`;
      const span = beginSpan(spans, originOf(ctx).trace, { kind: "client", name: text, attributes: noAttributes });
      const result = operation(ctx, ...args);
      if (!(result instanceof Promise)) return result;
      return result.then(
        (value: unknown) => (span.end(false, [args, value]), value),
        (error: unknown) => {
          span.end(isFailure(error), [args, error]);
          throw error;
        },
      );
    };
    return [name, step];
  });
  return Object.fromEntries(wrapped) as Operations;
}

/**
 * Returns the name of a declaration or of a query's entity; undefined for other arguments, because ids and addresses
 * must not reach a collector.
 */
function nameIn(argument: unknown): string | undefined {
  const { entity, kind, name } = Object(argument) as { readonly [member: string]: unknown };
  if (entity !== undefined) return nameIn(entity);
  return kind !== undefined && typeof name === "string" ? name : undefined;
}
