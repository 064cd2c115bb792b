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
  /** Bursts in a row, up to the one before, that were left to a newer one. */
  #leftBefore = 0;
  /** True where the burst that is worked on is left to a newer one. */
  #isLeft = false;

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
    if (first) this.#queue.run(() => this.#burst()).catch(this.#failed);
  }

  async #burst(): Promise<void> {
    this.#leftBefore = this.#isLeft ? this.#leftBefore + 1 : 0;
    this.#isLeft = false;
    await this.#work(this.#waiting.splice(0));
  }

  /** True when the burst before was left to the one that is worked on. */
  get continues(): boolean {
    return this.#leftBefore > 0;
  }

  /** True when a newer burst waits: what was read is no longer on disk, and goes live with it. Not for ever, should saves never end. */
  isOvertaken(): boolean {
    this.#isLeft = this.#waiting.length > 0 && this.#leftBefore < mostOvertaken;
    return this.#isLeft;
  }
}
