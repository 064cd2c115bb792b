import { randomUUID } from "node:crypto";
import { operation } from "../../background/operation.ts";
import type { InjectedEndpoints } from "../../routing/injected-endpoint.ts";
import type { MetricSnapshot } from "./snapshot.ts";
import type { MetricStore } from "./store.ts";

/** The path below `/_fw/` where the process in front of the services collects the counts of each service. */
export const collectPath = "dev/operate/metrics";

export interface CountedReport {
  /** Identifies the process. A new process counts from zero. */
  readonly instance: string;
  readonly snapshot: MetricSnapshot;
  /** True if the process has ended. */
  readonly last: boolean;
}

/**
 * Creates the endpoint that responds with the counts of this process. Reports the final counts when the process exits.
 */
export function collectEndpoint(store: MetricStore, report: (report: CountedReport) => void): InjectedEndpoints {
  const instance = randomUUID();
  process.once("exit", () => report({ instance, snapshot: store.snapshot(), last: true }));
  return { [collectPath]: operation(async () => ({ instance, snapshot: store.snapshot(), last: false })) };
}
