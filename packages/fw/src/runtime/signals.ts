import { flushMs, shutdownMs } from "../lib/limits.ts";
import type { RunningServer } from "./server.ts";

/** Part of the time that the platform allows which is left for the process to end. */
const spareMs = 500;

/** The same key press can arrive twice, from the terminal and through npm. */
const echoMs = 30;

export interface StopOptions {
  /** Sends what must not be lost: metrics, logs. */
  readonly flush?: () => Promise<void>;
  /** Those that stop it; SIGTERM and SIGINT by default. */
  readonly signals?: readonly NodeJS.Signals[];
  /** Milliseconds from the signal to the end of the process. */
  readonly shutdownMs?: number;
  /** Milliseconds the flush has at least. */
  readonly flushMs?: number;
}

/** Stops the server and the process at a signal; a second one ends the process at once. */
export function stopOnSignals(server: RunningServer, options: StopOptions = {}): void {
  let stoppedAt = 0;
  const onSignal = (): void => {
    const now = performance.now();
    if (stoppedAt === 0) {
      stoppedAt = now;
      void stop(server, options);
    } else if (now - stoppedAt > echoMs) process.exit(130);
  };
  for (const signal of options.signals ?? ["SIGTERM", "SIGINT"]) process.on(signal, onSignal);
}

async function stop(server: RunningServer, options: StopOptions): Promise<void> {
  const until = performance.now() + (options.shutdownMs ?? shutdownMs) - spareMs;
  await server.close();
  const left = Math.max(options.flushMs ?? flushMs, until - performance.now());
  await Promise.race([flushed(options.flush), new Promise((resolve) => setTimeout(resolve, left))]);
  process.exit(0);
}

async function flushed(flush: StopOptions["flush"]): Promise<void> {
  try {
    await flush?.();
  } catch (error) {
    process.stderr.write(`the final flush failed: ${error instanceof Error ? error.message : "unknown error"}\n`);
  }
}
