import { hasBrand } from "./brand.ts";

const STATUS_ERROR: unique symbol = Symbol.for("fw.status-error");
const DENIED: unique symbol = Symbol.for("fw.denied");
const EMAIL_TAKEN: unique symbol = Symbol.for("fw.email-taken");

/** An error with a status and a message for the visitor, made by `Errorf`, `NotFound` and the framework. */
export class StatusError<Status extends number = number, Details = unknown> extends Error {
  /** The HTTP status: 400 to 599. */
  readonly status: Status;
  /** What a client is told besides the message, as JSON; undefined for nothing. */
  readonly details: Details;
  /** @internal */
  readonly [STATUS_ERROR] = true;
  /** @internal */
  constructor(status: Status, message: string, details?: Details) {
    super(message);
    this.name = "StatusError";
    this.status = status;
    this.details = details as Details;
  }
}

/** A mistake of the program, as a panic is: visitors see an opaque 500, the log has the message. */
export class Fault extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Fault";
  }
}

/** What an error says besides its message. */
export interface ErrorOptions<Details> {
  /** Rides beside the message in the answer of an API: `{"error": …, "details": …}`. */
  readonly details?: Details;
}

/**
 * `throw Errorf(422, "total must be positive")`: that status, 400 to 599, with that message for the visitor. `details` are for
 * programs: `Errorf(422, "the order is not complete", { details: { missing: ["total"] } })`. The handler of an API may return
 * it in place of throwing it: then the client and the OpenAPI document know the status and the shape of the details.
 */
export function Errorf<const Status extends number, Details = undefined>(
  status: Status,
  message: string,
  options: ErrorOptions<Details> = {},
): StatusError<Status, Details> {
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new Fault(`Errorf(${status}): the status of an error is between 400 and 599`);
  }
  return new StatusError(status, message, options.details);
}

/** `throw NotFound()`: 404, `not found`. */
export function NotFound(): StatusError<404, undefined> {
  return new StatusError(404, "not found");
}

/** Refuses with 403 and a message for the visitor: returned or thrown by a policy. */
export function Deny(message: string): StatusError {
  return mark(new StatusError(403, message), DENIED);
}

/** 409: the address has an account already. */
export function emailTaken(message: string): StatusError {
  return mark(new StatusError(409, message), EMAIL_TAKEN);
}

function mark(error: StatusError, brand: symbol): StatusError {
  Object.defineProperty(error, brand, { value: true });
  return error;
}

/** True for the refusal of a policy, here or in the service that was called. */
export function isDenied(error: unknown): error is StatusError {
  return hasBrand(error, DENIED);
}

/** True when an account was to be made for an address that has one. */
export function isEmailTaken(error: unknown): error is StatusError {
  return hasBrand(error, EMAIL_TAKEN);
}

/** 409: another document has the value of a `Unique` field. */
export function taken(message: string, field: string): StatusError {
  return new StatusError(409, message, { taken: field });
}

/** True when another document has the value of a `Unique` field, of this one where it is named; here or in a service that was called. */
export function isTaken(error: unknown, field?: string): error is StatusError<409, { readonly taken: string }> {
  if (!isStatusError(error) || error.status !== 409) return false;
  const { details } = error;
  if (typeof details !== "object" || details === null || !("taken" in details)) return false;
  return field === undefined ? typeof details.taken === "string" : details.taken === field;
}

/** True for an error with a status and a message for the visitor. */
export function isStatusError(error: unknown): error is StatusError {
  return hasBrand(error, STATUS_ERROR);
}

/** True for a 404: one thrown here, a miss of a store, or another service's answer. */
export function isNotFound(error: unknown): error is StatusError {
  return isStatusError(error) && error.status === 404;
}
