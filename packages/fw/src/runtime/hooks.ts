import type { User } from "../declare/user.ts";
import type { Span, SpanOperation } from "./observe/span.ts";

/** An error that was answered as an opaque 500. */
export interface RequestFault {
  readonly error: unknown;
  readonly requestId: string;
  /** The declared pattern, or `<unmatched>`. */
  readonly route: string;
}

/** Observes requests for a dev console, except those to the framework's endpoints. */
export interface RequestWatcher {
  /** Called when the endpoint is known. */
  began(request: WatchedRequest): void;
  /** Called when the request has ended, also for one that no endpoint matched and that never began. */
  answered(request: WatchedRequest, event: AnsweredRequest): void;
  /** A step of a request, a message or a cron has ended: a query, a call, a message. Requests are no spans. */
  spanEnded(span: Span, operation?: SpanOperation): void;
}

/** A request that a watcher may ask for its state, as long as it is in progress. */
export interface WatchedRequest {
  snapshot(): RunningRequest;
}

/** A request in progress. */
export interface RunningRequest {
  /** Tells it from other events. */
  readonly kind: "request";
  readonly id: string;
  /** The id that it shares with the requests to other services that it caused. */
  readonly trace: string;
  readonly method: string;
  /** Percent-encoded, without the query. */
  readonly path: string;
  /** The declared pattern, or `<unmatched>`. */
  readonly route: string;
  /** The start in milliseconds since 1970. */
  readonly at: number;
  /** The duration so far. */
  readonly ms: number;
  /** The service of its endpoint; undefined if no endpoint matched. */
  readonly service: string | undefined;
  /** The calling service, and the span of the call. */
  readonly caller: string | undefined;
  readonly parent: string | undefined;
  /** The address of the signed-in user. */
  readonly user: string | undefined;
  /** The status of the answer; undefined while it is in progress. */
  readonly status: number | undefined;
}

/** A request that has ended. */
export interface AnsweredRequest extends RunningRequest {
  /** 499 if the client disconnected first. */
  readonly status: number;
}

/** Changes an HTML document. */
export type Decorate = (html: string, page: DecoratedPage) => string;

/** The request that a document answers. */
export interface DecoratedPage {
  /** The signed-in user, if the service read the session. */
  readonly user: User | undefined;
  /** In seconds. A page with a maxAge is the same for every user, and so is a file with a fingerprinted name. */
  readonly maxAge: number;
  /** The path and query of the document. */
  readonly path: string;
  /** The answer so far; undefined for a file, whose validator it would change. */
  readonly answer: AnsweredRequest | undefined;
}

/** The content of the dev bar besides the user. */
export interface DevBarState {
  /** True if the application has sign-in. */
  readonly signsIn: boolean;
  /** The names of the firing alerts. */
  readonly firing: readonly string[];
}
