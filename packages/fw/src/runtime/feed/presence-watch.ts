import { changesOf, type Changes } from "../../platform/changes.ts";
import type { Clock, Document, Platform } from "../../platform/contract.ts";
import { feedPresenceKind } from "./kinds.ts";
import { LogWatch, nextChange, retryMs, wakeFollowers, type FollowedLog } from "./log-watch.ts";
import { namesIn, type Member, type Presence } from "./presence.ts";

/** Milliseconds at least before names are read again because they expire: the store's clock may be late. */
const leastExpiryMs = 1_000;

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

type PresenceDocument = Pick<Document, "fields" | "expires">;

/** A read of the names of a log, which all its followers share. */
interface NamesRead {
  readonly version: number;
  readonly result: Promise<readonly PresenceDocument[]>;
  /** Ends the wait for the expiry of a name. */
  readonly replaced: AbortController;
}

interface WatchedNames extends FollowedLog {
  /** Counts the changes of the names' documents. */
  version: number;
  read: NamesRead | undefined;
}

interface Options {
  readonly presence: { documents(log: string): Promise<readonly PresenceDocument[]> };
  readonly changes: Changes;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly failed: (error: unknown) => void;
}

/**
 * Follows the names of logs. A process reads those of a log once for each change, however many clients follow it, and
 * again when a name expires: no process may be left to write a change.
 */
export class PresenceWatch extends LogWatch<WatchedNames> {
  readonly #options: Options;

  constructor(options: Options) {
    super({ changes: options.changes, kind: feedPresenceKind });
    this.#options = options;
  }

  /** Yields the names of a log, and again whenever they differ, at the client's pace. */
  async *follow(log: string, signal: AbortSignal): AsyncGenerator<readonly string[]> {
    const entry = this.enter(log, newNames);
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
      this.leave(log);
      if (entry.followers === 0) entry.read?.replaced.abort();
    }
  }

  protected changed(logs: readonly string[]): void {
    for (const log of logs) {
      const entry = this.logs.get(log);
      if (entry === undefined) continue;
      entry.version++;
      wakeFollowers(entry);
    }
  }

  /** Reads the names, or shares a read that began after the latest change; undefined if it failed. */
  async #names(log: string, entry: WatchedNames): Promise<readonly string[] | undefined> {
    const { clock, failed } = this.#options;
    const read = entry.read?.version === entry.version ? entry.read : this.#read(log, entry);
    try {
      return namesIn(await read.result);
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

  #read(log: string, entry: WatchedNames): NamesRead {
    entry.read?.replaced.abort();
    const { version } = entry;
    entry.read = { version, result: this.#options.presence.documents(log), replaced: new AbortController() };
    // A failed read is reported by those who share it.
    void this.#expire(log, entry.read).catch(() => {});
    return entry.read;
  }

  /** Has the names read again when one expires, unless a change comes first. */
  async #expire(log: string, { result, replaced }: NamesRead): Promise<void> {
    const { clock } = this.#options;
    const expires = Math.min(...(await result).map((document) => document.expires?.getTime() ?? Infinity));
    if (!Number.isFinite(expires) || replaced.signal.aborted) return;
    const ms = Math.max(expires - clock.now(), leastExpiryMs);
    await clock.sleep(ms, replaced.signal, { background: true });
    this.changed([log]);
  }
}

function newNames(): WatchedNames {
  return { followers: 0, version: 0, read: undefined, waiting: new Set() };
}
