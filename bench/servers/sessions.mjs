// The same sessions for every server: SQLite rows keyed by the hash of their id, in WAL mode like fw's own store.
import cluster from "node:cluster";
import { createHash } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { openDatabase } from "../../packages/fw/dist/platform/local/sqlite.js";
import { sessionId } from "./data.mjs";

const SESSIONS = 10_000;
const lifetime = 7 * 24 * 60 * 60 * 1000;

export const hashOf = (id) => createHash("sha256").update(id).digest("hex");

/** Yields session ids with their identities and expiry times. */
export function* sessions() {
  const expires = new Date(Date.now() + lifetime);
  for (let n = 0; n < SESSIONS; n++) yield { id: sessionId(n), identity: identity(n), expires };
}

const identity = (n) => ({
  id: `account-${n}`,
  email: `ann${n}@example.com`,
  name: "Ann",
  provider: "email",
  emailVerified: true,
  roles: ["admin", "editor"],
});

/** Creates an empty directory for this server. */
export function dataDirectory() {
  const id = process.env.BENCH_SERVER ?? cluster.worker?.id ?? 0;
  const directory = join(tmpdir(), `fw-bench-${basename(process.argv[1], ".mjs")}-${id}`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  return directory;
}

/**
 * Stores all sessions. Returns a function that reads one row: it returns the user for a Cookie header, or undefined.
 */
export function openSessions() {
  const database = openDatabase(join(dataDirectory(), "sessions"));
  database.prepare("PRAGMA journal_mode = WAL").get();
  database.exec("CREATE TABLE sessions (id TEXT PRIMARY KEY, identity TEXT, expires INTEGER) WITHOUT ROWID; BEGIN");
  const insert = database.prepare("INSERT INTO sessions VALUES (?, ?, ?)");
  for (const each of sessions()) insert.run(hashOf(each.id), JSON.stringify(each.identity), each.expires.getTime());
  database.exec("COMMIT");
  const select = database.prepare("SELECT identity, expires FROM sessions WHERE id = ?");
  return (header) => {
    const id = cookie(header);
    const row = id === undefined ? undefined : select.get(hashOf(id));
    return row === undefined || row[1] <= Date.now() ? undefined : JSON.parse(row[0]);
  };
}

function cookie(header = "") {
  for (const pair of header.split(";")) {
    const equals = pair.indexOf("=");
    if (equals !== -1 && pair.slice(0, equals).trim() === "fw_session") return pair.slice(equals + 1).trim();
  }
  return undefined;
}
