import { CheckerFailure } from "../../lib/checker-failure.ts";

/** Thrown if the server's process exits during a request. */
export class ServerStopped extends Error {}

/** Converts a `ServerStopped` to a CheckerFailure for the checker's callers. Returns other errors unchanged. */
export function asFailure(error: unknown): unknown {
  if (!(error instanceof ServerStopped)) return error;
  return new CheckerFailure(
    "the TypeScript server stopped twice while checking this application; it may need more memory than this machine has",
  );
}
