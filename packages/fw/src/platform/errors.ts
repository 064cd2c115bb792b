import { isA } from "../lib/thrown.ts";

/** Error codes that callers act on. */
export type PlatformErrorCode =
  /** A document with the same id already exists. */
  | "exists"
  /** Another document already has this unique value. */
  | "taken"
  /** The document to update does not exist. */
  | "missing"
  /** A document has changed since it was read, or no longer has the version that was passed. A retry may succeed. */
  | "conflict"
  /** The lease that a write relies on has expired or has another holder. */
  | "lease"
  /** No deployed index can serve the query. */
  | "index"
  /** The query needs an index that is still being filled, or documents that are still being rewritten. Retry later. */
  | "filling"
  /** The query would miss a document whose value does not fit the type of a property. The message names both. */
  | "unfit"
  /** The query breaks a rule that no index can fix. */
  | "query"
  /** The cursor was altered, or belongs to another query. */
  | "cursor"
  /** The transaction writes too many documents and messages. */
  | "full"
  /** The kind, id or document cannot be stored. */
  | "document"
  /** A value has a shape that cannot be stored; data from clients can cause this. */
  | "shape"
  /** An index cannot hold the value. */
  | "indexed"
  /** The query's `in` filters have too many combinations. */
  | "combinations"
  | "too-large"
  /** The message cannot be sent. */
  | "message"
  /** The object key is invalid, or the bucket is not defined. */
  | "key"
  | "content-type"
  /** The data directory is damaged, or another fw version wrote it. The message says what to do. */
  | "data"
  /** The identity provider rejects the password. */
  | "password"
  /** Too many calls of the same kind are waiting. */
  | "busy"
  /** Another process has the data directory open. */
  | "locked"
  /** The service has no grant for the operation. */
  | "denied"
  /** The platform is unreachable or closed the connection. The outcome of a write is unknown. */
  | "unreachable"
  /** The platform is closed, or the transaction has ended. */
  | "closed";

/** An error from the platform. The message says what happened, to which document or query, and what to do. */
export class PlatformError extends Error {
  readonly code: PlatformErrorCode;
  /** For a conflict, the document or query that changed, if known; for a value that is taken, the property. */
  readonly subject: string | undefined;

  constructor(code: PlatformErrorCode, message: string, subject?: string) {
    super(message);
    this.name = "PlatformError";
    this.code = code;
    this.subject = subject;
  }
}

export function closedError(): PlatformError {
  return new PlatformError("closed", "the platform was closed");
}

export function isPlatformError(error: unknown, code: PlatformErrorCode): error is PlatformError {
  return isA(error, PlatformError) && error.code === code;
}
