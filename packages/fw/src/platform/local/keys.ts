import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readJSON } from "../../lib/read-file.ts";
import { PlatformError } from "../errors.ts";
import type { Database, SqlValue } from "./sqlite.ts";

/** The purposes of the store's own keys. */
const names = ["cursor", "token", "signed urls", "csrf"] as const;

const keyBytes = 32;

/** Returns the store's 32-byte random key for a purpose. */
export type Secrets = (name: (typeof names)[number]) => Uint8Array;

/**
 * Opens the store's keys, and creates missing ones. They are in a separate file that only its owner may read, so a copy
 * of the store is not enough to forge tokens, cursors or signed URLs. Moves keys from the table of an older store to
 * the file.
 */
export function openSecrets(directory: string, database: Database): Secrets {
  const secrets = existsSync(join(directory, "secrets")) ? readSecrets(directory) : {};
  const rows = database.prepare("SELECT name, value FROM secrets").all();
  for (const [name, value] of rows) secrets[String(name)] ??= keyInRow(directory, String(name), value);
  const missing = names.filter((name) => secrets[name] === undefined);
  for (const name of missing) secrets[name] = randomBytes(keyBytes).toString("base64");
  if (missing.length > 0 || rows.length > 0) writeSecrets(directory, secrets);
  if (rows.length > 0) forgetRows(database);
  return (name) => Buffer.from(secrets[name] ?? "", "base64");
}

function keyInRow(directory: string, name: string, value: SqlValue | undefined): string {
  if (value instanceof Uint8Array && value.length === keyBytes) return Buffer.from(value).toString("base64");
  throw new PlatformError(
    "data",
    `the store in ${directory} has no ${keyBytes}-byte key for ${name}; restore a backup`,
  );
}

/** Reads the keys. Throws a PlatformError `data` if the file is not a JSON object or contains an invalid key. */
export function readSecrets(directory: string): Record<string, string> {
  const path = join(directory, "secrets");
  const secrets = readJSON(path);
  const todo = "restore a backup, or delete the file: existing signed URLs, cursors and ID tokens then stop working";
  if (typeof secrets !== "object" || secrets === null || Array.isArray(secrets))
    throw new PlatformError("data", `${path} is damaged; ${todo}`);
  const keys = secrets as Record<string, unknown>;
  const invalid = names.filter((name) => Object.hasOwn(keys, name) && !isKey(keys[name]));
  if (invalid.length > 0)
    throw new PlatformError("data", `${path} has no ${keyBytes}-byte key for ${invalid.join(", ")}; ${todo}`);
  return keys as Record<string, string>;
}

/** Whether a value is a 32-byte key in canonical base64. */
function isKey(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const bytes = Buffer.from(value, "base64");
  return bytes.length === keyBytes && bytes.toString("base64") === value;
}

/** Writes the keys atomically and durably. */
function writeSecrets(directory: string, secrets: Readonly<Record<string, string>>): void {
  const path = join(directory, "secrets");
  const fresh = `${path}.new`;
  writeFileSync(fresh, `${JSON.stringify(secrets, undefined, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(fresh, path);
  if (process.platform !== "win32") syncName(directory);
}

function syncName(directory: string): void {
  const handle = openSync(directory, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Deletes the rows of the keys and overwrites their bytes, so that no free page of the store retains them. */
function forgetRows(database: Database): void {
  database.prepare("PRAGMA secure_delete = ON").get();
  database.exec("DELETE FROM secrets");
  database.prepare("PRAGMA secure_delete = OFF").get();
}
