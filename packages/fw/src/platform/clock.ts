import { setTimeout } from "node:timers/promises";
import type { Clock } from "./contract.ts";

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal, { background = false } = {}) =>
    setTimeout(milliseconds, undefined, { ref: !background, ...(signal !== undefined && { signal }) }),
};
