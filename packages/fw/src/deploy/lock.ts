import { randomUUID } from "node:crypto";
import { messageOf } from "../lib/thrown.ts";
import type { DeployCloud } from "./deploy-cloud.ts";
import { deleteState, readState, writeState } from "./state-file.ts";

interface LockRecord {
  readonly id: string;
  readonly holder: string;
  readonly since: string;
  /** The time in milliseconds since 1970 after which another deploy may take the lock. */
  readonly until: number;
}

/** Milliseconds between heartbeats, and until a lock without heartbeats expires. */
const beatMs = 15_000;
const lifetimeMs = 60_000;

const name = "lock.json";

/** Prevents other deploys of the application to the environment. */
export interface Lock {
  /** Aborts with the reason once another deploy has taken the lock or may take it. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Thrown if another deploy is running, or has run since this one read the state of the project. */
export class LockedError extends Error {}

export interface LockClock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls back periodically; returns a function that stops it. */
  readonly every: (milliseconds: number, run: () => Promise<void>) => () => void;
}

/** Takes the lock if it is free or has expired. Throws a LockedError while another deploy holds it. */
export async function takeLock(cloud: DeployCloud, holder: string, clock: LockClock): Promise<Lock> {
  const { now, every } = clock;
  const own = { id: randomUUID(), holder, since: new Date(now()).toISOString() };
  const { content, generation: before } = await readState<LockRecord>(name, cloud);
  if (content && content.until > now()) throw lockedBy(content);
  const until = now() + lifetimeMs;
  const generation = await writeState(name, { ...own, until }, before, cloud);
  if (generation === undefined) throw lockedBy((await readState<LockRecord>(name, cloud)).content);
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

interface HeartbeatOptions {
  readonly cloud: DeployCloud;
  readonly now: LockClock["now"];
  readonly own: Omit<LockRecord, "until">;
  readonly until: number;
  readonly generation: string;
}

/**
 * Renews a lock with a heartbeat. Writes one at a time, because a concurrent write of the same generation would fail. A
 * slow or failed write does no harm unless the lock expires.
 */
class Heartbeat {
  readonly lost: AbortController = new AbortController();
  readonly #cloud: DeployCloud;
  readonly #now: () => number;
  readonly #own: Omit<LockRecord, "until">;
  #until: number;
  #generation: string;
  #renewal: Promise<void> | undefined;
  #failure = "no answer";
  #isEnding = false;

  constructor({ cloud, now, own, until, generation }: HeartbeatOptions) {
    [this.#cloud, this.#now, this.#own] = [cloud, now, own];
    [this.#until, this.#generation] = [until, generation];
  }

  /** Starts a renewal unless one is in progress. Gives up the lock once it has expired. */
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

  /** Deletes the lock. First waits for a renewal in progress, which could write it again. */
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
      this.lost.abort(lockedBy((await readState<LockRecord>(name, this.#cloud)).content));
      return;
    }
    [this.#generation, this.#until] = [generation, until];
  }

  #expire(): void {
    if (this.#now() < this.#until) return;
    const seconds = lifetimeMs / 1000;
    this.lost.abort(
      new LockedError(
        `this deploy could not renew its lock for ${seconds} seconds (${this.#failure}), so another deploy may have started; run the same command to resume`,
      ),
    );
  }
}

function lockedBy(record: LockRecord | undefined): LockedError {
  const who = record ? `${record.holder} has been deploying since ${record.since}` : "another deploy is running";
  return new LockedError(
    `${who}; run the command again when it has finished. The lock of a killed deploy expires after ${lifetimeMs / 1000} seconds`,
  );
}
