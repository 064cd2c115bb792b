import { Overtaken } from "../lib/newest-only.ts";
import { SerialQueue } from "../lib/serial-queue.ts";
import type { Change } from "./watch/watcher.ts";

/** Limit: milliseconds for a hanging start to finish once a newer save waits for it. */
export const giveWayMs = 2_000;

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
  #giveWay = new AbortController();
  #givingWay: NodeJS.Timeout | undefined;

  constructor(work: (changes: readonly Change[]) => Promise<void>, failed: (error: unknown) => void) {
    this.#work = work;
    this.#failed = failed;
  }

  /** Does something between bursts: those that come meanwhile wait for it. */
  between<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(() => this.#exclusively(work));
  }

  /** Aborts with `Overtaken` once a newer burst has waited for a while: work that hangs gives way to it. */
  get givesWay(): AbortSignal {
    return this.#giveWay.signal;
  }

  add(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    const first = this.#waiting.length === 0;
    this.#waiting.push(...changes);
    if (!first) return;
    this.#queue.run(() => this.#burst()).catch(this.#failed);
    this.#giveWayLater();
  }

  async #burst(): Promise<void> {
    this.#leftBefore = this.#isLeft ? this.#leftBefore + 1 : 0;
    this.#isLeft = false;
    const changes = this.#waiting.splice(0);
    await this.#exclusively(() => this.#work(changes));
  }

  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    clearTimeout(this.#givingWay);
    this.#giveWay = new AbortController();
    if (this.#waiting.length > 0) this.#giveWayLater();
    try {
      return await work();
    } finally {
      clearTimeout(this.#givingWay);
    }
  }

  #giveWayLater(): void {
    const giveWay = (): void => {
      this.#isLeft = true;
      this.#giveWay.abort(new Overtaken());
    };
    this.#givingWay = setTimeout(giveWay, giveWayMs).unref();
  }

  /** True when the burst before was left to the one that is worked on. */
  get continues(): boolean {
    return this.#leftBefore > 0;
  }

  /**
   * True when a newer burst waits: what was read is no longer on disk, and goes live with it. Not for ever, should
   * saves never end.
   */
  isOvertaken(): boolean {
    this.#isLeft = this.#waiting.length > 0 && this.#leftBefore < mostOvertaken;
    return this.#isLeft;
  }
}
