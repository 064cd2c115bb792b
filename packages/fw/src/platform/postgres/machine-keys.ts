import { machineKeyMs, type Calls, type ListedKeys, type MachineKey, type MachineKeys } from "../machine-keys.ts";
import type { Connections } from "./connections.ts";

/** The definition of the column with the database role that published a key. */
export const publisherColumn: string = "role name NOT NULL DEFAULT current_user";

/**
 * `calls` is JSON. Only the owner of the tables writes. Servers with their own role publish keys through a function
 * that sets the calls; services have no access.
 */
export const machineKeyTables: string = `
  CREATE TABLE IF NOT EXISTS @@machine_keys (
    id text PRIMARY KEY, key text NOT NULL, calls text NOT NULL, until bigint NOT NULL, ${publisherColumn}
  );
`;

export class PostgresMachineKeys implements MachineKeys {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  publish({ id, publicKey, calls }: MachineKey): Promise<void> {
    const { nowSql, isOwner } = this.#connections;
    if (!isOwner)
      return this.#connections.during(async () => {
        await this.#connections.runRepeatable("SELECT @@publish_key($1, $2)", [id, publicKey]);
      });
    return this.#connections.during(() =>
      this.#connections.write("", async (sql) => {
        await sql.rows(`DELETE FROM @@machine_keys WHERE until < ${nowSql}`);
        await sql.rows(
          `INSERT INTO @@machine_keys VALUES ($1, $2, $3, ${nowSql} + ${machineKeyMs}) ON CONFLICT (id)
           DO UPDATE SET calls = excluded.calls, until = excluded.until`,
          [id, publicKey, JSON.stringify(calls)],
        );
      }),
    );
  }

  withdraw(id: string): Promise<void> {
    const statement = this.#connections.isOwner
      ? "DELETE FROM @@machine_keys WHERE id = $1"
      : "SELECT @@withdraw_key($1)";
    return this.#connections.during(() => this.#connections.attempt(statement, [id]));
  }

  async list(): Promise<ListedKeys> {
    const { nowSql } = this.#connections;
    const rows = await this.#connections.query(
      `SELECT c.now, k.id, k.key, k.calls FROM (SELECT ${nowSql} AS now) c LEFT JOIN @@machine_keys k ON k.until >= c.now`,
    );
    const keys = rows.filter(({ id }) => id !== null);
    return {
      keys: keys.map(({ id, key, calls }) => ({
        id: String(id),
        publicKey: String(key),
        calls: JSON.parse(String(calls)) as Calls,
      })),
      now: Number(rows[0]?.["now"]),
    };
  }
}
