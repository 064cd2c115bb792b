import { randomUUID } from "node:crypto";
import { closedError } from "../../errors.ts";
import type { Destination, Messages, OutgoingMessage } from "../../messages.ts";
import { topicName } from "../names.ts";
import type { CloudParts } from "../parts.ts";
import { checkSendable } from "./check-sendable.ts";
import { createTask } from "./create-task.ts";
import { publish } from "./publish.ts";
import type { SentMessage } from "./sent-message.ts";
import { startRun } from "./start-run.ts";

/** Messages on Cloud Tasks, where they are of queues, on Pub/Sub, where they are of topics and events, and as runs of Cloud Run jobs. */
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

  /** Hands a message over to whoever carries it; again, where it is not known whether that was done: its consumers see one id. */
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
