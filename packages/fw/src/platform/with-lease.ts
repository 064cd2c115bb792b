import type { Leases, Platform } from "./contract.ts";
import { isPlatformError, PlatformError } from "./errors.ts";
import { KeyedMutex } from "./keyed-mutex.ts";

/** How long a lease is held, and waited for, in milliseconds. */
export interface LeaseTimes {
  readonly held: number;
  readonly wait: number;
}

/** Milliseconds between two attempts to take a lease that another process holds, at most. */
const pauseMs = 40;

const mutexOfLeases = new WeakMap<Leases, KeyedMutex>();

/**
 * Runs the work while it holds the lease; all who use the name, in any process, come one after the other. The work calls
 * `keep` right before it writes: half of the lease's time is then left, or the work runs again from the start. Fails with
 * `conflict` when the wait is over.
 */
export async function withLease<T>(
  platform: Pick<Platform, "leases" | "clock">,
  name: string,
  { held, wait }: LeaseTimes,
  work: (keep: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const release = await mutexOf(platform.leases).lock(name, { all: wait });
  try {
    for (const until = platform.clock.elapsed() + wait; ; await pause(platform)) {
      const done = await attempt(platform, name, held, work);
      if (done !== undefined) return done.result;
      if (platform.clock.elapsed() >= until)
        throw new PlatformError("conflict", `others hold the lease ${JSON.stringify(name)}; try again`, name);
    }
  } finally {
    release();
  }
}

function pause({ clock }: Pick<Platform, "clock">): Promise<void> {
  return clock.sleep(Math.random() * pauseMs, undefined, { contention: true });
}

/** Undefined where the lease could not be taken, or was lost before the work wrote. */
async function attempt<T>(
  { leases, clock }: Pick<Platform, "leases" | "clock">,
  name: string,
  held: number,
  work: (keep: () => Promise<void>) => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  // From before the request is sent: the store's term begins later, so the lease lasts at least as long as counted here.
  let since = clock.elapsed();
  const lease = await leases.acquire(name, held);
  if (lease === undefined) return undefined;
  const keep = async (): Promise<void> => {
    const renewal = clock.elapsed();
    if (renewal - since <= held / 2) return;
    await lease.renew(held);
    since = renewal;
  };
  try {
    return { result: await work(keep) };
  } catch (error) {
    if (isPlatformError(error, "lease")) return undefined;
    throw error;
  } finally {
    await lease.release();
  }
}

function mutexOf(leases: Leases): KeyedMutex {
  const mutex = mutexOfLeases.get(leases) ?? new KeyedMutex();
  mutexOfLeases.set(leases, mutex);
  return mutex;
}
