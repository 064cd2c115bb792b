import { withMethods } from "../platform/with-methods.ts";
import type { EntityStore, Transaction } from "../platform/contract.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import type { Destination } from "../platform/messages.ts";
import { decodeMessage } from "../runtime/background/codec.ts";
import type { BundledDestination } from "../runtime/bundle.ts";

/** What was sent and is kept: a message that its transaction gave up was not. */
export class SentMessages {
  readonly #sent: { readonly destination: Destination; readonly body: string }[] = [];

  /** The messages of a destination, decoded, oldest first. */
  of(destination: BundledDestination): unknown[] {
    const { kind, name } = destination;
    const own = this.#sent.filter((sent) => sent.destination.kind === kind && sent.destination.name === name);
    return own.map(({ body }) => decodeMessage(destination, body));
  }

  /** The same platform; what is sent on it is written down. */
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
