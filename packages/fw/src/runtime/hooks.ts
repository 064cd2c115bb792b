import type { User } from "../declare/user.ts";
import type { Span, SpanOperation } from "./observe/span.ts";

/** An error whose response was an opaque 500. */
export interface RequestFault {
  readonly error: unknown;
  readonly requestId: string;
  /** The declared pattern, or `<unmatched>`. */
  readonly route: string;
}

/** Observes requests for a dev console, except requests to the framework's endpoints. */
export interface RequestWatcher {
  /** Called once the endpoint is known. */
  requestBegan(request: WatchedRequest): void;
  /**
   * Called when the request has ended, even if no endpoint matched it, so that `requestBegan` was not called. The
   * status is 499 if the client disconnected first.
   */
  requestEnded(request: WatchedRequest, ms: number, status: number): void;
  /**
   * Called when an operation inside a request, message or cron has ended: a query, a call, a sent message. Requests
   * themselves are not spans.
   */
  spanEnded(span: Span, operation?: SpanOperation): void;
}

/** A request, which a watcher reads and must not keep. */
export interface WatchedRequest {
  /** Free for the watcher; -1 until it sets a number. */
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
  /** True once a response has begun that takes as long as its client wants: a stream, a file or a socket. */
  readonly streams: boolean;
  /** The service of its endpoint; undefined if no endpoint matched. */
  readonly service: string | undefined;
  readonly caller: string | undefined;
  /** The span of the call by another service. */
  readonly parent: string | undefined;
  /** The id of the trace; undefined if it follows from the request's (`traceIdOf`). */
  readonly foreignTrace: string | undefined;
  readonly session: { readonly identity: { readonly email: string } } | undefined;
}

/** An endpoint. A watcher may replace its declaration by one whose handler it observes. */
export interface WatchedEndpoint {
  declaration: { readonly handler: (ctx: never, input: never, socket: never) => unknown };
}

export type Decorate = (html: string, page: DecoratedPage) => string;

/** The request to which a document is the response. */
export interface DecoratedPage {
  /** The signed-in user, if the service read the session. */
  readonly user: User | undefined;
  /** In seconds. With a maxAge, a page is the same for every user; so is a file with a fingerprinted name. */
  readonly maxAge: number;
  readonly path: string;
  /** The response so far; undefined for a file, whose validator must not depend on it. */
  readonly answer: DecoratedAnswer | undefined;
}

/** The answer that contains a document. */
export interface DecoratedAnswer {
  /** The id of the request, and of its trace. */
  readonly id: string;
  readonly trace: string;
  readonly status: number;
  /** The duration so far. */
  readonly ms: number;
}

/** The content of the dev bar apart from the user. */
export interface DevBarState {
  /** True if the application has sign-in. */
  readonly signsIn: boolean;
  readonly firing: readonly string[];
}
