import { PlatformError } from "../../errors.ts";
import { checkMessage } from "../../message.ts";
import type { Destination, OutgoingMessage } from "../../messages.ts";

/** Bytes of what a run is started with: Cloud Run takes it into the environment of its tasks. */
const startBytes = 32_000;

/** Fails with `too-large` or `message` where the message is not one that can be sent, or that the cloud would not carry. */
export function checkSendable({ kind, name }: Destination, message: OutgoingMessage): void {
  checkMessage(message);
  if (kind !== "queue" && (message.delay ?? 0) > 0)
    throw new PlatformError("message", `in the cloud only a queue delays its messages, not the ${kind} ${name}`);
  const bytes = kind === "job" ? Buffer.byteLength(message.body) : 0;
  if (bytes > startBytes)
    throw new PlatformError(
      "message",
      `the arguments of the job ${name} have ${bytes} bytes; in the cloud they have at most ${startBytes}: keep what is large as an entity or an object, and pass its name`,
    );
}
