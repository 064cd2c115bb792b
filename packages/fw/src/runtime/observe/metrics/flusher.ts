import type { Logger } from "../../../declare/context.ts";
import { metricFlushMs } from "../../../lib/limits.ts";
import type { Clock } from "../../../platform/contract.ts";
import { sleepUntilAborted } from "../../background/sleep.ts";
import type { Metrics } from "./metrics.ts";
import type { MetricSnapshot } from "./snapshot.ts";
import type { MetricStore } from "./store.ts";

/** Where metrics go. */
export interface MetricExporter {
  /**
   * Sends the metrics. Takes the snapshot when it sends, which may have to wait. Rejects where they did not arrive;
   * their counts are part of the next export.
   */
  export(snapshot: () => MetricSnapshot): Promise<void>;
}

interface FlusherOptions {
  readonly store: MetricStore;
  readonly exporter: MetricExporter;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Exports what a store has counted, every 60 seconds and when the process ends. */
export class MetricFlusher {
  readonly #options: FlusherOptions;
  readonly #over: AbortController = new AbortController();
  #flushing: Promise<void> | undefined;
  #last: number;
  #failing = false;
  /** The store, of which every request that ends looks whether an export is due: a platform may stop timers between requests. */
  readonly metrics: Metrics;

  constructor(options: FlusherOptions) {
    const { store, clock } = options;
    this.#options = options;
    this.#last = clock.elapsed();
    this.metrics = {
      define: (measured) => store.define(measured),
      add: (counter, n) => store.add(counter, n),
      observe: (histogram, value) => store.observe(histogram, value),
      request: (route, status, ms) => {
        store.request(route, status, ms);
        if (clock.elapsed() - this.#last >= metricFlushMs) void this.flush();
      },
    };
    void this.#keepFlushing();
  }

  /** Resolves when what has been counted so far was sent, or could not be. One export is under way at a time. */
  flush(): Promise<void> {
    this.#last = this.#options.clock.elapsed();
    return (this.#flushing ??= this.#flush().finally(() => (this.#flushing = undefined)));
  }

  /** Sends what was counted up to now for the last time. */
  async end(): Promise<void> {
    this.#over.abort();
    await this.#flushing;
    await this.flush();
  }

  async #keepFlushing(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#over;
    for (let left = metricFlushMs; await sleepUntilAborted(clock, left, signal); left = this.#left()) {
      if (this.#left() <= 0) await this.flush();
    }
  }

  #left(): number {
    return this.#last + metricFlushMs - this.#options.clock.elapsed();
  }

  /** A collector that does not answer is told once, until it does. */
  async #flush(): Promise<void> {
    const { store, exporter, log } = this.#options;
    try {
      await exporter.export(() => store.snapshot());
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) log.warn("metrics were not exported; what was counted comes with the next export", { error });
      this.#failing = true;
    }
  }
}
