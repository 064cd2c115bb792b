import { constants, existsSync } from "node:fs";
import { chmod, copyFile, mkdir, open, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hashOfFile } from "../../../lib/hash.ts";
import { number, object, optional, text, type Codec } from "../../../lib/codec.ts";
import { ofVersion, readOwnFile } from "../../../lib/own-file.ts";
import { PlatformError } from "../../errors.ts";
import { checkData } from "../check/check.ts";
import { rowsOf } from "../check/rows.ts";
import { openDatabase } from "../sqlite.ts";
import { namedFile } from "../../named-file.ts";
import { newDirectory, syncDirectory } from "../../new-directory.ts";

/** The metadata of a backup. It is written last, so a backup without it is incomplete. */
export interface BackupRecord {
  readonly version: typeof backupVersion;
  readonly app: string;
  /** The time of the backup's snapshot, in RFC 3339 format. */
  readonly at: string;
  readonly store: { readonly bytes: number; readonly sha256: string };
  readonly secrets: { readonly sha256: string };
  readonly objects: { readonly count: number; readonly bytes: number };
  /** The application's model, if the data includes one. */
  readonly model?: { readonly sha256: string };
}

const backupVersion = 1;
const recordFile = "backup.json";

/** The file name of the application's model in a backup. */
export const backupModelFile = "model.json";

/** A snapshot of the data, and the application that it belongs to. */
export interface BackedUpMoment {
  readonly app: string;
  /** The path of the application's model; absent if the data has none. */
  readonly model?: string;
  readonly at: string;
  readonly checkHold: () => Promise<void>;
}

/** Makes copies share blocks with the original where the file system supports it. */
const copyOnWrite = constants.COPYFILE_FICLONE;

/**
 * Copies a snapshot of the data in `from` to `to`, a new or empty directory. `checkHold` must reject if the snapshot
 * was released too early. If the backup fails, no files remain in `to`.
 */
export async function backUp(from: string, to: string, moment: BackedUpMoment): Promise<BackupRecord> {
  return newDirectory(to, "a backup", async (partial) => {
    await mkdir(join(partial, "objects"), { recursive: true, mode: 0o700 });
    const store = await copyAndHash(join(from, "store"), join(partial, "store"));
    const secrets = await copyAndHash(join(from, "secrets"), join(partial, "secrets"));
    const objects = await copyObjects(from, partial);
    const { app, at, model: modelPath } = moment;
    const model = modelPath === undefined ? undefined : await copyAndHash(modelPath, join(partial, backupModelFile));
    await moment.checkHold();
    const record: BackupRecord = { version: backupVersion, app, at, store, secrets, objects, ...(model && { model }) };
    await writeFile(join(partial, recordFile), `${JSON.stringify(record, undefined, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    await syncDirectory(join(partial, "objects"));
    await syncDirectory(partial);
    return record;
  });
}

/**
 * Reads a backup's metadata; fails with `data` if the directory is not a backup, the backup is incomplete, or another
 * fw version wrote it.
 */
export function readBackup(directory: string): BackupRecord {
  const path = join(directory, recordFile);
  if (!existsSync(path))
    throw new PlatformError("data", `${directory} is not a complete backup: ${recordFile} is missing`);
  const record = readOwnFile(path, ofVersion(backupVersion, backupRecord));
  if (record !== undefined) return record;
  throw new PlatformError("data", `${path} is damaged, or another version of fw wrote it`);
}

const backupRecord: Codec<BackupRecord> = object<BackupRecord>({
  version: number as Codec<typeof backupVersion>,
  app: text,
  at: text,
  store: object<BackupRecord["store"]>({ bytes: number, sha256: text }),
  secrets: object<BackupRecord["secrets"]>({ sha256: text }),
  objects: object<BackupRecord["objects"]>({ count: number, bytes: number }),
  model: optional(object<NonNullable<BackupRecord["model"]>>({ sha256: text })),
});

/** Copies a backup to an empty data directory and checks all of the data; fails with `data` if it finds a problem. */
export async function copyBack(backup: string, to: string): Promise<BackupRecord> {
  const record = readBackup(backup);
  await mkdir(join(to, "objects"), { recursive: true, mode: 0o700 });
  const store = await copyAndHash(join(backup, "store"), join(to, "store"));
  const secrets = await copyAndHash(join(backup, "secrets"), join(to, "secrets"));
  if (store.sha256 !== record.store.sha256 || secrets.sha256 !== record.secrets.sha256)
    throw new PlatformError("data", `${backup} is damaged: its store or its secrets have changed since the backup`);
  if (record.model !== undefined) {
    const { sha256 } = await copyAndHash(join(backup, backupModelFile), join(to, backupModelFile));
    if (sha256 !== record.model.sha256)
      throw new PlatformError("data", `${backup} is damaged: its model has changed since the backup`);
  }
  await copyObjects(backup, to);
  await syncDirectory(join(to, "objects"));
  await syncDirectory(to);
  const { problems } = await checkData(to);
  if (problems.length > 0) throw new PlatformError("data", `${backup} is damaged: ${problems.join("; ")}`);
  return record;
}

/** Copies the files named by the rows of the copied store. Files are immutable, so no lock is needed. */
async function copyObjects(from: string, to: string): Promise<BackupRecord["objects"]> {
  const database = openDatabase(join(to, "store"));
  let [count, bytes] = [0, 0];
  try {
    const all =
      "SELECT bucket, key, file, size FROM objects WHERE (bucket, key) > (?, ?) ORDER BY bucket, key LIMIT 500";
    for (const [, , file, size] of rowsOf(database, all, ["", ""])) {
      const copy = namedFile(join(to, "objects"), file);
      await copyExisting(namedFile(join(from, "objects"), file), copy);
      await secureFile(copy);
      const stats = await stat(copy);
      if (stats.size !== Number(size))
        throw new PlatformError(
          "data",
          `the object file ${String(file)} has ${stats.size} bytes, expected ${Number(size)}`,
        );
      count++;
      bytes += stats.size;
    }
  } finally {
    database.close();
  }
  // Opening the store for reading created these; they are not part of the backup.
  for (const name of ["store-wal", "store-shm"]) await rm(join(to, name), { force: true });
  return { count, bytes };
}

async function copyAndHash(from: string, to: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  await copyExisting(from, to);
  await secureFile(to);
  return { bytes: (await stat(to)).size, sha256: (await hashOfFile(to)).digest("hex") };
}

/** Copies a file. Throws a PlatformError `data` if it is missing. */
async function copyExisting(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, copyOnWrite);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new PlatformError("data", `${from} is missing`);
  }
}

/** Makes the file private and flushes it to disk (fsync). */
async function secureFile(path: string): Promise<void> {
  await chmod(path, 0o600);
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
