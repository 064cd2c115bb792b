import { randomBytes } from "node:crypto";
import type { Database } from "./sqlite.ts";

/** 32 random bytes of the store, made when they are first asked for and kept from then on. */
export function secretOf(database: Database, name: string): Uint8Array {
  database.prepare("INSERT OR IGNORE INTO secrets VALUES (?, ?)").run(name, randomBytes(32));
  return Buffer.from(database.prepare("SELECT value FROM secrets WHERE name = ?").get(name)?.[0] as Uint8Array);
}
