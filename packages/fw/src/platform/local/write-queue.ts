import { closedError, PlatformError } from "../errors.ts";
import { inTransaction, type Database } from "./sqlite.ts";

interface Write {
  readonly apply: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly write: Write } & ({ readonly result: unknown } | { readonly error: unknown });

/**
 * Writes of one turn of the event loop are committed together, so that they share one wait for the disk. A write refuses
 * (with a PlatformError) before it changes anything; any other failure undoes the commit, and each write then gets its own.
 */
export class WriteQueue {
  readonly #database: Database;
  readonly #undone: () => void;
  #waiting: Write[] = [];
  #scheduled = false;
  #closed = false;

  /** `undone` is called after a commit was undone. */
  constructor(database: Database, undone: () => void) {
    this.#database = database;
    this.#undone = undone;
  }

  /** Runs the write soon; resolves with its result when it is on disk. */
  write<T>(apply: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ apply, resolve, reject });
      if (!this.#scheduled) setImmediate(() => this.flush());
      this.#scheduled = true;
    }) as Promise<T>;
  }

  /** Commits what waits. */
  flush(): void {
    this.#scheduled = false;
    const writes = this.#waiting;
    this.#waiting = [];
    if (writes.length === 0) return;
    const outcomes = this.#commit(writes) ?? writes.flatMap((write) => this.#commitAlone(write));
    for (const outcome of outcomes) settle(outcome);
  }

  /** Commits what waits; then refuses. */
  close(): void {
    this.#closed = true;
    this.flush();
  }

  /** Undefined when the commit was undone. */
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
    try {
      return inTransaction(this.#database, () => writes.map(attempt));
    } catch (error) {
      this.#undone();
      throw error;
    }
  }
}

function attempt(write: Write): Outcome {
  try {
    return { write, result: write.apply() };
  } catch (error) {
    if (error instanceof PlatformError) return { write, error };
    throw error;
  }
}

function settle(outcome: Outcome): void {
  if ("error" in outcome) outcome.write.reject(outcome.error);
  else outcome.write.resolve(outcome.result);
}
