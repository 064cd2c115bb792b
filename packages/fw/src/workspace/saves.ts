import { Overtaken } from "../lib/newest-only.ts";
import { SerialQueue } from "../lib/serial-queue.ts";
import type { Change } from "./watch/watcher.ts";

/** Limit: milliseconds for a hanging start to finish once a newer save waits for it. */
export const giveWayMs = 2_000;

/** The most bursts in a row that yield to a newer one. */
const maxYields = 5;

/** Handles saved files, one burst at a time. Files saved in the meantime form the next burst. */
export class Saves {
  readonly #work: (changes: readonly Change[]) => Promise<void>;
  readonly #failed: (error: unknown) => void;
  readonly #queue: SerialQueue = new SerialQueue();
  #waiting: Change[] = [];
  /** The number of consecutive earlier bursts that yielded to a newer one. */
  #yieldedBefore = 0;
  /** True if the current burst yields to a newer one. */
  #isYielding = false;
  #yieldController = new AbortController();
  #yieldTimer: NodeJS.Timeout | undefined;

  constructor(work: (changes: readonly Change[]) => Promise<void>, failed: (error: unknown) => void) {
    this.#work = work;
    this.#failed = failed;
  }

  /** Runs work between bursts, which wait for it. */
  runExclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(() => this.#runAlone(work));
  }

  /** Aborts with `Overtaken` once a newer burst has waited for a while, so that work that hangs gives way. */
  get givesWay(): AbortSignal {
    return this.#yieldController.signal;
  }

  add(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    const first = this.#waiting.length === 0;
    this.#waiting.push(...changes);
    if (!first) return;
    this.#queue.run(() => this.#burst()).catch(this.#failed);
    this.#scheduleYield();
  }

  async #burst(): Promise<void> {
    this.#yieldedBefore = this.#isYielding ? this.#yieldedBefore + 1 : 0;
    this.#isYielding = false;
    const changes = this.#waiting.splice(0);
    await this.#runAlone(() => this.#work(changes));
  }

  async #runAlone<T>(work: () => Promise<T>): Promise<T> {
    clearTimeout(this.#yieldTimer);
    this.#yieldController = new AbortController();
    if (this.#waiting.length > 0) this.#scheduleYield();
    try {
      return await work();
    } finally {
      clearTimeout(this.#yieldTimer);
    }
  }

  #scheduleYield(): void {
    const giveWay = (): void => {
      this.#isYielding = true;
      this.#yieldController.abort(new Overtaken());
    };
    this.#yieldTimer = setTimeout(giveWay, giveWayMs).unref();
  }

  /** True if the previous burst yielded to the current one. */
  get continues(): boolean {
    return this.#yieldedBefore > 0;
  }

  /**
   * True if a newer burst waits: the files read are outdated, and go live with it. Limited, in case saves never stop.
   */
  isOvertaken(): boolean {
    this.#isYielding = this.#waiting.length > 0 && this.#yieldedBefore < maxYields;
    return this.#isYielding;
  }
}
