import { isA } from "../lib/thrown.ts";

/** What went wrong, for callers that act on it. */
export type PlatformErrorCode =
  /** An insert met a document with the same id. */
  | "exists"
  /** Another document has a value that is one document's alone. */
  | "taken"
  /** An update met no document. */
  | "missing"
  /** Something that was read, or the version that was named, has changed since. The same work may succeed again. */
  | "conflict"
  /** The lease that a write relies on has expired or is another's. */
  | "lease"
  /** The deployed indexes would not serve the query. */
  | "index"
  /** The query breaks a rule that no index could mend. */
  | "query"
  /** The cursor was altered, or belongs to another query. */
  | "cursor"
  /** The kind, id or document is not one that can be stored. */
  | "document"
  /** A value has a shape that cannot be stored, as data of a visitor may. */
  | "shape"
  /** A value is not one that an index can hold. */
  | "indexed"
  /** The query compares with more values than it may. */
  | "combinations"
  /** A document, a message or an object is larger than it may be. */
  | "too-large"
  /** The message cannot be sent as it is. */
  | "message"
  /** The key is not one that an object can have, or the bucket is not defined. */
  | "key"
  /** The content type of an object is not one. */
  | "content-type"
  /** What the data directory holds was written by another fw, or cannot be read. The message says what to do. */
  | "data"
  /** The identity provider does not take the password. */
  | "password"
  /** Too much work of this kind waits already. */
  | "busy"
  /** The data directory serves another process. */
  | "locked"
  /** The service has no grant for what it asked. */
  | "denied"
  /** The platform could not be reached, or broke off. Whether a write was made is not known. */
  | "unreachable"
  /** The platform was closed, or the transaction has ended. */
  | "closed";

/** An error of the platform. The message says what happened, to which document or query, and what to do. */
export class PlatformError extends Error {
  readonly code: PlatformErrorCode;
  /** Of a conflict: the document or query that changed, where it is known. Of a value that is taken: the property. */
  readonly subject: string | undefined;

  constructor(code: PlatformErrorCode, message: string, subject?: string) {
    super(message);
    this.name = "PlatformError";
    this.code = code;
    this.subject = subject;
  }
}

/** What every call is refused with once the platform was closed. */
export function closedError(): PlatformError {
  return new PlatformError("closed", "the platform was closed");
}

/** Whether the error is a platform's, of this code. */
export function isPlatformError(error: unknown, code: PlatformErrorCode): error is PlatformError {
  return isA(error, PlatformError) && error.code === code;
}
