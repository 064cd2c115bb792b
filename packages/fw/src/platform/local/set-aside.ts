import { existsSync, readdirSync, renameSync } from "node:fs";
import { mkdir, opendir, rename, stat, unlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { namedFile } from "../named-file.ts";

/** The directory in a data directory with the bytes of objects that the store did not name when it was opened. */
export const setAsideDirectory: string = "set-aside";

/** Milliseconds after which a start deletes a file that no object came back for, 30 days. */
const setAsideMs = 30 * 86_400_000;

/**
 * Files that no object holds when a store is opened: an upload that a kill cut short, an object that was replaced, or
 * the bytes of objects whose rows the store has lost. Nothing tells them apart, so none is deleted: each waits here,
 * and goes back by itself when a later start finds a row that names it.
 */
export class SetAside {
  readonly #objects: string;
  readonly #directory: string;

  constructor(dataDirectory: string) {
    this.#objects = join(dataDirectory, "objects");
    this.#directory = join(dataDirectory, setAsideDirectory);
  }

  /** Puts back the files of objects that are in the store again. */
  putBack(isObject: (file: string) => boolean): void {
    if (!existsSync(this.#directory)) return;
    for (const name of readdirSync(this.#directory))
      if (isObject(name) && !existsSync(namedFile(this.#objects, name)))
        renameSync(namedFile(this.#directory, name), namedFile(this.#objects, name));
  }

  /** Takes a file from the objects, at an instant. */
  async add(file: string, now: number): Promise<void> {
    const path = namedFile(this.#directory, file);
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await rename(namedFile(this.#objects, file), path);
    await utimes(path, now / 1000, now / 1000);
  }

  /** Deletes the files that were set aside long before an instant. */
  async deleteOld(now: number): Promise<void> {
    if (!existsSync(this.#directory)) return;
    for await (const { name } of await opendir(this.#directory)) {
      const path = join(this.#directory, name);
      if ((await stat(path)).mtimeMs < now - setAsideMs) await unlink(path).catch(() => {});
    }
  }
}
