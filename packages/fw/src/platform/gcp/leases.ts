import type { Fence, Key, Lease, Leases } from "../contract.ts";
import { closedError, PlatformError } from "../errors.ts";
import { leaseOf, lostLeaseError } from "../lease.ts";
import { refuseIfOver } from "../lifetime.ts";
import { writeOver } from "./entities/write-over.ts";
import type { Datastore } from "./entities/datastore.ts";
import { encodeScalar } from "./entities/datastore-values.ts";
import { unindexed, type EntityResult } from "./entities/stored-document.ts";

/** Times that a lease is looked at again which others take, renew or let go at the same time. */
const looks = 20;

interface Held {
  readonly token: number;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Leases as documents, which are never deleted: the token of a name grows for ever. Their time is the store's. */
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

  /** Writes what becomes of a lease, unless that is undefined, over just what was seen of it. */
  async #change(name: string, next: (held: Held, now: number) => Held | undefined): Promise<Lease | undefined> {
    if (this.#closed) throw closedError();
    const key = leaseKey(name);
    for (let look = 0; look < looks; look++) {
      refuseIfOver(this.#datastore.lifetime);
      const [stored] = (await this.#datastore.lookup([key])).found;
      const held = next(heldOf(stored), this.#datastore.now());
      if (held === undefined) return undefined;
      const { token } = held;
      const expires = new Date(held.expires);
      const properties = { token: unindexed(encodeScalar(BigInt(token))), expires: unindexed(encodeScalar(expires)) };
      if (await writeOver(this.#datastore, key, stored, properties)) return leaseOf(this, { name, token, expires });
    }
    throw new PlatformError("conflict", `others write the lease ${JSON.stringify(name)} at the same time`, name);
  }
}

/** Where a lease is kept. No name is one that Datastore keeps for itself. */
export function leaseKey(name: string): Key {
  return { kind: "_fw_leases", id: `lease ${name}` };
}

/** Fails with `lease` unless the fence's lease is held by it. */
export function leaseOfStored(fence: Fence, stored: EntityResult | undefined, now: number): void {
  checkHeld(fence, heldOf(stored), now);
}

function checkHeld(fence: Fence, { token, expires }: Held, now: number): void {
  if (token !== fence.token || expires <= now) throw lostLeaseError(fence);
}

function heldOf(stored: EntityResult | undefined): Held {
  const { token, expires } = stored?.entity?.properties ?? {};
  return { token: Number(token?.integerValue ?? 0), expires: Date.parse(expires?.timestampValue ?? "1970-01-01") };
}
