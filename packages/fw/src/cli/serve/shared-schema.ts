import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { schemaFile } from "../../evolution/recorded.ts";
import { databaseRefusal, type DatabaseSettings, type ServedData } from "./data.ts";
import type { BuiltRelease } from "./release.ts";

/**
 * Writes the schema of the version that any machine on the database has started last into this machine's directory,
 * with which starts and upgrades compare their build.
 */
export async function fetchSchema(database: DatabaseSettings | undefined, directory: string): Promise<void> {
  if (database === undefined) return;
  const { readServedSchema } = await import("../../platform/postgres/served-schema.ts");
  const schema = await readServedSchema(database.address).catch((error: unknown) => {
    throw databaseRefusal(error);
  });
  if (schema === undefined) return;
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, schemaFile), schema, { mode: 0o600 });
}

/** Lets other machines compare their builds with this one, which runs now. */
export async function shareSchema(data: ServedData, { directory }: BuiltRelease): Promise<void> {
  const path = join(directory, schemaFile);
  if (existsSync(path)) await data.recordSchema?.(readFileSync(path, "utf8"));
}
