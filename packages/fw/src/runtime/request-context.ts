import type { Client, Context, HTMX, Logger } from "../declare/context.ts";
import type { Host } from "../declare/host.ts";
import type { User } from "../declare/user.ts";
import type { Lifetime } from "../platform/lifetime.ts";
import { calledIP, calledOrigin } from "./access/service-call.ts";
import { packageOf } from "./application.ts";
import { claimToForward, requireSessions } from "./auth/identify.ts";
import { requireUser, userOf } from "./auth/user.ts";
import { usesCallers, usesIdentity, usesMCP, usesRemotes } from "./capabilities.ts";
import { HostedContext, ScopedContext } from "./context.ts";
import type { HasOrigin, Origin } from "./calls/origin.ts";
import { clientIP } from "./exchange/client-ip.ts";
import { htmxOf } from "./page/htmx.ts";
import type { Request } from "./request.ts";

export class RequestContext extends HostedContext implements Context, HasOrigin {
  readonly #request: Request;
  #client: Client | undefined = undefined;
  #htmx: HTMX | undefined = undefined;
  #user: User | undefined = undefined;

  constructor(request: Request) {
    super();
    this.#request = request;
  }

  /** Returns the request of a context; undefined without one, for example in workers and tests. */
  static requestOf(ctx: Context): Request | undefined {
    if (ctx instanceof ScopedContext) return RequestContext.requestOf(ctx.outer);
    return ctx instanceof RequestContext ? ctx.#request : undefined;
  }

  get host(): Host {
    return this.#request.app.host;
  }

  get lifetime(): Lifetime {
    return this.#request;
  }

  get client(): Client {
    const { app, exchange, caller, forwarded } = this.#request;
    return (this.#client ??= {
      ip:
        !usesCallers || caller === undefined
          ? clientIP(exchange, app.settings.behindProxy || forwarded)
          : calledIP(exchange),
      userAgent: exchange.header("user-agent") ?? "",
    });
  }

  get log(): Logger {
    return this.#request.log;
  }

  get isHTMX(): boolean {
    return this.#request.isHTMX;
  }

  get htmx(): HTMX {
    this.#request.draft.readsHTMX = true;
    return this.#saidByHTMX();
  }

  get wantsFragment(): boolean {
    return this.isHTMX && !this.htmx.boosted && !this.htmx.historyRestore;
  }

  get origin(): string {
    const { exchange, caller, secure } = this.#request;
    if (usesCallers && caller !== undefined) return calledOrigin(exchange);
    const host = exchange.header("host") ?? "";
    return host === "" ? "" : `${secure ? "https" : "http"}://${host.toLowerCase()}`;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  get requestId(): string {
    return this.#request.requestId;
  }

  /** Returns a bound function, so `({ user }) => user()` works. Costs nothing in requests that do not use it. */
  get user(): () => User {
    return () => requireUser(this, this.#request.route);
  }

  get maybeUser(): () => User | undefined {
    return () => {
      if (!usesIdentity) return undefined;
      requireSessions(this.#request);
      const { session } = this.#request;
      return (this.#user ??= session && userOf(session.identity));
    };
  }

  callOrigin(): Origin {
    const { app, endpoint, trace, deadline } = this.#request;
    const service = endpoint && packageOf(app, endpoint)?.service;
    const htmx = this.isHTMX ? this.#saidByHTMX() : undefined;
    return {
      service,
      trace,
      claim: usesRemotes || usesMCP ? claimToForward(this.#request) : undefined,
      deadline,
      htmx,
    };
  }

  #saidByHTMX(): HTMX {
    return (this.#htmx ??= htmxOf(this.#request.exchange));
  }

  /** Serializes only these fields, so a logged context does not contain the whole application. */
  toJSON(): object {
    return { requestId: this.requestId, route: this.#request.route };
  }
}
