import { setMaxListeners } from "node:events";
import type { Transaction } from "./contract.ts";
import { refuseIfOver, unlessOver, type Lifetime, type Ports } from "./lifetime.ts";
import type { PutOptions } from "./objects.ts";
import { bytes, type AnyOperation, type Call } from "./operation.ts";
import { portsWith } from "./operations.ts";

/** The ports for reads, which nothing keeps from ending, for writes, which are not sent again, or for bodies, whose options have a signal. */
type PortsOf = (does: AnyOperation["does"] | "upload") => Ports;

/** Ports as `until` has them, of those on which reads, writes and bodies are asked for. */
export function endingWith(lifetime: Lifetime, portsOf: PortsOf): Ports {
  // Each operation under way listens to it.
  setMaxListeners(0, lifetime.signal);
  return portsWith(
    (port, method, operation) =>
      callIn(lifetime, operation, (does, given) =>
        (portsOf(does)[port] as unknown as Record<string, Call>)[method]?.(...given),
      ),
    async (options) => {
      refuseIfOver(lifetime);
      return transactionOf(lifetime, await portsOf("write").entities.begin(options));
    },
  );
}

function callIn(
  lifetime: Lifetime,
  { does, given: codecs }: AnyOperation,
  ask: (does: Parameters<PortsOf>[0], given: readonly unknown[]) => Promise<unknown> | undefined,
): Call {
  const body = codecs.findIndex((codec) => codec === bytes);
  if (body >= 0)
    return async (...given) => ask("upload", given.with(body + 1, bounded(lifetime, given[body + 1] as PutOptions)));
  return async (...given) => {
    refuseIfOver(lifetime);
    const answer = ask(does, given);
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
