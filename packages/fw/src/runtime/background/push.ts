import { reasonOf } from "../../platform/message.ts";
import { unknownReason } from "../../platform/message-names.ts";
import type { DeadLetterSink, Delivery } from "../../platform/messages.ts";
import type { BundledConsumer } from "../bundle.ts";
import { bodyFor } from "./arrival.ts";
import type { Pushed } from "./envelope.ts";

/** A message that was pushed, as its consumer reads it. */
export type PushedMessage = Pick<Delivery, "id" | "body" | "attempt" | "sent" | "traceparent">;

interface PushParts {
  /** Absent where whoever pushes counts the attempts. */
  readonly deadLetters: DeadLetterSink | undefined;
  /** Rejects where the message is to come again. */
  readonly handle: (message: PushedMessage) => Promise<void>;
}

/** Has a pushed message handled, and keeps it as dead where that fails for the last time. Rejects where it is to be pushed again. */
export async function takePush(
  { service, source, delivery: { maxAttempts } }: Pick<BundledConsumer, "service" | "source" | "delivery">,
  pushed: Pushed,
  { deadLetters, handle }: PushParts,
): Promise<void> {
  const body = bodyFor(service, source, pushed);
  if (body === undefined) return;
  const { id, attempt, sent, traceparent } = pushed;
  const bury = async (sink: DeadLetterSink, reason: string): Promise<void> =>
    sink.add({
      id,
      consumer: service,
      destination: source,
      attempts: Math.min(attempt, maxAttempts),
      body,
      sent,
      reason,
    });
  // Its last delivery was not answered, perhaps because it takes the process down with it.
  if (deadLetters !== undefined && attempt > maxAttempts) return bury(deadLetters, unknownReason);
  try {
    await handle({ id, body, attempt, sent, traceparent });
  } catch (error) {
    if (deadLetters === undefined || attempt < maxAttempts) throw error;
    await bury(deadLetters, reasonOf(error));
  }
}
