import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { filesBelow } from "../../lib/read-file.ts";

/** Versions of a service that are kept: a process that is about to go may still load a file of its own. */
const keptVersions = 5;

/** The services that run, on disk: each version in a directory that is named for its bytes. */
export class ServiceVersions {
  readonly #directory: string;
  /** Directories of each service, the newest last. */
  readonly #versions = new Map<string, string[]>();
  #isCleared = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The directory of what `write` writes into an empty place, absolute; the same one for the same bytes. */
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

  /** What an earlier run left goes with the first service: who has one to place holds the data, so no other server runs from here. */
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
