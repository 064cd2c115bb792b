import { drainMs } from "../lib/limits.ts";
import { untilAborted } from "../lib/until-aborted.ts";
import { atMost } from "../platform/clock.ts";
import type { PlatformGrant } from "../platform/grants.ts";
import type { PeerConfig } from "../service/local/peer-config.ts";
import type { DevBarState } from "../runtime/hooks.ts";
import { networkIdentity, type Identities } from "./identities.ts";
import type { ProcessEvents } from "./process.ts";
import { ServicePool } from "./service-pool.ts";
import { calleesOf } from "../model/grants.ts";
import type { Release } from "./release.ts";

export interface ServiceGroupOptions {
  readonly identities: Identities;
  /** Returns the platform's URL for the processes of a deploy. */
  readonly platform: (deploy: number) => string;
  /**
   * Returns the origin at which services of this machine reach a service of another machine; absent if this machine
   * runs all services.
   */
  readonly elsewhere?: (service: string) => string | undefined;
  /** Returns the environment for a service that starts now. */
  readonly env: () => Readonly<Record<string, string>>;
  /** The URL of a service's module for receiving requests from the front. */
  readonly relay: string;
  /** The URL of the module that adds fw's content to pages or records traces; undefined if neither is needed. */
  readonly pages: string | undefined;
  /** Passed to `ServiceProcess`. */
  readonly alwaysRestart: boolean;
  readonly events: Omit<ProcessEvents, "listens">;
}

interface Member {
  readonly pool: ServicePool;
  readonly deploy: number;
  release: Release;
  /** The generation that determines the processes' configuration. */
  generation: Generation;
}

type Generation = ReadonlyMap<string, Member>;

export interface DeployResult {
  /** The services with new processes. */
  readonly changedServices: readonly string[];
  /**
   * The services that prevented the deploy because they did not start; empty if it succeeded. Leaves out services that
   * had failed before, and all services on the first start.
   */
  readonly failed: readonly string[];
}

interface DeployOptions {
  readonly number: number;
  /** Aborts waiting for services to start. */
  readonly signal: AbortSignal;
  readonly onSwitch: () => void;
}

/** The processes of all services. New releases replace old ones in one step, and old processes finish their work. */
export class ServiceGroup {
  readonly #options: ServiceGroupOptions;
  #running: Generation = new Map();
  /** All members with running processes, including those about to end. */
  readonly #alive = new Set<Member>();
  #stopping = false;
  #pageState: DevBarState = { signsIn: false, firing: [] };
  #retiring: Promise<unknown> = Promise.resolve();

  constructor(options: ServiceGroupOptions) {
    this.#options = options;
  }

  of(service: string): ServicePool | undefined {
    return this.#running.get(service)?.pool;
  }

