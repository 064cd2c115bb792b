import { subscribe } from "node:diagnostics_channel";
import { errorMonitor } from "node:events";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Application } from "../../application.ts";
import { newRequestId } from "../request-id.ts";
import type { OutgoingSubject, SpanSink } from "../span.ts";
import { isRecorded, type Trace } from "../trace.ts";
import { HandlerContexts } from "./handler-contexts.ts";
import { outgoingTarget, type OutgoingTarget } from "./target.ts";

/** Environment variables that may contain the address of a collector. Exports to a collector are not recorded. */
const collectorVariables = ["", "_TRACES", "_METRICS", "_LOGS"].map((signal) => `OTEL_EXPORTER_OTLP${signal}_ENDPOINT`);

/** Matches the headers of requests between fw's own processes, which already have spans. */
const ownHeader = /^(?:x-)?fw-/;

/** The parts of an application that a recorder of outgoing requests follows. */
export type FollowedApplication = Pick<Application, "bundle" | "spans">;

/** An outgoing request in progress. */
interface OpenRequest {
  readonly trace: Trace;
  readonly name: string;
  readonly attributes: Record<string, string | number>;
  readonly subject: OutgoingSubject;
  /** On the clock of `performance.now`. */
  readonly startedAt: number;
}

/** A request reported by undici, which `fetch` also uses. */
interface UndiciRequest {
  readonly origin: string | URL;
  readonly method: string;
  readonly path: string;
}

/**
 * Returns a function that records the outgoing HTTP requests of an application's handlers as spans: from `fetch`,
 * undici, `node:http` and `node:https`. Call it with the application and with each new version. Recording starts with
 * the first call. With `isLazy`, the first request of the process only starts the tracking of handlers, so a service
 * that sends no requests pays nothing.
 */
export function outgoingRecorder({ isLazy = false, env = process.env }: RecorderOptions = {}): (
  app: FollowedApplication,
) => void {
  let recorder: OutgoingRecorder | undefined;
  return (app) => (recorder ??= new OutgoingRecorder(isLazy, collectorHosts(env))).follow(app);
}

interface RecorderOptions {
  readonly isLazy?: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

function collectorHosts(env: Readonly<Record<string, string | undefined>>): ReadonlySet<string> {
  return new Set(
    collectorVariables.flatMap((name) => (URL.canParse(env[name] ?? "") ? new URL(env[name] ?? "").host : [])),
  );
}

class OutgoingRecorder {
  readonly #contexts = new HandlerContexts();
  readonly #ignoredHosts: ReadonlySet<string>;
  readonly #open = new WeakMap<object, OpenRequest>();
  #spans: SpanSink | undefined;

