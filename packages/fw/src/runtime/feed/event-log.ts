import type { Document, EntityStore, Key, Transaction } from "../../platform/contract.ts";
import { keyHash } from "../../lib/key-hash.ts";
import { feedEventKind, feedKind } from "./kinds.ts";

/** Limit: events of one key of a feed that clients can catch up on. */
export const keptEvents = 100;

/** Limit: milliseconds after which a feed's events expire. */
const keptMs = 86_400_000;

/** The position of the last event in a log. A log that restarts after it has expired has a new epoch. */
export interface Head {
  readonly epoch: string;
  readonly last: number;
}

/** The position of a log without events. */
export const emptyHead: Head = { epoch: "", last: 0 };

/** Returns the id of the log for a feed and a key. The id is a hash, because a key may be longer than an id. */
export function logId(feed: string, key: string): string {
  return keyHash(feed, key);
}

/** Adds an event in a transaction, and deletes the oldest event if the log then has more than `keptEvents`. */
export async function appendEvent(transaction: Transaction, log: string, text: string, now: number): Promise<void> {
  const head = headOf(await transaction.get({ kind: feedKind, id: log }));
  const epoch = head.epoch === "" ? now.toString(36) : head.epoch;
  const last = head.last + 1;
  const expires = new Date(now + keptMs);
  transaction.upsert({ kind: feedKind, id: log }, { epoch, last }, { expires });
  transaction.upsert(eventKey(log, epoch, last), { text }, { expires });
  if (last > keptEvents) transaction.delete(eventKey(log, epoch, last - keptEvents));
}

export async function readHeads(
  store: Pick<EntityStore, "getMany">,
  logs: readonly string[],
): Promise<readonly Head[]> {
  const documents = await store.getMany(logs.map((id) => ({ kind: feedKind, id })));
  return documents.map(headOf);
}

export interface EventRange {
  readonly epoch: string;
  readonly first: number;
  readonly last: number;
}

/** Reads the texts of events; undefined for events that no longer exist. */
export async function readTexts(
  store: Pick<EntityStore, "getMany">,
  log: string,
  { epoch, first, last }: EventRange,
): Promise<readonly (string | undefined)[]> {
  const keys = Array.from({ length: last - first + 1 }, (_, i) => eventKey(log, epoch, first + i));
  return (await store.getMany(keys)).map((document) => {
    const text = document?.fields["text"];
    return typeof text === "string" ? text : undefined;
  });
}

function eventKey(log: string, epoch: string, event: number): Key {
  return { kind: feedEventKind, id: `${log}.${epoch}.${event}` };
}

function headOf(document: Document | undefined): Head {
  const { epoch, last } = document?.fields ?? {};
  return typeof epoch === "string" && typeof last === "number" ? { epoch, last } : emptyHead;
}
