import { deliveryDeadlineMs } from "../../../lib/limits.ts";
import { isA } from "../../../lib/thrown.ts";
import { queueName } from "../names.ts";
import type { CloudParts } from "../parts.ts";
import { CloudError } from "../rest/cloud-error.ts";
import type { Methods } from "../rest/generated/cloudtasks.ts";
import { namedOf, type SentMessage } from "./sent-message.ts";

/** A task needs an address; its queue knows the one of the worker, which whoever sends need not know, and takes that. */
const anyAddress = "https://queue.invalid/_fw/api/push";

/** Seconds after the deadline of a delivery in which the service can still say that it has passed. */
const answerSeconds = 30;

/** Puts a message into a queue of Cloud Tasks. Tasks are named by their message, so that what is sent twice is there once. */
export async function createTask(
  { cloud, place }: Pick<CloudParts, "cloud" | "place">,
  message: SentMessage,
  name: string = message.id,
): Promise<void> {
  const { destination, body, sent, due } = message;
  const queue = `projects/${place.project}/locations/${place.region}/queues/${queueName(place, destination.name)}`;
  const task: Methods["create"]["request"]["task"] = {
    name: `${queue}/tasks/${name}`,
    dispatchDeadline: `${deliveryDeadlineMs / 1000 + answerSeconds}s`,
    ...(due > sent && { scheduleTime: due.toISOString() }),
    httpRequest: {
      url: anyAddress,
      httpMethod: "POST",
      headers: { "Content-Type": "application/json", ...namedOf(message) },
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
