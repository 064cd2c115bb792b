import { asError } from "../lib/thrown.ts";
import { TaggedLogger } from "../runtime/observe/log.ts";
import type { Stop } from "../runtime/signals.ts";
import { serviceLog } from "./log.ts";

/** Ends the process after an unhandled error. Until the service listens, there is no work to finish. */
let stop: Stop = (exitCode) => process.exit(exitCode);

/**
 * Prepares the process of a service. After an unhandled error, logs it and stops gracefully. Ignores errors of closed
 * output streams, and the signals SIGUSR1 and SIGUSR2.
 */
export function guardProcess(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  for (const signal of ["SIGUSR1", "SIGUSR2"] as const) process.on(signal, () => {});
  for (const event of ["uncaughtException", "unhandledRejection"] as const) process.on(event, stopAfterError);
}

export function setStop(next: Stop): void {
  stop = next;
}

function stopAfterError(reason: unknown): void {
  const error = asError(reason);
  new TaggedLogger(serviceLog, {}).error("the service stops after an unhandled error", { error });
  stop(1);
}
