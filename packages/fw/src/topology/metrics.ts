import { collectPath } from "../runtime/observe/metrics/collect.ts";
import { merged } from "../runtime/observe/metrics/merge.ts";
import { sendMetrics } from "../runtime/observe/metrics/scrape.ts";
import type { MetricSnapshot } from "../runtime/observe/metrics/snapshot.ts";
import type { Request } from "../runtime/request.ts";
import { refuseMethod } from "../runtime/response/refusal.ts";
import type { PlatformCaller } from "./deliveries.ts";
import type { ServiceProcess } from "./process.ts";

export interface CollectedMetricsOptions {
  readonly caller: PlatformCaller;
  readonly processes: () => ReadonlyMap<string, ServiceProcess>;
  readonly stopping: AbortSignal;
}

/** What all services count, added up. */
export class CollectedMetrics {
  readonly #options: CollectedMetricsOptions;

  constructor(options: CollectedMetricsOptions) {
    this.#options = options;
  }

  /** Of the services that run: what a process has counted ends with it. */
  async snapshot(): Promise<MetricSnapshot> {
    const { processes } = this.#options;
    const running = [...processes()].filter(([, { port, hasFailed }]) => port !== 0 && !hasFailed);
    const asked = await Promise.allSettled(running.map(([service]) => this.#of(service)));
    return merged(asked.flatMap((each) => (each.status === "fulfilled" ? [each.value] : [])));
  }

  /** Answers who scrapes. */
  async answer(request: Request): Promise<void> {
    const { method } = request.exchange;
    if (method !== "GET" && method !== "HEAD") return refuseMethod(request, ["GET"]);
    sendMetrics(request, await this.snapshot());
  }

  async #of(service: string): Promise<MetricSnapshot> {
    const { caller, stopping } = this.#options;
    const { status, text } = await caller.post(service, collectPath, "", stopping);
    if (status !== 200) throw new Error(`the service ${service} answered ${status}`);
    return JSON.parse(text) as MetricSnapshot;
  }
}
