import { existsSync, readdirSync, renameSync } from "node:fs";
import { mkdir, opendir, rename, stat, unlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { namedFile } from "../named-file.ts";

/** The subdirectory for object files that no row named when the store was opened. */
export const setAsideDirectory: string = "set-aside";

/** Milliseconds after which a set-aside file that no object needs is deleted at startup (30 days). */
const setAsideMs = 30 * 86_400_000;

/**
 * Holds files that have no object when a store is opened. Their uploads were interrupted, or their objects were
 * replaced or lost. These cases look the same, so files are deleted only later; a later start moves a file back if its
 * row has reappeared.
 */
export class SetAside {
  readonly #objects: string;
  readonly #directory: string;

  constructor(dataDirectory: string) {
    this.#objects = join(dataDirectory, "objects");
    this.#directory = join(dataDirectory, setAsideDirectory);
  }

  /** Moves back files whose objects are in the store again. */
  putBack(isObject: (file: string) => boolean): void {
    if (!existsSync(this.#directory)) return;
    for (const name of readdirSync(this.#directory))
      if (isObject(name) && !existsSync(namedFile(this.#objects, name)))
        renameSync(namedFile(this.#directory, name), namedFile(this.#objects, name));
  }

  /** Moves a file out of the objects directory and sets its modification time. */
  async add(file: string, now: number): Promise<void> {
    const path = namedFile(this.#directory, file);
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await rename(namedFile(this.#objects, file), path);
    await utimes(path, now / 1000, now / 1000);
  }

  /** Deletes files that were set aside long ago. */
  async deleteOld(now: number): Promise<void> {
    if (!existsSync(this.#directory)) return;
    for await (const { name } of await opendir(this.#directory)) {
      const path = join(this.#directory, name);
      if ((await stat(path)).mtimeMs < now - setAsideMs) await unlink(path).catch(() => {});
    }
  }
}
