import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { cloudAttemptMs } from "../../../lib/limits.ts";

/** A body to its end, for which it has as long as an answer has to begin: one whose bytes come one by one holds up nobody. */
export async function wholeText(body: IncomingMessage): Promise<string> {
  const timer = setTimeout(
    () => body.destroy(new Error(`its end did not come in ${cloudAttemptMs} ms`)),
    cloudAttemptMs,
  );
  try {
    return await text(body);
  } finally {
    clearTimeout(timer);
  }
}
