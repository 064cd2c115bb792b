import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readJSON } from "../../lib/read-file.ts";
import { PlatformError } from "../errors.ts";
import type { Database, SqlValue } from "./sqlite.ts";

/** What is signed or sealed with a key of the store's own. */
const names = ["cursor", "token", "signed urls", "csrf"] as const;

const keyBytes = 32;

/** The name of a key. */
type SecretName = (typeof names)[number];

/** Gives the keys of a store, each of 32 random bytes. */
export type Secrets = (name: SecretName) => Uint8Array;

/**
 * The keys with which identities could be forged. They are in a file that only its owner may read, beside the store: a copy of
 * the store's rows forges nothing. Those of an older store, which had them among its rows, are moved there.
 */
export function openSecrets(directory: string, database: Database): Secrets {
  const kept = existsSync(join(directory, "secrets")) ? readSecrets(directory) : {};
  const rows = database.prepare("SELECT name, value FROM secrets").all();
  for (const [name, value] of rows) kept[String(name)] ??= keyInRow(directory, String(name), value);
  const missing = names.filter((name) => kept[name] === undefined);
  for (const name of missing) kept[name] = randomBytes(keyBytes).toString("base64");
  if (missing.length > 0 || rows.length > 0) writeSecrets(directory, kept);
  if (rows.length > 0) forgetRows(database);
  return (name) => Buffer.from(kept[name] ?? "", "base64");
}

function keyInRow(directory: string, name: string, value: SqlValue | undefined): string {
  if (value instanceof Uint8Array && value.length === keyBytes) return Buffer.from(value).toString("base64");
  throw new PlatformError(
    "data",
    `the store in ${directory} has no key of ${keyBytes} bytes for ${name}; put a copy of it back`,
  );
}

/** The keys in the file; fails with `data` unless it is an object of keys, each of 32 bytes. */
export function readSecrets(directory: string): Record<string, string> {
  const path = join(directory, "secrets");
  const secrets = readJSON(path);
  const todo = "put a copy of it back, or delete it: signed URLs, cursors and ID tokens made until now then end";
  if (typeof secrets !== "object" || secrets === null || Array.isArray(secrets))
    throw new PlatformError("data", `${path} cannot be read; ${todo}`);
  const keys = secrets as Record<string, unknown>;
  const wrong = names.filter((name) => Object.hasOwn(keys, name) && !isKey(keys[name]));
  if (wrong.length > 0)
    throw new PlatformError("data", `${path} has no key of ${keyBytes} bytes for ${wrong.join(", ")}; ${todo}`);
  return keys as Record<string, string>;
}

/** Whether a value is a key in base64, written as fw writes it. */
function isKey(value: unknown): boolean {
  if (typeof value !== "string") return false;
  const bytes = Buffer.from(value, "base64");
  return bytes.length === keyBytes && bytes.toString("base64") === value;
}

/** On disk under its name when it returns, or not there at all. */
function writeSecrets(directory: string, secrets: Readonly<Record<string, string>>): void {
  const path = join(directory, "secrets");
  const fresh = `${path}.new`;
  writeFileSync(fresh, `${JSON.stringify(secrets, undefined, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(fresh, path);
  if (process.platform !== "win32") syncName(directory);
}

function syncName(directory: string): void {
  const opened = openSync(directory, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Overwrites the rows, so that no free page of the store has them either. */
function forgetRows(database: Database): void {
  database.prepare("PRAGMA secure_delete = ON").get();
  database.exec("DELETE FROM secrets");
  database.prepare("PRAGMA secure_delete = OFF").get();
}
