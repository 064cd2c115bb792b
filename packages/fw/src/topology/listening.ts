import { untilAborted } from "../lib/until-aborted.ts";
import type { Exchange } from "../runtime/exchange/exchange.ts";
import type { ServicePool } from "./service-pool.ts";

/** Limit: milliseconds for which a request or a command waits for a service that has crashed to start again. */
export const restartMs = 10_000;

/** The processes that receive the requests and deliveries of their service. */
export interface ListeningPool
  extends Pick<ServicePool, "ready" | "hasFailed" | "use">, Partial<Pick<ServicePool, "isStopped">> {
  /** The host that listens, if it is another one than this. */
  readonly host?: string;
}

/** Finds the current processes of a service. */
export type PoolOf = (service: string) => ListeningPool | undefined;

/** Returns the signal that ends a wait. Called only if there is something to wait for. */
export type WaitSignal = () => AbortSignal;

/**
 * Waits until a process of a service listens. During the wait, other processes may replace the current ones. Resolves
 * with undefined for an unknown service, and if the signal aborts first: a service may fail at each of its starts.
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

/** Ends the waits of a request when its client disconnects, or `restartMs` after the first one began. */
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
