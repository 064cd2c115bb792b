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

/** What a backup says of itself. It is written last: without it a backup is not whole. */
export interface BackupRecord {
  readonly version: typeof backupVersion;
  readonly app: string;
  /** The moment that it is of, RFC 3339. */
  readonly at: string;
  readonly store: { readonly bytes: number; readonly sha256: string };
  readonly secrets: { readonly sha256: string };
  readonly objects: { readonly count: number; readonly bytes: number };
  /** The model of the application, if the data said which one it is of. */
  readonly model?: { readonly sha256: string };
}

const backupVersion = 1;
const recordFile = "backup.json";

/** The model of the application in a backup. */
export const modelOfBackup = "model.json";

/** A moment of data, and the application that it is of. */
export interface BackedUpMoment {
  readonly app: string;
  /** The file with the model of the application; absent if the data does not have one. */
  readonly model?: string;
  readonly at: string;
  readonly holds: () => Promise<void>;
}

/** Where copies of a file share its blocks until one of them changes, they do. */
const sharing = constants.COPYFILE_FICLONE;

/**
 * Copies a moment of the data in `from`, which somebody holds, to a directory that is not there or empty. `holds` rejects where it was
 * not held to the end; then, and when anything fails, nothing is left.
 */
export async function backUp(from: string, to: string, moment: BackedUpMoment): Promise<BackupRecord> {
  return newDirectory(to, "a backup", async (partial) => {
    await mkdir(join(partial, "objects"), { recursive: true, mode: 0o700 });
    const store = await copied(join(from, "store"), join(partial, "store"));
    const secrets = await copied(join(from, "secrets"), join(partial, "secrets"));
    const objects = await copyObjects(from, partial);
    const { app, at, model: modelPath } = moment;
    const model = modelPath === undefined ? undefined : await copied(modelPath, join(partial, modelOfBackup));
    await moment.holds();
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

/** What a backup says of itself; fails with `data` where it is none, or not whole, or another fw wrote it. */
export function readBackup(directory: string): BackupRecord {
  const path = join(directory, recordFile);
  if (!existsSync(path))
    throw new PlatformError(
      "data",
      `${directory} is no whole backup: ${recordFile}, which is written last, is not in it`,
    );
  const record = readOwnFile(path, ofVersion(backupVersion, backupRecord));
  if (record !== undefined) return record;
  throw new PlatformError("data", `${path} cannot be read: another version of fw wrote it, or it is damaged`);
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

/** Copies a backup to a data directory that is empty, and looks at everything in it; fails with `data` where anything is wrong. */
export async function copyBack(backup: string, to: string): Promise<BackupRecord> {
  const record = readBackup(backup);
  await mkdir(join(to, "objects"), { recursive: true, mode: 0o700 });
  const store = await copied(join(backup, "store"), join(to, "store"));
  const secrets = await copied(join(backup, "secrets"), join(to, "secrets"));
  if (store.sha256 !== record.store.sha256 || secrets.sha256 !== record.secrets.sha256)
    throw new PlatformError("data", `${backup} is damaged: its store or its secrets are not what was written`);
  if (record.model !== undefined) {
    const { sha256 } = await copied(join(backup, modelOfBackup), join(to, modelOfBackup));
    if (sha256 !== record.model.sha256)
      throw new PlatformError("data", `${backup} is damaged: its model is not what was written`);
  }
  await copyObjects(backup, to);
  await syncDirectory(join(to, "objects"));
  await syncDirectory(to);
  const { problems } = await checkData(to);
  if (problems.length > 0) throw new PlatformError("data", `${backup} is damaged: ${problems.join("; ")}`);
  return record;
}

/** The files that the rows of the copied store name: each was written once, and is never changed. */
async function copyObjects(from: string, to: string): Promise<BackupRecord["objects"]> {
  const database = openDatabase(join(to, "store"));
  let [count, bytes] = [0, 0];
  try {
    const all =
      "SELECT bucket, key, file, size FROM objects WHERE (bucket, key) > (?, ?) ORDER BY bucket, key LIMIT 500";
    for (const [, , file, size] of rowsOf(database, all, ["", ""])) {
      const copy = namedFile(join(to, "objects"), file);
      await copyWhole(namedFile(join(from, "objects"), file), copy);
      await settle(copy);
      const written = await stat(copy);
      if (written.size !== Number(size))
        throw new PlatformError(
          "data",
          `the object in ${String(file)} has ${written.size} bytes and had ${Number(size)}`,
        );
      count++;
      bytes += written.size;
    }
  } finally {
    database.close();
  }
  // What reading left beside the store is nothing that belongs to it.
  for (const name of ["store-wal", "store-shm"]) await rm(join(to, name), { force: true });
  return { count, bytes };
}

async function copied(from: string, to: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  await copyWhole(from, to);
  await settle(to);
  return { bytes: (await stat(to)).size, sha256: (await hashOfFile(to)).digest("hex") };
}

/** Fails with `data` where the file is missing. */
async function copyWhole(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, sharing);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new PlatformError("data", `${from} is missing`);
  }
}

/** Only its owner reads it, and it is on disk. */
async function settle(path: string): Promise<void> {
  await chmod(path, 0o600);
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
