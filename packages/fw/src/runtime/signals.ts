import { flushMs, shutdownMs } from "../lib/limits.ts";
import { messageOf } from "../lib/thrown.ts";
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

/** Stops the server, then ends the process with an exit code; where it is stopping already, it does nothing. */
export type Stop = (exitCode: number) => void;

/**
 * Stops the server and the process at a signal; a second one ends the process at once. Returns what stops them for any other reason.
 */
export function stopOnSignals(server: RunningServer, options: StopOptions = {}): Stop {
  let stoppedAt: number | undefined;
  const stop = (exitCode: number): void => {
    if (stoppedAt !== undefined) return;
    stoppedAt = performance.now();
    void stopServer(server, options, exitCode);
  };
  const onSignal = (): void => {
    if (stoppedAt !== undefined && performance.now() - stoppedAt > echoMs) process.exit(130);
    stop(0);
  };
  for (const signal of options.signals ?? ["SIGTERM", "SIGINT"]) process.on(signal, onSignal);
  return stop;
}

async function stopServer(server: RunningServer, options: StopOptions, exitCode: number): Promise<void> {
  const until = performance.now() + (options.shutdownMs ?? shutdownMs) - spareMs;
  await server.close();
  const left = Math.max(options.flushMs ?? flushMs, until - performance.now());
  await Promise.race([flushed(options.flush), new Promise((resolve) => setTimeout(resolve, left))]);
  process.exit(exitCode);
}

async function flushed(flush: StopOptions["flush"]): Promise<void> {
  try {
    await flush?.();
  } catch (error) {
    process.stderr.write(`the final flush failed: ${messageOf(error)}\n`);
  }
}
