import { drainMs } from "../lib/limits.ts";
import { untilAborted } from "../lib/until-aborted.ts";
import { atMost } from "../platform/clock.ts";
import type { Grant } from "../platform/grants.ts";
import type { PeerConfig } from "../service/local/peer-config.ts";
import type { Shown } from "../runtime/hooks.ts";
import type { Identities } from "./identities.ts";
import { ServiceProcess, type ProcessEvents } from "./process.ts";
import { calleesOf } from "../model/grants.ts";
import type { Release } from "./release.ts";

export interface ServiceGroupOptions {
  readonly identities: Identities;
  /** The URL of the platform for processes of a deploy. */
  readonly platform: (deploy: number) => string;
  /** What every service has in its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The URL of the module with what documents have here. */
  readonly pages: string | undefined;
  /** As of a process. */
  readonly tireless: boolean;
  readonly events: Omit<ProcessEvents, "listens">;
}

interface Member {
  readonly process: ServiceProcess;
  /** The deploy that started it. */
  readonly deploy: number;
  release: Release;
  /** Those that it is to know of. */
  generation: Generation;
}

type Generation = ReadonlyMap<string, Member>;

/** What became of new releases. */
export interface Deployed {
  /** The services that have a new process. */
  readonly replaced: readonly string[];
  /** Those that did not start; where there are some, everything stays as it was. */
  readonly failed: readonly string[];
}

interface DeployOptions {
  /** Tells this deploy from others. */
  readonly number: number;
  /** Ends the wait for services to start. */
  readonly signal: AbortSignal;
  readonly switched: () => void;
}

/** The processes of all services. Those of new releases take over together, and the ones before finish what they do. */
export class ServiceGroup {
  readonly #options: ServiceGroupOptions;
  #running: Generation = new Map();
  /** Every process that has not ended, with what it was released as. */
  readonly #alive = new Set<Member>();
  #stopping = false;
  #shown: Shown = { signsIn: false, firing: [] };
  #retiring: Promise<unknown> = Promise.resolve();

  constructor(options: ServiceGroupOptions) {
    this.#options = options;
  }

  /** The process that has what comes for a service. */
  of(service: string): ServiceProcess | undefined {
    return this.#running.get(service)?.process;
  }