  constructor(isLazy: boolean, ignoredHosts: ReadonlySet<string>) {
    this.#ignoredHosts = ignoredHosts;
    if (!isLazy) this.#contexts.begin();
    listen("undici:request:create", ({ request }) => this.#beginUndici(request));
    listen("undici:request:headers", ({ request, response }) => this.#answered(request, response.statusCode));
    listen("undici:request:trailers", ({ request }) => this.#end(request));
    listen("undici:request:error", ({ request, error }) => this.#end(request, error));
    // Node 20 reports a request only when it has been written.
    listen("http.client.request.created", ({ request }) => this.#beginHTTP(request));
    listen("http.client.request.start", ({ request }) => this.#beginHTTP(request));
    listen("http.client.response.finish", ({ request, response }) => {
      this.#answered(request, response.statusCode);
      // A broken connection is an error of the response, not of the request.
      if (this.#open.has(request))
        response.once(
          errorMonitor,
          safely((error) => this.#end(request, error)),
        );
    });
  }

  follow({ bundle, spans }: FollowedApplication): void {
    this.#spans = spans;
    this.#contexts.follow(bundle);
  }

  #beginUndici(request: UndiciRequest): void {
    const { origin, method, path } = request;
    this.#begin(request, method, outgoingTarget(String(origin), path));
  }

  #beginHTTP(request: ClientRequest): void {
    if (this.#open.has(request) || isOwn(request)) return;
    const origin = `${request.protocol}//${String(request.getHeader("host") ?? request.host)}`;
    if (!this.#begin(request, request.method, outgoingTarget(origin, request.path))) return;
    // Observes an error without handling it: an error that the application does not handle must still end the process.
    request.once(
      errorMonitor,
      safely((error) => this.#end(request, error)),
    );
    request.once(
      "close",
      safely(() => this.#end(request)),
    );
  }

  /** Starts a span. Returns false for a request to a collector or without a recorded trace. */
  #begin(request: object, method: string, target: OutgoingTarget): boolean {
    if (this.#ignoredHosts.has(target.host)) return false;
    this.#contexts.begin();
    const { trace } = this.#contexts;
    if (trace === undefined || !isRecorded(trace)) return false;
    this.#open.set(request, {
      trace,
      name: `${method} ${target.template}`,
      attributes: attributesOf(method, target),
      subject: { kind: "outgoing", target: target.host + target.path },
      startedAt: performance.now(),
    });
    return true;
  }

  #answered(request: object, status: number | undefined): void {
    const open = this.#open.get(request);
    if (open !== undefined && status !== undefined) open.attributes["http.response.status_code"] = status;
  }

  /** Ends the span of a request that failed or whose response has arrived completely. */
  #end(request: object, error?: unknown): void {
    const open = this.#open.get(request);
    if (open === undefined) return;
    this.#open.delete(request);
    const { trace, name, attributes, subject, startedAt } = open;
    const status = attributes["http.response.status_code"];
    const type = failureOf(typeof status === "number" ? status : undefined, error);
    if (type !== undefined) attributes["error.type"] = type;
    const ms = performance.now() - startedAt;
    const failed = type !== undefined;
    const ids = { trace, id: newRequestId(), parent: trace.span };
    this.#spans?.({ kind: "client", name, attributes, ...ids, failed, startedAt, ms }, [[subject], error]);
  }
}

/** The messages of Node's and undici's diagnostics channels. */
interface ChannelMessages {
  "undici:request:create": { readonly request: UndiciRequest };
  "undici:request:headers": { readonly request: UndiciRequest; readonly response: { readonly statusCode: number } };
  "undici:request:trailers": { readonly request: UndiciRequest };
  "undici:request:error": { readonly request: UndiciRequest; readonly error: unknown };
  "http.client.request.created": { readonly request: ClientRequest };
  "http.client.request.start": { readonly request: ClientRequest };
  "http.client.response.finish": { readonly request: ClientRequest; readonly response: IncomingMessage };
}

function listen<Channel extends keyof ChannelMessages>(
  channel: Channel,
  receive: (message: ChannelMessages[Channel]) => void,
): void {
  subscribe(
    channel,
    safely((message) => receive(message as ChannelMessages[Channel])),
  );
}

/** Returns a listener that ignores the errors of `receive`. */
function safely(receive: (value: unknown) => void): (value?: unknown) => void {
  return (value) => {
    try {
      receive(value);
    } catch {
      // Node would end the process. Requests that another version of undici reports differently are not recorded.
    }
  };
}

/** True for a request to another process of fw or to an API of the platform. */
function isOwn(request: ClientRequest & { readonly agent?: object }): boolean {
  const { agent = {} } = request;
  return "isOwn" in agent || request.getHeaderNames().some((name) => ownHeader.test(name));
}

function attributesOf(method: string, { scheme, host, template, url }: OutgoingTarget): OpenRequest["attributes"] {
  const { hostname, port } = new URL(`${scheme}://${host}`);
  return {
    "http.request.method": method,
    "server.address": hostname,
    "server.port": Number(port) || (scheme === "https" ? 443 : 80),
    "url.full": url,
    "url.template": template,
  };
}

/** Returns OpenTelemetry's `error.type`: the status, or the code or name of an error; undefined for a success. */
function failureOf(status: number | undefined, error: unknown): string | undefined {
  if (status !== undefined && status >= 400) return String(status);
  if (error === undefined && status !== undefined) return undefined;
  const { code, name } = Object(error) as { readonly code?: unknown; readonly name?: unknown };
  // The application has read as much of the response as it wanted.
  if (status !== undefined && name === "AbortError") return undefined;
  return [code, name].find((each) => typeof each === "string") ?? "no response";
}
