import { PlatformError } from "../../errors.ts";
import { checkMessage } from "../../message.ts";
import type { Destination, OutgoingMessage } from "../../messages.ts";

/** The maximum size of a run's arguments, which Cloud Run passes in environment variables of its tasks. */
const startBytes = 32_000;

/**
 * Checks a message. Throws a PlatformError `too-large` or `message` if it is invalid or exceeds Google Cloud's limits.
 */
export function checkSendable({ kind, name }: Destination, message: OutgoingMessage): void {
  checkMessage(message);
  if (kind !== "queue" && (message.delay ?? 0) > 0)
    throw new PlatformError("message", `in the cloud only queues can delay messages, not the ${kind} ${name}`);
  const bytes = kind === "job" ? Buffer.byteLength(message.body) : 0;
  if (bytes > startBytes)
    throw new PlatformError(
      "message",
      `the arguments of the job ${name} have ${bytes} bytes, over the cloud's limit of ${startBytes}; store large data as an entity or an object and pass its name`,
    );
}
