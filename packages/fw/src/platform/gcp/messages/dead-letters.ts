import { messageNames } from "../../message-names.ts";
import type { DeadLetterSink, DyingMessage } from "../../messages.ts";
import { deadTopicName } from "../names.ts";
import type { CloudParts } from "../cloud-parts.ts";
import { publish } from "./publish.ts";

/** Pub/Sub's limit for an attribute, in bytes. */
const attributeBytes = 1_024;

/**
 * Publishes a consumer's dead letters to its dead-letter topic. If the service cannot store a message there, Pub/Sub
 * itself moves it.
 */
export class CloudDeadLetters implements DeadLetterSink {
  readonly #parts: Pick<CloudParts, "cloud" | "place">;

  constructor(parts: Pick<CloudParts, "cloud" | "place">) {
    this.#parts = parts;
  }

  add(dead: DyingMessage): Promise<void> {
    return this.#store(dead, {});
  }

  setAside(misfit: DyingMessage): Promise<void> {
    return this.#store(misfit, { [messageNames.waits]: "true" });
  }

  async #store(
    { id, consumer, attempts, body, sent, reason }: DyingMessage,
    more: Readonly<Record<string, string>>,
  ): Promise<void> {
    const topic = deadTopicName(this.#parts.place, consumer);
    await publish(
      this.#parts,
      topic,
      { id, body, sent },
      {
        ...more,
        [messageNames.attempts]: String(attempts),
        [messageNames.reason]: truncateBytes(reason, attributeBytes),
      },
    );
  }
}

function truncateBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  let end = Math.min(encoded.byteLength, bytes);
  // Moves back to the start of a character.
  while (end < encoded.byteLength && (Number(encoded[end]) & 0xc0) === 0x80) end--;
  return encoded.subarray(0, end).toString();
}
