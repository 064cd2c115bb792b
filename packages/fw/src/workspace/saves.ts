import { Overtaken } from "../lib/newest-only.ts";
import { SerialQueue } from "../lib/serial-queue.ts";
import type { Change } from "./watch/watcher.ts";

/**
 * Limit: milliseconds that a hanging start has to finish once a newer save waits for it. Doubles with each consecutive
 * start that gave way, up to `maxYields` times, so that a slow machine can start despite constant saves.
 */
export const giveWayMs = 2_000;

/** The number of consecutive bursts that yielded to a newer one after which a burst yields only if it hangs. */
const maxYields = 5;

/** Handles saved files one burst at a time. Files saved during a burst form the next one. */
export class Saves {
  readonly #work: (changes: readonly Change[]) => Promise<void>;
  readonly #failed: (error: unknown) => void;
  readonly #concern: (changes: readonly Change[]) => boolean;
  readonly #queue: SerialQueue = new SerialQueue();
  #waiting: Change[] = [];
  /** True if a waiting change affects the application, so that the current burst is outdated. */
  #isOutdated = false;
  /** The number of consecutive earlier bursts that yielded to a newer one. */
  #yieldedBefore = 0;
  /** True if the current burst yields to a newer one. */
  #isYielding = false;
  #yieldController = new AbortController();
  #yieldTimer: NodeJS.Timeout | undefined;

  /** `concern` returns true for changes that affect the application. Only these overtake a burst. */
  constructor(
    work: (changes: readonly Change[]) => Promise<void>,
    failed: (error: unknown) => void,
    concern: (changes: readonly Change[]) => boolean = () => true,
  ) {
    this.#work = work;
    this.#failed = failed;
    this.#concern = concern;
  }

  /** Runs work between two bursts; the next burst waits for it. */
  runExclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(() => this.#runAlone(work));
  }

  /**
   * The signal of the current work: aborts with `Overtaken` once a newer burst has waited too long, to abandon work
   * that hangs.
   */
  get givesWay(): AbortSignal {
    return this.#yieldController.signal;
  }

  add(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    const first = this.#waiting.length === 0;
    this.#waiting.push(...changes);
    if (first) this.#queue.run(() => this.#burst()).catch(this.#failed);
    if (this.#isOutdated || !this.#concern(changes)) return;
    this.#isOutdated = true;
    this.#scheduleYield();
  }

  async #burst(): Promise<void> {
    this.#yieldedBefore = this.#isYielding ? this.#yieldedBefore + 1 : 0;
    this.#isYielding = false;
    this.#isOutdated = false;
    const changes = this.#waiting.splice(0);
    await this.#runAlone(() => this.#work(changes));
  }

  async #runAlone<T>(work: () => Promise<T>): Promise<T> {
    clearTimeout(this.#yieldTimer);
    this.#yieldController = new AbortController();
    if (this.#isOutdated) this.#scheduleYield();
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
    const patienceMs = giveWayMs * 2 ** Math.min(this.#yieldedBefore, maxYields);
    this.#yieldTimer = setTimeout(giveWay, patienceMs).unref();
  }

  /** True if the previous burst yielded to the current one. */
  get continues(): boolean {
    return this.#yieldedBefore > 0;
  }

  /**
   * True if a newer burst, which reads the files again, is waiting. False after `maxYields` bursts that yielded, in
   * case saves never stop.
   */
  isOvertaken(): boolean {
    this.#isYielding = this.#isOutdated && this.#yieldedBefore < maxYields;
    return this.#isYielding;
  }
}
