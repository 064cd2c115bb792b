import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSchema, schemaFile, type RecordedSchema } from "../../evolution/recorded.ts";
import { databaseRefusal, type DatabaseSettings, type ServedData } from "./data.ts";
import type { BuiltRelease } from "./release.ts";

/** Returns the schema of the version that any machine on the database has started last; undefined if there is none. */
export async function fetchSchema(database: DatabaseSettings | undefined): Promise<RecordedSchema | undefined> {
  if (database === undefined) return undefined;
  const { readServedSchema } = await import("../../platform/postgres/served-schema.ts");
  const schema = await readServedSchema(database.address).catch((error: unknown) => {
    throw databaseRefusal(error);
  });
  return schema === undefined ? undefined : parseSchema(schema);
}

/** Lets other machines compare their builds with this one, which runs now. */
export async function shareSchema(data: ServedData, { directory }: BuiltRelease): Promise<void> {
  const path = join(directory, schemaFile);
  if (existsSync(path)) await data.recordSchema?.(readFileSync(path, "utf8"));
}
