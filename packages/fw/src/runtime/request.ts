import type { Logger } from "../declare/context.ts";
import { DeadlinePassed } from "../platform/deadline.ts";
import type { Lifetime } from "../platform/lifetime.ts";
import { originHeaders, originsOf } from "./access/origins.ts";
import { calledDeadline, calledTrace } from "./access/service-call.ts";
import { type Application, packageOf } from "./application.ts";
import type { Claim } from "./auth/claim.ts";
import type { Session } from "./auth/sessions.ts";
import type { BundledEndpoint } from "./bundle.ts";
import type { Exchange, RawHeaders } from "./exchange/exchange.ts";
import type { RunningRequest } from "./hooks.ts";
import { TaggedLogger } from "./observe/log.ts";
import { unmatched } from "./observe/metrics/unmatched.ts";
import { newRequestId } from "./observe/request-id.ts";
import type { Span } from "./observe/span.ts";
import { usesOrigins } from "./capabilities.ts";
import { isRecorded, isTraced, newTrace, parseTraceparent, type Trace } from "./observe/trace.ts";
import { readsHTMXHeader, isHTMX, variesByHTMX, variesByHTMXDetails } from "./page/htmx.ts";
import { RequestContext } from "./request-context.ts";

/** One request while it is answered: what the runtime knows of it. What few requests need is made when asked for. */
export class Request implements Lifetime {
  readonly app: Application;
  readonly exchange: Exchange;
  readonly requestId: string = newRequestId();
  readonly startedAt: number = performance.now();
  /** The raw path, still percent-encoded. */
  path = "";
  /** The query string without its question mark, still encoded. */
  query = "";
  /** The endpoint that the path leads to. */
  endpoint: BundledEndpoint | undefined = undefined;
  /** What it brings that speaks for somebody, once it was looked for. */
  claim: Claim | undefined = undefined;
  /** The session that the request brings, once it was looked up; undefined where nobody is signed in. */
  session: Session | undefined = undefined;
  /** True where it brings what speaks for somebody, live or not, to an endpoint that is not the same for everybody. */
  bringsSession = false;
  /** The service that calls, where it showed a valid token; undefined for anybody else. */
  caller: string | undefined = undefined;
  /** True where another process of the application hands on what a visitor asks. */
  forwarded = false;
  /** Cookies to set with the response. */
  cookies: string[] | undefined = undefined;
  /** The value of the CSRF cookie that this response sets. */
  csrfSecret: string | undefined = undefined;
  /** True for an endpoint of the framework's own, which is none of the application's to be counted. */
  injected = false;
  /** Headers of the response besides those that it is sent with. */
  added: RawHeaders | undefined = undefined;
  /** Whether the handler has asked for more of htmx than that it is there. */
  asksHTMX = false;
  #over = false;
  #ctx: RequestContext | undefined = undefined;
  #log: Logger | undefined = undefined;
  /** What ends it when it takes too long. */
  limit: { end(request: Request): void } | undefined = undefined;
  /** It took too long, and is answered. */
  timedOut = false;
  #abort: AbortController | undefined = undefined;
  #onGone: (() => void) | undefined = undefined;
  #trace: Trace | undefined = undefined;
  #late: NodeJS.Timeout | undefined = undefined;

  constructor(app: Application, exchange: Exchange) {
    this.app = app;
    this.exchange = exchange;
  }

