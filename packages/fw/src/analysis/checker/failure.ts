/** TypeScript could not answer: it is not installed for this platform, stopped twice, or took too long. */
export class CheckerFailure extends Error {
  override readonly name = "CheckerFailure";
}

/** The server's process went away under a question. */
export class ServerStopped extends Error {}

/** What a caller is told. */
export function asFailure(error: unknown): unknown {
  if (!(error instanceof ServerStopped)) return error;
  return new CheckerFailure("the TypeScript server stopped twice while it was asked about this application");
}
