/** Files that changed on disk since the last query. Paths are relative to the application's root. */
export interface FileChanges {
  readonly changed?: readonly string[];
  readonly created?: readonly string[];
  readonly deleted?: readonly string[];
}

type ChangeKind = keyof FileChanges;

/** Collects saved files by absolute path until the checker takes them. */
export class PendingChanges {
  #paths: Record<ChangeKind, Set<string>> = noChanges();

  /**
   * A deletion and the other changes of a file replace each other. A created file also counts as changed: TypeScript
   * may have read it before, as an earlier or empty file.
   */
  note(path: string, kind: ChangeKind): void {
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

  /** Returns and clears the pending changes; undefined if there are none. */
  take(): Record<ChangeKind, string[]> | undefined {
    const { changed, created, deleted } = this.#paths;
    if (changed.size + created.size + deleted.size === 0) return undefined;
    this.#paths = noChanges();
    return { changed: [...changed], created: [...created], deleted: [...deleted] };
  }

  /** Puts a batch back in front of newer changes. */
  requeue(batch: Readonly<Record<ChangeKind, readonly string[]>>): void {
    const newer = this.#paths;
    this.#paths = noChanges();
    for (const changes of [batch, newer]) {
      for (const kind of ["changed", "created", "deleted"] as const)
        for (const path of changes[kind]) this.note(path, kind);
    }
  }

  forget(): void {
    this.#paths = noChanges();
  }
}

function noChanges(): Record<ChangeKind, Set<string>> {
  return { changed: new Set(), created: new Set(), deleted: new Set() };
}
