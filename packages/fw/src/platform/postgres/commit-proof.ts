import { randomInt } from "node:crypto";

/**
 * Each writing transaction adds a row that proves its commit, under a key of its client's. `xid` has the key; earlier
 * versions of fw had the id of the transaction there, which is always smaller. `token` is the result of the
 * transaction, or `abandoned`.
 */
export const proofTables = `
  CREATE TABLE @@commits (xid bigint PRIMARY KEY, token bigint NOT NULL);
`;

/** The minimum lifetime of proofs in milliseconds. */
export const proofMs: number = 3_600_000;

export const firstKey: bigint = 2n ** 62n;

/** The digits of a process and of its commits in a key, which make keys of one process neighbours in the index. */
const digitBits = 31;
const processDigits = randomInt(2 ** digitBits);
let lastDigits = randomInt(2 ** digitBits);

const abandoned = -1;

/** Milliseconds to wait for a transaction that may still be running. */
const decisionMs = 2_000;

/**
 * A key for the proof of one attempt. A process chooses none twice: a commit whose response is lost would take another
 * one's proof for its own.
 */
export function newProofKey(): string {
  lastDigits = (lastDigits + 1) % 2 ** digitBits;
  return String(firstKey + ((BigInt(processDigits) << BigInt(digitBits)) | BigInt(lastDigits)));
}

/** Adds the proof of the current transaction, and reads the registry's version. */
export function proofSql(key: string): string {
  return `INSERT INTO @@commits VALUES (${key}, 0)
    RETURNING (SELECT value FROM @@numbers WHERE name = 'epoch') AS epoch`;
}

/**
 * Takes the key of a transaction that may have been committed, so that it cannot be committed from now on. Waits for it
 * if it is running, and fails if that takes too long.
 */
export function abandonSql(key: string): string {
  return `BEGIN; SET LOCAL lock_timeout = ${decisionMs};
    INSERT INTO @@commits VALUES (${key}, ${abandoned}) ON CONFLICT DO NOTHING; COMMIT`;
}

/** Reads the outcome of an abandoned transaction. */
export const outcomeSql = "SELECT token FROM @@outcome($1) AS token";

/** The result of a transaction that was committed before it was abandoned; undefined if it never will be. */
export function committedResult(token: unknown): string | undefined {
  return Number(token) === abandoned ? undefined : String(token);
}
