import type { TransactionOptions } from "../contract.ts";
import type { PlatformErrorCode } from "../errors.ts";

/*
 * A request is `POST /<port>/<operation>` with a token of the calling service. Its body is the list of arguments (see
 * `lib/tagged-json.ts`); if the body is an object's bytes, a header has the arguments. The response is the result with
 * status 200, or a Failure with another status. `platform/operations.ts` defines most operations; the loopback adds
 * some for transactions, opened objects and changes.
 */

/** The platform's name as the audience and issuer of tokens. No service can have this name. */
export const platformIdentity = "fw:platform";

/** The identity that may access everything. No service can have this name. */
export const operatorIdentity = "fw:operator";

/** The header with a random id of the calling process, which is the same in all of its requests. */
export const instanceHeader = "fw-instance";

/** The header with the arguments, in base64url, of a request whose body is an object's bytes. */
export const argumentsHeader = "fw-arguments";

/** A failed call. A missing code indicates a bug in the platform or its client. */
export interface Failure {
  readonly code?: PlatformErrorCode;
  readonly message: string;
  readonly subject?: string;
}

/** The transaction of a read. The first read starts it. */
export interface TransactionReference {
  readonly id: string;
  /** Whether this is the first read. */
  readonly begin: boolean;
  /** Used only by the first read. */
  readonly options: TransactionOptions;
}
