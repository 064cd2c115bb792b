import type { Logger } from "../declare/context.ts";
import { DeadlinePassed } from "../platform/deadline.ts";
import type { Lifetime } from "../platform/lifetime.ts";
import { originHeaders, originsOf } from "./access/origins.ts";
import { calledDeadline, calledTrace } from "./access/service-call.ts";
import { type Application, packageOf } from "./application.ts";
import { anonymous, type Authentication } from "./auth/authentication.ts";
import type { Claim } from "./auth/claim.ts";
import type { Session } from "./auth/sessions.ts";
import type { BundledEndpoint } from "./bundle.ts";
import type { Exchange, RawHeaders } from "./exchange/exchange.ts";
import type { WatchedRequest } from "./hooks.ts";
import { TaggedLogger } from "./observe/log.ts";
import { unmatched } from "./observe/metrics/unmatched.ts";
import { newRequestId } from "./observe/request-id.ts";
import type { Span } from "./observe/span.ts";
import { usesCallers, usesOrigins } from "./capabilities.ts";
import { isRecorded, isTraced, newTrace, parseTraceparent, traceOfRequest, type Trace } from "./observe/trace.ts";
import { readsHTMXHeader, isHTMX, variesByHTMX, variesByHTMXDetails } from "./page/htmx.ts";
import { RequestContext } from "./request-context.ts";
import { ResponseDraft } from "./response-draft.ts";

/** The state of one request. Parts that few requests need are created on first use. */
export class Request implements Lifetime, WatchedRequest {
  readonly app: Application;
  readonly exchange: Exchange;
  readonly requestId: string = newRequestId();
  readonly startedAt: number = performance.now();
  /** The raw path, still percent-encoded. */
  path = "";
  /** The query string without its question mark, still encoded. */
  query = "";
  endpoint: BundledEndpoint | undefined = undefined;
  /** The credential and session that `identify` returned; `anonymous` before that. */
  authentication: Authentication = anonymous;
  /** The calling service, if it sent a valid token. */
  caller: string | undefined = undefined;
  /** True if another process of the application forwards a client's request. */
  forwarded = false;
  /** True for one of the framework's own endpoints, which metrics and watchers omit. */
  injected = false;
  watchedAs = -1;
  streams = false;
  /** The time limit of the response. `end` stops enforcing it. */
  limit: { end(request: Request): void } | undefined = undefined;
  /** True if the request took too long and got a 504. */
  timedOut = false;
  #draft: ResponseDraft | undefined = undefined;
  #over = false;
  #ctx: RequestContext | undefined = undefined;
  #log: Logger | undefined = undefined;
  #abort: AbortController | undefined = undefined;
  #onGone: (() => void) | undefined = undefined;
  #trace: Trace | undefined = undefined;
  #late: NodeJS.Timeout | undefined = undefined;

  constructor(app: Application, exchange: Exchange) {
    this.app = app;
    this.exchange = exchange;
  }

  /**
   * The credential of the request, valid or not; undefined if there is none, before `identify`, and for routes that do
   * not depend on users.
   */
  get claim(): Claim | undefined {
    return this.authentication.claim;
  }

  get session(): Session | undefined {
    return this.authentication.session;
  }

  /** The parts of the response collected so far; undefined if there are none. */
  get collected(): ResponseDraft | undefined {
    return this.#draft;
  }

