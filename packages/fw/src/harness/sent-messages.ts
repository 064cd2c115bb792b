import { withMethods } from "../platform/with-methods.ts";
import type { EntityStore, Transaction } from "../platform/contract.ts";
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
      return destination === undefined ? [] : [decodeSent(destination, sent.body)];
    });
  }

  /** Wraps a platform so that its messages are recorded. */
  recording(platform: LocalPlatform): LocalPlatform {
    return {
      ...platform,
      entities: this.#entities(platform.entities),
      messages: {
        send: async (destination, message) => {
          const id = await platform.messages.send(destination, message);
          this.#sent.push({ destination, body: message.body });
          return id;
        },
      },
    };
  }

  #entities(entities: EntityStore): EntityStore {
    return withMethods(entities, {
      begin: async (options) => this.#transaction(await entities.begin(options)),
    });
  }

  #transaction(transaction: Transaction): Transaction {
    const pending: { readonly destination: Destination; readonly body: string }[] = [];
    return withMethods(transaction, {
      send: (destination, message) => {
        const id = transaction.send(destination, message);
        pending.push({ destination, body: message.body });
        return id;
      },
      commit: async () => {
        await transaction.commit();
        this.#sent.push(...pending);
      },
    });
  }
}
