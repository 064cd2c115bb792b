import type { Clock, EntityStore } from "../../platform/contract.ts";
import { emptyHead, readHeads, type Head } from "./event-log.ts";

/** Limit: logs whose positions are read at once. */
const logsAtOnce = 1_000;

/** A log that clients of this process follow. */
interface WatchedLog {
  head: Head;
  followers: number;
  /** Called once each when the position changes. */
  readonly waiting: Set<() => void>;
}

interface Options {
  readonly store: () => Pick<EntityStore, "getMany">;
  readonly clock: Pick<Clock, "sleep">;
  /** Milliseconds between two looks at the store. */
  readonly interval: number;
  readonly failed: (error: unknown) => void;
}

/**
 * Watches the positions of the logs that clients of this process follow: one read at a time for all of them, for as
 * long as there are any.
 */
export class FeedWatch {
  readonly #options: Options;
  readonly #logs = new Map<string, WatchedLog>();
  #stop: AbortController | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Begins to follow a log, from a position that was just read. Call `leave` afterwards. */
  async join(log: string): Promise<void> {
    const entry = this.#logs.get(log) ?? { head: emptyHead, followers: 0, waiting: new Set() };
    this.#logs.set(log, entry);
    entry.followers++;
    this.#start();
    try {
      await this.#read([log]);
    } catch (error) {
      this.leave(log);
      throw error;
    }
  }

  leave(log: string): void {
    const entry = this.#logs.get(log);
    if (entry === undefined || --entry.followers > 0) return;
    this.#logs.delete(log);
    if (this.#logs.size > 0) return;
    this.#stop?.abort();
    this.#stop = undefined;
  }

  headOf(log: string): Head {
    return this.#logs.get(log)?.head ?? emptyHead;
  }

  /** Resolves when the position of a log differs from `previous`, or when the signal aborts. */
  async changed(log: string, previous: Head, signal: AbortSignal): Promise<void> {
    const entry = this.#logs.get(log);
    if (entry === undefined || signal.aborted || !isSame(entry.head, previous)) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        entry.waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      entry.waiting.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }

  /** Looks at a log at once: this process has published to it. */
  wake(log: string): void {
    if (this.#logs.has(log)) this.#read([log]).catch(this.#options.failed);
  }

  #start(): void {
    if (this.#stop !== undefined) return;
    this.#stop = new AbortController();
    void this.#run(this.#stop.signal);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, interval, failed } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(interval, signal, { background: true }).catch(() => {});
      if (signal.aborted) return;
      await this.#read([...this.#logs.keys()]).catch(failed);
    }
  }

  async #read(logs: readonly string[]): Promise<void> {
    const { store } = this.#options;
    for (let start = 0; start < logs.length; start += logsAtOnce) {
      const some = logs.slice(start, start + logsAtOnce);
      const heads = await readHeads(store(), some);
      for (const [i, log] of some.entries()) this.#set(log, heads[i] ?? emptyHead);
    }
  }

  /** A read that was overtaken by a later one may be older, so positions of an epoch only grow. */
  #set(log: string, head: Head): void {
    const entry = this.#logs.get(log);
    if (entry === undefined || isSame(entry.head, head)) return;
    if (entry.head.epoch === head.epoch && head.last < entry.head.last) return;
    entry.head = head;
    for (const wake of entry.waiting) wake();
  }
}

function isSame(one: Head, other: Head): boolean {
  return one.epoch === other.epoch && one.last === other.last;
}
