import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSchema, schemaFile, type RecordedSchema } from "../../evolution/recorded.ts";
import type { RecordOptions } from "../../platform/postgres/served-schema.ts";
import { databaseRefusal, type DatabaseSettings, type ServedData } from "./data.ts";
import type { BuiltRelease } from "./release.ts";

/** The versions that other machines serve. */
interface ServedElsewhere {
  /** The schema of the latest version that any machine on the database has started; undefined if there is none. */
  readonly last?: RecordedSchema | undefined;
  /** True if another machine on the database runs exactly this build's version now. */
  readonly isRunning: boolean;
}

export async function fetchServed(
  database: DatabaseSettings | undefined,
  release: BuiltRelease,
): Promise<ServedElsewhere> {
  if (database === undefined) return { isRunning: false };
  const { readServedVersions } = await import("../../platform/postgres/served-schema.ts");
  const { last, isRunning } = await readServedVersions(database.address, schemaOf(release)).catch((error: unknown) => {
    throw databaseRefusal(error);
  });
  return { last: last === undefined ? undefined : parseSchema(last), isRunning };
}

/** Lets other machines compare their builds with this one, which runs now. */
export async function shareSchema(data: ServedData, release: BuiltRelease, options: RecordOptions): Promise<void> {
  const schema = schemaOf(release);
  if (schema !== undefined) await data.recordSchema?.(schema, options);
}

/** Returns the schema exactly as the build wrote it, so that equal versions have equal texts; undefined without one. */
export function schemaOf({ directory }: BuiltRelease): string | undefined {
  const path = join(directory, schemaFile);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
