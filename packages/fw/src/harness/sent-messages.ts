import { observeSent } from "../platform/local/observe-sent.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import type { Destination } from "../platform/messages.ts";
import { decodeSent } from "../runtime/background/codec.ts";
import type { BundledDestination } from "../runtime/bundle.ts";

/** Records the messages that an application sends. Messages of a rolled-back transaction do not count. */
export class SentMessages {
  readonly #sent: { readonly destination: Destination; readonly body: string }[] = [];

  /** Returns the decoded messages of destinations, oldest first. */
  of(...destinations: readonly BundledDestination[]): unknown[] {
    return this.#sent.flatMap((sent) => {
      const { kind, name } = sent.destination;
      const destination = destinations.find((each) => each.kind === kind && each.name === name);
      return destination === undefined ? [] : [decodeSent(destination, sent.body).message];
    });
  }

  /** Wraps a platform so that its messages are recorded. */
  recording(platform: LocalPlatform): LocalPlatform {
    return observeSent(platform, (destination, body) => void this.#sent.push({ destination, body }));
  }
}
