import { CheckerFailure } from "../../lib/checker-failure.ts";

export { CheckerFailure };

/** The server's process went away under a question. */
export class ServerStopped extends Error {}

/** What a caller is told. */
export function asFailure(error: unknown): unknown {
  if (!(error instanceof ServerStopped)) return error;
  return new CheckerFailure(
    "the TypeScript server stopped twice while it was asked about this application; it may need more memory than this machine gives it",
  );
}
