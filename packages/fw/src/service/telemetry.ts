import { TaggedLogger, type LogSink } from "../runtime/observe/log.ts";
import { MetricStore } from "../runtime/observe/metrics/store.ts";
import type { HandlerOptions } from "../runtime/options.ts";
import type { InjectedEndpoints } from "../runtime/routing/injected.ts";
import type { Configuration } from "./configuration.ts";

/** What a service tells of itself, and to whom. */
export interface Telemetry {
  readonly store: MetricStore;
  readonly options: Pick<HandlerOptions, "metrics" | "log" | "spans">;
  readonly injected: InjectedEndpoints;
  /** Sends what nobody has been told yet. */
  end(): Promise<void>;
}

/** Which service it is. */
interface Told {
  readonly app: string;
  readonly service: string;
  readonly log: LogSink;
}

/** Counts in memory: who may scrape it can, and a collector is sent it where the environment names one. */
export async function openTelemetry(told: Told, { scrapeToken, peers }: Configuration): Promise<Telemetry> {
  const { log } = told;
  const store = new MetricStore({ warn: (sentence) => new TaggedLogger(log, {}).warn(sentence) });
  const exporting = exports() ? await (await import("./otlp/open.ts")).openExporting({ ...told, store }) : undefined;
  return {
    store,
    options: exporting ?? { log, metrics: store },
    injected: peers || scrapeToken === undefined ? {} : await scraped(store, scrapeToken),
    end: async () => exporting?.end(),
  };
}

async function scraped(store: MetricStore, token: string): Promise<InjectedEndpoints> {
  const { scrapeEndpoint } = await import("../runtime/observe/metrics/scrape.ts");
  return scrapeEndpoint(() => store.snapshot(), token);
}

/** Whether the environment names a collector, in the words of the OpenTelemetry project. */
function exports(): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint = "", OTEL_SDK_DISABLED: disabled } = process.env;
  return endpoint !== "" && disabled !== "true";
}