  get draft(): ResponseDraft {
    return (this.#draft ??= new ResponseDraft());
  }

  get ctx(): RequestContext {
    return (this.#ctx ??= new RequestContext(this));
  }

  get log(): Logger {
    return (this.#log ??= new TaggedLogger(this.app.log, this.#tags, this.service));
  }

  /** The trace of its log lines and calls to services: from the trace headers if they count, otherwise a new one. */
  get trace(): Trace {
    return (this.#trace ??= this.#openTrace());
  }

  get service(): string | undefined {
    return this.endpoint && packageOf(this.app, this.endpoint)?.service;
  }

  /** The id of the caller's span, if another service makes the request. */
  get parent(): string | undefined {
    return this.caller === undefined ? undefined : parseTraceparent(this.exchange.header("traceparent"))?.span;
  }

  /** The id of the trace; undefined if it is derived from the request's id. */
  get foreignTrace(): string | undefined {
    return this.#hearsTraces ? this.trace.id : undefined;
  }

  /** The time at which the calling service stops waiting (`performance.now`); undefined if it set no deadline. */
  get deadline(): number | undefined {
    const milliseconds = !usesCallers || this.caller === undefined ? undefined : calledDeadline(this.exchange);
    return milliseconds === undefined ? undefined : this.startedAt + milliseconds;
  }

  get isHTMX(): boolean {
    return isHTMX(this.exchange);
  }

  /**
   * The Vary header for a page's response: the headers that its requests bind, and HX-Request, or all htmx headers if
   * its handler has read another.
   */
  get varies(): string {
    const own = this.#draft?.readsHTMX ? variesByHTMXDetails : variesByHTMX;
    return this.endpoint?.varies === undefined ? own : `${own}, ${this.endpoint.varies}`;
  }

  get signal(): AbortSignal {
    return (this.#abort ?? this.#openSignal()).signal;
  }

  get isOver(): boolean {
    return this.#abort === undefined ? !this.#over && !this.exchange.isOpen : this.#abort.signal.aborted;
  }

  /** Aborts work on the request; its signal gets this reason. */
  abort(reason: Error): void {
    (this.#abort ?? this.#openSignal()).abort(reason);
  }

  get route(): string {
    return this.endpoint?.route ?? unmatched;
  }

  /** True if the browser uses HTTPS, so cookies can be restricted to it. */
  get secure(): boolean {
    if (!this.app.settings.behindProxy && !this.forwarded) return false;
    const forwarded = this.exchange.header("x-forwarded-proto");
    return forwarded !== undefined && /(?:^|,)\s*https\s*$/i.test(forwarded);
  }

  /**
   * Returns additional response headers for a calling service, or for pages of other origins that may call the
   * endpoint.
   */
  headersForAsker(headers: Readonly<RawHeaders>): RawHeaders {
    if (this.caller !== undefined) return this.#draft?.readsHTMX ? [...readsHTMXHeader] : [];
    if (!usesOrigins || this.endpoint === undefined || !packageOf(this.app, this.endpoint)?.origins) return [];
    const origins = originsOf(this.app, this.endpoint);
    return origins === undefined ? [] : originHeaders(origins, this.exchange, headers);
  }

  /**
   * Cancels the caller's deadline because a response of unlimited duration has started: a stream, a file or a socket.
   */
  markStarted(): void {
    clearTimeout(this.#late);
    this.streams = true;
  }

  /** Ends the request: removes its listeners, and records its metrics and span. Later calls are no-ops. */
  finish(): void {
    if (this.#over) return;
    this.#over = true;
    const { exchange } = this;
    if (this.#late !== undefined) clearTimeout(this.#late);
    this.limit?.end(this);
    if (this.#onGone !== undefined) exchange.offGone(this.#onGone);
    exchange.release();
    const { metrics, spans, watcher, exportsTraces } = this.app;
    if (this.injected || (metrics === undefined && watcher === undefined)) return;
    const status = exchange.hasBegun ? exchange.status : 499;
    const ms = performance.now() - this.startedAt;
    watcher?.requestEnded(this, ms, status);
    if (metrics === undefined) return;
    metrics.request(this.route, status, ms);
    if (spans !== undefined && exportsTraces && isRecorded(this.trace)) spans(spanOf(this, status, ms));
  }

  #openTrace(): Trace {
    const { spans, exportsTraces } = this.app;
    const recorded = spans !== undefined;
    const own = exportsTraces ? newTrace(recorded) : traceOfRequest(this.requestId, recorded);
    const trace = (this.#hearsTraces && calledTrace(this.exchange)) || own;
    return recorded ? { ...trace, span: this.requestId, route: this.route } : trace;
  }

  /** True if incoming trace headers count: from services, with exported traces, or on platforms that set them. */
  get #hearsTraces(): boolean {
    return this.caller !== undefined || this.app.exportsTraces || this.app.settings.hearsTraces;
  }

  get #tags(): Readonly<Record<string, string>> {
    const { app, requestId } = this;
    return isTraced(app) ? { req: requestId, trace: this.trace.id } : { req: requestId };
  }

  /** Aborts at the caller's deadline: a pooled connection does not close when the caller stops waiting. */
  #abortWhenLate(controller: AbortController): void {
    const { deadline } = this;
    if (deadline === undefined) return;
    const milliseconds = deadline - performance.now();
    const late = new DeadlinePassed(Math.round(deadline - this.startedAt));
    this.#late = setTimeout(() => controller.abort(late), milliseconds).unref();
  }

  #openSignal(): AbortController {
    const controller = (this.#abort = new AbortController());
    if (this.#over) return controller;
    if (!this.exchange.isOpen) {
      controller.abort();
      return controller;
    }
    this.#onGone = () => controller.abort();
    this.exchange.onGone(this.#onGone);
    if (usesCallers && this.caller !== undefined) this.#abortWhenLate(controller);
    return controller;
  }
}

function spanOf({ trace, requestId, route, exchange, startedAt }: Request, status: number, ms: number): Span {
  return {
    kind: "server",
    name: route,
    attributes: { "http.request.method": exchange.method, "http.route": route, "http.response.status_code": status },
    trace,
    id: requestId,
    parent: parseTraceparent(exchange.header("traceparent"))?.span,
    failed: status >= 500,
    startedAt,
    ms,
  };
}
