import { partsOfEvent } from "../../lib/events.ts";
import { reasonOf } from "../../platform/message.ts";
import { isMisfit } from "../../platform/misfit.ts";
import { messageNames, unknownReason } from "../../platform/message-names.ts";
import type { DeadLetterSink, Delivery, Destination, DyingMessage } from "../../platform/messages.ts";
import { uploadEvent } from "../../platform/upload-event.ts";
import type { BundledConsumer } from "../bundle.ts";
import { count, type IncomingPush } from "./envelope.ts";

/** A pushed message as its consumer receives it. */
export type PushedMessage = Pick<Delivery, "id" | "body" | "attempt" | "sent" | "traceparent">;

interface PushParts {
  /** Absent if the platform counts the attempts itself. */
  readonly deadLetters: DeadLetterSink | undefined;
  /** Rejects if the message should be delivered again. */
  readonly handle: (message: PushedMessage) => Promise<void>;
}

/**
 * Handles a pushed message. Stores it as a dead letter if its last attempt fails, or sets it aside if it does not fit
 * its type. Rejects if the platform should push it again.
 */
export async function handlePush(
  { service, source, delivery: { maxAttempts } }: Pick<BundledConsumer, "service" | "source" | "delivery">,
  push: IncomingPush,
  { deadLetters, handle }: PushParts,
): Promise<void> {
  const body = bodyFor(service, source, push);
  if (body === undefined) return;
  const { id, attempt, sent, traceparent } = push;
  const dyingMessage = (reason: string): DyingMessage => ({
    id,
    consumer: service,
    destination: source,
    attempts: Math.min(attempt, maxAttempts),
    body,
    sent,
    reason,
  });
  // The last delivery had no response, perhaps because the message crashed the process.
  if (deadLetters !== undefined && attempt > maxAttempts) return deadLetters.add(dyingMessage(unknownReason));
  try {
    await handle({ id, body, attempt, sent, traceparent });
  } catch (error) {
    const isForOtherCode = isMisfit(error);
    if (deadLetters === undefined || (attempt < maxAttempts && !isForOtherCode)) throw error;
    await deadLetters[isForOtherCode ? "setAside" : "add"](dyingMessage(reasonOf(error)));
  }
}

/** The attribute in which Pub/Sub counts the deliveries of a message that it dead-lettered itself. */
const deadLetterCount = "CloudPubSubDeadLetterSourceDeliveryCount";

/** Returns the body for the consumer's codec; undefined if the push is not for this consumer. */
function bodyFor(consumer: string, source: Destination, pushed: IncomingPush): string | undefined {
  const { attributes, body } = pushed;
  const to = attributes[messageNames.to];
  if (to !== undefined && to !== consumer) return undefined;
  if (attributes[messageNames.waits] !== undefined) return undefined;
  const { kind } = source.kind === "event" ? partsOfEvent(source.name) : { kind: "" };
  if (kind === "bucket.uploaded" && attributes["eventType"] !== undefined) return uploadBody(pushed);
  const isDead = attributes[messageNames.attempts] !== undefined || attributes[deadLetterCount] !== undefined;
  if ((kind === "dead.queue" || kind === "dead.topic") && isDead) return deadBody(pushed);
  return body;
}

interface StorageObject {
  readonly name: string;
  /** Decimal digits. */
  readonly size: string;
  readonly contentType?: string;
  readonly updated: string;
}

/** Returns the upload event in a Cloud Storage notification; undefined for other events. */
function uploadBody({ attributes, body }: IncomingPush): string | undefined {
  if (attributes["eventType"] !== "OBJECT_FINALIZE") return undefined;
  const { name, size, contentType = "application/octet-stream", updated } = JSON.parse(body) as StorageObject;
  return uploadEvent({ key: name, size: Number(size), contentType, updated });
}

/** Leaves the inner message as its sender encoded it. */
function deadBody({ id, body, attributes }: IncomingPush): string {
  const attempts = count(attributes[messageNames.attempts] ?? attributes[deadLetterCount], 1);
  const reason = JSON.stringify(attributes[messageNames.reason] ?? unknownReason);
  return `{"id":${JSON.stringify(id)},"message":${body},"attempts":${attempts},"reason":${reason}}`;
}
