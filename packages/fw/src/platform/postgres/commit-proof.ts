import { randomInt } from "node:crypto";

/**
 * Each writing transaction adds a row that proves its commit. `xid` is a key chosen by the client; earlier versions of
 * fw stored the transaction's id there, which is always smaller. `token` is the transaction's result, or `abandoned`.
 */
export const proofTables = `
  CREATE TABLE @@commits (xid bigint PRIMARY KEY, token bigint NOT NULL);
`;

/** The minimum lifetime of a proof in milliseconds. */
export const proofMs: number = 3_600_000;

export const firstKey: bigint = 2n ** 62n;

/** The bits per half of a key: random digits of the process, then a counter. Keys of a process are neighbors. */
const digitBits = 31;
const processDigits = randomInt(2 ** digitBits);
let lastDigits = randomInt(2 ** digitBits);

const abandoned = -1;

/** Milliseconds to wait for a transaction that may still be running. */
const decisionMs = 2_000;

/**
 * Returns a key for the proof of one attempt. A process never reuses a key; otherwise a commit without a response could
 * mistake another commit's proof for its own.
 */
export function newProofKey(): string {
  lastDigits = (lastDigits + 1) % 2 ** digitBits;
  return String(firstKey + ((BigInt(processDigits) << BigInt(digitBits)) | BigInt(lastDigits)));
}

/** Returns the statement that adds the current transaction's proof and reads the registry's version. */
export function proofSql(key: string): string {
  return `INSERT INTO @@commits VALUES (${key}, 0)
    RETURNING (SELECT value FROM @@numbers WHERE name = 'epoch') AS epoch`;
}

/**
 * Returns statements that prevent a transaction with an unknown outcome from committing, by taking its key. They wait
 * while the transaction is running, and fail if that takes too long.
 */
export function abandonSql(key: string): string {
  return `BEGIN; SET LOCAL lock_timeout = ${decisionMs};
    INSERT INTO @@commits VALUES (${key}, ${abandoned}) ON CONFLICT DO NOTHING; COMMIT`;
}

/** Reads the outcome of a transaction after `abandonSql`. */
export const outcomeSql = "SELECT token FROM @@outcome($1) AS token";

/** Returns the result of a committed transaction; undefined for an abandoned one. */
export function committedResult(token: unknown): string | undefined {
  return Number(token) === abandoned ? undefined : String(token);
}
