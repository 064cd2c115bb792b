import type { Logger } from "../../../declare/context.ts";
import { metricFlushMs } from "../../../lib/limits.ts";
import type { Clock } from "../../../platform/contract.ts";
import { sleepUntilAborted } from "../../background/sleep.ts";
import type { Metrics } from "./metrics.ts";
import type { MetricSnapshot } from "./snapshot.ts";
import type { MetricStore } from "./store.ts";

export interface MetricExporter {
  /**
   * Sends the metrics. Calls `snapshot` when it sends, which may be after a wait. Rejects if the metrics did not
   * arrive. The next export then includes their counts.
   */
  export(snapshot: () => MetricSnapshot): Promise<void>;
}

interface FlusherOptions {
  readonly store: MetricStore;
  readonly exporter: MetricExporter;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Exports a store's counts every 60 seconds and when the process ends. */
export class MetricFlusher {
  readonly #options: FlusherOptions;
  readonly #ended: AbortController = new AbortController();
  #flushing: Promise<void> | undefined;
  #last: number;
  #failing = false;
  /**
   * Records metrics in the store. Every finished request also checks whether an export is due, because some platforms
   * pause timers between requests.
   */
  readonly metrics: Metrics;

  constructor(options: FlusherOptions) {
    const { store, clock } = options;
    this.#options = options;
    this.#last = clock.elapsed();
    this.metrics = {
      define: (measured) => store.define(measured),
      add: (counter, n) => store.add(counter, n),
      observe: (histogram, value) => store.observe(histogram, value),
      misfit: (source) => store.misfit(source),
      request: (route, status, ms) => {
        store.request(route, status, ms);
        if (clock.elapsed() - this.#last >= metricFlushMs) void this.flush();
      },
    };
    void this.#keepFlushing();
  }

  /** Exports the counts, or waits for the export in progress. Resolves whether or not it succeeds. */
  flush(): Promise<void> {
    this.#last = this.#options.clock.elapsed();
    return (this.#flushing ??= this.#flush().finally(() => (this.#flushing = undefined)));
  }

  /** Stops the periodic exports and exports the counts one last time. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#flushing;
    await this.flush();
  }

  async #keepFlushing(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#ended;
    for (
      let remaining = metricFlushMs;
      await sleepUntilAborted(clock, remaining, signal);
      remaining = this.#remaining()
    ) {
      if (this.#remaining() <= 0) await this.flush();
    }
  }

  #remaining(): number {
    return this.#last + metricFlushMs - this.#options.clock.elapsed();
  }

  /** Exports the counts. Logs only the first of consecutive failures. */
  async #flush(): Promise<void> {
    const { store, exporter, log } = this.#options;
    try {
      await exporter.export(() => store.snapshot());
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) log.warn("metrics could not be exported; the next export includes them", { error });
      this.#failing = true;
    }
  }
}
