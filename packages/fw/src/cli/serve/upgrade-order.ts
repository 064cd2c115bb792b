import type { Clock, Lease, Leases } from "../../platform/contract.ts";
import { sleepUntilAborted } from "../../runtime/background/sleep.ts";

const leaseName = "fw serve upgrade";

/** The term of the lease in milliseconds. If its holder dies, other machines wait up to this long. */
const leaseMs = 30_000;

/** Milliseconds between two attempts to take the lease. */
const retryMs = 1_000;

interface UpgradingMachine {
  readonly platform: { readonly leases: Leases; readonly clock: Clock };
  readonly warn: (sentence: string) => void;
  /** Ends the wait for other machines. */
  readonly signal: AbortSignal;
}

/**
 * Runs upgrades of the machines on a database one after another, so that each compares its build with the one that the
 * previous machine has switched to. Concurrently, two machines could switch to builds that cannot read each other's
 * data.
 */
export async function upgradeInOrder<T>(machine: UpgradingMachine, upgrade: () => Promise<T>): Promise<T> {
  const { clock } = machine.platform;
  const lease = await takeLease(machine);
  const renewalEnd = new AbortController();
  const renewal = renewUntil(renewalEnd.signal, lease, clock);
  try {
    return await upgrade();
  } finally {
    renewalEnd.abort();
    await renewal;
    await lease.release().catch(() => {});
  }
}

async function takeLease({ platform: { leases, clock }, warn, signal }: UpgradingMachine): Promise<Lease> {
  for (let attempt = 1; ; attempt++) {
    const lease = await leases.acquire(leaseName, leaseMs);
    if (lease !== undefined) return lease;
    if (attempt === 1)
      warn("another machine on the database is being upgraded: this upgrade waits until that has ended");
    await clock.sleep(retryMs, signal);
  }
}

/** Renews the lease until `end` aborts. Ignores failed renewals, because the upgrade continues in any case. */
async function renewUntil(end: AbortSignal, lease: Lease, clock: Clock): Promise<void> {
  while (await sleepUntilAborted(clock, leaseMs / 3, end)) await lease.renew(leaseMs).catch(() => {});
}
