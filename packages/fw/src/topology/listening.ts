import { untilAborted } from "../lib/until-aborted.ts";
import type { Exchange } from "../runtime/exchange/exchange.ts";
import type { ServicePool } from "./service-pool.ts";

/** Limit: milliseconds that a request or a command waits for a crashed service to restart. */
export const restartMs = 10_000;

/** The processes that receive the requests and deliveries of a service. */
export interface ListeningPool
  extends Pick<ServicePool, "ready" | "hasFailed" | "use">, Partial<Pick<ServicePool, "isStopped">> {
  /** The host of the processes; absent for this host. */
  readonly host?: string;
}

/** Finds the current processes of a service. */
export type PoolOf = (service: string) => ListeningPool | undefined;

/** Returns the signal that ends a wait. Called only if there is something to wait for. */
export type WaitSignal = () => AbortSignal;

/**
 * Waits until a process of a service listens or the service has failed permanently, even if new processes replace the
 * current ones. Resolves with undefined if the service is unknown or the signal aborts first: a service may fail on
 * every start.
 */
export async function listening(
  service: string,
  poolOf: PoolOf,
  signal: WaitSignal,
): Promise<ListeningPool | undefined> {
  for (;;) {
    const pool = poolOf(service);
    if (pool?.ready === undefined) return pool;
    try {
      await untilAborted(pool.ready, signal());
    } catch {
      return undefined;
    }
    if (poolOf(service) === pool) return pool;
  }
}

/** Limits how long a request waits: until its client disconnects, or `restartMs` after the first wait starts. */
export function requestWait(exchange: Exchange): WaitSignal {
  let ended: AbortController | undefined;
  const begin = (): AbortController => {
    const wait = new AbortController();
    const timer = setTimeout(() => wait.abort(), restartMs);
    exchange.onceOver(() => {
      clearTimeout(timer);
      wait.abort();
    });
    return wait;
  };
  return () => (ended ??= begin()).signal;
}
