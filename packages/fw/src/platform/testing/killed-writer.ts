import { fork } from "node:child_process";

/** A process that writes, and sends a message for each finished write. */
export interface Writer {
  /** The path of the module that the process runs. */
  readonly module: string;
  readonly args: readonly string[];
}

/** Kills a writer with SIGKILL after this many messages; resolves with the number of messages once it has exited. */
export function writeUntilKilled(
  { module, args }: Writer,
  wanted: number,
  told: (message: unknown) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const process = fork(module, [...args]);
    let count = 0;
    process.on("message", (message) => {
      told(message);
      if (++count === wanted) process.kill("SIGKILL");
    });
    process.on("error", reject);
    process.on("close", (code) =>
      count >= wanted ? resolve(count) : reject(new Error(`the writer ended with ${code}`)),
    );
  });
}
