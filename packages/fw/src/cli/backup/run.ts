import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { counted } from "../../lib/counted.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { copyIfNew } from "../../platform/local/backup/copy.ts";
import { backUp, readBackup, type BackupRecord } from "../../platform/local/backup/backup.ts";
import { holdClosed } from "../../platform/local/backup/lock-stopped.ts";
import { restoreData } from "../../platform/local/backup/restore.ts";
import { modelFile, readModel } from "../../topology/built-model.ts";
import { Refusal } from "../command.ts";
import { refuseDatabaseMark } from "../data/database-mark.ts";
import { dataDirectory, type DataOptions } from "../data/options.ts";
import { localPlaceOf } from "../data/local-or-deployed.ts";
import { refusalOf } from "../data/open.ts";
import type { IO } from "../io.ts";
import { servicesDirectory } from "../../workspace/branch-data.ts";
import { holdThrough } from "./hold.ts";

/**
 * Copies the data to a directory. `fw serve` may be running on the data, but no dev server. Returns the text to print.
 */
export async function runBackup(path: string, options: DataOptions, io: IO): Promise<string> {
  const to = resolve(io.cwd, path);
  const { directory, copyOf, root, serving } = await localPlaceOf(options, io);
  refuseDatabaseMark(directory, "back it up with pg_dump, together with the directory of objects");
  const app = readModel(servicesDirectory(directory))?.app.name ?? "";
  const model = join(servicesDirectory(directory), modelFile);
  try {
    if (copyOf !== undefined) await copyIfNew(copyOf, directory);
    const hold = serving === undefined ? holdClosed(directory) : await holdThrough(serving);
    try {
      const moment = { app, ...(existsSync(model) && { model }), at: hold.at, checkHold: () => hold.requireHeld() };
      return `backed up the data ${contents(await backUp(directory, to, moment))} to ${to}`;
    } finally {
      hold.release();
    }
  } catch (error) {
    throw refusalOf(error, root);
  }
}

/**
 * Restores a backup. Without `replace`, refuses if there is data; with it, first moves that data to another directory.
 * Returns the text to print.
 */
export async function runRestore(
  path: string,
  options: DataOptions & { readonly replace: true | undefined },
  io: IO,
): Promise<string> {
  const backup = resolve(io.cwd, path);
  const directory = dataDirectory(options, io);
  refuseDatabaseMark(directory, "restore it with pg_restore, or name another directory");
  try {
    readBackup(backup);
    const { record, before } = await restoreData(backup, directory, {
      replace: options.replace === true,
      now: new Date(),
      model: join(servicesDirectory(directory), modelFile),
    });
    const previous = before === undefined ? "" : `; the previous data is in ${before}`;
    return `restored the data ${contents(record)} to ${directory}${previous}`;
  } catch (error) {
    if (isPlatformError(error, "locked")) throw new Refusal(`a server is using ${directory}; stop it first`);
    throw refusalOf(error, undefined);
  }
}

function contents({ at, store, objects }: BackupRecord): string {
  return `of ${at}: ${megabytes(store.bytes)} of documents, ${counted(objects.count, "object")} (${megabytes(objects.bytes)})`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
