import { drainMs } from "../lib/limits.ts";
import { Refusal } from "./command.ts";
import type { IO } from "./io.ts";

/** The user's requests to stop: the first lets requests finish, the second ends everything immediately. */
export interface StopRequests {
  readonly first: Promise<undefined>;
  readonly second: Promise<void>;
}

/** Milliseconds within which a second signal is ignored: one Ctrl-C can arrive through both the terminal and npm. */
const echoMs = 30;

/** Listens for requests to stop, until `done` is called. */
export function stopRequests(onStop: (stop: () => void) => () => void): StopRequests & { done(): void } {
  let firstAt: number | undefined;
  let onFirst: (() => void) | undefined;
  let onSecond: (() => void) | undefined;
  const first = new Promise<undefined>((resolve) => (onFirst = () => resolve(undefined)));
  const second = new Promise<void>((resolve) => (onSecond = resolve));
  const done = onStop(() => {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      onFirst?.();
    } else if (now - firstAt > echoMs) onSecond?.();
  });
  return { first, second, done };
}

/** Milliseconds before a stop that waits for requests prints a message. */
const patientMs = 1_000;

/** Waits for a stop in progress, and prints a message if it takes long. */
export async function sayWhileStopping(stopping: Promise<unknown>, io: IO): Promise<void> {
  const ceiling = `${drainMs / 1_000} seconds`;
  const sentence = `waiting for requests to finish, at most ${ceiling}; press Ctrl-C again to stop now\n`;
  const timer = setTimeout(() => io.out.write(sentence), patientMs);
  await stopping;
  clearTimeout(timer);
}

/** Runs `work`. If the user stops the command first, `close` ends what `work` waits for, and the command is refused. */
export async function stoppable<T>(io: IO, work: () => Promise<T>, close: () => void): Promise<T> {
  let stopped = false;
  const done = io.onStop(() => {
    stopped = true;
    close();
  });
  try {
    const result = await work();
    if (!stopped) return result;
  } catch (error) {
    if (!stopped) throw error;
  } finally {
    done();
  }
  throw new Refusal("stopped");
}
