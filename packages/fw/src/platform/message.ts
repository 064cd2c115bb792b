import { longestDelayMs, messageBytes } from "../lib/limits.ts";
import { messageOf } from "../lib/thrown.ts";
import { PlatformError } from "./errors.ts";
import type { OutgoingMessage } from "./messages.ts";

/** Limit: characters in the reason of a dead letter. */
const deadReasonCharacters = 1000;

/** Checks a message. Throws a PlatformError `too-large` if the body is too large, or `message` for a wrong delay. */
export function checkMessage({ body, delay = 0 }: OutgoingMessage): void {
  const bytes = Buffer.byteLength(body);
  if (bytes > messageBytes)
    throw new PlatformError("too-large", `a message can have at most ${messageBytes} bytes of JSON, not ${bytes}`);
  if (!(delay >= 0 && delay <= longestDelayMs))
    throw new PlatformError("message", `a message can wait 0 to ${longestDelayMs} milliseconds, not ${delay}`);
}

/** Formats a handler's error as the reason that is stored with a message, truncated if it is long. */
export function reasonOf(error: unknown): string {
  return messageOf(error).slice(0, deadReasonCharacters);
}
