import type { Duration } from "./duration.ts";

/** What the processes of a service are made of and how many there are. On a handler it is for the whole service of the handler. */
export interface Scaling<Limits = Traffic> {
  /** How it scales: for requests as they come (`"default"`), for quick answers (`"latency"`) or for long work (`"batch"`). */
  readonly profile?: "default" | "latency" | "batch";
  readonly footprint?: Footprint;
  readonly traffic?: Limits;
}

/** What one instance has. */
export interface Footprint {
  /** 0.08 to 1, 2, 4, 6 or 8. Below 1, an instance answers one request at a time. */
  readonly cpu?: number;
  /** `"128Mi"` to `"32Gi"`, as far as the cpu allows. */
  readonly memory?: `${number}${"Mi" | "Gi"}`;
}

/** How many instances there are, and what each takes on. */
export interface Instances {
  /** Kept running without requests. */
  readonly minInstances?: number;
  readonly maxInstances?: number;
  /** Requests that one instance answers at the same time, 1 to 1000. */
  readonly concurrency?: number;
}

export interface Traffic extends Instances {
  /** How long one answer may take, `"1s"` to `"60m"`. `ctx.signal` aborts then. */
  readonly timeout?: Duration;
}
