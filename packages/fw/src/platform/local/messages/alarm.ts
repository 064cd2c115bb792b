import type { Clock } from "../../contract.ts";

/** The dispatcher's maximum sleep in milliseconds, so that it notices that the machine was suspended. */
const longestSleepMs = 60_000;

/** Rings once: at the earliest time that was set, or after `longestSleepMs` if that is earlier. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #at = Infinity;
  #sleep: AbortController | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  set(at: number): void {
    if (at >= this.#at) return;
    this.cancel();
    const sleep = new AbortController();
    this.#at = at;
    this.#sleep = sleep;
    const milliseconds = Math.min(longestSleepMs, Math.max(0, Math.ceil(at - this.#clock.now())));
    void this.#wait(milliseconds, sleep);
  }

  cancel(): void {
    this.#sleep?.abort();
    this.#sleep = undefined;
    this.#at = Infinity;
  }

  async #wait(milliseconds: number, sleep: AbortController): Promise<void> {
    await this.#clock.sleep(milliseconds, sleep.signal, { background: true }).catch(() => {});
    if (this.#sleep !== sleep) return;
    this.#at = Infinity;
    this.#ring();
  }
}
