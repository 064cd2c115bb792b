import { rmSync } from "node:fs";
import { join } from "node:path";
import { buildOrCopy } from "./build.ts";
import { startServe } from "./served.ts";
import type { Running } from "./topologies.ts";

/** Builds and serves the application in a directory on one machine, with its data in the same directory. */
export async function startServed(directory: string): Promise<Running> {
  await buildOrCopy(directory);
  const server = await startServe(["--data", join(directory, "data")], { cwd: directory });
  return {
    port: Number(new URL(server.url).port),
    output: () => server.output(),
    says: (text, from) => server.printed(text, from),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
