/** Error codes of writes to a pipe, socket or terminal without a reader. */
const goneCodes: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO", "ECONNRESET"]);

/**
 * Keeps the process running after the readers of its output are gone, as after `fw gen graph | head -1`, so that work
 * in progress completes normally. Without this, the next write would end the process.
 */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!goneCodes.has(error.code)) throw error;
    });
}
