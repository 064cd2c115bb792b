import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { filesBelow } from "../../lib/read-file.ts";

/** The number of versions of a service to keep, because an old process may still load a file of its version. */
const keptVersions = 5;

/** Stores the files of services, each version in a directory named after its hash. */
export class ServiceVersions {
  readonly #directory: string;
  /** The directories of each service, newest last. */
  readonly #versions = new Map<string, string[]>();
  #isCleared = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns the absolute directory of the files that `write` writes; equal files share one. */
  async place(service: string, write: (directory: string) => Promise<void>): Promise<string> {
    this.#clear();
    const fresh = join(this.#directory, service, "new");
    await rm(fresh, { recursive: true, force: true });
    await write(fresh);
    const path = join(this.#directory, service, hashOf(fresh));
    if (existsSync(path)) await rm(fresh, { recursive: true });
    else await rename(fresh, path);
    await this.#forgetOld(service, path);
    return path;
  }

  /**
   * Deletes the versions of an earlier run. That is safe, because the caller has opened the data, so no other server
   * runs from here.
   */
  #clear(): void {
    if (this.#isCleared) return;
    this.#isCleared = true;
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #forgetOld(service: string, newest: string): Promise<void> {
    const versions = [...(this.#versions.get(service) ?? []).filter((path) => path !== newest), newest];
    for (const path of versions.splice(0, versions.length - keptVersions))
      await rm(path, { recursive: true, force: true });
    this.#versions.set(service, versions);
  }
}

function hashOf(directory: string): string {
  const hash = createHash("sha256");
  for (const path of filesBelow(directory).toSorted()) {
    const bytes = readFileSync(path);
    hash.update(`${relative(directory, path)}\0${bytes.byteLength}\0`).update(bytes);
  }
  return hash.digest("hex").slice(0, 16);
}
