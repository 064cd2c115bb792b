import { useTerms } from "../../search-terms.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PlatformError } from "../../errors.ts";
import { damageOf } from "../damage.ts";
import { closeAfterCheck } from "../empty-log.ts";
import { lockDirectory } from "../lock.ts";
import { requireDataDirectory } from "../data-directory.ts";
import { storeVersion } from "../schema.ts";
import { setAsideDirectory } from "../set-aside.ts";
import { readSecrets } from "../keys.ts";
import { isSqliteError, openDatabase, type Database, type SqlValue } from "../sqlite.ts";
import { indexProblems } from "./indexes.ts";
import { recordProblems } from "./records.ts";
import { typeProblems, type TypeCheck } from "./types.ts";
import { decodeFields, isStorableId } from "../../document.ts";
import { rowsOf, validText } from "./rows.ts";
import { readdir } from "node:fs/promises";
import { hashOfFile } from "../../../lib/hash.ts";
import { isFileName, namedFile } from "../../named-file.ts";
import { statOf } from "../files.ts";
import { etagOf } from "../objects-files.ts";

export interface DataReport {
  readonly problems: readonly string[];
  /** Observations that need no action. */
  readonly notes: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

const countedTables = ["documents", "objects", "messages", "accounts"];

/**
 * Checks all data in a directory without changing it. Throws a PlatformError `locked` while another process is using
 * it, and `data` if it contains nothing that this version can check. With `types`, also compares the data with the
 * types if all of it is readable.
 */
export async function checkData(directory: string, types?: TypeCheck): Promise<DataReport> {
  useTerms();
  requireDataDirectory(directory);
  if (!existsSync(directory)) throw new PlatformError("data", `there is no data in ${directory}`);
  const unlock = lockDirectory(directory);
  try {
    const damage = damageOf(directory);
    if (damage !== undefined) return { problems: [damage], notes: [], counts: {} };
    if (!existsSync(join(directory, "store"))) throw new PlatformError("data", `there is no data in ${directory}`);
    const database = openDatabase(join(directory, "store"));
    try {
      return await reportOn(database, directory, types);
    } finally {
      closeAfterCheck(database, directory);
    }
  } finally {
    unlock();
  }
}

async function reportOn(database: Database, directory: string, types: TypeCheck | undefined): Promise<DataReport> {
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
  // Compares the data with the types only if all of the data can be read.
  const isWhole = problems.every((each) => each.length === 0);
  if (isWhole && types !== undefined) problems.push(await problemsIn(() => typeProblems(database, types)));
  const notes = [...(types?.notes() ?? []), ...(await notesOn(database, directory))];
  return { problems: problems.flat(), notes, counts: countsIn(database) };
}

/** Collects the problems that a check yields. If the check itself fails, adds its error as a problem. */
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

function* structureProblems(database: Database): Generator<string> {
  for (const [result] of database.prepare("PRAGMA integrity_check").all())
    if (result !== "ok") yield `the file store is damaged: ${String(result)}`;
}

function requireVersion(database: Database, directory: string): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.[0]);
  if (version === storeVersion) return;
  const todo = version < storeVersion ? "start the application once with this version" : "use that version to check it";
  throw new PlatformError("data", `another version of fw wrote the data in ${directory}; ${todo}`);
}

function* secretProblems(directory: string): Generator<string> {
  if (existsSync(join(directory, "secrets"))) readSecrets(directory);
  else yield "the file secrets is missing: existing signed URLs, cursors and ID tokens stop working at the next start";
}

async function notesOn(database: Database, directory: string): Promise<string[]> {
  const unready = numberOf(database, "SELECT count(*) FROM indexes WHERE ready NOT IN (1, 2)");
  const unused = await leftOverFiles(database, directory);
  const aside = await setAsideFiles(directory);
  return [
    ...(unready > 0
      ? [
          `${countOf(unready, "index is", "indexes are")} incomplete; the next start rebuilds those that the application needs`,
        ]
      : []),
    ...(unused > 0
      ? [
          `${countOf(unused, "file in objects belongs", "files in objects belong")} to no object; ` +
            "the next start moves unused files aside",
        ]
      : []),
    ...(aside > 0
      ? [
          `${countOf(aside, "file", "files")} in ${setAsideDirectory}; ` +
            "a start moves back the files that an object needs and deletes the others after 30 days",
        ]
      : []),
  ];
}

