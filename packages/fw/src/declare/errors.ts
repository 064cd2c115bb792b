import { carries } from "./brand.ts";

const STATUS_ERROR: unique symbol = Symbol.for("fw.status-error");

/** An error with a status and a message for the visitor, made by `Errorf`, `NotFound` and the framework. */
export class StatusError extends Error {
  readonly status: number;
  /** @internal */
  readonly [STATUS_ERROR] = true;
  /** @internal */
  constructor(status: number, message: string) {
    super(message);
    this.name = "StatusError";
    this.status = status;
  }
}

/** A mistake of the program, as a panic is: visitors see an opaque 500, the log has the message. */
export class Fault extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Fault";
  }
}

/** `throw Errorf(422, "total must be positive")`: that status, 400 to 599, with that message for the visitor. */
export function Errorf(status: number, message: string): StatusError {
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new Fault(`Errorf(${status}): the status of an error is between 400 and 599`);
  }
  return new StatusError(status, message);
}

/** `throw NotFound()`: 404, `not found`. */
export function NotFound(): StatusError {
  return new StatusError(404, "not found");
}

/** True for an error with a status and a message for the visitor. */
export function isStatusError(error: unknown): error is StatusError {
  return carries(error, STATUS_ERROR);
}

/** True for a 404: one thrown here, a miss of a store, or another service's answer. */
export function isNotFound(error: unknown): error is StatusError {
  return isStatusError(error) && error.status === 404;
}
