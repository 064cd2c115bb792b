import { existsSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../command.ts";

/** Returns the path of the file that marks a directory whose application stores its data in a database. */
export function databaseMark(directory: string): string {
  return join(directory, "database");
}

/** Refuses a directory whose application stores its data in a database. */
export function refuseDatabaseMark(directory: string, instead: string): void {
  if (existsSync(databaseMark(directory)))
    throw new Refusal(`the data of the application in ${directory} is in a database: ${instead}`);
}
