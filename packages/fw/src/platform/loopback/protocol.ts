import type { TransactionOptions } from "../contract.ts";
import type { PlatformErrorCode } from "../errors.ts";

/*
 * A request is `POST /<port>/<operation>` with a token of the calling service. Its body is the list of the arguments
 * (`lib/tagged-json.ts`); where the body is an object's bytes, they are in a header. The answer is the result with status 200, or a
 * Failure with another. What is asked for is in `platform/operations.ts`; reads of a transaction, its commit and the bytes of an opened
 * object are the loopback's own.
 */

/** The platform's name in tokens: as who is called, and as who calls. No service can have it. */
export const platformIdentity = "fw:platform";

/** Who may ask anything of the platform. No service can have the name. */
export const operatorIdentity = "fw:operator";

/** What a process of a service calls itself: random, and the same in all its requests. */
export const instanceHeader = "fw-instance";

/** The arguments of a request whose body is an object's bytes, in base64url. */
export const argumentsHeader = "fw-arguments";

/** Why there is no result; without a code it is a fault of the platform or of its client. */
export interface Failure {
  readonly code?: PlatformErrorCode;
  readonly message: string;
  readonly subject?: string;
}

/** A transaction that a read is made in; it begins with its first. */
export interface TransactionReference {
  readonly id: string;
  /** Whether this is its first read. */
  readonly begin: boolean;
  /** Of the first. */
  readonly options: TransactionOptions;
}
