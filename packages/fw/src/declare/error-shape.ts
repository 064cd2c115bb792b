import { recordDeclaration } from "./declaration-records.ts";

/** The error that an `ErrorShape` converts to JSON. */
export interface ErrorAnswer {
  /** The HTTP status, 400 to 599. */
  readonly status: number;
  /** The public message from the handler or the framework. */
  readonly message: string;
  /** The name of the policy that refused the request; "" if none did. */
  readonly policy: string;
  /** The problems of a request that does not match its type, such as `{ at: "body title", problem: "is required" }`. */
  readonly problems: readonly { readonly at: string; readonly problem: string }[];
  /** The details of the error; undefined if it has none. */
  readonly details: unknown;
}

/** The result of `ErrorShape`. */
export interface ErrorShapeDeclaration<Body = unknown> {
  /** The kind of declaration. */
  readonly kind: "errors";
  /** Returns the body of an error response. */
  readonly handler: (error: ErrorAnswer) => Body;
}

/**
 * Declares the JSON body of the error responses of a package's APIs, which replaces `{"error": …}`: `ErrorShape(({
 * message }) => ({ errors: { body: [message] } }))`. It must be exported; at most one per package.
 */
export function ErrorShape<Body>(handler: ErrorShapeDeclaration<Body>["handler"]): ErrorShapeDeclaration<Body> {
  return recordDeclaration({ kind: "errors", handler } as const);
}
