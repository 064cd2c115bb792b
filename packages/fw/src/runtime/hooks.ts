import type { User } from "../declare/user.ts";

/** A failure that was answered as an opaque 500. */
export interface RequestFault {
  readonly error: unknown;
  readonly requestId: string;
  /** The declared pattern, or `<unmatched>`. */
  readonly route: string;
}

/** Follows requests as they go, for a dev console. Those to the framework's own endpoints are left out. */
export interface RequestWatcher {
  /** An endpoint has one now; `known` says what is known of it until it is answered. */
  began(id: string, known: () => RunningRequest): void;
  /** Its life has ended. */
  answered(request: AnsweredRequest): void;
}

/** A request while it is answered. */
export interface RunningRequest {
  readonly id: string;
  /** What requests to several services have in common that one of them led to. */
  readonly trace: string;
  readonly method: string;
  /** Without the query, percent-encoded. */
  readonly path: string;
  /** The declared pattern, or `<unmatched>`. */
  readonly route: string;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  /** How long it has taken. */
  readonly ms: number;
  /** Whose endpoint it was; absent where it was none of the application's. */
  readonly service?: string;
  /** The service that called. */
  readonly caller?: string;
  /** The address of who was signed in. */
  readonly user?: string;
}

/** A request whose life has ended. */
export interface AnsweredRequest extends RunningRequest {
  /** 499 when the client went away first. */
  readonly status: number;
}

/** Changes an HTML document. */
export type Decorate = (html: string, page: DecoratedPage) => string;

/** What a document was sent in answer to. */
export interface DecoratedPage {
  /** The signed-in user, if the service read the session. */
  readonly user: User | undefined;
  /** Seconds; a page with some is the same for everybody, and so is a file whose name changes with its contents. */
  readonly maxAge: number;
  /** The path and query that lead back to it. */
  readonly path: string;
}

/** What the dev bar tells besides who visits. */
export interface Shown {
  /** Whether anybody can sign in. */
  readonly signsIn: boolean;
  /** The names of the alerts that fire. */
  readonly firing: readonly string[];
}
