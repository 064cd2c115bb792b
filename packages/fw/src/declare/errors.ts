/** An error with a status and a message for the visitor, made by `Errorf`, `NotFound` and the framework. */
export class StatusError extends Error {
  readonly status: number;
  /** @internal */
  constructor(status: number, message: string) {
    super(message);
    this.name = "StatusError";
    this.status = status;
  }
}

/** `throw Errorf(422, "total must be positive")`: that status with that message, 400 to 599. */
export function Errorf(status: number, message: string): StatusError {
  return new StatusError(status, message);
}

/** `throw NotFound()`: 404. */
export function NotFound(): StatusError {
  return new StatusError(404, "not found");
}

/** True for a 404, local or from another service. */
export function isNotFound(error: unknown): boolean {
  return error instanceof StatusError && error.status === 404;
}
