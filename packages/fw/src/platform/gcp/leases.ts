import type { Fence, Key, Lease, Leases } from "../contract.ts";
import { closedError, PlatformError } from "../errors.ts";
import { leaseOf, lostLeaseError } from "../lease.ts";
import { refuseIfOver } from "../lifetime.ts";
import { writeOver } from "./entities/write-over.ts";
import type { Datastore } from "./entities/datastore.ts";
import { encodeScalar } from "./entities/datastore-values.ts";
import { unindexed, type EntityResult } from "./entities/stored-document.ts";

/** Maximum attempts to change a lease despite concurrent changes. */
const maxAttempts = 20;

interface LeaseState {
  readonly token: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Leases as documents. They are never deleted, because a name's token must keep growing. Uses the store's clock. */
export class CloudLeases implements Leases {
  readonly #datastore: Datastore;
  #closed = false;

  constructor(datastore: Datastore) {
    this.#datastore = datastore;
  }

  close(): void {
    this.#closed = true;
  }

  acquire(name: string, milliseconds: number): Promise<Lease | undefined> {
    return this.#change(name, ({ token, expires }, now) =>
      expires > now ? undefined : { token: token + 1, expires: now + milliseconds },
    );
  }

  async renew(fence: Fence, milliseconds: number): Promise<Lease> {
    const renewed = await this.#change(fence.name, (held, now) => {
      checkHeld(fence, held, now);
      return { token: fence.token, expires: now + milliseconds };
    });
    if (renewed === undefined) throw lostLeaseError(fence);
    return renewed;
  }

  async release({ name, token }: Fence): Promise<void> {
    await this.#change(name, (held) => (held.token === token && held.expires > 0 ? { token, expires: 0 } : undefined));
  }

  /** Writes a lease's next state with compare-and-set; undefined leaves it unchanged. */
  async #change(
    name: string,
    next: (held: LeaseState, now: number) => LeaseState | undefined,
  ): Promise<Lease | undefined> {
    if (this.#closed) throw closedError();
    const key = leaseKey(name);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      refuseIfOver(this.#datastore.lifetime);
      const [entity] = (await this.#datastore.lookup([key])).results;
      const state = next(heldOf(entity), this.#datastore.now());
      if (state === undefined) return undefined;
      const { token } = state;
      const expires = new Date(state.expires);
      const properties = { token: unindexed(encodeScalar(BigInt(token))), expires: unindexed(encodeScalar(expires)) };
      if (await writeOver(this.#datastore, key, entity, properties)) return leaseOf(this, { name, token, expires });
    }
    throw new PlatformError("conflict", `too many concurrent changes of the lease ${JSON.stringify(name)}`, name);
  }
}

/** Returns the key of a lease's document. The prefix avoids names that Datastore reserves. */
export function leaseKey(name: string): Key {
  return { kind: "_fw_leases", id: `lease ${name}` };
}

/** Checks that the fence is current. Otherwise throws a PlatformError `lease`. */
export function leaseOfStored(fence: Fence, stored: EntityResult | undefined, now: number): void {
  checkHeld(fence, heldOf(stored), now);
}

function checkHeld(fence: Fence, { token, expires }: LeaseState, now: number): void {
  if (token !== fence.token || expires <= now) throw lostLeaseError(fence);
}

function heldOf(stored: EntityResult | undefined): LeaseState {
  const { token, expires } = stored?.entity?.properties ?? {};
  return { token: Number(token?.integerValue ?? 0), expires: Date.parse(expires?.timestampValue ?? "1970-01-01") };
}
