import { operation } from "../../background/operation.ts";
import type { InjectedEndpoints } from "../../routing/injected.ts";
import type { MetricStore } from "./store.ts";

/** Below `/_fw/`: where the process before several services asks each of them for what it counted. */
export const collectPath = "dev/operate/metrics";

export function collectEndpoint(store: MetricStore): InjectedEndpoints {
  return { [collectPath]: operation(async () => store.snapshot()) };
}
