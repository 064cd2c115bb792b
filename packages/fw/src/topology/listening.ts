import type { ServiceProcess } from "./process.ts";

/** A process, as far as what comes for its service concerns it. */
export type ListeningProcess = Pick<ServiceProcess, "port" | "ready" | "hasFailed" | "use">;

/** Finds the process that has what comes for a service. */
export type ProcessOf = (service: string) => ListeningProcess | undefined;

/** The process of a service, when it listens: the one that took its place, where another one did meanwhile. */
export async function listening(service: string, processOf: ProcessOf): Promise<ListeningProcess | undefined> {
  for (;;) {
    const process = processOf(service);
    await process?.ready;
    if (processOf(service) === process) return process;
  }
}
