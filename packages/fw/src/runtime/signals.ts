import { flushMs, shutdownMs } from "../lib/limits.ts";
import { messageOf } from "../lib/thrown.ts";
import type { RunningServer } from "./server.ts";

/** The part of the platform's shutdown time that is reserved for exiting, in milliseconds. */
const spareMs = 500;

/** Milliseconds after which a second signal is no echo: the terminal and npm both pass on the same key press. */
const echoMs = 30;

export interface StopOptions {
  /** Sends the remaining metrics and logs. */
  readonly flush?: () => Promise<void>;
  /** The signals that stop the process; SIGTERM and SIGINT by default. */
  readonly signals?: readonly NodeJS.Signals[];
  /** Milliseconds that the platform gives the process between the signal and its exit. */
  readonly shutdownMs?: number;
  /** The minimum time for the flush, in milliseconds. */
  readonly flushMs?: number;
}

/** Stops the server and then exits with the given code. Does nothing if the process is already stopping. */
export type Stop = (exitCode: number) => void;

/**
 * Stops the server and the process on a signal. A second signal that is no echo ends the process immediately. Returns a
 * function that stops them for any other reason.
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
  const remaining = Math.max(options.flushMs ?? flushMs, until - performance.now());
  await Promise.race([flushSafely(options.flush), new Promise((resolve) => setTimeout(resolve, remaining))]);
  process.exit(exitCode);
}

async function flushSafely(flush: StopOptions["flush"]): Promise<void> {
  try {
    await flush?.();
  } catch (error) {
    process.stderr.write(`the last metrics and logs could not be sent: ${messageOf(error)}\n`);
  }
}
