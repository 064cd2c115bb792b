import type { ServiceProcess } from "./process.ts";

/** Finds the process that has what comes for a service. */
export type ProcessOf = (service: string) => ServiceProcess | undefined;

/** The process of a service, when it listens: the one that took its place, where another one did meanwhile. */
export async function listening(service: string, processOf: ProcessOf): Promise<ServiceProcess | undefined> {
  for (;;) {
    const process = processOf(service);
    await process?.ready;
    if (processOf(service) === process) return process;
  }
}
