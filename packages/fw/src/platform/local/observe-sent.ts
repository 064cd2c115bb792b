import type { EntityStore, Transaction } from "../contract.ts";
import type { Destination } from "../messages.ts";
import { withMethods } from "../with-methods.ts";
import type { LocalPlatform } from "./open.ts";

/** Receives each stored message; for a transaction, after the commit. */
export type SentObserver = (destination: Destination, body: string) => void;

/** Wraps a platform so that `observer` receives its sent messages. Also wraps the result of `builtWith`. */
export function observeSent(platform: LocalPlatform, observer: SentObserver): LocalPlatform {
  return {
    ...platform,
    builtWith: (definitions) => observeSent(platform.builtWith(definitions), observer),
    entities: observeEntities(platform.entities, observer),
    messages: withMethods(platform.messages, {
      send: async (destination, message) => {
        const id = await platform.messages.send(destination, message);
        observer(destination, message.body);
        return id;
      },
    }),
  };
}

function observeEntities(entities: EntityStore, observer: SentObserver): EntityStore {
  return withMethods(entities, {
    begin: async (options) => observeTransaction(await entities.begin(options), observer),
  });
}

function observeTransaction(transaction: Transaction, observer: SentObserver): Transaction {
  const pending: Parameters<SentObserver>[] = [];
  return withMethods(transaction, {
    send: (...sent) => {
      const id = transaction.send(...sent);
      const [destination, { body }] = sent;
      pending.push([destination, body]);
      return id;
    },
    commit: async () => {
      await transaction.commit();
      for (const each of pending) observer(...each);
    },
  });
}
