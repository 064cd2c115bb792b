import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { hashOfFile } from "../../../lib/hash.ts";
import { isFileName, namedFile } from "../../named-file.ts";
import { statOf } from "../files.ts";
import { setAsideDirectory } from "../set-aside.ts";
import { etagOf } from "../objects-files.ts";
import type { Database } from "../sqlite.ts";
import { rowsOf } from "./rows.ts";

/** Finds objects whose bytes differ from the written ones. */
export async function* objectProblems(database: Database, directory: string): AsyncGenerator<string> {
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

/** Returns the path of an object's file, which may be in the set-aside directory until the next start moves it back. */
function fileOfObject(directory: string, file: unknown): string | undefined {
  if (!isFileName(file)) return undefined;
  const path = namedFile(join(directory, "objects"), file);
  const aside = namedFile(join(directory, setAsideDirectory), file);
  return statOf(path) === undefined && statOf(aside) !== undefined ? aside : path;
}

/** Counts the set-aside files. */
export async function setAsideFiles(directory: string): Promise<number> {
  return (await readdir(join(directory, setAsideDirectory)).catch(() => [])).length;
}

/** Counts the files that belong to no object. */
export async function leftOverFiles(database: Database, directory: string): Promise<number> {
  const holder = database.prepare("SELECT 1 FROM objects WHERE file = ?");
  const names = await readdir(join(directory, "objects")).catch(() => []);
  return names.filter((name) => holder.get(name) === undefined).length;
}
