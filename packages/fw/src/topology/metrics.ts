import { atMost } from "../platform/clock.ts";
import { collectPath, type CountedReport } from "../runtime/observe/metrics/collect.ts";
import { sendMetrics } from "../runtime/observe/metrics/scrape.ts";
import type { Request } from "../runtime/request.ts";
import { refuseMethod } from "../runtime/response/refusal.ts";
import type { PlatformCaller } from "./deliveries.ts";
import { MetricLedger } from "./metric-ledger.ts";
import type { ServiceProcess } from "./process.ts";

/** Milliseconds for a service to report its metrics; a busy service reports the next time. */
const patienceMs = 2_000;

/** Milliseconds between collections; counts since the last one are lost if a process is killed. */
const pauseMs = 5_000;

interface CollectedMetricsOptions {
  readonly caller: PlatformCaller;
  readonly processes: () => ReadonlyMap<string, ServiceProcess>;
  readonly stopping: AbortSignal;
}

/** Collects and adds up the metrics of all services and of all their processes. */
export class CollectedMetrics {
  readonly #options: CollectedMetricsOptions;
  /** The counts of the last collection, and those that services reported themselves. */
  readonly ledger: MetricLedger = new MetricLedger(Date.now());
  readonly #timer: NodeJS.Timeout;

  constructor(options: CollectedMetricsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.collect(), pauseMs).unref();
    options.stopping.addEventListener("abort", () => clearInterval(this.#timer), { once: true });
  }

  /** Resolves when the running services have reported. */
  async collect(): Promise<void> {
    const { processes } = this.#options;
    const running = [...processes()].filter(([, { port, hasFailed }]) => port !== 0 && !hasFailed);
    await atMost(Promise.allSettled(running.map(([service]) => this.#ask(service))), patienceMs);
  }

  /** Answers a scrape. */
  async answer(request: Request): Promise<void> {
    const { method } = request.exchange;
    if (method !== "GET" && method !== "HEAD") return refuseMethod(request, ["GET"]);
    await this.collect();
    sendMetrics(request, this.ledger.snapshot());
  }

  async #ask(service: string): Promise<void> {
    const { status, text } = await this.#options.caller.post(service, collectPath, "");
    if (status === 200) this.ledger.report(service, JSON.parse(text) as CountedReport);
  }
}
