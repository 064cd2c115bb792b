import { ChangeListeners, type ChangeListener, type Changes } from "../changes.ts";
import type { Key } from "../contract.ts";

/** Collects the keys that a commit writes, and notifies the listeners once the commit is on disk. */
export class LocalChanges implements Changes {
  readonly #listeners = new ChangeListeners();
  #written: Key[] = [];

  watch(kinds: readonly string[], listener: ChangeListener, signal: AbortSignal): void {
    this.#listeners.watch(kinds, listener, signal);
  }

  /** Records a write of the transaction in progress. */
  add(kind: string, id: string): void {
    if (!this.#listeners.isEmpty) this.#written.push({ kind, id });
  }

  publish(): void {
    const keys = this.#written;
    if (keys.length === 0) return;
    this.#written = [];
    this.#listeners.notify(keys);
  }

  /** Discards the writes of a rolled-back transaction. */
  discard(): void {
    this.#written = [];
  }
}
