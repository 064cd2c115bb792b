import { asError } from "../lib/thrown.ts";
import { TaggedLogger } from "../runtime/observe/log.ts";
import type { Stop } from "../runtime/signals.ts";
import { serviceLog } from "./log.ts";

/** How the process ends where nothing else handles an error; there is nothing to drain before it serves. */
let stop: Stop = (exitCode) => process.exit(exitCode);

/**
 * Makes the process one that a service can run in: an error that nobody handles is logged and stops it in order, a closed
 * standard output costs no request, SIGUSR1 opens no debugger, and SIGUSR2 ends nothing.
 */
export function guardProcess(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  for (const signal of ["SIGUSR1", "SIGUSR2"] as const) process.on(signal, () => {});
  for (const event of ["uncaughtException", "unhandledRejection"] as const) process.on(event, endAfter);
}

/** From now on this is how the process stops. */
export function stopWith(next: Stop): void {
  stop = next;
}

function endAfter(thrown: unknown): void {
  const error = asError(thrown);
  new TaggedLogger(serviceLog, {}).error("an error that nothing handles ends the service", { error });
  stop(1);
}
