import { closedError, PlatformError } from "../errors.ts";
import { inTransaction, type Database } from "./sqlite.ts";
import { commitUnsynced } from "./unsynced.ts";

interface Write {
  readonly apply: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly write: Write } & ({ readonly result: unknown } | { readonly error: unknown });

interface Observers {
  /** Called once a commit is on disk, before any of its writes resolves. */
  readonly onDisk?: () => void;
  /** Called after a rollback. */
  readonly onRollback: () => void;
}

/**
 * Commits the writes of one turn of the event loop together, so that they share one fsync (group commit). A write that
 * throws a PlatformError without having changed anything fails alone. Any other failure rolls back the commit, and each
 * write is retried in a commit of its own.
 */
export class WriteQueue {
  readonly #database: Database;
  readonly #observers: Observers;
  #waiting: Write[] = [];
  #isScheduled = false;
  #isClosed = false;

  constructor(database: Database, observers: Observers) {
    this.#database = database;
    this.#observers = observers;
  }

  /** Queues the write; resolves with its result once it is on disk. */
  write<T>(apply: () => T): Promise<T> {
    if (this.#isClosed) return Promise.reject(closedError());
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ apply, resolve, reject });
      if (!this.#isScheduled) setImmediate(() => this.flush());
      this.#isScheduled = true;
    }) as Promise<T>;
  }

  /** Commits a write immediately, without fsync: a power cut may undo it until the queue's next commit. */
  writeUnsynced<T>(apply: () => T): T {
    if (this.#isClosed) throw closedError();
    return commitUnsynced(this.#database, apply);
  }

  flush(): void {
    this.#isScheduled = false;
    const writes = this.#waiting;
    this.#waiting = [];
    if (writes.length === 0) return;
    const outcomes = this.#commit(writes) ?? writes.flatMap((write) => this.#commitAlone(write));
    for (const outcome of outcomes) settle(outcome);
  }

  /** Commits the waiting writes and rejects later ones. */
  close(): void {
    this.#isClosed = true;
    this.flush();
  }

  /** Commits writes and returns their outcomes; undefined if the commit was rolled back. */
  #commit(writes: readonly Write[]): Outcome[] | undefined {
    try {
      return this.#run(writes);
    } catch {
      return undefined;
    }
  }

  #commitAlone(write: Write): Outcome[] {
    try {
      return this.#run([write]);
    } catch (error) {
      return [{ write, error }];
    }
  }

  #run(writes: readonly Write[]): Outcome[] {
    let outcomes: Outcome[];
    try {
      outcomes = inTransaction(this.#database, () => writes.map((write) => this.#attempt(write)));
    } catch (error) {
      this.#observers.onRollback();
      throw error;
    }
    this.#observers.onDisk?.();
    return outcomes;
  }

  #attempt(write: Write): Outcome {
    const { runs } = this.#database.counts;
    try {
      return { write, result: write.apply() };
    } catch (error) {
      if (error instanceof PlatformError && this.#database.counts.runs === runs) return { write, error };
      throw error;
    }
  }
}

function settle(outcome: Outcome): void {
  if ("error" in outcome) outcome.write.reject(outcome.error);
  else outcome.write.resolve(outcome.result);
}
