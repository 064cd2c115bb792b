import type { Clock, Fence, Lease, Leases } from "../contract.ts";
import { prepared, type Database, type Statement } from "./sqlite.ts";
import type { WriteQueue } from "./write-queue.ts";
import { leaseOf, lostLeaseError } from "../lease.ts";

const statements = {
  get: "SELECT token, expires FROM leases WHERE name = ?",
  put: "INSERT OR REPLACE INTO leases VALUES (?, ?, ?)",
} as const;

/** Leases as rows: a name, the token of its last acquisition, and when that ends. */
export class LocalLeases implements Leases {
  readonly #sql: Readonly<Record<keyof typeof statements, Statement>>;
  readonly #queue: WriteQueue;
  readonly #clock: Clock;

  constructor(database: Database, queue: WriteQueue, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
    this.#sql = prepared(database, statements);
  }

  acquire(name: string, milliseconds: number): Promise<Lease | undefined> {
    return this.#queue.write(() => {
      const now = this.#clock.now();
      const { token, expires } = this.#find(name);
      return expires > now ? undefined : this.#keep(name, token + 1, now + milliseconds);
    });
  }

  renew({ name, token }: Fence, milliseconds: number): Promise<Lease> {
    return this.#queue.write(() => {
      this.check({ name, token });
      return this.#keep(name, token, this.#clock.now() + milliseconds);
    });
  }

  release({ name, token }: Fence): Promise<void> {
    return this.#queue.write(() => {
      if (this.#find(name).token === token) this.#sql.put.run(name, token, 0);
    });
  }

  /** Fails with `lease` unless the fence's lease is held. */
  check(fence: Fence): void {
    const { token, expires } = this.#find(fence.name);
    if (token !== fence.token || expires <= this.#clock.now()) throw lostLeaseError(fence);
  }

  #find(name: string): { token: number; expires: number } {
    const [token = 0, expires = 0] = this.#sql.get.get(name) ?? [];
    return { token: Number(token), expires: Number(expires) };
  }

  #keep(name: string, token: number, expires: number): Lease {
    this.#sql.put.run(name, token, expires);
    return leaseOf(this, { name, token, expires: new Date(expires) });
  }
}
