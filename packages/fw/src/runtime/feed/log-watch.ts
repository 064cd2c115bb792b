import { setMaxListeners } from "node:events";
import type { Changes } from "../../platform/changes.ts";
import type { Key } from "../../platform/contract.ts";

/** Milliseconds before retrying a failed read. */
export const retryMs = 100;

/** A log that clients of this process follow. */
export interface FollowedLog {
  followers: number;
  /** Callbacks for the next change. Each is called once. */
  readonly waiting: Set<() => void>;
}

/**
 * Watches documents of a kind while clients of this process follow logs. Ids of documents start with their log's id.
 */
export abstract class LogWatch<Log extends FollowedLog> {
  readonly #changes: Changes;
  readonly #kind: string;
  #stop: AbortController | undefined;
  protected readonly logs: Map<string, Log> = new Map();

  constructor({ changes, kind }: { readonly changes: Changes; readonly kind: string }) {
    this.#changes = changes;
    this.#kind = kind;
  }

  /** Called with the ids of logs whose documents may have changed. */
  protected abstract changed(logs: readonly string[]): void;

  /** Adds a follower, which `leave` removes. Calls `create` for the first one. */
  protected enter(log: string, create: () => Log): Log {
    const entry = this.logs.get(log) ?? create();
    this.logs.set(log, entry);
    entry.followers++;
    if (this.#stop !== undefined) return entry;
    this.#stop = new AbortController();
    const changed = (keys: readonly Key[] | undefined): void =>
      this.changed(keys === undefined ? [...this.logs.keys()] : logsOf(keys));
    this.#changes.watch([this.#kind], changed, this.#stop.signal);
    return entry;
  }

  leave(log: string): void {
    const entry = this.logs.get(log);
    if (entry === undefined || --entry.followers > 0) return;
    this.logs.delete(log);
    if (this.logs.size > 0) return;
    this.#stop?.abort();
    this.#stop = undefined;
  }
}

function logsOf(keys: readonly Key[]): readonly string[] {
  return [...new Set(keys.map(({ id }) => id.split(".", 1)[0] ?? id))];
}

export function wakeFollowers({ waiting }: Pick<FollowedLog, "waiting">): void {
  for (const wake of waiting) wake();
}

/** Resolves on the next change, or when the signal aborts. */
export async function nextChange({ waiting }: Pick<FollowedLog, "waiting">, signal: AbortSignal): Promise<void> {
  // An aborted signal no longer calls listeners.
  if (signal.aborted) return;
  // Every feed that a request follows adds a listener.
  setMaxListeners(0, signal);
  await new Promise<void>((resolve) => {
    const wake = (): void => {
      waiting.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    waiting.add(wake);
    signal.addEventListener("abort", wake, { once: true });
  });
}
