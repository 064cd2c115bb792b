import { randomUUID } from "node:crypto";
import { closedError } from "../../errors.ts";
import type { Destination, Messages, OutgoingMessage } from "../../messages.ts";
import { topicName, jobName } from "../names.ts";
import type { CloudParts } from "../cloud-parts.ts";
import { checkSendable } from "./check-sendable.ts";
import { createTask } from "./create-task.ts";
import { publish } from "./publish.ts";
import type { SentMessage } from "./sent-message.ts";
import { decodeRun } from "../../task.ts";
import type { Methods } from "../rest/generated/run.ts";

/** Sends queue messages through Cloud Tasks and other messages through Pub/Sub; starts jobs on Cloud Run. */
export class CloudMessages implements Messages {
  readonly #parts: CloudParts;
  #closed = false;

  constructor(parts: CloudParts) {
    this.#parts = parts;
  }

  close(): void {
    this.#closed = true;
  }

  async send(destination: Destination, message: OutgoingMessage): Promise<string> {
    checkSendable(destination, message);
    const { body, delay = 0, traceparent } = message;
    const id = randomUUID();
    const now = this.#parts.cloud.clock.now();
    await this.post({ id, destination, body, sent: new Date(now), due: new Date(now + delay), traceparent });
    return id;
  }

  /** Passes a message to its carrier. May repeat it, with the same id, if the outcome is unknown. */
  async post(message: SentMessage): Promise<void> {
    if (this.#closed) throw closedError();
    switch (message.destination.kind) {
      case "queue":
        return createTask(this.#parts, message);
      case "job":
        return startRun(this.#parts, message);
      default:
        return publish(this.#parts, topicName(this.#parts.place, message.destination), message);
    }
  }
}

/** Starts a run, with all of its tasks, as an execution of a Cloud Run job. */
async function startRun({ cloud, place }: CloudParts, { destination, body, traceparent }: SentMessage): Promise<void> {
  const env = [
    { name: "FW_RUN", value: body },
    ...(traceparent === undefined ? [] : [{ name: "TRACEPARENT", value: traceparent }]),
  ];
  await cloud.client.call({
    api: "run",
    method: "POST",
    path: `/v2/projects/${place.project}/locations/${place.region}/jobs/${jobName(place, destination.name)}:run`,
    body: {
      overrides: { taskCount: decodeRun(body).tasks, containerOverrides: [{ env }] },
    } satisfies Methods["run"]["request"],
    repeatable: true,
  });
}
