import { setMaxListeners } from "node:events";
import type { Platform, Transaction } from "./contract.ts";
import { refuseIfOver, unlessOver, type Lifetime, type Ports } from "./lifetime.ts";
import type { PutOptions } from "./objects.ts";
import { bytes, type AnyOperation, type Call } from "./operation.ts";
import { portOf, type PortName } from "./operations.ts";

/** The ports for reads, which nothing keeps from ending, or for writes, which are not sent again. */
type PortsOf = (does: AnyOperation["does"]) => Ports;

/** Ports as `until` has them, of those on which reads and writes are made. */
export function endingWith(lifetime: Lifetime, portsOf: PortsOf): Ports {
  // Each operation under way listens to it.
  setMaxListeners(0, lifetime.signal);
  const port = <Port extends PortName>(name: Port): Omit<Platform[Port], "begin" | "getNow"> =>
    portOf(name, (method, operation) =>
      callIn(lifetime, operation, (given) =>
        (portsOf(operation.does)[name] as unknown as Record<string, Call>)[method]?.(...given),
      ),
    );
  return {
    get entities() {
      return {
        ...port("entities"),
        async begin(...given: Parameters<Platform["entities"]["begin"]>): Promise<Transaction> {
          refuseIfOver(lifetime);
          return transactionOf(lifetime, await portsOf("write").entities.begin(...given));
        },
      };
    },
    get leases() {
      return port("leases");
    },
    get accounts() {
      return port("accounts");
    },
    get objects() {
      return port("objects");
    },
    get messages() {
      return port("messages");
    },
  };
}

function callIn(
  lifetime: Lifetime,
  { does, given: codecs }: AnyOperation,
  ask: (given: readonly unknown[]) => Promise<unknown> | undefined,
): Call {
  const body = codecs.findIndex((codec) => codec === bytes);
  return async (...given) => {
    if (body < 0) refuseIfOver(lifetime);
    // The options that follow bytes have a signal, which ends their writing.
    else given = given.with(body + 1, bounded(lifetime, given[body + 1] as PutOptions));
    const answer = ask(given);
    return does === "read" && answer !== undefined ? unlessOver(lifetime, answer) : answer;
  };
}

function bounded({ signal }: Lifetime, options: PutOptions): PutOptions {
  return { ...options, signal: options.signal === undefined ? signal : AbortSignal.any([options.signal, signal]) };
}

/** Its reads end with the lifetime, and so does what has not been committed. */
function transactionOf(lifetime: Lifetime, transaction: Transaction): Transaction {
  const read = async <T>(ask: () => Promise<T>): Promise<T> => {
    refuseIfOver(lifetime);
    return unlessOver(lifetime, ask());
  };
  return {
    get: (...given) => read(() => transaction.get(...given)),
    query: (...given) => read(() => transaction.query(...given)),
    count: (...given) => read(() => transaction.count(...given)),
    total: (...given) => read(() => transaction.total(...given)),
    insert: (...given) => transaction.insert(...given),
    upsert: (...given) => transaction.upsert(...given),
    update: (...given) => transaction.update(...given),
    delete: (...given) => transaction.delete(...given),
    send: (...given) => transaction.send(...given),
    commit: async () => {
      refuseIfOver(lifetime);
      await transaction.commit();
    },
    rollback: () => transaction.rollback(),
  };
}
