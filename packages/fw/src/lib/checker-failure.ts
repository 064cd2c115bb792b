import { isA } from "./thrown.ts";

/**
 * Thrown if TypeScript could not respond: it is not installed for this platform, its server crashed twice, or it took
 * too long.
 */
export class CheckerFailure extends Error {
  override readonly name = "CheckerFailure";
}

export function checkerFailureOf(error: unknown): string | undefined {
  return isA(error, CheckerFailure) ? `types cannot be checked: ${error.message}` : undefined;
}
