/** What changed on disk since the last question. Paths are relative to the application's root. */
export interface FileChanges {
  readonly changed?: readonly string[];
  readonly created?: readonly string[];
  readonly deleted?: readonly string[];
}

type Kind = keyof FileChanges;

/** What was saved since it was last taken, by absolute path. */
export class Changes {
  #paths: Record<Kind, Set<string>> = none();

  /** The last of a file counts. A created one may have been read before, when it was another or not yet written. */
  note(path: string, kind: Kind): void {
    const { changed, created, deleted } = this.#paths;
    if (kind === "deleted") {
      changed.delete(path);
      created.delete(path);
    } else {
      deleted.delete(path);
      changed.add(path);
    }
    this.#paths[kind].add(path);
  }

  /** What there is, which is forgotten; undefined where nothing was saved. */
  take(): Record<Kind, string[]> | undefined {
    const { changed, created, deleted } = this.#paths;
    if (changed.size + created.size + deleted.size === 0) return undefined;
    this.#paths = none();
    return { changed: [...changed], created: [...created], deleted: [...deleted] };
  }

  forget(): void {
    this.#paths = none();
  }
}

function none(): Record<Kind, Set<string>> {
  return { changed: new Set(), created: new Set(), deleted: new Set() };
}
