import { messageNames } from "../../message-names.ts";
import { topicName } from "../names.ts";
import type { CloudParts } from "../parts.ts";
import type { Methods } from "../rest/generated/pubsub.ts";
import type { SentMessage } from "./sent-message.ts";

/** Publishes a message to its destination's topic. */
export async function publish(
  parts: Pick<CloudParts, "cloud" | "place">,
  { id, destination, body, sent, traceparent }: SentMessage,
): Promise<void> {
  const attributes = {
    [messageNames.id]: id,
    [messageNames.sent]: sent.toISOString(),
    ...(traceparent !== undefined && { [messageNames.traceparent]: traceparent }),
  };
  await publishTo(parts, topicName(parts.place, destination), body, attributes);
}

/** Publishes to a topic by its name in the cloud. */
export async function publishTo(
  { cloud, place }: Pick<CloudParts, "cloud" | "place">,
  topic: string,
  body: string,
  attributes: Readonly<Record<string, string>>,
): Promise<void> {
  const data = Buffer.from(body).toString("base64");
  await cloud.client.call({
    api: "pubsub",
    method: "POST",
    path: `/v1/projects/${place.project}/topics/${topic}:publish`,
    body: { messages: [{ data, attributes }] } satisfies Methods["publish"]["request"],
    repeatable: true,
  });
}
