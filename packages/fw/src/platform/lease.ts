import type { HeldLease } from "./codecs.ts";
import type { Lease, Leases } from "./contract.ts";

/** A lease that was taken, which its leases renew and release. */
export function leaseOf(leases: Leases, { name, token, expires }: HeldLease): Lease {
  return {
    name,
    token,
    expires,
    renew: (milliseconds) => leases.renew({ name, token }, milliseconds),
    release: () => leases.release({ name, token }),
  };
}
