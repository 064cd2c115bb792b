import type { CloudParts } from "../cloud-parts.ts";
import type { Methods } from "../rest/generated/pubsub.ts";
import { metadataOf, type SentMessage } from "./sent-message.ts";

/** Publishes a message with extra attributes. `topic` is the topic's name on Google Cloud. */
export async function publish(
  { cloud, place }: Pick<CloudParts, "cloud" | "place">,
  topic: string,
  message: Omit<SentMessage, "destination" | "due">,
  extraAttributes: Readonly<Record<string, string>> = {},
): Promise<void> {
  const data = Buffer.from(message.body).toString("base64");
  await cloud.client.call({
    api: "pubsub",
    method: "POST",
    path: `/v1/projects/${place.project}/topics/${topic}:publish`,
    body: {
      messages: [{ data, attributes: { ...extraAttributes, ...metadataOf(message) } }],
    } satisfies Methods["publish"]["request"],
    repeatable: true,
  });
}
