import { CheckerFailure } from "../../lib/checker-failure.ts";

/** Thrown if the server's process exits during a request. */
export class ServerStopped extends Error {}

/** Converts an error of the library to one for the checker's callers. */
export function asFailure(error: unknown): unknown {
  if (!(error instanceof ServerStopped)) return error;
  return new CheckerFailure(
    "the TypeScript server stopped twice while checking this application; it may need more memory than this machine has",
  );
}
