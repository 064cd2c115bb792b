import { createHash } from "node:crypto";
import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import type { Key, Platform, Transaction, TransactionOptions } from "../../platform/contract.ts";
import type { Destination, OutgoingMessage } from "../../platform/messages.ts";
import { transact } from "../../platform/transact.ts";
import { platformOf, type Application } from "../application.ts";
import { messageKeyKind } from "./kinds.ts";
import { lifetimeIn } from "../context-ports.ts";
import { transactionOf } from "../entity/entity.ts";
import { conflicts, refusing } from "../response/refusing.ts";

/** Limit: milliseconds after its due time for which fw remembers a delivered or canceled message with a key. */
const keyMemoryMs = 366 * 86_400_000;

/**
 * The states of a message with a key. Its first delivery changes `waiting` to `begun`; a replacement or cancellation
 * changes it to `cancelled`. Only one of these transactions succeeds. `begun` may also become `cancelled`, which
 * prevents redelivery. A message without a document has no key.
 */
type KeyedState = "waiting" | "begun" | "cancelled";

export type MessageSender = (destination: Destination, message: OutgoingMessage) => Promise<string> | string;

type MessagePorts = Pick<Application, "platform">;

/** Returns a sender whose transaction also cancels the waiting message with the same key. */
export function keyedSender(app: MessagePorts, ctx: Context, key: string): MessageSender {
  return (destination, message) => {
    const place = keyDocument(destination.name, key);
    return inOwnTransaction(platformOf(app, "send messages on"), ctx, async (transaction, now) => {
      await cancelMessage(transaction, place, now);
      const id = transaction.send(destination, message);
      const state: KeyedState = "waiting";
      transaction.upsert(messageDocument(id), { state, key: place.id, due: now + (message.delay ?? 0) });
      transaction.upsert(place, { message: id });
      return id;
    });
  };
}

/** Cancels the waiting message with a key. Returns true if its first delivery had not begun. */
export async function cancelKey(app: MessagePorts, ctx: Context, queue: string, key: string): Promise<boolean> {
  const place = keyDocument(queue, key);
  return inOwnTransaction(platformOf(app, "send messages on"), ctx, async (transaction, now) => {
    const isWaiting = await cancelMessage(transaction, place, now);
    transaction.delete(place);
    return isWaiting;
  });
}

async function cancelMessage(transaction: Transaction, place: Key, now: number): Promise<boolean> {
  const id = (await transaction.get(place))?.fields["message"];
  if (typeof id !== "string") return false;
  const document = messageDocument(id);
  const { state, due } = (await transaction.get(document))?.fields ?? {};
  if (state !== "waiting" && state !== "begun") return false;
  const expires = new Date(Math.max(now, Number(due)) + keyMemoryMs);
  transaction.upsert(document, { state: "cancelled" satisfies KeyedState, due: Number(due) }, { expires });
  return state === "waiting";
}

/**
 * Records that a delivery begins. Returns false if its message was replaced or canceled. For a message without a key,
 * the cost is one read.
 */
export async function beginDelivery(platform: Platform, id: string): Promise<boolean> {
  const document = messageDocument(id);
  const state = (await platform.entities.get(document))?.fields["state"];
  if (state !== "waiting") return state !== "cancelled";
  return transact(platform, async (transaction) => {
    const { state: current, key, due } = (await transaction.get(document))?.fields ?? {};
    if (current !== "waiting" || typeof key !== "string") return current !== "cancelled";
    const expires = new Date(Math.max(platform.clock.now(), Number(due)) + keyMemoryMs);
    transaction.upsert(document, { state: "begun" satisfies KeyedState, due: Number(due) }, { expires });
    transaction.upsert({ kind: messageKeyKind, id: key }, { message: id }, { expires });
    return true;
  });
}

/** Hashes the key, which may be too long for an id and may be an address that should not be readable in the data. */
function keyDocument(queue: string, key: unknown): Key {
  if (typeof key !== "string") throw new Fault(`queue ${queue}: the key is ${typeof key}, not a string`);
  // JSON escapes lone surrogates, as in a truncated key. Hashing the key itself would turn all of them into U+FFFD.
  const text = JSON.stringify([queue, key]);
  return { kind: messageKeyKind, id: `key ${createHash("sha256").update(text).digest("base64url")}` };
}

function messageDocument(id: string): Key {
  return { kind: messageKeyKind, id: `message ${id}` };
}

export type TransactionWork<T> = (transaction: Transaction, now: number) => Promise<T>;

/** Runs work in the context's transaction, or in a new one. */
export function inOwnTransaction<T>(
  platform: Platform,
  ctx: Context,
  work: TransactionWork<T>,
  fence?: TransactionOptions,
): Promise<T> {
  const now = platform.clock.now();
  const transaction = transactionOf(ctx);
  if (transaction !== undefined) return work(transaction, now);
  const options = { ...fence, until: lifetimeIn(ctx) };
  return refusing(conflicts, () => transact(platform, (own) => work(own, now), options));
}
