import type { Key, Platform } from "./contract.ts";

/**
 * Receives the keys that a commit wrote as soon as reads see them, or undefined if any document may have changed
 * unnoticed, such as after a lost connection.
 */
export type ChangeListener = (keys: readonly Key[] | undefined) => void;

/** Reports writes to documents by all processes that share the data. */
export interface Changes {
  /**
   * Calls the listener after writes to documents of these kinds, until the signal aborts. Watching may begin after this
   * call returns; the listener then gets undefined, so that it rereads everything. The kinds must be defined with
   * `notifies`.
   */
  watch(kinds: readonly string[], listener: ChangeListener, signal: AbortSignal): void;
}

/** Interval in milliseconds at which platforms that cannot notify report a possible change. */
const assumedMs = 1_000;

/** Returns a platform's `changes`. If the platform cannot notify, listeners get undefined every second. */
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

export class ChangeListeners implements Changes {
  readonly #listeners = new Map<ChangeListener, ReadonlySet<string>>();

  watch(kinds: readonly string[], listener: ChangeListener, signal: AbortSignal): void {
    if (signal.aborted) return;
    // A new function for each call, because the same listener may be passed twice.
    const own: ChangeListener = (keys) => listener(keys);
    this.#listeners.set(own, new Set(kinds));
    signal.addEventListener("abort", () => this.#listeners.delete(own), { once: true });
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Calls the listeners for the written kinds, or all listeners if any document may have changed. */
  notify(keys: readonly Key[] | undefined): void {
    for (const [listener, kinds] of this.#listeners) {
      const own = keys?.filter(({ kind }) => kinds.has(kind));
      if (own === undefined || own.length > 0) listener(own);
    }
  }
}
