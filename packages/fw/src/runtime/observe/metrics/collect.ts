import { randomUUID } from "node:crypto";
import { operation } from "../../background/operation.ts";
import type { InjectedEndpoints } from "../../routing/injected-endpoint.ts";
import type { MetricSnapshot } from "./snapshot.ts";
import type { MetricStore } from "./store.ts";

/** Below `/_fw/`: where the process before several services asks each of them for what it counted. */
export const collectPath = "dev/operate/metrics";

/** What a process has counted up to now. */
export interface CountedReport {
  /** Which process it is: what the next one counts begins anew. */
  readonly instance: string;
  readonly snapshot: MetricSnapshot;
  /** Whether it has ended with this. */
  readonly last: boolean;
}

/** Answers with what this process has counted, and tells it when the process ends. */
export function collectEndpoint(store: MetricStore, tell: (report: CountedReport) => void): InjectedEndpoints {
  const instance = randomUUID();
  process.once("exit", () => tell({ instance, snapshot: store.snapshot(), last: true }));
  return { [collectPath]: operation(async () => ({ instance, snapshot: store.snapshot(), last: false })) };
}
