import { join, sep } from "node:path";
import { sortChanges } from "../../dev/changes.ts";
import { sitesOf } from "../../dev/engine.ts";
import { readEnv } from "../../dev/env.ts";
import { isOwnHost, type OwnHosts } from "../../dev/port/own-host.ts";
import { watchFiles, type Change, type Watcher } from "../../dev/watch/watcher.ts";
import type { SiteDeclaration } from "../../model/app.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import { platformGrants } from "../../topology/grants.ts";
import { startTopology, type Topology } from "../../topology/topology.ts";
import { Refusal, type ExitCode } from "../command.ts";
import { definitionsOfModel } from "../data/definitions.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { buildOrExplain, type BuiltApp } from "./build.ts";
import { serviceLine } from "./line.ts";

export interface ServicesOptions {
  readonly root: string;
  readonly port: number;
  readonly hosts: OwnHosts;
  /** Resolves when all shall stop. */
  readonly stop: Promise<unknown>;
}

/** Runs every service in a process of its own until it is told to stop; a saved file builds and starts them anew. */
export async function runServices(options: ServicesOptions, io: IO): Promise<ExitCode> {
  const { root } = options;
  const built = await buildOrExplain(root, io);
  if (built === undefined) return 1;
  if (built.app.packages.length === 0) throw nothingDeclared(root);
  const platform = await open(root, built);
  const loop = new ServicesLoop(options, io, platform);
  try {
    const started = await Promise.race([loop.start(built).then(() => true), options.stop.then(() => false)]);
    if (started) await options.stop;
    return 0;
  } finally {
    await loop.stop();
    await platform.close();
  }
}

async function open(root: string, { app }: BuiltApp): Promise<LocalPlatform> {
  try {
    return await openLocal(join(root, ".fw", "data"), definitionsOfModel(app));
  } catch (error) {
    if (isPlatformError(error, "locked") || isPlatformError(error, "data")) throw new Refusal(error.message);
    throw error;
  }
}

class ServicesLoop {
  readonly #options: ServicesOptions;
  readonly #io: IO;
  readonly #platform: LocalPlatform;
  #port: number;
  #topology: Topology | undefined;
  #sites: readonly SiteDeclaration[] = [];
  #watcher: Watcher | undefined;
  #work: Promise<void> = Promise.resolve();
  #stopped = false;
  #waiting = false;

  constructor(options: ServicesOptions, io: IO, platform: LocalPlatform) {
    this.#options = options;
    this.#io = io;
    this.#platform = platform;
    this.#port = options.port;
  }

  async start(built: BuiltApp): Promise<void> {
    const { root } = this.#options;
    await this.#run(built);
    this.#say(
      `${built.app.name} is at http://localhost:${this.#port}, ${this.#topology?.processes.size ?? 0} services`,
    );
    this.#watcher = watchFiles(
      root,
      (changes) => this.#changed(changes),
      (error) => this.#say(`saved files are not followed: ${error.message}`),
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#watcher?.close();
    await this.#work.catch(() => {});
    await this.#topology?.stop();
  }

  /** Saves that come while services are built are one; files that no service is made of are none. */
  #changed(changes: readonly Change[]): void {
    const { root } = this.#options;
    const sites = this.#sites.map(({ dir }) => join(root, dir));
    const made = this.#sites.filter(({ build }) => build !== undefined).map(({ dir }) => join(root, dir, sep));
    const saved = changes.filter(({ path }) => !made.some((dir) => path.startsWith(dir)));
    const { modules, templates, assets, environment, project } = sortChanges(saved, root, sites);
    const matters = project || environment || [modules, templates, assets].some((files) => files.length > 0);
    if (this.#waiting || !matters) return;
    this.#waiting = true;
    this.#work = this.#work.then(() => this.#again()).catch((error: unknown) => this.#say(String(error)));
  }

  async #again(): Promise<void> {
    this.#waiting = false;
    if (this.#stopped) return;
    const built = await buildOrExplain(this.#options.root, this.#io);
    if (built === undefined || this.#stopped) return;
    await this.#topology?.stop();
    await this.#platform.redefine(definitionsOfModel(built.app));
    await this.#run(built);
    this.#say(`the services run what was saved`);
  }

  async #run({ app, uses, directory }: BuiltApp): Promise<void> {
    const { root, hosts } = this.#options;
    const { env } = this.#io;
    this.#sites = sitesOf(app);
    this.#topology = await startTopology({
      built: directory,
      app,
      platform: this.#platform,
      grants: platformGrants(app, uses),
      port: this.#port,
      host: hosts.listensOn,
      isOwnHost: (header) => isOwnHost(header, hosts),
      env: { ...withoutUnset(env), ...readEnv(root, env) },
      console: {
        line: (service, line) => this.#io.out.write(serviceLine(service, line)),
        ended: (service, how) => this.#say(`the service ${service} is started again: ${how}`),
      },
    });
    this.#port = this.#topology.port;
  }

  #say(sentence: string): void {
    this.#io.out.write(`${sentence}\n`);
  }
}

function withoutUnset(env: IO["env"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]])),
  );
}
