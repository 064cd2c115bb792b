import { isA } from "../lib/thrown.ts";

/**
 * A message does not fit the type that the code has for it now. No attempt can change that, so the message waits for
 * other code instead of using up its attempts.
 */
export class MisfitMessage extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MisfitMessage";
  }
}

/** Handlers can throw anything: this never throws. */
export function isMisfit(thrown: unknown): thrown is MisfitMessage {
  return isA(thrown, MisfitMessage);
}

/** The HTTP status with which a service tells the platform of one. */
export const misfitStatus = 422;
