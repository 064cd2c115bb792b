import type { HOST, Host } from "./host.ts";
import type { User } from "./user.ts";

/** Where a request came from. The zero Client (two empty strings) outside of requests. */
export interface Client {
  readonly ip: string;
  readonly userAgent: string;
}

/** A structured logger tagged with what it speaks for (`req=<id>` for a request). */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What everything that acts for a request takes first. */
export interface Context {
  readonly client: Client;
  readonly log: Logger;
  /** True when the request carries `HX-Request: true`. */
  readonly isHTMX: boolean;
  /** Aborts when the client disconnects or the drain ceiling is reached. */
  readonly signal: AbortSignal;
  readonly requestId: string;
  /** Who is signed in. Past a `signIn` or `allow` gate only: where nobody is, it is a fault of the program. */
  user(): User;
  /** Who is signed in, if anybody is; for public routes. Nobody on a route with `maxAge`, which is the same for everybody. */
  maybeUser(): User | undefined;
  /** @internal What carries out the operations of declarations for this request. */
  readonly [HOST]: Host;
}
