import { visible } from "../../../../lib/visible.ts";
import { PlatformError } from "../../../errors.ts";
import { elementText } from "./xml.ts";

/** The maximum number of characters of the store's own text that an error message quotes. */
const repeatedCharacters = 200;

/** Status codes after which the same request may succeed. */
const transientStatuses = [408, 429, 500, 502, 503, 504];

/** S3 error codes after which the same request may succeed, regardless of the status. */
const transientCodes = [
  "BadDigest",
  "IncompleteBody",
  "InternalError",
  "OperationAborted",
  "RequestTimeout",
  "ServiceUnavailable",
  "SlowDown",
  "XAmzContentSHA256Mismatch",
];

/** A failed request to an object store: `unreachable` if it may succeed later, otherwise `data`. */
export class S3Error extends PlatformError {
  readonly request: string;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** S3's code, such as `NoSuchKey`; without one, another name for the failure. */
  readonly reason: string;
  readonly details: string;
  readonly isTransient: boolean;

  constructor(request: string, status: number, reason: string, details: string) {
    const isTransient = status === 0 || transientStatuses.includes(status) || transientCodes.includes(reason);
    const what = [reason, status === 0 ? "" : `(${status})`, details && `: ${details}`].filter(Boolean).join(" ");
    super(
      isTransient ? "unreachable" : "data",
      isTransient
        ? `the object store does not respond to ${request}: ${what}`
        : `the object store refuses ${request}: ${what}`,
    );
    this.request = request;
    this.status = status;
    this.reason = reason;
    this.details = details;
    this.isTransient = isTransient;
  }
}

/** Creates an error from a response's status and XML body. */
export function errorOfAnswer(request: string, status: number, body: string): S3Error {
  const words = (name: string): string => visible(elementText(body, name) ?? "").slice(0, repeatedCharacters);
  return new S3Error(request, status, words("Code") || statusName(status), words("Message"));
}

/** Creates the error for a response that no object store would send. The same request may succeed later. */
export function strangeAnswer(request: string, details: string): S3Error {
  return new S3Error(request, 0, "StrangeAnswer", details);
}

function statusName(status: number): string {
  if (status === 404) return "NotFound";
  if (status >= 300 && status < 400) return "Redirect, so the region or the endpoint is not the bucket's";
  return "Error";
}
