import { isA } from "../lib/thrown.ts";

/**
 * Thrown for a message that does not fit the type in the current code. Retrying cannot change that, so the message
 * waits for other code instead of using up its attempts.
 */
export class MisfitMessage extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MisfitMessage";
  }
}

/** Whether a handler threw a MisfitMessage. Never throws, whatever the handler threw. */
export function isMisfit(thrown: unknown): thrown is MisfitMessage {
  return isA(thrown, MisfitMessage);
}

/** The HTTP status of a service's response to a message that does not fit its type. */
export const misfitStatus = 422;