  get processes(): ReadonlyMap<string, ServiceProcess> {
    return new Map([...this.#running].map(([name, { process }]) => [name, process]));
  }

  /** The services that have a process. */
  get names(): ReadonlySet<string> {
    return new Set([...this.#alive].map(({ process }) => process.name));
  }

  /** The deploys of which processes run. */
  get deploys(): ReadonlySet<number> {
    return new Set([...this.#alive].map(({ deploy }) => deploy));
  }

  /** What the processes of a service may do, also those that are about to go. */
  grantsOf(service: string): readonly Grant[] {
    return [...this.#alive].flatMap(({ process, release }) => (process.name === service ? release.grants : []));
  }

  /**
   * Starts processes of the releases that are not running. Where one does not start, or the signal aborts, everything
   * stays as it was, except that a service that did not run before may stay down. `switched` is called in the step in
   * which they take over.
   */
  async deploy(releases: readonly Release[], { number, signal, switched }: DeployOptions): Promise<Deployed> {
    signal.throwIfAborted();
    const before = this.#running;
    const { next, fresh } = this.#launchAll(releases, number);
    this.#tell(before);
    try {
      const started = await untilAborted(Promise.all(fresh.map(({ process }) => process.started())), signal);
      const failed = fresh.filter(({ process }, i) => !started[i] && isNeeded(process.name, before));
      if (failed.length > 0) {
        await this.#endAll(fresh);
        return { replaced: [], failed: failed.map(({ process }) => process.name) };
      }
    } catch (error) {
      await this.#endAll(fresh);
      throw error;
    }
    this.#switch(next, releases);
    switched();
    const replaced = [...before.values()].filter((member) => next.get(member.process.name) !== member);
    this.#retiring = Promise.all([this.#retiring, this.#retire(replaced)]);
    return { replaced: fresh.map(({ process }) => process.name), failed: [] };
  }

  #launchAll(
    releases: readonly Release[],
    deploy: number,
  ): { readonly next: Generation; readonly fresh: readonly Member[] } {
    const next = new Map<string, Member>();
    const fresh: Member[] = [];
    for (const release of releases) {
      const running = this.#running.get(release.name);
      const runsOn = running?.release.version === release.version && !running.process.hasFailed;
      const member = runsOn ? running : this.#launch(release, next, deploy);
      if (!runsOn) fresh.push(member);
      next.set(release.name, member);
    }
    return { next, fresh };
  }

  /** Has documents show this. */
  show(shown: Shown): void {
    this.#shown = shown;
    this.#tell(this.#running);
  }

  /** Tells the services that they are about to be stopped. */
  prepareToStop(): void {
    this.#stopping = true;
    this.#tell(this.#running);
  }

  /** Ends all processes at once. */
  kill(): void {
    for (const { process } of this.#alive) process.kill();
  }

  /** Ends all processes; kills those that have not ended after so many milliseconds. */
  async stop(milliseconds: number): Promise<void> {
    await this.#endAll(this.#alive, milliseconds);
    await this.#retiring;
  }

  #launch(release: Release, generation: Generation, deploy: number): Member {
    const { env, events, tireless } = this.#options;
    const { name, entry, nodeOptions = [] } = release;
    const listens = (): void => this.#tell(member.generation);
    const options = {
      name,
      entry,
      nodeOptions,
      env: { ...release.env, ...env },
      tireless,
      events: { ...events, listens },
    };
    const member: Member = { release, generation, deploy, process: new ServiceProcess(options) };
    this.#alive.add(member);
    member.process.start(this.#config(member));
    return member;
  }

  #switch(next: Generation, releases: readonly Release[]): void {
    this.#running = next;
    for (const release of releases) Object.assign(next.get(release.name) ?? {}, { release, generation: next });
    this.#tell(next);
  }

  /** Those that are to go know each other as before: what they have begun ends among them. */
  #tell(generation: Generation): void {
    for (const member of generation.values())
      if (member.generation === generation) member.process.tell(this.#config(member));
  }

  #config({ release, generation, deploy }: Member): PeerConfig {
    const { identities, platform, pages } = this.#options;
    const callers = [...this.#alive].filter((member) => calleesOf(member.release.grants).has(release.name));
    const origin = (service: string): string => {
      const port = generation.get(service)?.process.port ?? 0;
      return port === 0 ? "" : `http://127.0.0.1:${port}`;
    };
    return {
      platform: platform(deploy),
      key: identities.privateKeyOf(release.name),
      callers: identities.publicKeysOf(callers.map(({ process }) => process.name)),
      services: Object.fromEntries([...calleesOf(release.grants)].map((service) => [service, origin(service)])),
      ...(this.#stopping && { stopping: true }),
      ...(pages !== undefined && { pages: { module: pages, bar: this.#shown } }),
    };
  }

  /** What was on its way to them is answered first, by all of them: one may still call another. */
  async #retire(members: readonly Member[]): Promise<void> {
    await atMost(Promise.all(members.map(({ process }) => process.idle)), drainMs);
    await this.#endAll(members);
  }

  async #endAll(members: Iterable<Member>, milliseconds?: number): Promise<void> {
    const end = async (member: Member): Promise<void> => {
      await member.process.stop(milliseconds);
      this.#alive.delete(member);
    };
    await Promise.all([...members].map(end));
  }
}

/**
 * Whether a service must start for its generation to take over: at the first start, and where it was down before,
 * others go on without it.
 */
function isNeeded(service: string, before: Generation): boolean {
  return before.size > 0 && before.get(service)?.process.hasFailed !== true;
}
