import { randomUUID } from "node:crypto";
import { messageOf } from "../lib/thrown.ts";
import type { DeployCloud } from "./deploy-cloud.ts";
import { deleteState, readState, writeState } from "./state-file.ts";

/** What a lock says of who has it. */
interface Held {
  readonly id: string;
  readonly holder: string;
  readonly since: string;
  /** Milliseconds since 1970 from which on anybody may take it. */
  readonly until: number;
}

/** Milliseconds between two heartbeats, and after the last of which anyone may take the lock. */
const beatMs = 15_000;
const lifetimeMs = 60_000;

const name = "lock.json";

/** That nobody else deploys the application to the environment meanwhile. */
export interface Lock {
  /** Aborted, with the reason, when another deploy has taken it or may take it. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Another deploy is at work, or has been since this one read the project. */
export class LockedError extends Error {}

export interface LockClock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls back again and again, and returns how to end that. */
  readonly every: (milliseconds: number, run: () => Promise<void>) => () => void;
}

/** Takes the lock, also of a deploy that has ended without letting it go. */
export async function takeLock(cloud: DeployCloud, holder: string, clock: LockClock): Promise<Lock> {
  const { now, every } = clock;
  const own = { id: randomUUID(), holder, since: new Date(now()).toISOString() };
  const { content, generation: before } = await readState<Held>(name, cloud);
  if (content && content.until > now()) throw lockedBy(content);
  const until = now() + lifetimeMs;
  const generation = await writeState(name, { ...own, until }, before, cloud);
  if (generation === undefined) throw lockedBy((await readState<Held>(name, cloud)).content);
  const heartbeat = new Heartbeat({ cloud, now, own, until, generation });
  const stop = every(beatMs, () => heartbeat.beat());
  return {
    lost: heartbeat.lost.signal,
    async release() {
      await heartbeat.end();
      stop();
    },
  };
}

interface Beating {
  readonly cloud: DeployCloud;
  readonly now: LockClock["now"];
  readonly own: Omit<Held, "until">;
  readonly until: number;
  readonly generation: string;
}

/**
 * Renews a lock, one write at a time: a second write of the same generation would fail because of the first one.
 * A slow or failed write ends nothing before the lock itself does.
 */
class Heartbeat {
  readonly lost: AbortController = new AbortController();
  readonly #cloud: DeployCloud;
  readonly #now: () => number;
  readonly #own: Omit<Held, "until">;
  #until: number;
  #generation: string;
  #renewal: Promise<void> | undefined;
  #failure = "no answer";
  #isEnding = false;

  constructor({ cloud, now, own, until, generation }: Beating) {
    [this.#cloud, this.#now, this.#own] = [cloud, now, own];
    [this.#until, this.#generation] = [until, generation];
  }

  /** Begins a renewal unless one is under way, and gives the lock up when it has ended without one. */
  async beat(): Promise<void> {
    if (this.lost.signal.aborted) return;
    if (this.#renewal !== undefined || this.#isEnding) return this.#expire();
    this.#failure = "no answer";
    this.#renewal = this.#renew().catch((error: unknown) => {
      this.#failure = messageOf(error);
      this.#expire();
    });
    await this.#renewal;
    this.#renewal = undefined;
  }

  /** Deletes the lock, once no renewal is under way that could write it again. */
  async end(): Promise<void> {
    this.#isEnding = true;
    const { signal } = this.lost;
    const isLost = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    if (!signal.aborted) await Promise.race([this.#renewal, isLost]);
    await deleteState(name, this.#generation, this.#cloud);
  }

  async #renew(): Promise<void> {
    const until = this.#now() + lifetimeMs;
    const generation = await writeState(name, { ...this.#own, until }, this.#generation, this.#cloud);
    if (generation === undefined) {
      this.lost.abort(lockedBy((await readState<Held>(name, this.#cloud)).content));
      return;
    }
    [this.#generation, this.#until] = [generation, until];
  }

  #expire(): void {
    if (this.#now() < this.#until) return;
    const seconds = lifetimeMs / 1000;
    this.lost.abort(
      new LockedError(
        `the lock of this deploy could not be renewed for ${seconds} seconds (${this.#failure}), so that another deploy may have begun; run the same command to resume`,
      ),
    );
  }
}

function lockedBy(held: Held | undefined): LockedError {
  const who = held ? `${held.holder} is deploying since ${held.since}` : "another deploy is at work";
  return new LockedError(
    `${who}; run the command again when that has ended. The lock of a deploy that was killed ends after ${lifetimeMs / 1000} seconds`,
  );
}
