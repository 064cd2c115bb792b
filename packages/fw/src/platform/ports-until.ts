import { setMaxListeners } from "node:events";
import type { Transaction } from "./contract.ts";
import { refuseIfOver, unlessOver, type Lifetime, type Ports } from "./lifetime.ts";
import type { PutOptions } from "./objects.ts";
import { bytes, type AnyOperation, type Call } from "./operation.ts";
import { portsWith } from "./operations.ts";

/**
 * Returns the ports for reads (which can be abandoned), writes (which are never repeated) or uploads (which take a
 * signal in their options).
 */
type PortsOf = (does: AnyOperation["does"] | "upload") => Ports;

/** Binds ports to a lifetime, as `Platform.until` requires. */
export function endingWith(lifetime: Lifetime, portsOf: PortsOf): Ports {
  // Each operation in flight adds a listener.
  setMaxListeners(0, lifetime.signal);
  return portsWith(
    (port, method, operation) =>
      callIn(lifetime, operation, (does, args) =>
        (portsOf(does)[port] as unknown as Record<string, Call>)[method]?.(...args),
      ),
    async (options) => {
      refuseIfOver(lifetime);
      return transactionOf(lifetime, await portsOf("write").entities.begin(options));
    },
  );
}

function callIn(
  lifetime: Lifetime,
  { does, args: codecs }: AnyOperation,
  ask: (does: Parameters<PortsOf>[0], args: readonly unknown[]) => Promise<unknown> | undefined,
): Call {
  const body = codecs.findIndex((codec) => codec === bytes);
  if (body >= 0)
    return async (...args) => ask("upload", args.with(body + 1, withLifetime(lifetime, args[body + 1] as PutOptions)));
  return async (...args) => {
    refuseIfOver(lifetime);
    const answer = ask(does, args);
    return does === "read" && answer !== undefined ? unlessOver(lifetime, answer) : answer;
  };
}

function withLifetime({ signal }: Lifetime, options: PutOptions): PutOptions {
  return { ...options, signal: options.signal === undefined ? signal : AbortSignal.any([options.signal, signal]) };
}

/** Binds a transaction's reads and its commit to the lifetime. */
function transactionOf(lifetime: Lifetime, transaction: Transaction): Transaction {
  const read = async <T>(ask: () => Promise<T>): Promise<T> => {
    refuseIfOver(lifetime);
    return unlessOver(lifetime, ask());
  };
  return {
    get: (...args) => read(() => transaction.get(...args)),
    query: (...args) => read(() => transaction.query(...args)),
    count: (...args) => read(() => transaction.count(...args)),
    total: (...args) => read(() => transaction.total(...args)),
    insert: (...args) => transaction.insert(...args),
    upsert: (...args) => transaction.upsert(...args),
    update: (...args) => transaction.update(...args),
    delete: (...args) => transaction.delete(...args),
    send: (...args) => transaction.send(...args),
    commit: async () => {
      refuseIfOver(lifetime);
      await transaction.commit();
    },
    rollback: () => transaction.rollback(),
  };
}
