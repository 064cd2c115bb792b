import { drainMs } from "../lib/limits.ts";
import type { IO } from "./io.ts";

/** When a person asks to stop: first for requests to end, then for all to end at once. */
export interface StopRequests {
  readonly first: Promise<undefined>;
  readonly second: Promise<void>;
}

/** Milliseconds after which a stop that waits for requests says so. */
const patientMs = 1_000;

/** Waits for a stop under way, and says so when it takes its time. */
export async function sayWhileStopping(stopping: Promise<unknown>, io: IO): Promise<void> {
  const ceiling = `${drainMs / 1_000} seconds`;
  const sentence = `waiting for requests to finish, ${ceiling} at most; Ctrl-C again ends them\n`;
  const timer = setTimeout(() => io.out.write(sentence), patientMs);
  await stopping;
  clearTimeout(timer);
}
