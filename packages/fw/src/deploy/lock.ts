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

/** Milliseconds between two signs of life, and after the last of which a lock is nobody's. */
const beatMs = 15_000;
const lifetimeMs = 60_000;

const name = "lock.json";

/** That nobody else deploys the application to the environment meanwhile. */
export interface Lock {
  /** Aborted when somebody else has taken it. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Somebody else deploys at the moment, or has deployed meanwhile. */
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
  const held = (): Held => ({ ...own, until: now() + lifetimeMs });
  const { content, generation: before } = await readState<Held>(name, cloud);
  if (content && content.until > now()) throw lockedBy(content);
  const taken = await writeState(name, held(), before, cloud);
  if (taken === undefined) throw lockedBy((await readState<Held>(name, cloud)).content);
  let generation = taken;
  const lost = new AbortController();
  let beating: Promise<void> = Promise.resolve();
  const beat = async (): Promise<void> => {
    const next = await writeState(name, held(), generation, cloud);
    if (next === undefined) lost.abort(lockedBy((await readState<Held>(name, cloud)).content));
    else generation = next;
  };
  const stop = every(
    beatMs,
    () => (beating = beat().catch((error: unknown) => lost.abort(new Error(messageOf(error))))),
  );
  return {
    lost: lost.signal,
    async release() {
      stop();
      await beating;
      if (!lost.signal.aborted) await deleteState(name, generation, cloud);
    },
  };
}

function lockedBy(held: Held | undefined): LockedError {
  const who = held ? `${held.holder} is deploying since ${held.since}` : "somebody else is deploying";
  return new LockedError(
    `${who}; deploy again when that has ended. A deploy that was killed holds its lock for ${lifetimeMs / 1000} seconds`,
  );
}
