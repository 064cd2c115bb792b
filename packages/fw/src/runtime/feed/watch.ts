import type { Changes } from "../../platform/changes.ts";
import type { Clock, EntityStore } from "../../platform/contract.ts";
import { emptyHead, readHeads, readTexts, type EventRange, type Head } from "./event-log.ts";
import { feedKind } from "./kinds.ts";
import { LogWatch, nextChange, retryMs, wakeFollowers, type FollowedLog } from "./log-watch.ts";

/** Limit: logs whose positions are read at once. */
const logsAtOnce = 1_000;

interface WatchedLog extends FollowedLog {
  head: Head;
  /** Resolves once every current follower has a position and is present. */
  joining: Promise<void>;
}

interface Options {
  readonly store: () => Pick<EntityStore, "getMany">;
  readonly changes: Changes;
  readonly clock: Pick<Clock, "sleep">;
  readonly failed: (error: unknown) => void;
}

/** Watches the positions of logs. Notifications that arrive during a read cause a single further read. */
export class FeedWatch extends LogWatch<WatchedLog> {
  readonly #options: Options;
  /** The pending reads of events, by log and range. */
  readonly #reads = new Map<string, Promise<readonly (string | undefined)[]>>();
  readonly #changed = new Set<string>();
  #isReading = false;

  constructor(options: Options) {
    super({ changes: options.changes, kind: feedKind });
    this.#options = options;
  }

  /**
   * Starts to follow a log and resolves with its current position. Call `leave` afterwards, even if this fails.
   * `whenJoined` also waits for `entering`.
   */
  join(log: string, entering: Promise<unknown> = Promise.resolve()): Promise<Head> {
    const entry = this.enter(log, newLog);
    const reading = this.#read([log]);
    entry.joining = settled([entry.joining, reading, entering]);
    return reading.then(() => entry.head);
  }

  /**
   * Resolves once everyone who has started to follow the log has a position and is present. They all receive the events
   * published next.
   */
  whenJoined(log: string): Promise<void> | undefined {
    return this.logs.get(log)?.joining;
  }

  headOf(log: string): Head {
    return this.logs.get(log)?.head ?? emptyHead;
  }

  /** Reads the texts of events. Followers that wake up together need the same events and share a read. */
  texts(log: string, range: EventRange): Promise<readonly (string | undefined)[]> {
    const key = `${log}.${range.epoch}.${range.first}.${range.last}`;
    const pending = this.#reads.get(key);
    if (pending !== undefined) return pending;
    const read = readTexts(this.#options.store(), log, range).finally(() => this.#reads.delete(key));
    this.#reads.set(key, read);
    return read;
  }

  /** Resolves when the position of a log differs from `previous`, or when the signal aborts. */
  async headChanged(log: string, previous: Head, signal: AbortSignal): Promise<void> {
    const entry = this.logs.get(log);
    if (entry === undefined || !isSame(entry.head, previous)) return;
    await nextChange(entry, signal);
  }

  /** Reads a log's position immediately, because this process has published to it. */
  wake(log: string): void {
    this.changed([log]);
  }

  /** Reads the positions of `logs` until none changes during the read. */
  protected changed(logs: readonly string[]): void {
    for (const log of logs) if (this.logs.has(log)) this.#changed.add(log);
    if (!this.#isReading && this.#changed.size > 0) void this.#readChanged();
  }

  async #readChanged(): Promise<void> {
    this.#isReading = true;
    while (this.#changed.size > 0) {
      const logs = [...this.#changed].filter((log) => this.logs.has(log));
      this.#changed.clear();
      try {
        await this.#read(logs);
      } catch (error) {
        this.#options.failed(error);
        for (const log of logs) this.#changed.add(log);
        await this.#options.clock.sleep(retryMs, undefined, { background: true });
      }
    }
    this.#isReading = false;
  }

  async #read(logs: readonly string[]): Promise<void> {
    const { store } = this.#options;
    for (let start = 0; start < logs.length; start += logsAtOnce) {
      const some = logs.slice(start, start + logsAtOnce);
      const heads = await readHeads(store(), some);
      for (const [i, log] of some.entries()) this.#set(log, heads[i] ?? emptyHead);
    }
  }

  /** Sets a log's position, which never goes back: a slow read may return an older position than a later read. */
  #set(log: string, head: Head): void {
    const entry = this.logs.get(log);
    if (entry === undefined || !isLater(head, entry.head)) return;
    entry.head = head;
    wakeFollowers(entry);
  }
}

function newLog(): WatchedLog {
  return { head: emptyHead, followers: 0, waiting: new Set(), joining: Promise.resolve() };
}

function isSame(one: Head, other: Head): boolean {
  return one.epoch === other.epoch && one.last === other.last;
}

/**
 * True if `one` is the later position. An epoch is a time, or "" if the log's events have expired or it never had any.
 */
function isLater(one: Head, other: Head): boolean {
  if (one.epoch === other.epoch) return one.last > other.last;
  return one.epoch !== "" && Number.parseInt(one.epoch, 36) > (Number.parseInt(other.epoch, 36) || 0);
}

async function settled(promises: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(promises);
}