  get pools(): ReadonlyMap<string, ServicePool> {
    return new Map([...this.#running].map(([name, { pool }]) => [name, pool]));
  }

  get names(): ReadonlySet<string> {
    return new Set([...this.#alive].map(({ pool }) => pool.name));
  }

  get deploys(): ReadonlySet<number> {
    return new Set([...this.#alive].map(({ deploy }) => deploy));
  }

  /** Returns the grants of all processes of a service, including those about to end. */
  grantsOf(service: string): readonly PlatformGrant[] {
    return [...this.#alive].flatMap(({ pool, release }) => (pool.name === service ? release.grants : []));
  }

  /**
   * Starts processes for releases that are not running yet. If one fails to start or the signal aborts, nothing
   * changes. Ignores failures on the first start and of services that had failed before. Calls `onSwitch` synchronously
   * when the new processes take over.
   */
  async deploy(releases: readonly Release[], { number, signal, onSwitch }: DeployOptions): Promise<DeployResult> {
    signal.throwIfAborted();
    const before = this.#running;
    const { next, fresh } = this.#launchAll(releases, number);
    this.#tell(before);
    try {
      const started = await untilAborted(Promise.all(fresh.map(({ pool }) => pool.started())), signal);
      const failed = fresh.filter(({ pool }, i) => !started[i] && isNeeded(pool.name, before));
      if (failed.length > 0) {
        await this.#endAll(fresh);
        return { changedServices: [], failed: failed.map(({ pool }) => pool.name) };
      }
    } catch (error) {
      await this.#endAll(fresh);
      throw error;
    }
    this.#switch(next, releases);
    onSwitch();
    const oldMembers = [...before.values()].filter((member) => next.get(member.pool.name) !== member);
    this.#retiring = Promise.all([this.#retiring, this.#retire(oldMembers)]);
    return { changedServices: fresh.map(({ pool }) => pool.name), failed: [] };
  }

  #launchAll(
    releases: readonly Release[],
    deploy: number,
  ): { readonly next: Generation; readonly fresh: readonly Member[] } {
    const next = new Map<string, Member>();
    const fresh: Member[] = [];
    for (const release of releases) {
      const running = this.#running.get(release.name);
      const runsOn = running?.release.version === release.version && !running.pool.hasFailed;
      const member = runsOn ? running : this.#launch(release, next, deploy);
      if (!runsOn) fresh.push(member);
      next.set(release.name, member);
    }
    return { next, fresh };
  }

  /** Sets what the dev bar in pages displays. */
  show(pageState: DevBarState): void {
    this.#pageState = pageState;
    this.#tell(this.#running);
  }

  /** Notifies the services that they are about to be stopped. */
  prepareToStop(): void {
    this.#stopping = true;
    this.#tell(this.#running);
  }

  kill(): void {
    for (const { pool } of this.#alive) pool.kill();
  }

  /** Stops all processes, and kills those that have not ended at the time limit. */
  async stop(milliseconds: number): Promise<void> {
    await this.#endAll(this.#alive, milliseconds);
    await this.#retiring;
  }

  #launch(release: Release, generation: Generation, deploy: number): Member {
    const { env, events, alwaysRestart } = this.#options;
    const { name, entry, program } = release;
    const changed = (): void => this.#tell(member.generation);
    const options = {
      name,
      entry,
      ...(program && { program }),
      env: { ...release.env, ...env() },
      alwaysRestart,
      events: {
        ...events,
        listens: changed,
        exited: (service: string, how: string): void => {
          events.exited(service, how);
          // Callers switch to the other processes of the service.
          changed();
        },
      },
    };
    const pool = new ServicePool(options, release.processes ?? 1);
    const member: Member = { release, generation, deploy, pool };
    this.#alive.add(member);
    pool.start((index) => this.#config(member, index));
    return member;
  }

  #switch(next: Generation, releases: readonly Release[]): void {
    this.#running = next;
    for (const release of releases) Object.assign(next.get(release.name) ?? {}, { release, generation: next });
    this.#tell(next);
  }

  /** Updates the configurations of a generation. Processes about to end keep their old peers until they finish. */
  #tell(generation: Generation): void {
    for (const member of generation.values())
      if (member.generation === generation) member.pool.tell((index) => this.#config(member, index));
  }

  /** Returns a process's configuration. `index` selects a process of each callee, to spread the calls. */
  #config({ release, generation, deploy }: Member, index: number): PeerConfig {
    const { identities, platform, relay, pages, elsewhere } = this.#options;
    const callers = [...this.#alive].filter((member) => calleesOf(member.release.grants).has(release.name));
    const origin = (service: string): string => {
      const pool = generation.get(service)?.pool;
      const port = pool?.portFor(index) ?? 0;
      return port === 0 ? (pool === undefined && elsewhere?.(service)) || "" : `http://127.0.0.1:${port}`;
    };
    return {
      platform: platform(deploy),
      key: identities.privateKeyOf(release.name),
      callers: identities.publicKeysOf([
        ...callers.map(({ pool }) => pool.name),
        ...(elsewhere === undefined ? [] : [networkIdentity]),
      ]),
      services: Object.fromEntries([...calleesOf(release.grants)].map((service) => [service, origin(service)])),
      ...(this.#stopping && { stopping: true }),
      relay,
      ...(pages !== undefined && { pages: { module: pages, bar: this.#pageState } }),
    };
  }

  /** Ends old processes together, because they may still call each other: when all are idle, or after `drainMs`. */
  async #retire(members: readonly Member[]): Promise<void> {
    await atMost(Promise.all(members.map(({ pool }) => pool.idle)), drainMs);
    await this.#endAll(members);
  }

  async #endAll(members: Iterable<Member>, milliseconds?: number): Promise<void> {
    const end = async (member: Member): Promise<void> => {
      await member.pool.stop(milliseconds);
      this.#alive.delete(member);
    };
    await Promise.all([...members].map(end));
  }
}

/**
 * True if a generation must not take over without the service. False on the first start, and for a service that had
 * failed before.
 */
function isNeeded(service: string, before: Generation): boolean {
  return before.size > 0 && before.get(service)?.pool.hasFailed !== true;
}
