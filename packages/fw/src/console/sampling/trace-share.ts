/** Limit: sampled requests and deliveries per second at which a process of a service halves its share of traces. */
const sampledPerSecond = 100;

/** The number of hexadecimal digits at the end of a trace's id that decide whether it is sampled. */
const sampledDigits = 8;

/** The maximum number of halvings, which divide the share by 65,536. */
const mostHalvings = 16;

/**
 * Samples traces by their ids, so that all services sample the same ones. Under load, a process halves its share to
 * save time, and doubles it again later. A smaller share is part of a larger one, so services under different loads
 * still have traces in common. A trace may be incomplete if the share changes while it is in progress.
 */
export class TraceShare {
  readonly #share: number;
  #halvings = 0;
  /** The number of sampled requests and deliveries in this second; restarts at 0 when the share is halved. */
  #count = 0;
  #isTimed = false;
  /**
   * A trace is sampled if the last eight digits of its id sort before this text, which sorts after all digits if the
   * share is 1.
   */
  #bound: string;

  /** `share` is from 0 to 1. */
  constructor(share: number) {
    this.#share = share;
    this.#bound = boundOf(share);
  }

  /**
   * True if the trace is sampled now. `trace` is its id, or the end of it. Compares digit by digit, because a slice
   * would allocate: for most traces, the first digit decides.
   */
  includes(trace: string): boolean {
    const start = trace.length - sampledDigits;
    for (let i = 0; i < sampledDigits; i++) {
      const difference = trace.charCodeAt(start + i) - this.#bound.charCodeAt(i);
      if (difference !== 0) return difference < 0;
    }
    return false;
  }

  /** Counts a sampled request or delivery. */
  count(): void {
    this.#count += 1;
    if (this.#count === sampledPerSecond && this.#halvings < mostHalvings) {
      this.#halve(this.#halvings + 1);
      this.#count = 0;
    }
    if (!this.#isTimed) this.#startSecond();
  }

  #startSecond(): void {
    this.#isTimed = true;
    setTimeout(() => this.#endSecond(), 1_000).unref();
  }

  #endSecond(): void {
    // Twice as many stay well below the limit.
    if (this.#halvings > 0 && this.#count < sampledPerSecond / 4) this.#halve(this.#halvings - 1);
    this.#count = 0;
    this.#isTimed = false;
    if (this.#halvings > 0) this.#startSecond();
  }

  #halve(times: number): void {
    this.#halvings = times;
    this.#bound = boundOf(this.#share / 2 ** times);
  }
}

function boundOf(share: number): string {
  return share >= 1
    ? "g"
    : Math.ceil(share * 2 ** 32)
        .toString(16)
        .padStart(sampledDigits, "0");
}
