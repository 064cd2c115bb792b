import { messageNames } from "../../message-names.ts";
import type { DeadLetterSink, DyingMessage } from "../../messages.ts";
import { deadTopicName } from "../names.ts";
import type { CloudParts } from "../parts.ts";
import { publish } from "./publish.ts";

/** Bytes that Pub/Sub takes of an attribute. */
const attributeBytes = 1_024;

/** The topic of a consumer's dead letters, to which Pub/Sub itself sends what nobody answered for the last time. */
export class CloudDeadLetters implements DeadLetterSink {
  readonly #parts: Pick<CloudParts, "cloud" | "place">;

  constructor(parts: Pick<CloudParts, "cloud" | "place">) {
    this.#parts = parts;
  }

  async add({ id, consumer, attempts, body, sent, reason }: DyingMessage): Promise<void> {
    const topic = deadTopicName(this.#parts.place, consumer);
    await publish(
      this.#parts,
      topic,
      { id, body, sent },
      {
        [messageNames.attempts]: String(attempts),
        [messageNames.reason]: beginningOf(reason, attributeBytes),
      },
    );
  }
}

/** As much of a text as fits into so many bytes of UTF-8. */
function beginningOf(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  let end = Math.min(encoded.byteLength, bytes);
  // Not in the middle of a character.
  while (end < encoded.byteLength && (Number(encoded[end]) & 0xc0) === 0x80) end--;
  return encoded.subarray(0, end).toString();
}
