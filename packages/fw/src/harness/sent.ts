import type { EntityStore, Transaction } from "../platform/contract.ts";
import type { LocalPlatform } from "../platform/local/open.ts";
import type { Carrier } from "../platform/messages.ts";
import { decodeMessage } from "../runtime/background/codec.ts";
import type { BundledCarrier } from "../runtime/bundle.ts";

/** What was sent and is kept: a message that its transaction gave up was not. */
export class SentMessages {
  readonly #sent: { readonly carrier: Carrier; readonly body: string }[] = [];

  /** The messages of a carrier, decoded, oldest first. */
  of(carrier: BundledCarrier): unknown[] {
    const { kind, name } = carrier;
    const own = this.#sent.filter((each) => each.carrier.kind === kind && each.carrier.name === name);
    return own.map(({ body }) => decodeMessage(carrier, body));
  }

  /** The same platform; what is sent on it is written down. */
  recording(platform: LocalPlatform): LocalPlatform {
    return {
      ...platform,
      entities: this.#entities(platform.entities),
      messages: {
        send: async (carrier, message) => {
          const id = await platform.messages.send(carrier, message);
          this.#sent.push({ carrier, body: message.body });
          return id;
        },
      },
    };
  }

  #entities(entities: EntityStore): EntityStore {
    return changed(entities, {
      begin: async (options) => this.#transaction(await entities.begin(options)),
    });
  }

  #transaction(transaction: Transaction): Transaction {
    const pending: { readonly carrier: Carrier; readonly body: string }[] = [];
    return changed(transaction, {
      send: (carrier, message) => {
        const id = transaction.send(carrier, message);
        pending.push({ carrier, body: message.body });
        return id;
      },
      commit: async () => {
        await transaction.commit();
        this.#sent.push(...pending);
      },
    });
  }
}

/** The same object with some methods exchanged. */
function changed<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const own = (methods as Record<PropertyKey, unknown>)[name];
      if (own !== undefined) return own;
      const method = (target as Record<PropertyKey, unknown>)[name];
      return typeof method === "function" ? (method.bind(target) as unknown) : method;
    },
  });
}
