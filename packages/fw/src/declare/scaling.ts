import type { Duration } from "./duration.ts";

/** The size and number of a service's instances. Set on a handler, it applies to the handler's whole service. */
export interface Scaling<Limits = Traffic> {
  /** The scaling profile: for ordinary requests (`"default"`), low latency (`"latency"`) or long work (`"batch"`). */
  readonly profile?: "default" | "latency" | "batch";
  readonly footprint?: Footprint;
  readonly traffic?: Limits;
}

/** The resources of one instance. Values that are not set follow from the profile and the other values. */
export interface Footprint {
  /** The number of CPUs: 0.08 to 1, 2, 4, 6 or 8. Below 1, an instance handles one request at a time. */
  readonly cpu?: number;
  /** The memory, `"128Mi"` to `"32Gi"`; the CPU determines the valid range. */
  readonly memory?: `${number}${"Mi" | "Gi"}`;
}

/** The number of instances, and how many requests each one handles concurrently. */
export interface Instances {
  /** The number of instances that run even without requests. */
  readonly minInstances?: number;
  readonly maxInstances?: number;
  /** The maximum number of concurrent requests per instance, 1 to 1000. */
  readonly concurrency?: number;
}

export interface Traffic extends Instances {
  /** The deadline of a request, `"1s"` to `"60m"`. `ctx.signal` aborts when it passes. */
  readonly timeout?: Duration;
}
