import { setMaxListeners } from "node:events";
import type { Changes } from "../../platform/changes.ts";
import type { Key } from "../../platform/contract.ts";

/** Milliseconds before the next attempt after a failed read. */
export const retryMs = 100;

/** A log that clients of this process follow. */
export interface FollowedLog {
  followers: number;
  /** Called once each, at the next change. */
  readonly waiting: Set<() => void>;
}

/** Watches the documents of a kind as long as clients of this process follow logs. Each id starts with a log's. */
export abstract class LogWatch<Log extends FollowedLog> {
  readonly #changes: Changes;
  readonly #kind: string;
  #stop: AbortController | undefined;
  protected readonly logs: Map<string, Log> = new Map();

  constructor({ changes, kind }: { readonly changes: Changes; readonly kind: string }) {
    this.#changes = changes;
    this.#kind = kind;
  }

  /** Called with the logs whose documents may have changed. */
  protected abstract changed(logs: readonly string[]): void;

  /** Adds a follower; `leave` removes it. `create` is called for the first. */
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

/** Resolves at the next change, or when the signal aborts. */
export async function nextChange({ waiting }: Pick<FollowedLog, "waiting">, signal: AbortSignal): Promise<void> {
  // A signal that has aborted calls no listener.
  if (signal.aborted) return;
  // Each feed that a request follows adds a listener.
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
