import type { Key, Platform } from "./contract.ts";

/**
 * Receives the keys that a commit wrote, once reads see it; undefined if any document may have changed unnoticed, such
 * as after a lost connection.
 */
export type ChangeListener = (keys: readonly Key[] | undefined) => void;

/** Notifies of writes to documents, by any process that shares the data. */
export interface Changes {
  /**
   * Calls the listener for writes to documents of these kinds, until the signal aborts. It may begin later than this
   * call; the listener then gets undefined, so that it reads again what it read in the meantime. The definitions of the
   * kinds must have `notifies`.
   */
  watch(kinds: readonly string[], listener: ChangeListener, signal: AbortSignal): void;
}

/** Milliseconds between two reads of documents that may have changed, on platforms that cannot notify. */
const assumedMs = 1_000;

/** Returns the changes of a platform; if it cannot notify, anything may have changed every second. */
export function changesOf({ changes, clock }: Pick<Platform, "changes" | "clock">): Changes {
  if (changes !== undefined) return changes;
  const repeat = async (listener: ChangeListener, signal: AbortSignal): Promise<void> => {
    for (;;) {
      await clock.sleep(assumedMs, signal, { background: true }).catch(() => {});
      if (signal.aborted) return;
      listener(undefined);
    }
  };
  return { watch: (_kinds, listener, signal) => void repeat(listener, signal) };
}

/** The listeners of one process, by kind. */
export class ChangeListeners implements Changes {
  readonly #listeners = new Map<ChangeListener, ReadonlySet<string>>();

  watch(kinds: readonly string[], listener: ChangeListener, signal: AbortSignal): void {
    if (signal.aborted) return;
    // A function of its own for each call: one listener may watch twice.
    const own: ChangeListener = (keys) => listener(keys);
    this.#listeners.set(own, new Set(kinds));
    signal.addEventListener("abort", () => this.#listeners.delete(own), { once: true });
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Calls the listeners of the kinds that were written; all of them if any document may have changed. */
  notify(keys: readonly Key[] | undefined): void {
    for (const [listener, kinds] of this.#listeners) {
      const own = keys?.filter(({ kind }) => kinds.has(kind));
      if (own === undefined || own.length > 0) listener(own);
    }
  }
}
