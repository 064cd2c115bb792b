import type { Clock, Fence, Lease, Leases } from "../contract.ts";
import { prepareAll, type Database, type Statement } from "./sqlite.ts";
import type { WriteQueue } from "./write-queue.ts";
import { leaseOf, lostLeaseError } from "../lease.ts";

const statements = {
  get: "SELECT token, expires FROM leases WHERE name = ?",
  put: "INSERT OR REPLACE INTO leases VALUES (?, ?, ?)",
} as const;

/**
 * Upper bound on the remaining term of a lease that an earlier process acquired, in milliseconds. No lease of fw has a
 * longer term, and the wall-clock expiry in the row is unreliable because the clock may have been set back since.
 */
const inheritedLeaseMs = 60_000;

/** The remaining term of a lease, as measured by this process. */
interface Term {
  readonly token: number;
  /** On the monotonic clock. */
  readonly until: number;
}

/**
 * Leases as rows: a name, the token of the last acquisition, and the expiry (0 after a release). Only the process with
 * the open store grants them, so it measures terms with its monotonic clock.
 */
export class LocalLeases implements Leases {
  readonly #sql: Readonly<Record<keyof typeof statements, Statement>>;
  readonly #queue: WriteQueue;
  readonly #clock: Clock;
  /** The last term of each lease. Valid only while the row has the same token, because a commit may be rolled back. */
  readonly #terms = new Map<string, Term>();

  constructor(database: Database, queue: WriteQueue, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
    this.#sql = prepareAll(database, statements);
  }

  acquire(name: string, milliseconds: number): Promise<Lease | undefined> {
    return this.#queue.write(() => {
      const { token, isHeld } = this.#find(name);
      return isHeld ? undefined : this.#save(name, token + 1, milliseconds);
    });
  }

  renew({ name, token }: Fence, milliseconds: number): Promise<Lease> {
    return this.#queue.write(() => {
      this.check({ name, token });
      return this.#save(name, token, milliseconds);
    });
  }

  release({ name, token }: Fence): Promise<void> {
    return this.#queue.write(() => {
      if (this.#find(name).token === token) this.#sql.put.run(name, token, 0);
    });
  }

  /** Checks that the fence is current. Otherwise throws a PlatformError `lease`. */
  check(fence: Fence): void {
    const { token, isHeld } = this.#find(fence.name);
    if (token !== fence.token || !isHeld) throw lostLeaseError(fence);
  }

  #find(name: string): { readonly token: number; readonly isHeld: boolean } {
    const [token = 0, expires = 0] = (this.#sql.get.get(name) ?? []).map(Number);
    return { token, isHeld: expires > 0 && this.#termOf(name, token, expires).until > this.#clock.elapsed() };
  }

  #termOf(name: string, token: number, expires: number): Term {
    const term = this.#terms.get(name);
    if (term?.token === token) return term;
    const left = Math.min(expires - this.#clock.now(), inheritedLeaseMs);
    const inherited = { token, until: this.#clock.elapsed() + left };
    this.#terms.set(name, inherited);
    return inherited;
  }

  #save(name: string, token: number, milliseconds: number): Lease {
    const expires = this.#clock.now() + milliseconds;
    this.#sql.put.run(name, token, expires);
    this.#terms.set(name, { token, until: this.#clock.elapsed() + milliseconds });
    return leaseOf(this, { name, token, expires: new Date(expires) });
  }
}
