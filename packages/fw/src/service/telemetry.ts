import type { LogSink } from "../runtime/observe/log.ts";
import { TaggedLogger } from "../runtime/observe/log.ts";
import { MetricStore } from "../runtime/observe/metrics/store.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import type { Configuration } from "./configuration.ts";

/** What a service tells of itself, and to whom. */
export interface Telemetry extends Pick<HandlerOptions, "metrics" | "injected"> {
  readonly store: MetricStore;
}

/** Counts in memory; who may scrape it can. */
export async function openTelemetry(log: LogSink, { scrapeToken, peers }: Configuration): Promise<Telemetry> {
  const store = new MetricStore({ warn: (sentence) => new TaggedLogger(log, {}).warn(sentence) });
  if (peers || scrapeToken === undefined) return { store, metrics: store };
  const { scrapeEndpoint } = await import("../runtime/observe/metrics/scrape.ts");
  return { store, metrics: store, injected: scrapeEndpoint(() => store.snapshot(), scrapeToken) };
}