function countOf(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function countsIn(database: Database): Record<string, number> {
  return Object.fromEntries(countedTables.map((table) => [table, numberOf(database, `SELECT count(*) FROM ${table}`)]));
}

function numberOf(database: Database, sql: string): number {
  return Number(database.prepare(sql).get()?.[0]);
}

/** Finds documents that cannot be read or that fw cannot have written. */
function* documentProblems(database: Database): Generator<string> {
  const columns = "CAST(kind AS BLOB), CAST(id AS BLOB), version, CAST(body AS BLOB)";
  const last = Number(database.prepare("SELECT value FROM numbers WHERE name = 'version'").get()?.[0]);
  const all = "SELECT kind, id FROM documents WHERE (kind, id) > (?, ?) ORDER BY kind, id LIMIT 500";
  const one = database.prepare(`SELECT ${columns} FROM documents WHERE kind = ? AND id = ?`);
  for (const [kind, id] of rowsOf(database, all, ["", ""])) {
    const name = `the document ${JSON.stringify(id)} of ${JSON.stringify(kind)}`;
    const row = one.get(kind as SqlValue, id as SqlValue);
    const problem = row === undefined ? "cannot be found by its key" : documentProblem(row, last);
    if (problem !== undefined) yield `${name} ${problem}`;
  }
}

function documentProblem([, id, version, body]: readonly SqlValue[], last: number): string | undefined {
  const [name, text] = [validText(id), validText(body)];
  if (name === undefined || !isStorableId(name)) return "has an id that no document can have";
  if (typeof version !== "number" || version > last) return "has a version higher than the last one";
  if (text === undefined) return "is not valid UTF-8";
  try {
    decodeFields(text);
    return undefined;
  } catch {
    return "is not valid JSON";
  }
}

/** Finds objects whose file is missing, has an invalid name, or differs from the bytes that were written. */
async function* objectProblems(database: Database, directory: string): AsyncGenerator<string> {
  const all =
    "SELECT bucket, key, file, size, etag FROM objects WHERE (bucket, key) > (?, ?) ORDER BY bucket, key LIMIT 500";
  for (const [bucket, key, file, size, etag] of rowsOf(database, all, ["", ""])) {
    const name = `the object ${JSON.stringify(key)} of the bucket ${String(bucket)}`;
    const path = fileOfObject(directory, file);
    if (path === undefined) {
      yield `${name} has an invalid file name ${JSON.stringify(file)}`;
      continue;
    }
    const stats = statOf(path);
    if (stats === undefined) yield `${name} has no file`;
    else if (stats.size !== size) yield `${name} has ${stats.size} bytes, expected ${Number(size)}`;
    else if (etagOf(await hashOfFile(path)) !== etag) yield `${name} has different bytes than were written`;
  }
}

/**
 * Returns the path of an object's file, which may be in the set-aside directory until the next start moves it back;
 * undefined if the file's name is invalid.
 */
function fileOfObject(directory: string, file: unknown): string | undefined {
  if (!isFileName(file)) return undefined;
  const path = namedFile(join(directory, "objects"), file);
  const aside = namedFile(join(directory, setAsideDirectory), file);
  return statOf(path) === undefined && statOf(aside) !== undefined ? aside : path;
}

async function setAsideFiles(directory: string): Promise<number> {
  return (await readdir(join(directory, setAsideDirectory)).catch(() => [])).length;
}

async function leftOverFiles(database: Database, directory: string): Promise<number> {
  const holder = database.prepare("SELECT 1 FROM objects WHERE file = ?");
  const names = await readdir(join(directory, "objects")).catch(() => []);
  return names.filter((name) => holder.get(name) === undefined).length;
}
