import { hasBrand, isStatusError, STATUS_ERROR } from "./brand.ts";

export { isStatusError } from "./brand.ts";

const DENIED: unique symbol = Symbol.for("fw.denied");
const INVALID: unique symbol = Symbol.for("fw.invalid");
const EMAIL_TAKEN: unique symbol = Symbol.for("fw.email-taken");

/**
 * An error with an HTTP status and a public message, created by functions such as `Errorf` and `NotFound`, or by the
 * framework.
 */
export class StatusError<Status extends number = number, Details = unknown> extends Error {
  /** The HTTP status, 400 to 599. */
  readonly status: Status;
  /** Additional JSON for clients; undefined if there is none. */
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

/** A bug in the program: clients get an opaque 500, and the message goes to the log. */
export class Fault extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Fault";
  }
}

/** Options of `Errorf`. */
export interface ErrorOptions<Details> {
  /** JSON to send with the message in an API's response: `{"error": …, "details": …}`. */
  readonly details?: Details;
}

/**
 * Creates an error response with a status, 400 to 599, and a public message: `throw Errorf(422, "total must be
 * positive")`. `details` is JSON for programs: `Errorf(422, "the order is not complete", { details: { missing:
 * ["total"] } })`. If an API returns it instead of throwing, the generated client and the OpenAPI document include the
 * status and the details.
 */
export function Errorf<const Status extends number, Details = undefined>(
  status: Status,
  message: string,
  options: ErrorOptions<Details> = {},
): StatusError<Status, Details> {
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new Fault(`Errorf(${status}): the status of an error must be between 400 and 599`);
  }
  return new StatusError(status, message, options.details);
}

/** Creates a 404 `not found`: `throw NotFound()`. */
export function NotFound(): StatusError<404, undefined> {
  return new StatusError(404, "not found");
}

/**
 * Creates a 422 for field problems that only the handler can detect: `throw Invalid({ email: "is taken" })`.
 * Pages with `invalid` handle it like a field that does not match its type; elsewhere, the problems become the details
 * of the error.
 */
export function Invalid(
  problems: Readonly<Record<string, string>>,
): StatusError<422, { readonly problems: readonly { readonly at: string; readonly problem: string }[] }> {
  const list = Object.entries(problems).map(([at, problem]) => ({ at, problem }));
  const [first = { at: "form", problem: "is not valid" }] = list;
  return mark(new StatusError(422, `${first.at}: ${first.problem}`, { problems: list }), INVALID);
}

/** True for an error created by `Invalid`. */
export function isInvalid(error: unknown): error is ReturnType<typeof Invalid> {
  return hasBrand(error, INVALID);
}

/** Creates a 403 with a public message, for a policy to return or throw. */
export function Deny(message: string): StatusError {
  return mark(new StatusError(403, message), DENIED);
}

/** Creates the 409 for an email address that already has an account. */
export function emailTaken(message: string): StatusError {
  return mark(new StatusError(409, message), EMAIL_TAKEN);
}

function mark<Marked extends StatusError>(error: Marked, brand: symbol): Marked {
  Object.defineProperty(error, brand, { value: true });
  return error;
}

/** True for a refusal by a policy of this service, or of a service that it called. */
export function isDenied(error: unknown): error is StatusError {
  return hasBrand(error, DENIED);
}

/** True for the 409 of `users.create` if the email address already has an account. */
export function isEmailTaken(error: unknown): error is StatusError {
  return hasBrand(error, EMAIL_TAKEN);
}

/** Creates the 409 for a `Unique` value that another document has. `field` is the field's name. */
export function takenError(message: string, field: string): StatusError {
  return new StatusError(409, message, { taken: field });
}

/** True for the 409 of a `Unique` field, in this service or a called one. Pass `field` to check for one field. */
export function isTaken(error: unknown, field?: string): error is StatusError<409, { readonly taken: string }> {
  if (!isStatusError(error) || error.status !== 409) return false;
  const { details } = error;
  if (typeof details !== "object" || details === null || !("taken" in details)) return false;
  return field === undefined ? typeof details.taken === "string" : details.taken === field;
}

/** True for a 404: `NotFound()`, a missing document or object, or the response of another service. */
export function isNotFound(error: unknown): error is StatusError {
  return isStatusError(error) && error.status === 404;
}
