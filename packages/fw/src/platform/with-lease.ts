import type { Leases, Platform } from "./contract.ts";
import { isPlatformError, PlatformError } from "./errors.ts";
import { KeyedMutex } from "./keyed-mutex.ts";

/** How long to hold a lease and how long to wait for it, in milliseconds. */
export interface LeaseTimes {
  readonly hold: number;
  readonly wait: number;
}

/** Upper bound, in milliseconds, of the pause between attempts to acquire a lease that another process holds. */
const pauseMs = 40;

const mutexOfLeases = new WeakMap<Leases, KeyedMutex>();

/**
 * Runs the work under the lease `name`, one at a time across all processes. The work calls `keep` before it writes, to
 * renew the lease if less than half of its time is left. If the lease was lost, the work restarts. Throws a
 * PlatformError `conflict` if the wait times out.
 */
export async function withLease<T>(
  platform: Pick<Platform, "leases" | "clock">,
  name: string,
  { hold, wait }: LeaseTimes,
  work: (keep: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const release = await mutexOf(platform.leases).lock(name, { all: wait });
  try {
    for (const until = platform.clock.elapsed() + wait; ; await pause(platform)) {
      const done = await attempt(platform, name, hold, work);
      if (done !== undefined) return done.result;
      if (platform.clock.elapsed() >= until)
        throw new PlatformError("conflict", `other processes hold the lease ${JSON.stringify(name)}; try again`, name);
    }
  } finally {
    release();
  }
}

function pause({ clock }: Pick<Platform, "clock">): Promise<void> {
  return clock.sleep(Math.random() * pauseMs, undefined, { contention: true });
}

/** Runs the work under the lease; undefined if the lease could not be acquired, or was lost before the work wrote. */
async function attempt<T>(
  { leases, clock }: Pick<Platform, "leases" | "clock">,
  name: string,
  hold: number,
  work: (keep: () => Promise<void>) => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  // Measured before the request is sent: the store's term starts later, so it does not end before `since + hold`.
  let since = clock.elapsed();
  const lease = await leases.acquire(name, hold);
  if (lease === undefined) return undefined;
  const keep = async (): Promise<void> => {
    const renewal = clock.elapsed();
    if (renewal - since <= hold / 2) return;
    await lease.renew(hold);
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