  /** What its handler gets. */
  get ctx(): RequestContext {
    return (this.#ctx ??= new RequestContext(this));
  }

  get log(): Logger {
    return (this.#log ??= new TaggedLogger(this.app.log, this.#tags, this.#service));
  }

  /** What its logs and those of the services it calls have in common: the caller's where a service calls. */
  get trace(): Trace {
    return (this.#trace ??= this.#openTrace());
  }

  /** When the service that calls gives up, on the clock of `performance.now`; undefined where none said so. */
  get deadline(): number | undefined {
    const milliseconds = this.caller === undefined ? undefined : calledDeadline(this.exchange);
    return milliseconds === undefined ? undefined : this.startedAt + milliseconds;
  }

  get isHTMX(): boolean {
    return isHTMX(this.exchange);
  }

  /** The headers that a page's answer may differ by, as far as its handler has asked. */
  get varies(): string {
    const own = this.asksHTMX ? variesByHTMXDetails : variesByHTMX;
    return this.endpoint?.varies === undefined ? own : `${own}, ${this.endpoint.varies}`;
  }

  get signal(): AbortSignal {
    return (this.#abort ?? this.#openSignal()).signal;
  }

  get isOver(): boolean {
    return this.#abort === undefined ? !this.#over && !this.exchange.isOpen : this.#abort.signal.aborted;
  }

  /** For whoever still works on it: nobody waits for the answer. */
  abort(reason: Error): void {
    (this.#abort ?? this.#openSignal()).abort(reason);
  }

  /** The declared pattern, or `<unmatched>`. */
  get route(): string {
    return this.endpoint?.route ?? unmatched;
  }

  /** True when the browser came over https, so that its cookies can be bound to it. */
  get secure(): boolean {
    if (!this.app.settings.behindProxy && !this.forwarded) return false;
    const forwarded = this.exchange.header("x-forwarded-proto");
    return forwarded !== undefined && /(?:^|,)\s*https\s*$/i.test(forwarded);
  }

  /** What the answer says to another service, or to pages of other origins: nothing where none may call its endpoint. */
  headersForAsker(headers: Readonly<RawHeaders>): RawHeaders {
    if (this.caller !== undefined) return this.asksHTMX ? [...readsHTMXHeader] : [];
    if (!usesOrigins || this.endpoint === undefined) return [];
    const origins = originsOf(this.app, this.endpoint);
    return origins === undefined ? [] : originHeaders(origins, this.exchange, headers);
  }

  /** Adds a header to the response, in place of one of the same name that was added before. */
  addHeader(name: string, value: string): void {
    const added = (this.added ??= []);
    const known = added.indexOf(name);
    if (known === -1) added.push(name, value);
    else added[known + 1] = value;
  }

  /** The answer has begun, so that it is no longer late. */
  markStarted(): void {
    clearTimeout(this.#late);
  }

  /** Ends the request's life: its metrics are recorded and its signal is let go. Later calls do nothing. */
  finish(): void {
    if (this.#over) return;
    this.#over = true;
    const { exchange } = this;
    if (this.#late !== undefined) clearTimeout(this.#late);
    this.limit?.end(this);
    if (this.#onGone !== undefined) exchange.offGone(this.#onGone);
    exchange.release();
    const { metrics, spans, watcher } = this.app;
    if (this.injected || (metrics === undefined && watcher === undefined)) return;
    const status = exchange.hasBegun ? exchange.status : 499;
    watcher?.answered({ ...this.#known(), status });
    if (metrics === undefined) return;
    const ms = performance.now() - this.startedAt;
    metrics.request(this.route, status, ms);
    if (spans !== undefined && isRecorded(this.trace)) spans(spanOf(this, status, ms));
  }

  /** Tells who follows requests that this one has begun. */
  watch(): void {
    this.app.watcher?.began(this.requestId, () => this.#known());
  }

  #known(): RunningRequest {
    const { exchange, requestId, startedAt, route, path, session, caller } = this;
    const service = this.#service;
    return {
      id: requestId,
      trace: this.trace.id,
      method: exchange.method,
      path,
      route,
      at: performance.timeOrigin + startedAt,
      ms: performance.now() - startedAt,
      ...(service !== undefined && { service }),
      ...(caller !== undefined && { caller }),
      ...(session && { user: session.identity.email }),
    };
  }

  /** Where nobody is told of traces and no platform names them, a visitor's is nobody's. */
  #openTrace(): Trace {
    const { spans, settings } = this.app;
    const heard = this.caller !== undefined || spans !== undefined || settings.hearsTraces;
    const trace = (heard && calledTrace(this.exchange)) || newTrace(spans !== undefined);
    return spans === undefined ? trace : { ...trace, span: this.requestId };
  }

  get #service(): string | undefined {
    return this.endpoint && packageOf(this.app, this.endpoint)?.service;
  }

  get #tags(): Readonly<Record<string, string>> {
    const { app, requestId } = this;
    return isTraced(app) ? { req: requestId, trace: this.trace.id } : { req: requestId };
  }

  /** A connection that is not the caller's own may stay open when the caller has given up. */
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
    if (this.caller !== undefined) this.#abortWhenLate(controller);
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
