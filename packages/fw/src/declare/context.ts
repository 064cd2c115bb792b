import type { HOST } from "./slot.ts";
import type { User } from "./user.ts";

/** Where a request came from. The zero Client (two empty strings) outside of requests. */
export interface Client {
  /** The address that the request came from: IPv4 or IPv6 text. */
  readonly ip: string;
  /** The header `User-Agent`; "" without one. */
  readonly userAgent: string;
}

/** What htmx says of a request; nothing but `false` and "" where htmx did not send it. */
export interface HTMX {
  /** A link or a form of an element with `hx-boost`: the whole document is wanted. */
  readonly boosted: boolean;
  /** The browser went back to a page that htmx does not remember: the whole document is wanted. */
  readonly historyRestore: boolean;
  /** The id of the element that the answer goes into; "" where it has none. */
  readonly target: string;
  /** The id of the element that asked; "" where it has none. */
  readonly trigger: string;
}

/** A structured logger tagged with what it speaks for (`req=<id>` for a request). */
export interface Logger {
  /** For whoever looks for a mistake. */
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** What happened. `fields` become members of the line, an Error with its stack. */
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** What somebody should know of. */
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** What somebody has to do something about. */
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What everything that acts for a request takes first. */
export interface Context {
  /** Where the request came from. */
  readonly client: Client;
  /** The log, tagged with the request. */
  readonly log: Logger;
  /** True when the request carries `HX-Request: true`. */
  readonly isHTMX: boolean;
  /** What else htmx says of the request. */
  readonly htmx: HTMX;
  /** True when htmx asks for a part of a page; false for whole documents, boosted links and restored history among them. */
  readonly wantsFragment: boolean;
  /** Scheme, host and port at which the visitor reached the application, as in `https://app.example.com`; "" outside of requests. */
  readonly origin: string;
  /** Aborts when the client disconnects or the drain ceiling is reached. */
  readonly signal: AbortSignal;
  /** What the request's log lines carry, and its response as `X-Request-Id`; of other work, the name of that. */
  readonly requestId: string;
  /** Who is signed in. Past a `signIn` or `allow` gate only: where nobody is, it is a fault of the program. */
  user(): User;
  /** Who is signed in, if anybody is; for public routes. Nobody on a route with `maxAge`, which is the same for everybody. */
  maybeUser(): User | undefined;
  /** @internal What carries out the operations of declarations for this request. */
  readonly [HOST]: object;
}
