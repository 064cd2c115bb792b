import { monitorEventLoopDelay } from "node:perf_hooks";

/** The memory of a process and the delay of its event loop. */
export interface ProcessLoad {
  /** Resident memory in bytes. */
  readonly memory: number;
  /** Bytes of JavaScript objects, including garbage that is not yet collected. */
  readonly heap: number;
  /** The longest delay of the event loop since the last reading, in milliseconds. */
  readonly delay: number;
}

/** Milliseconds between two measurements of the event loop. */
const resolution = 20;

/** Returns a function that reads the load of this process since the previous call. */
export function processLoadReader(): () => ProcessLoad {
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  return () => {
    const { rss, heapUsed } = process.memoryUsage();
    // Each measurement includes the timer's own interval.
    const delay = Math.max(0, delays.max / 1e6 - resolution);
    delays.reset();
    return { memory: rss, heap: heapUsed, delay };
  };
}
