import { SerialQueue } from "../lib/serial-queue.ts";
import type { Change } from "./watch/watcher.ts";

/** Bursts in a row that are left to a newer one. */
const mostOvertaken = 5;

/** Works on what is saved, one burst at a time: what is saved while one is worked on is the next burst. */
export class Saves {
  readonly #work: (changes: readonly Change[]) => Promise<void>;
  readonly #failed: (error: unknown) => void;
  readonly #queue: SerialQueue = new SerialQueue();
  #waiting: Change[] = [];
  /** Bursts in a row that a newer one has overtaken. */
  #overtaken = 0;

  constructor(work: (changes: readonly Change[]) => Promise<void>, failed: (error: unknown) => void) {
    this.#work = work;
    this.#failed = failed;
  }

  /** Does something between bursts: those that come meanwhile wait for it. */
  between<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(work);
  }

  add(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    const first = this.#waiting.length === 0;
    this.#waiting.push(...changes);
    if (first) this.#queue.run(() => this.#work(this.#waiting.splice(0))).catch(this.#failed);
  }

  /** True when the burst before was left to the one that is worked on. */
  get continues(): boolean {
    return this.#overtaken > 0;
  }

  /** True when a newer burst waits: what was read is no longer on disk, and goes live with it. Not for ever, should saves never end. */
  isOvertaken(): boolean {
    this.#overtaken = this.#waiting.length > 0 ? this.#overtaken + 1 : 0;
    return this.#overtaken > 0 && this.#overtaken <= mostOvertaken;
  }
}
