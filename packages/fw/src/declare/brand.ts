import type { StatusError } from "./errors.ts";
import type { Reply } from "./reply.ts";

export const STATUS_ERROR: unique symbol = Symbol.for("fw.status-error");

export const REPLY: unique symbol = Symbol.for("fw.reply");

/**
 * True for objects with the property `brand`. A registered symbol works across copies of the package; `instanceof` does
 * not.
 */
export function hasBrand(value: unknown, brand: symbol): boolean {
  try {
    return typeof value === "object" && value !== null && brand in value;
  } catch {
    // A proxy may throw from its `has` trap.
    return false;
  }
}

/** True for an error with an HTTP status and a public message. */
export function isStatusError(error: unknown): error is StatusError {
  return hasBrand(error, STATUS_ERROR);
}

/** True for the result of `reply`. */
export function isReply(value: unknown): value is Reply {
  return hasBrand(value, REPLY);
}
