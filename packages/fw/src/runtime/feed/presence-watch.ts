import { setMaxListeners } from "node:events";
import { changesOf, type Changes } from "../../platform/changes.ts";
import type { Clock, Platform } from "../../platform/contract.ts";
import { feedPresenceKind } from "./kinds.ts";
import { logOfMember, type Member, type Presence } from "./presence.ts";
import { nextChange } from "./watch.ts";

/** Milliseconds before the next attempt after a failed read. */
const retryMs = 100;

const watches = new WeakMap<Platform, PresenceWatch>();

interface FollowedNames {
  readonly log: string;
  /** The follower, if it is present itself. */
  readonly member: Member | undefined;
  readonly presence: Presence;
  readonly signal: AbortSignal;
}

/** Yields the names of a log until the client disconnects. */
export async function* followNames(
  platform: Platform,
  failed: (error: unknown) => void,
  { log, member, presence, signal }: FollowedNames,
): AsyncGenerator<readonly string[]> {
  const { clock } = platform;
  const watch = watches.get(platform) ?? new PresenceWatch({ presence, changes: changesOf(platform), clock, failed });
  watches.set(platform, watch);
  const leave = member && (await presence.join(member));
  try {
    yield* watch.follow(log, signal);
  } finally {
    await leave?.();
  }
}

/** A log whose names clients of this process follow. */
interface WatchedNames {
  followers: number;
  /** Counts the changes of the names' documents. */
  version: number;
  /** The latest read, which all followers share. */
  read: { readonly version: number; readonly names: Promise<readonly string[]> } | undefined;
  /** Called once each, at the next change. */
  readonly waiting: Set<() => void>;
}

interface Options {
  readonly presence: Pick<Presence, "names">;
  readonly changes: Changes;
  readonly clock: Pick<Clock, "sleep">;
  readonly failed: (error: unknown) => void;
}

/** Follows the names of logs. A process reads those of a log once for each change, however many clients follow it. */
export class PresenceWatch {
  readonly #options: Options;
  readonly #logs = new Map<string, WatchedNames>();
  #stop: AbortController | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Yields the names of a log, and again whenever they differ, at the client's pace. */
  async *follow(log: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
    // Each feed that a request follows adds a listener.
    setMaxListeners(0, signal);
    const entry = this.#enter(log);
    try {
      let lastText: string | undefined;
      while (!signal.aborted) {
        const { version } = entry;
        const names = await this.#names(log, entry);
        if (signal.aborted) return;
        const text = JSON.stringify(names);
        if (names !== undefined && text !== lastText) {
          lastText = text;
          yield names;
        }
        if (entry.version === version) await nextChange(entry, signal);
      }
    } finally {
      this.#leave(log, entry);
    }
  }

  #enter(log: string): WatchedNames {
    const entry = this.#logs.get(log) ?? { followers: 0, version: 0, read: undefined, waiting: new Set() };
    this.#logs.set(log, entry);
    entry.followers++;
    if (this.#stop === undefined) {
      this.#stop = new AbortController();
      const { signal } = this.#stop;
      const listener = (keys: readonly { readonly id: string }[] | undefined): void =>
        this.#wake(keys === undefined ? [...this.#logs.keys()] : keys.map(({ id }) => logOfMember(id)));
      this.#options.changes.watch([feedPresenceKind], listener, signal);
    }
    return entry;
  }

  #leave(log: string, entry: WatchedNames): void {
    if (--entry.followers > 0) return;
    this.#logs.delete(log);
    if (this.#logs.size > 0) return;
    this.#stop?.abort();
    this.#stop = undefined;
  }

  #wake(logs: readonly string[]): void {
    for (const log of new Set(logs)) {
      const entry = this.#logs.get(log);
      if (entry === undefined) continue;
      entry.version++;
      for (const wake of entry.waiting) wake();
    }
  }

  /** Reads the names, or shares a read that began after the latest change; undefined if it failed. */
  async #names(log: string, entry: WatchedNames): Promise<readonly string[] | undefined> {
    const { presence, clock, failed } = this.#options;
    if (entry.read?.version !== entry.version) entry.read = { version: entry.version, names: presence.names(log) };
    const { read } = entry;
    try {
      return await read.names;
    } catch (error) {
      if (entry.read === read) {
        entry.read = undefined;
        entry.version++;
        failed(error);
      }
      await clock.sleep(retryMs, undefined, { background: true });
      return undefined;
    }
  }
}
