import type { IncomingMessage, ServerResponse } from "node:http";
import type { Client, Context, HTMX, Logger } from "../declare/context.ts";
import { Fault } from "../declare/errors.ts";
import { HOST, type Host } from "../declare/host.ts";
import type { User } from "../declare/user.ts";
import { DeadlinePassed } from "../platform/deadline.ts";
import { calledDeadline, calledIP, calledOrigin, calledTrace } from "./access/service-call.ts";
import { type Application, packageOf } from "./application.ts";
import { carriedSession, requireSessions } from "./auth/identify.ts";
import type { Session } from "./auth/session.ts";
import { userOf } from "./auth/user.ts";
import type { BundledEndpoint } from "./bundle.ts";
import type { KnowsOrigin, Origin } from "./calls/origin.ts";
import { forwardedIP, plain } from "./connection/client-ip.ts";
import { connectionOf, type Connection } from "./connection/connection.ts";
import { TransactionContext } from "./entity/transaction-context.ts";
import { TaggedLogger } from "./observe/log.ts";
import { unmatched } from "./observe/metrics.ts";
import { newRequestId } from "./observe/request-id.ts";
import type { RequestSpan } from "./observe/span.ts";
import { isRecorded, isTraced, newTrace, spanIn, type Trace } from "./observe/trace.ts";
import { htmxOf, variesByHTMX, variesByHTMXDetails } from "./page/htmx.ts";

