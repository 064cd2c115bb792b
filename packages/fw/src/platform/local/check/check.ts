import { existsSync } from "node:fs";
import { join } from "node:path";
import { PlatformError } from "../../errors.ts";
import { damageOf } from "../damage.ts";
import { closeAfterLook } from "../empty-log.ts";
import { lockDirectory } from "../lock.ts";
import { requirePlace } from "../place.ts";
import { storeVersion } from "../schema.ts";
import { setAsideDirectory } from "../set-aside.ts";
import { readSecrets } from "../keys.ts";
import { isSqliteError, openDatabase } from "../sqlite.ts";
import type { Database } from "../sqlite.ts";
import { documentProblems } from "./documents.ts";
import { indexProblems } from "./indexes.ts";
import { leftOverFiles, objectProblems, setAsideFiles } from "./objects.ts";
import { recordProblems } from "./records.ts";

/** What a look at all data found. */
export interface DataReport {
  /** One sentence each. */
  readonly problems: readonly string[];
  /** What is as it may be, and worth knowing. */
  readonly notes: readonly string[];
  /** How many rows there are, by what they are. */
  readonly counts: Readonly<Record<string, number>>;
}

/** The tables that are counted, named for what is in them. */
const counted = ["documents", "objects", "messages", "accounts"];

/**
 * Looks at everything in a data directory and changes nothing. Fails with `locked` while another process has it, and with `data`
 * where there is nothing that this fw could look at.
 */
export async function checkData(directory: string): Promise<DataReport> {
  requirePlace(directory);
  if (!existsSync(directory)) throw new PlatformError("data", `there is no data in ${directory}`);
  const unlock = lockDirectory(directory);
  try {
    const damage = damageOf(directory);
    if (damage !== undefined) return { problems: [damage], notes: [], counts: {} };
    if (!existsSync(join(directory, "store"))) throw new PlatformError("data", `there is no data in ${directory}`);
    const database = openDatabase(join(directory, "store"));
    try {
      return await reportOn(database, directory);
    } finally {
      closeAfterLook(database, directory);
    }
  } finally {
    unlock();
  }
}

async function reportOn(database: Database, directory: string): Promise<DataReport> {
  const structure = await problemsIn(() => structureProblems(database));
  if (structure.length > 0) return { problems: structure, notes: [], counts: {} };
  requireVersion(database, directory);
  const problems = [
    await problemsIn(() => documentProblems(database)),
    await problemsIn(() => indexProblems(database)),
    await problemsIn(() => recordProblems(database)),
    await problemsIn(() => objectProblems(database, directory)),
    await problemsIn(() => secretProblems(directory)),
  ];
  return { problems: problems.flat(), notes: await notesOn(database, directory), counts: countsIn(database) };
}

/** What a look finds; one that comes to an end in the middle says why. */
async function problemsIn(look: () => Iterable<string> | AsyncIterable<string>): Promise<string[]> {
  const problems: string[] = [];
  try {
    for await (const problem of look()) problems.push(problem);
  } catch (error) {
    if (!isSqliteError(error) && !(error instanceof PlatformError)) throw error;
    problems.push(error.message);
  }
  return problems;
}

/** What SQLite finds in its own structure. */
function* structureProblems(database: Database): Generator<string> {
  for (const [said] of database.prepare("PRAGMA integrity_check").all())
    if (said !== "ok") yield `the file store is damaged: ${String(said)}`;
}

function requireVersion(database: Database, directory: string): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.[0]);
  if (version === storeVersion) return;
  const todo = version < storeVersion ? "start it once with this one" : "look with that one";
  throw new PlatformError("data", `the data in ${directory} is of another version of fw; ${todo}`);
}

function* secretProblems(directory: string): Generator<string> {
  if (existsSync(join(directory, "secrets"))) readSecrets(directory);
  else yield "the file secrets is not there: signed URLs, cursors and ID tokens made until now end with the next start";
}

async function notesOn(database: Database, directory: string): Promise<string[]> {
  const unready = numberOf(database, "SELECT count(*) FROM indexes WHERE ready = 0");
  const left = await leftOverFiles(database, directory);
  const aside = await setAsideFiles(directory);
  return [
    ...(unready > 0
      ? [`${some(unready, "index is", "indexes are")} not filled; the next start fills what is asked for`]
      : []),
    ...(left > 0
      ? [
          `${some(left, "file in objects belongs", "files in objects belong")} to no object; ` +
            "the next start sets aside what is left over",
        ]
      : []),
    ...(aside > 0
      ? [
          `${some(aside, "file", "files")} in ${setAsideDirectory}; ` +
            "a start puts back those that an object names, and deletes the others after 30 days",
        ]
      : []),
  ];
}

function some(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function countsIn(database: Database): Record<string, number> {
  return Object.fromEntries(counted.map((table) => [table, numberOf(database, `SELECT count(*) FROM ${table}`)]));
}

function numberOf(database: Database, sql: string): number {
  return Number(database.prepare(sql).get()?.[0]);
}
