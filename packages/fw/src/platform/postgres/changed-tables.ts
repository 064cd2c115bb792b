import { setTimeout as wait } from "node:timers/promises";
import type { Connections } from "./connections.ts";
import type { Sql } from "./driver.ts";
import { lockTimeoutState, sqlState } from "./failures.ts";
import { Locks } from "./locks.ts";

export interface ChangeOptions {
  /** Receives messages for operators. */
  readonly note: (sentence: string) => void;
  /** Aborts the wait for transactions that use the tables. */
  readonly signal: AbortSignal | undefined;
}

/** Milliseconds to wait for transactions that use a table, such as a backup. Other statements queue in this time. */
const changeMs = 100;

/** Milliseconds before a blocked change is tried again. */
const changeAgainMs = 1_000;

/** Changes tables in one transaction, on one machine at a time. Retries while other transactions block it. */
export async function changeTables(
  connections: Connections,
  { note, signal }: ChangeOptions,
  work: (sql: Sql) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      await connections.script(new Locks(connections.address.schema).exclusive("schema").sql, async (sql) => {
        await sql.rows(`SET LOCAL lock_timeout = ${changeMs}`);
        await work(sql);
      });
      return;
    } catch (error) {
      if (sqlState(error) !== lockTimeoutState) throw error;
    }
    if (attempt === 1)
      note(
        "waiting to change the database's tables until transactions that use them end, such as a backup or an export",
      );
    await wait(changeAgainMs, undefined, { signal });
  }
}
