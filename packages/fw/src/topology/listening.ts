import type { ServiceProcess } from "./process.ts";

/** A process that receives the requests and deliveries of its service. */
export type ListeningProcess = Pick<ServiceProcess, "port" | "ready" | "hasFailed" | "use">;

/** Finds the current process of a service. */
export type ProcessOf = (service: string) => ListeningProcess | undefined;

/** Waits until the process of a service listens, even if another one replaces it during the wait. */
export async function listening(service: string, processOf: ProcessOf): Promise<ListeningProcess | undefined> {
  for (;;) {
    const process = processOf(service);
    await process?.ready;
    if (processOf(service) === process) return process;
  }
}
