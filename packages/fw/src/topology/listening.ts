import type { ServicePool } from "./service-pool.ts";

/** The processes that receive the requests and deliveries of their service. */
export interface ListeningPool
  extends Pick<ServicePool, "ready" | "hasFailed" | "use">, Partial<Pick<ServicePool, "isStopped">> {
  /** The host that listens, if it is another one than this. */
  readonly host?: string;
}

/** Finds the current processes of a service. */
export type PoolOf = (service: string) => ListeningPool | undefined;

/** Waits until a process of a service listens. During the wait, other processes may replace the current ones. */
export async function listening(service: string, poolOf: PoolOf): Promise<ListeningPool | undefined> {
  for (;;) {
    const pool = poolOf(service);
    await pool?.ready;
    if (poolOf(service) === pool) return pool;
  }
}
