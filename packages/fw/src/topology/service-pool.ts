import type { PeerConfig } from "../service/local/peer-config.ts";
import { ServiceProcess, type ProcessOptions } from "./process.ts";

/** Limit: the most processes of one service on a machine. */
export const mostProcesses = 64;

/** Returns the configuration of the process with that index. */
type ConfigOf = (index: number) => PeerConfig;

/** The processes of one service, which share its requests and deliveries. They start, switch and stop together. */
export class ServicePool {
  readonly name: string;
  readonly processes: readonly ServiceProcess[];
  /** The process that a tie goes to. */
  #next = 0;

  constructor(options: ProcessOptions, count: number) {
    this.name = options.name;
    this.processes = Array.from({ length: count }, () => new ServiceProcess(options));
  }

  start(configOf: ConfigOf): void {
    this.processes.forEach((process, index) => process.start(configOf(index)));
  }

  /** Sends each process its peers if they have changed. */
  tell(configOf: ConfigOf): void {
    this.processes.forEach((process, index) => process.tell(configOf(index)));
  }

  /** Resolves with whether the first start of every process succeeded. */
  async started(): Promise<boolean> {
    const outcomes = await Promise.all(this.processes.map((process) => process.started()));
    return outcomes.every(Boolean);
  }

  /** True if a process is given up; all run the same code. */
  get hasFailed(): boolean {
    return this.processes.some(({ hasFailed }) => hasFailed);
  }

  /** Resolves when a process listens, now or after the next start, is stopped, or is given up. */
  get ready(): Promise<void> {
    const process = this.processes.find(({ isListening }) => isListening);
    return process?.ready ?? Promise.race(this.processes.map(({ ready }) => ready));
  }

  /** Resolves when no work of `use` is in progress. */
  get idle(): Promise<unknown> {
    return Promise.all(this.processes.map(({ idle }) => idle));
  }

  /** Passes the port of the process with the least work in progress to work that must finish before it ends. */
  use<T>(work: (port: number) => Promise<T>): Promise<T> {
    return this.#leastBusy().use(work);
  }

  /** Returns the port of a process for the caller with that number; 0 if none has listened yet. */
  portFor(caller: number): number {
    const able = this.#able();
    return able[caller % able.length]?.port ?? 0;
  }

  /** Lets all processes finish their work, and kills them after a time limit. */
  async stop(milliseconds?: number): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop(milliseconds)));
  }

  /** Kills all processes. */
  kill(): void {
    for (const process of this.processes) process.kill();
  }

  #leastBusy(): ServiceProcess {
    const able = this.#able();
    const inTurn = able.map((_, index) => able[(index + this.#next) % able.length] as ServiceProcess);
    this.#next = (this.#next + 1) % this.processes.length;
    return inTurn.reduce((least, process) => (process.workCount < least.workCount ? process : least));
  }

  /** The processes that listen; all of them if none does. */
  #able(): readonly ServiceProcess[] {
    const listening = this.processes.filter(({ isListening }) => isListening);
    return listening.length === 0 ? this.processes : listening;
  }
}
