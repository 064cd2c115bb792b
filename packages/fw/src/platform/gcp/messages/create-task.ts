import { longestWorkerTimeoutMs } from "../../../lib/limits.ts";
import { isA } from "../../../lib/thrown.ts";
import { queueName } from "../names.ts";
import type { CloudParts } from "../cloud-parts.ts";
import { CloudError } from "../rest/cloud-error.ts";
import type { Methods } from "../rest/generated/cloudtasks.ts";
import { metadataOf, type SentMessage } from "./sent-message.ts";

/** A placeholder, because a task needs a URL. The queue replaces it with the worker's, which senders do not know. */
const anyAddress = "https://queue.invalid/_fw/api/push";

/**
 * The deadline of a delivery: the longest timeout that a worker may have. Senders do not know the worker's own timeout,
 * which the worker enforces.
 */
const dispatchDeadline = `${longestWorkerTimeoutMs / 1000}s`;

/**
 * Enqueues a message in Cloud Tasks. `name` is the task's name, by default the message's id, so that repeated sends are
 * deduplicated.
 */
export async function createTask(
  { cloud, place }: Pick<CloudParts, "cloud" | "place">,
  message: SentMessage,
  name: string = message.id,
): Promise<void> {
  const { destination, body, sent, due } = message;
  const queue = `projects/${place.project}/locations/${place.region}/queues/${queueName(place, destination.name)}`;
  const task: Methods["create"]["request"]["task"] = {
    name: `${queue}/tasks/${name}`,
    dispatchDeadline,
    ...(due > sent && { scheduleTime: due.toISOString() }),
    httpRequest: {
      url: anyAddress,
      httpMethod: "POST",
      headers: { "Content-Type": "application/json", ...metadataOf(message) },
      body: Buffer.from(body).toString("base64"),
    },
  };
  try {
    await cloud.client.call({
      api: "cloudtasks",
      method: "POST",
      path: `/v2/${queue}/tasks`,
      body: { task },
      repeatable: true,
    });
  } catch (error) {
    if (!isA(error, CloudError) || error.code !== "ALREADY_EXISTS") throw error;
  }
}
