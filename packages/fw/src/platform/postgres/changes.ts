import { ChangeListeners, type ChangeListener, type Changes } from "../changes.ts";
import type { Key } from "../contract.ts";
import type { DefinedKinds } from "./definitions.ts";
import type { Listener } from "./listener.ts";

const channel = "changes";

/** The maximum size of a notification in bytes; PostgreSQL's limit is just under 8,000. */
const payloadBytes = 7_900;

/** A notification to other processes that a commit sends. */
export interface Notification {
  readonly channel: string;
  readonly payload: string;
}

/** Returns the notification for a commit of these documents; undefined if none of their kinds has `notifies`. */
export type Notify = (keys: readonly Key[]) => Notification | undefined;

/**
 * Sends notifications with commits that write to watched kinds. Other processes receive them only after the commit, all
 * in the same order.
 */
export class PostgresChanges implements Changes {
  readonly #listener: Listener;
  readonly #kinds: DefinedKinds;
  readonly #listeners = new ChangeListeners();

  constructor(listener: Listener, kinds: DefinedKinds) {
    this.#listener = listener;
    this.#kinds = kinds;
  }

  watch(kinds: readonly string[], listener: ChangeListener, signal: AbortSignal): void {
    this.#listeners.watch(kinds, listener, signal);
    this.#listener.subscribe(channel, {
      onNotify: (payload) => this.#listeners.notify(keysOf(payload)),
      onListen: () => this.#listeners.notify(undefined),
    });
  }

  /** Returns the notification to send when the transaction commits; undefined if no kind needs one. */
  readonly notify: Notify = (keys) => {
    const ownKeys = keys.filter(({ kind }) => this.#kinds.notifies(kind));
    if (ownKeys.length === 0) return undefined;
    const payload = JSON.stringify(ownKeys.map(({ kind, id }) => [kind, id]));
    // An empty payload means that any document may have changed.
    const isTooLong = Buffer.byteLength(payload) > payloadBytes;
    return { channel: this.#listener.channelOf(channel), payload: isTooLong ? "" : payload };
  };
}

function keysOf(payload: string): readonly Key[] | undefined {
  if (payload === "") return undefined;
  return (JSON.parse(payload) as readonly (readonly [kind: string, id: string])[]).map(([kind, id]) => ({ kind, id }));
}
