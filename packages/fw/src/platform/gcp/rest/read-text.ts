import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { cloudAttemptMs } from "../../../lib/limits.ts";

/** Reads a body to its end. A timeout limits how long a slow response can block the reader. */
export async function readText(body: IncomingMessage): Promise<string> {
  const timer = setTimeout(
    () => body.destroy(new Error(`the response did not end within ${cloudAttemptMs} ms`)),
    cloudAttemptMs,
  );
  try {
    return await text(body);
  } finally {
    clearTimeout(timer);
  }
}
