import type { User } from "../declare/user.ts";
import type { Span, SpanOperation } from "./observe/span.ts";

/** A failure of the application's code: an error behind an opaque 500, or in background work. */
export interface RequestFault {
  readonly error: unknown;
  readonly requestId: string;
  /** The declared pattern, or `<unmatched>`; for background work, its name. */
  readonly route: string;
}

/** Observes requests for a dev console, except requests to the framework's endpoints. */
export interface RequestWatcher {
  /** Called once the endpoint is known. */
  requestBegan(request: WatchedRequest): void;
  /**
   * Called when a request has ended. If no endpoint matched the request, `requestBegan` was not called before. The
   * status is 499 if the client disconnected first.
   */
  requestEnded(request: WatchedRequest, ms: number, status: number): void;
  /**
   * Called when an operation within a request or background work has ended, such as a query, a call or the sending of a
   * message. Requests themselves are not spans.
   */
  spanEnded(span: Span, operation?: SpanOperation): void;
}

/** A request, which a watcher may read but not retain. */
export interface WatchedRequest {
  /** For the watcher's own use; -1 until it sets a number. */
  watchedAs: number;
  readonly requestId: string;
  readonly exchange: { readonly method: string };
  /** The path, percent-encoded and without the query. */
  readonly path: string;
  /** The declared pattern, or `<unmatched>`. */
  readonly route: string;
  /** On the clock of `performance.now`. */
  readonly startedAt: number;
  /** Undefined if no endpoint matched. */
  readonly endpoint: WatchedEndpoint | undefined;
  /** True once a stream, a file or a socket has started. The duration of such a response depends on the client. */
  readonly streams: boolean;
  /** The service of its endpoint; undefined if no endpoint matched. */
  readonly service: string | undefined;
  readonly caller: string | undefined;
  /** The id of the caller's span, if another service makes the request. */
  readonly parent: string | undefined;
  /** The id of the trace; undefined if it is derived from the request's id (`traceIdOf`). */
  readonly foreignTrace: string | undefined;
  readonly session: { readonly identity: { readonly email: string } } | undefined;
}

/** An endpoint. A watcher may replace its declaration to observe the handler. */
export interface WatchedEndpoint {
  declaration: { readonly handler: (ctx: never, input: never, socket: never) => unknown };
}

export type Decorate = (html: string, page: DecoratedPage) => string;

/** The request that a document responds to. */
export interface DecoratedPage {
  /** The signed-in user, if the service read the session. */
  readonly user: User | undefined;
  /** In seconds. A page with a maxAge is the same for every user, as is a file with a fingerprinted name. */
  readonly maxAge: number;
  readonly path: string;
  /** The response so far; undefined for a file, because its validator must not depend on the response. */
  readonly answer: DecoratedAnswer | undefined;
}

/** A response that contains a document. */
export interface DecoratedAnswer {
  /** The request's id. `trace` is the id of its trace. */
  readonly id: string;
  readonly trace: string;
  readonly status: number;
  /** Milliseconds since the request began. */
  readonly ms: number;
}

/** The content of the dev bar, except for the user. */
export interface DevBarState {
  /** True if the application has sign-in. */
  readonly signsIn: boolean;
  readonly firing: readonly string[];
}
