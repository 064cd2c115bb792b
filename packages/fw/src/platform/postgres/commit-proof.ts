import { randomBytes } from "node:crypto";
import type { Connections, Sql } from "./connections.ts";
import { sqlState } from "./failures.ts";

/**
 * Each writing transaction adds a row that proves its commit. Its id alone would not: after a crash PostgreSQL reuses
 * the ids of transactions that never reached the disk.
 */
export const proofTables = `
  CREATE TABLE @@commits (xid bigint PRIMARY KEY, token bigint NOT NULL);
`;

/** The minimum lifetime of proofs in milliseconds. */
const proofMs = 3_600_000;

/** Identifies the proof of one transaction. */
export interface CommitProof {
  readonly xid: string;
  readonly token: bigint;
}

export function newProofToken(): bigint {
  return randomBytes(8).readBigInt64BE();
}

/** Adds the proof of the current transaction, and reads the registry's version. */
export function proofSql(token: bigint): string {
  return `INSERT INTO @@commits VALUES (pg_current_xact_id()::text::bigint, ${token})
    RETURNING xid, (SELECT value FROM @@numbers WHERE name = 'epoch') AS epoch`;
}

/** True if the transaction was committed; undefined while it is still running, as after a lost connection. */
export async function readProof(sql: Sql, { xid, token }: CommitProof): Promise<boolean | undefined> {
  if (await isRunning(sql, xid)) return undefined;
  // A separate statement after the one that saw the transaction ended, so that it sees the transaction's commit.
  const rows = await sql.rows("SELECT 1 FROM @@commits WHERE xid = $1 AND token = $2", [xid, String(token)]);
  return rows.length > 0;
}

async function isRunning(sql: Sql, xid: string): Promise<boolean> {
  try {
    const [row] = await sql.rows("SELECT pg_xact_status($1::xid8) AS status", [xid]);
    return row?.["status"] === "in progress";
  } catch (error) {
    // An id in the future was lost in a crash and will be reused.
    if (sqlState(error) === "22023") return false;
    throw error;
  }
}

/** Deletes proofs of transactions that ended long ago: those older than the id that the previous call recorded. */
export async function deleteProofs(connections: Connections): Promise<void> {
  const { nowSql } = connections;
  await connections.write("", async (sql) => {
    const [noted] = await sql.rows(
      `INSERT INTO @@numbers AS n VALUES ('proofs noted', ${nowSql}) ON CONFLICT (name)
       DO UPDATE SET value = excluded.value WHERE n.value < excluded.value - ${proofMs} RETURNING value`,
    );
    if (noted === undefined) return;
    await sql.rows("DELETE FROM @@commits WHERE xid < (SELECT value FROM @@numbers WHERE name = 'proofs from')");
    await sql.rows(
      `INSERT INTO @@numbers VALUES ('proofs from', pg_current_xact_id()::text::bigint) ON CONFLICT (name)
       DO UPDATE SET value = excluded.value`,
    );
  });
}
