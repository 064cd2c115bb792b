import type { PeerConfig } from "../service/local/peer-config.ts";
import { ServiceProcess, type ProcessOptions } from "./process.ts";

/** Limit: processes of one service on a machine. */
export const mostProcesses = 64;

type ConfigOf = (index: number) => PeerConfig;

/** The processes of a service, which share its requests and deliveries. They start, take over and stop together. */
export class ServicePool {
  readonly name: string;
  readonly processes: readonly ServiceProcess[];
  /** The process to prefer among equally busy ones. */
  #next = 0;

  constructor(options: ProcessOptions, count: number) {
    this.name = options.name;
    this.processes = Array.from({ length: count }, () => new ServiceProcess(options));
  }

  start(configOf: ConfigOf): void {
    this.processes.forEach((process, index) => process.start(configOf(index)));
  }

  /** Sends changed configurations to the processes. */
  tell(configOf: ConfigOf): void {
    this.processes.forEach((process, index) => process.tell(configOf(index)));
  }

  /** Resolves with true if the first start of every process succeeded. */
  async started(): Promise<boolean> {
    const outcomes = await Promise.all(this.processes.map((process) => process.started()));
    return outcomes.every(Boolean);
  }

  /** True if a process failed and will not be restarted. All processes run the same code. */
  get hasFailed(): boolean {
    return this.processes.some(({ hasFailed }) => hasFailed);
  }

  /** True once its processes are being stopped. Their successors may repeat work that fails from then on. */
  get isStopped(): boolean {
    return this.processes.some(({ isStopped }) => isStopped);
  }

  /**
   * Resolves when a process listens after its next start, and also when it is stopped or has failed permanently.
   * Undefined if a process already listens.
   */
  get ready(): Promise<void> | undefined {
    if (this.processes.some(({ isListening }) => isListening)) return undefined;
    return Promise.race(this.processes.map(({ ready }) => ready));
  }

  /** Resolves when no call of `use` is in progress. */
  get idle(): Promise<unknown> {
    return Promise.all(this.processes.map(({ idle }) => idle));
  }

  /** Runs work with the ports of the least busy process, which finishes the work before it ends. */
  use<T>(work: (port: number, relayPort?: number) => Promise<T>): Promise<T> {
    return this.#leastBusy().use(work);
  }

  /** Returns the port of the process assigned to the caller with this number; 0 if none has ever listened. */
  portFor(caller: number): number {
    const able = this.#able();
    return able[caller % able.length]?.port ?? 0;
  }

  /** Lets all processes finish their work and kills them at the time limit. */
  async stop(milliseconds?: number): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop(milliseconds)));
  }

  kill(): void {
    for (const process of this.processes) process.kill();
  }

  #leastBusy(): ServiceProcess {
    const able = this.#able();
    let least = able[this.#next % able.length] as ServiceProcess;
    for (let i = 1; i < able.length; i++) {
      const process = able[(i + this.#next) % able.length] as ServiceProcess;
      if (process.workCount < least.workCount) least = process;
    }
    this.#next = (this.#next + 1) % this.processes.length;
    return least;
  }

  /** Returns the processes that listen, or all of them if none does. */
  #able(): readonly ServiceProcess[] {
    const listening = this.processes.filter(({ isListening }) => isListening);
    return listening.length === 0 ? this.processes : listening;
  }
}
