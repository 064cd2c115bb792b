import { isA } from "../lib/thrown.ts";

/** Error codes that callers act on. */
export type PlatformErrorCode =
  /** A document with the same id, or an account with the same id or address, already exists. */
  | "exists"
  /** Another document already has this unique value. */
  | "taken"
  /** The document or account to change does not exist. */
  | "missing"
  /** Something that the caller read has changed since, or other processes hold the lease. A retry may succeed. */
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
  /** The kind is not defined, or the kind, id, document or account cannot be stored. */
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
  /**
   * Stored data, a backup or an export is damaged, missing, or from another fw version, or a target already has data.
   * The message says what to do.
   */
  | "data"
  /** The identity provider rejects the password. */
  | "password"
  /** Too many calls of the same kind are waiting. */
  | "busy"
  /** Another process has the data directory open. */
  | "locked"
  /** The platform refused the service's access. */
  | "denied"
  /** The platform is unreachable or closed the connection. The outcome of a write is unknown. */
  | "unreachable"
  /** The platform is closed, or the transaction has ended. */
  | "closed";

/** An error from the platform. The message says what happened, to which document or query, and what to do. */
export class PlatformError extends Error {
  readonly code: PlatformErrorCode;
  /**
   * For a conflict: what has changed, or the lease, if known. For a taken value: the property. For `filling` and
   * `unfit`: the kind.
   */
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
