import type { IncomingMessage } from "node:http";
import { remoteBytes } from "../../lib/limits.ts";

/** The whole body of an answer. Rejects where it is cut off or larger than `remoteBytes`. */
export function readText(res: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    res.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > remoteBytes) res.destroy(new Error(`an answer of another service is at most ${remoteBytes} bytes`));
      else chunks.push(chunk);
    });
    res.once("end", () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
    res.once("error", reject);
  });
}
