import { existsSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../command.ts";

/** A file of a directory whose application has its data in a database. */
export function databaseMark(directory: string): string {
  return join(directory, "database");
}

/** Refuses to work on a directory whose application has its data in a database. */
export function refuseDatabaseMark(directory: string, instead: string): void {
  if (existsSync(databaseMark(directory)))
    throw new Refusal(`the data of the application in ${directory} is in a database: ${instead}`);
}
