import type { Fence, Lease, Leases } from "../contract.ts";
import { leaseOf, lostLeaseError } from "../lease.ts";
import type { Connections } from "./connections.ts";
import type { SqlRow } from "./driver.ts";

/** Leases as rows. Their terms follow the database's clock, so that machines agree even if their own clocks differ. */
export class PostgresLeases implements Leases {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  async acquire(name: string, milliseconds: number): Promise<Lease | undefined> {
    const { nowSql } = this.#connections;
    const row = await this.#change(
      `INSERT INTO @@leases AS l VALUES ($1, 1, ${nowSql} + $2) ON CONFLICT (name)
       DO UPDATE SET token = l.token + 1, expires = excluded.expires WHERE l.expires <= ${nowSql}
       RETURNING token, expires`,
      [name, Math.floor(milliseconds)],
    );
    return row && this.#lease(name, row);
  }

  async renew({ name, token }: Fence, milliseconds: number): Promise<Lease> {
    const { nowSql } = this.#connections;
    const row = await this.#change(
      `UPDATE @@leases SET expires = ${nowSql} + $3 WHERE name = $1 AND token = $2 AND expires > ${nowSql}
       RETURNING token, expires`,
      [name, token, Math.floor(milliseconds)],
    );
    if (row === undefined) throw lostLeaseError({ name });
    return this.#lease(name, row);
  }

  /** Keeps the row, because it stores the fencing token. */
  async release({ name, token }: Fence): Promise<void> {
    await this.#change("UPDATE @@leases SET expires = 0 WHERE name = $1 AND token = $2", [name, token]);
  }

  async #change(text: string, values: readonly (string | number)[]): Promise<SqlRow | undefined> {
    return this.#connections.during(() =>
      this.#connections.write("", async (sql) => (await sql.rows(text, values))[0]),
    );
  }

  #lease(name: string, { token, expires }: SqlRow): Lease {
    return leaseOf(this, { name, token: Number(token), expires: new Date(Number(expires)) });
  }
}