/** One request and its response: the context its handler gets. What few handlers ask for is made when asked. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the getter below fills what is merged
export class Request implements KnowsOrigin {
  readonly app: Application;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly connection: Connection;
  readonly requestId: string = newRequestId();
  readonly startedAt: number = performance.now();
  /** The raw path, still percent-encoded. */
  path = "";
  /** The query string without its question mark, still encoded. */
  query = "";
  /** The endpoint that the path leads to. */
  endpoint: BundledEndpoint | undefined = undefined;
  /** The session that the request brings, once it was looked up; undefined where nobody is signed in. */
  session: Session | undefined = undefined;
  /** True where it brings a session, live or not, to an endpoint that is not the same for everybody. */
  bringsSession = false;
  /** The service that calls, where it showed a valid token; undefined for anybody else. */
  caller: string | undefined = undefined;
  /** True where another process of the application hands on what a visitor asks. */
  forwarded = false;
  /** Cookies to set with the response. */
  cookies: string[] | undefined = undefined;
  /** The value of the CSRF cookie that this response sets. */
  csrfSecret: string | undefined = undefined;
  /** True when the client waits for `100 Continue` before it sends the body. */
  readonly expectsContinue: boolean;
  /** True once the client was told to send it. */
  asked = false;
  /** True for an endpoint of the framework's own, which is none of the application's to be counted. */
  injected = false;
  #over = false;
  #client: Client | undefined = undefined;
  #htmx: HTMX | undefined = undefined;
  #log: Logger | undefined = undefined;
  #user: User | undefined = undefined;
  #abort: AbortController | undefined = undefined;
  #onClose: (() => void) | undefined = undefined;
  #trace: Trace | undefined = undefined;
  #late: NodeJS.Timeout | undefined = undefined;

  constructor(app: Application, req: IncomingMessage, res: ServerResponse, expectsContinue: boolean) {
    this.app = app;
    this.req = req;
    this.res = res;
    this.expectsContinue = expectsContinue;
    this.connection = connectionOf(req.socket);
    this.connection.active++;
    this.connection.latest = res;
  }

  get client(): Client {
    return (this.#client ??= { ip: clientIP(this), userAgent: this.req.headers["user-agent"] ?? "" });
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
    const milliseconds = this.caller === undefined ? undefined : calledDeadline(this.req.headers);
    return milliseconds === undefined ? undefined : this.startedAt + milliseconds;
  }

  get isHTMX(): boolean {
    return this.req.headers["hx-request"] === "true";
  }

  get htmx(): HTMX {
    return (this.#htmx ??= htmxOf(this.req.headers));
  }

  get wantsFragment(): boolean {
    return this.isHTMX && !this.htmx.boosted && !this.htmx.historyRestore;
  }

  get origin(): string {
    const { host = "" } = this.req.headers;
    if (this.caller !== undefined) return calledOrigin(this.req.headers);
    return host === "" ? "" : `${this.secure ? "https" : "http"}://${host.toLowerCase()}`;
  }

  /** The headers that a page's answer may differ by, as far as its handler has asked. */
  get varies(): string {
    const own = this.#htmx === undefined ? variesByHTMX : variesByHTMXDetails;
    return this.endpoint?.varies === undefined ? own : `${own}, ${this.endpoint.varies}`;
  }

  get signal(): AbortSignal {
    return (this.#abort ?? this.#openSignal()).signal;
  }

  user(): User {
    const user = this.maybeUser();
    if (user !== undefined) return user;
    throw new Fault(
      `${this.route} called ctx.user() where nobody is signed in: put signIn or allow on the route, or ask ctx.maybeUser()`,
    );
  }

  maybeUser(): User | undefined {
    requireSessions(this);
    return (this.#user ??= this.session && userOf(this.session.identity));
  }

  /** The declared pattern, or `<unmatched>`. */
  get route(): string {
    return this.endpoint?.route ?? unmatched;
  }

  /** True when the browser came over https, so that its cookies can be bound to it. */
  get secure(): boolean {
    const forwarded = this.req.headers["x-forwarded-proto"];
    return this.app.settings.behindProxy && typeof forwarded === "string" && /(?:^|,)\s*https\s*$/i.test(forwarded);
  }

  callOrigin(): Origin {
    const { app, endpoint, trace, deadline } = this;
    const service = endpoint && packageOf(app, endpoint)?.service;
    return { service, trace, session: carriedSession(this), deadline };
  }

  /** The answer has begun, so that it is no longer late. */
  answering(): void {
    clearTimeout(this.#late);
  }

  /** Ends the request's life: its metrics are recorded and its signal is let go. Later calls do nothing. */
  finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.connection.active--;
    clearTimeout(this.#late);
    this.#letGo();
    if (this.#onClose !== undefined) this.req.socket.off("close", this.#onClose);
    const { metrics, spans } = this.app;
    if (metrics === undefined || this.injected) return;
    const status = this.res.headersSent ? this.res.statusCode : 499;
    const ms = performance.now() - this.startedAt;
    metrics.request(this.route, status, ms);
    if (spans !== undefined && isRecorded(this.trace)) spans(spanOf(this, status, ms));
  }

  /** Where nobody is told of traces, a visitor's is nobody's. */
  #openTrace(): Trace {
    const { spans } = this.app;
    const heard = this.caller !== undefined || spans !== undefined;
    const trace = (heard && calledTrace(this.req.headers)) || newTrace(spans !== undefined);
    return spans === undefined ? trace : { ...trace, span: this.requestId };
  }

  /** An idle connection holds no request that was answered, unless its body is still watched for its pace. */
  #letGo(): void {
    const { connection, req, res } = this;
    const { headers } = req;
    const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
    if (connection.latest === res && (req.complete || !hasBody)) connection.latest = undefined;
  }

  /** Keeps sockets and the application out of a logged context. */
  toJSON(): object {
    return { requestId: this.requestId, route: this.route };
  }

  get #service(): string | undefined {
    return this.endpoint && this.app.bundle.packages[this.endpoint.package]?.service;
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
    const { socket } = this.req;
    if (this.#over) return controller;
    if (socket.destroyed) {
      controller.abort();
      return controller;
    }
    this.#onClose = () => controller.abort();
    socket.once("close", this.#onClose);
    if (this.caller !== undefined) this.#abortWhenLate(controller);
    return controller;
  }
}

/** Declarations reach the runtime through it; a class cannot name it, being of another module. */
export interface Request extends Context {
  readonly [HOST]: Host;
}

Object.defineProperty(Request.prototype, HOST, {
  get(this: Request): Host {
    return this.app.host;
  },
});

function spanOf({ trace, requestId, route, req, startedAt }: Request, status: number, ms: number): RequestSpan {
  const { traceparent } = req.headers;
  const parent = spanIn(typeof traceparent === "string" ? traceparent : undefined);
  return { trace, id: requestId, parent, route, method: req.method ?? "", status, startedAt, ms };
}

function clientIP({ app, req, caller, forwarded }: Request): string {
  if (caller !== undefined) return calledIP(req.headers);
  const address = plain(req.socket.remoteAddress ?? "");
  if (!app.settings.behindProxy && !forwarded) return address;
  const addresses = req.headers["x-forwarded-for"];
  return forwardedIP(Array.isArray(addresses) ? addresses.join(",") : addresses, address);
}

/** The request behind a context, where there is one: workers and tests have contexts without. */
export function requestOf(ctx: Context): Request | undefined {
  if (ctx instanceof TransactionContext) return requestOf(ctx.parent);
  return ctx instanceof Request ? ctx : undefined;
}
