import { partsOfEvent } from "../../lib/events.ts";
import { messageNames, unknownReason } from "../../platform/message-names.ts";
import type { Destination } from "../../platform/messages.ts";
import { count, type Pushed } from "./envelope.ts";

/** How often Pub/Sub has delivered what it gave up itself. */
const givenUpAfter = "CloudPubSubDeadLetterSourceDeliveryCount";

/** What a push holds for a consumer, as its codec reads it; undefined for what is none of the consumer's business. */
export function bodyFor(consumer: string, source: Destination, pushed: Pushed): string | undefined {
  const { attributes, body } = pushed;
  const to = attributes[messageNames.to];
  if (to !== undefined && to !== consumer) return undefined;
  const { kind } = source.kind === "event" ? partsOfEvent(source.name) : { kind: "" };
  if (kind === "bucket.uploaded" && attributes["eventType"] !== undefined) return uploadedBody(pushed);
  const isDead = attributes[messageNames.attempts] !== undefined || attributes[givenUpAfter] !== undefined;
  if ((kind === "dead.queue" || kind === "dead.topic") && isDead) return deadBody(pushed);
  return body;
}

/** A notification of the object store, which tells of more than of writes. */
function uploadedBody({ attributes, body }: Pushed): string | undefined {
  if (attributes["eventType"] !== "OBJECT_FINALIZE") return undefined;
  const { name, size, contentType, updated } = JSON.parse(body) as Readonly<Record<string, string | undefined>>;
  return JSON.stringify({
    key: name,
    size: Number(size),
    contentType: contentType ?? "application/octet-stream",
    updated,
  });
}

/** The message inside is as it was written. */
function deadBody({ id, body, attributes }: Pushed): string {
  const attempts = count(attributes[messageNames.attempts] ?? attributes[givenUpAfter], 1);
  const reason = JSON.stringify(attributes[messageNames.reason] ?? unknownReason);
  return `{"id":${JSON.stringify(id)},"message":${body},"attempts":${attempts},"reason":${reason}}`;
}
