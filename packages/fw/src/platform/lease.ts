import type { HeldLease } from "./codecs.ts";
import type { Fence, Lease, Leases } from "./contract.ts";
import { PlatformError } from "./errors.ts";

export function lostLeaseError({ name }: Pick<Fence, "name">): PlatformError {
  return new PlatformError("lease", `the lease ${JSON.stringify(name)} has expired or has another holder`);
}

export function leaseOf(leases: Leases, { name, token, expires }: HeldLease): Lease {
  return {
    name,
    token,
    expires,
    renew: (milliseconds) => leases.renew({ name, token }, milliseconds),
    release: () => leases.release({ name, token }),
  };
}
