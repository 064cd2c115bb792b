import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { hashOfFile } from "../../../lib/hash.ts";
import { isFileName, namedFile } from "../../named-file.ts";
import { statOf } from "../files.ts";
import { setAsideDirectory } from "../set-aside.ts";
import { etagOf } from "../objects-files.ts";
import type { Database } from "../sqlite.ts";
import { rowsOf } from "./rows.ts";

/** The objects whose bytes are not those that were written. */
export async function* objectProblems(database: Database, directory: string): AsyncGenerator<string> {
  const all =
    "SELECT bucket, key, file, size, etag FROM objects WHERE (bucket, key) > (?, ?) ORDER BY bucket, key LIMIT 500";
  for (const [bucket, key, file, size, etag] of rowsOf(database, all, ["", ""])) {
    const name = `the object ${JSON.stringify(key)} of the bucket ${String(bucket)}`;
    const path = fileOfObject(directory, file);
    if (path === undefined) {
      yield `${name} names ${JSON.stringify(file)}, which can be no file of it`;
      continue;
    }
    const found = statOf(path);
    if (found === undefined) yield `${name} has lost its file`;
    else if (found.size !== size) yield `${name} has ${found.size} bytes and had ${Number(size)}`;
    else if (etagOf(await hashOfFile(path)) !== etag) yield `${name} has other bytes than were written`;
  }
}

/** The file of an object, or the one set aside that the next start puts in its place. */
function fileOfObject(directory: string, file: unknown): string | undefined {
  if (!isFileName(file)) return undefined;
  const path = namedFile(join(directory, "objects"), file);
  const aside = namedFile(join(directory, setAsideDirectory), file);
  return statOf(path) === undefined && statOf(aside) !== undefined ? aside : path;
}

/** How many files were set aside. */
export async function setAsideFiles(directory: string): Promise<number> {
  return (await readdir(join(directory, setAsideDirectory)).catch(() => [])).length;
}

/** How many files no object holds. */
export async function leftOverFiles(database: Database, directory: string): Promise<number> {
  const holder = database.prepare("SELECT 1 FROM objects WHERE file = ?");
  const names = await readdir(join(directory, "objects")).catch(() => []);
  return names.filter((name) => holder.get(name) === undefined).length;
}
