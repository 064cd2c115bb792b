import { changesOf, type Changes } from "../../platform/changes.ts";
import type { Clock, Document, Platform } from "../../platform/contract.ts";
import { feedPresenceKind } from "./kinds.ts";
import { LogWatch, nextChange, retryMs, wakeFollowers, type FollowedLog } from "./log-watch.ts";
import { namesIn, type Member, type Presence } from "./presence.ts";

/**
 * The minimum milliseconds to wait for a name to expire before reading the names again. The store's clock may be
 * behind.
 */
const leastExpiryMs = 1_000;

const watches = new WeakMap<Platform, PresenceWatch>();

interface FollowedNames {
  readonly log: string;
  /** The follower's own name, if it is present. */
  readonly member: Member | undefined;
  readonly presence: Presence;
  readonly signal: AbortSignal;
}

/** Yields the names present in a log until the client disconnects. */
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

/** A read of the names in a log, shared by all of its followers. */
interface NamesRead {
  readonly version: number;
  readonly result: Promise<readonly PresenceDocument[]>;
  /** Ends the wait for a name to expire. */
  readonly replaced: AbortController;
}

interface WatchedNames extends FollowedLog {
  /** Increases when a name in the log may have joined, left or expired, and after a failed read. */
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
 * Follows the names in logs. A process reads the names once per change, however many clients follow the log, and again
 * when a name expires, because its process may have died without removing it.
 */
export class PresenceWatch extends LogWatch<WatchedNames> {
  readonly #options: Options;

  constructor(options: Options) {
    super({ changes: options.changes, kind: feedPresenceKind });
    this.#options = options;
  }

  /** Yields the names in a log now and after each change, as fast as the client reads them. */
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

  /** Reads the names, or shares a read that began after the latest change. Resolves with undefined if it failed. */
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
    // The followers that share a failed read report the failure.
    void this.#expire(log, entry.read).catch(() => {});
    return entry.read;
  }

  /** Triggers another read when a name expires, unless a change does so first. */
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
