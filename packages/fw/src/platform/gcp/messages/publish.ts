import type { CloudParts } from "../parts.ts";
import type { Methods } from "../rest/generated/pubsub.ts";
import { namedOf, type SentMessage } from "./sent-message.ts";

/** Publishes a message to a topic by its name in the cloud; `beside` is what else is told of it. */
export async function publish(
  { cloud, place }: Pick<CloudParts, "cloud" | "place">,
  topic: string,
  message: Omit<SentMessage, "destination" | "due">,
  beside: Readonly<Record<string, string>> = {},
): Promise<void> {
  const data = Buffer.from(message.body).toString("base64");
  await cloud.client.call({
    api: "pubsub",
    method: "POST",
    path: `/v1/projects/${place.project}/topics/${topic}:publish`,
    body: {
      messages: [{ data, attributes: { ...beside, ...namedOf(message) } }],
    } satisfies Methods["publish"]["request"],
    repeatable: true,
  });
}
