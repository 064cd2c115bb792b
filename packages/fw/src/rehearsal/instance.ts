import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { ManifestService } from "../build/manifest.ts";
import { shutdownMs } from "../lib/limits.ts";
import { onLine } from "../lib/lines.ts";
import { watchStart } from "../lib/watch-start.ts";
import * as names from "../platform/gcp/names.ts";
import { isPublic } from "../deploy/desired/resource-inputs.ts";
import { endProcess, type ProcessEvents } from "../topology/process.ts";
import type { RehearsedApp } from "./rehearsed-app.ts";

export interface ServiceRun {
  readonly service: ManifestService;
  /** The absolute path of the module to start. */
  readonly entry: string;
  readonly secrets: Readonly<Record<string, string>>;
}

export type RehearsalConsole = Pick<ProcessEvents, "line" | "slow" | "exited">;

/** Milliseconds to wait before an exited instance is restarted. */
const pauseMs = 50;

/**
 * Runs a service in one process and restarts it when it exits. Runs each attempt of a job's task in its own process.
 */
export class Instance {
  readonly #deployed: RehearsedApp;
  readonly #run: ServiceRun;
  readonly #console: RehearsalConsole;
  readonly #children = new Set<ChildProcess>();
  #isStopped = false;

  constructor(deployed: RehearsedApp, run: ServiceRun, console: RehearsalConsole) {
    this.#deployed = deployed;
    this.#run = run;
    this.#console = console;
  }

  /** Registers the service or job with Cloud Run, so that grants can refer to it. Starts nothing yet. */
  offer(): void {
    const { receives } = this.#run.service;
    if (receives?.source.kind === "job") this.#offerJob(receives.source.name, receives);
    else this.#answerAt([]);
  }

  /** Resolves when the service listens, or at once for a job. Rejects with the reason if the process exits first. */
  async start(): Promise<void> {
    if (this.#run.service.receives?.source.kind === "job") return;
    const { child, listens } = this.#spawn(await this.#environment());
    const exited = exitOf(child);
    const { name } = this.#run.service;
    const started = watchStart({
      slow: (seconds) => this.#console.slow(name, seconds),
      late: () => child.kill("SIGKILL"),
    });
    const port = await Promise.race([listens, exited]);
    started();
    if (typeof port === "string") throw new Error(`the service ${name} did not start: ${port}`);
    this.#answerAt(`http://127.0.0.1:${port}`);
    void exited.then((how) => this.#restart(how));
  }

  /** Stops the processes, and kills any that do not finish in time. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#children].map((child) => endProcess(child, shutdownMs)));
  }

  kill(): void {
    this.#isStopped = true;
    for (const child of this.#children) child.kill("SIGKILL");
  }

  #spawn(env: Readonly<Record<string, string>>): { readonly child: ChildProcess; readonly listens: Promise<number> } {
    const { service, entry } = this.#run;
    const child = spawn(process.execPath, ["--enable-source-maps", entry], { env, stdio: ["ignore", "pipe", "pipe"] });
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    const listens = new Promise<number>((resolve) => {
      for (const stream of [child.stdout, child.stderr])
        onLine(stream, (line) => {
          const listening = /^\{.*"port":(\d+).*"message":"listening"/.exec(line);
          if (listening) resolve(Number(listening[1]));
          else this.#console.line(service.name, line);
        });
    });
    return { child, listens };
  }

  #answerAt(url: string | readonly string[]): void {
    const { cloud, place } = this.#deployed;
    const { service } = this.#run;
    const serviceAccount = names.serviceAccountEmail(place, service.name);
    cloud.run({ name: names.serviceName(place, service.name), serviceAccount, url, public: isPublic(service) });
  }

  async #restart(how: string): Promise<void> {
    if (this.#isStopped) return;
    // Take the service offline, because another process may get its port.
    this.#answerAt([]);
    const { name } = this.#run.service;
    this.#console.exited(name, how);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (!this.#isStopped) await this.start().catch((error: unknown) => this.#restart((error as Error).message));
  }

  async #environment(): Promise<Record<string, string>> {
    const { cloud, place } = this.#deployed;
    const { service, secrets } = this.#run;
    return {
      ...(process.env["PATH"] !== undefined && { PATH: process.env["PATH"] }),
      ...(await cloud.envOf(names.serviceAccountEmail(place, service.name))),
      ...secrets,
      PORT: "0",
      FW_PLATFORM: "gcp",
      FW_ENV: place.env,
      FW_AUTH_APIKEY: cloud.cloud.apiKey,
      FW_AUTH_DOMAIN: `${place.project}.firebaseapp.com`,
      K_SERVICE: names.serviceName(place, service.name),
      K_REVISION: `${names.serviceName(place, service.name)}-00001`,
    };
  }

  #offerJob(job: string, { tasks = 1, delivery }: NonNullable<ManifestService["receives"]>): void {
    const { cloud, place } = this.#deployed;
    cloud.runJob({
      name: names.jobName(place, job),
      serviceAccount: names.serviceAccountEmail(place, this.#run.service.name),
      taskCount: tasks,
      maxRetries: delivery.maxAttempts - 1,
      start: async ({ env }) => (await exitOf(this.#spawn({ ...(await this.#environment()), ...env }).child)) === "",
    });
  }
}

/** Describes how a process ended; "" means success. */
async function exitOf(child: ChildProcess): Promise<string> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  if (child.exitCode === 0) return "";
  return child.signalCode === null
    ? `it ended with exit code ${child.exitCode}`
    : `it was killed by ${child.signalCode}`;
}
