import { partsOfEvent } from "../../lib/events.ts";
import { reasonOf } from "../../platform/message.ts";
import { messageNames, unknownReason } from "../../platform/message-names.ts";
import type { DeadLetterSink, Delivery, Destination } from "../../platform/messages.ts";
import { uploadEvent } from "../../platform/upload-event.ts";
import type { BundledConsumer } from "../bundle.ts";
import { count, type Pushed } from "./envelope.ts";

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

/** How often Pub/Sub has delivered what it gave up itself. */
const givenUpAfter = "CloudPubSubDeadLetterSourceDeliveryCount";

/** What a push holds for a consumer, as its codec reads it; undefined for what is none of the consumer's business. */
function bodyFor(consumer: string, source: Destination, pushed: Pushed): string | undefined {
  const { attributes, body } = pushed;
  const to = attributes[messageNames.to];
  if (to !== undefined && to !== consumer) return undefined;
  const { kind } = source.kind === "event" ? partsOfEvent(source.name) : { kind: "" };
  if (kind === "bucket.uploaded" && attributes["eventType"] !== undefined) return uploadedBody(pushed);
  const isDead = attributes[messageNames.attempts] !== undefined || attributes[givenUpAfter] !== undefined;
  if ((kind === "dead.queue" || kind === "dead.topic") && isDead) return deadBody(pushed);
  return body;
}

/** An object as Cloud Storage tells of it. */
interface StorageObject {
  readonly name: string;
  /** Digits. */
  readonly size: string;
  readonly contentType?: string;
  readonly updated: string;
}

/** A notification of the object store, which tells of more than of writes. */
function uploadedBody({ attributes, body }: Pushed): string | undefined {
  if (attributes["eventType"] !== "OBJECT_FINALIZE") return undefined;
  const { name, size, contentType = "application/octet-stream", updated } = JSON.parse(body) as StorageObject;
  return uploadEvent({ key: name, size: Number(size), contentType, updated });
}

/** The message inside is as it was written. */
function deadBody({ id, body, attributes }: Pushed): string {
  const attempts = count(attributes[messageNames.attempts] ?? attributes[givenUpAfter], 1);
  const reason = JSON.stringify(attributes[messageNames.reason] ?? unknownReason);
  return `{"id":${JSON.stringify(id)},"message":${body},"attempts":${attempts},"reason":${reason}}`;
}
