import type { HOST } from "./slot.ts";
import type { Tenancy, TenantDeclaration } from "./tenant.ts";
import type { User } from "./user.ts";

/** The client of a request. Both fields are "" outside requests. */
export interface Client {
  /** The client's IPv4 or IPv6 address. */
  readonly ip: string;
  /** The `User-Agent` header; "" if there is none. */
  readonly userAgent: string;
}

/** Details of an htmx request; `false` and "" for other requests. */
export interface HTMX {
  /** True for a boosted link or form (`hx-boost`), which expects a whole document. */
  readonly boosted: boolean;
  /** True for a history restore after a cache miss, which expects a whole document. */
  readonly historyRestore: boolean;
  /** The id of the target element; "" if it has none. */
  readonly target: string;
  /** The id of the element that triggered the request; "" if it has none. */
  readonly trigger: string;
}

/** A structured logger. Each line includes the id of the request or work that it belongs to (`req=<id>`). */
export interface Logger {
  /** Logs details for debugging. */
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Logs an event. `fields` are structured data; an Error includes its stack. */
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Logs something unexpected that does not require action yet. */
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Logs a failure that requires action. */
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/**
 * The context of a request, message or run: the first argument of handlers and of most operations. You may destructure
 * it, but not copy it: `{ ...ctx }` loses its accessors, and TypeScript rejects it as a Context.
 */
export declare abstract class Context {
  /** The client that sent the request. */
  abstract get client(): Client;
  /** The logger, tagged with the id of the request or work. */
  abstract get log(): Logger;
  /** True for requests with `HX-Request: true`. */
  abstract get isHTMX(): boolean;
  /** Details of the htmx request. */
  abstract get htmx(): HTMX;
  /** True if htmx expects a fragment; false for whole documents, including boosted links and history restores. */
  abstract get wantsFragment(): boolean;
  /** The public origin of the request, such as `https://app.example.com`; "" outside requests. */
  abstract get origin(): string;
  /**
   * The current time. In a test, it is the time of `app.clock`, so code that compares times can be tested without
   * waiting.
   */
  abstract now(this: void): Date;
  /** Aborts when the client disconnects, the deadline passes or the service must stop. */
  abstract get signal(): AbortSignal;
  /** The id in log lines and in the `X-Request-Id` response header; outside requests, the name of the work. */
  abstract get requestId(): string;
  /**
   * The signed-in user. Use it only behind a `signIn` or `allow` gate: it throws if there is no user, and the response
   * is a 500.
   */
  abstract user(this: void): User;
  /**
   * The signed-in user or undefined, for public routes. Always undefined on routes with `maxAge`: their
   * responses are shared.
   */
  abstract maybeUser(this: void): User | undefined;
  /**
   * The tenant of the request, message or call, with its user's membership. Use it behind a `RequireMember` gate: it
   * throws outside a tenant, and the response is a 500.
   */
  abstract tenant<Member extends object>(this: void, tenants: TenantDeclaration<Member>): Tenancy<Member>;
  /** @internal The Host that implements declarations' operations for this request. */
  abstract get [HOST](): object;
}
