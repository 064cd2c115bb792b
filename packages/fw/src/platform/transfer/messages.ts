import type { DeadMessage, HeldMessages } from "../messages.ts";

/** A message in an inbox, in a format shared by all stores with inboxes. */
export interface WaitingMessage {
  /** The destination as text, such as `queue:emails`. */
  readonly destination: string;
  /** The consumer's id; "" if the inbox belongs to the destination itself, as for queues and jobs. */
  readonly consumer: string;
  readonly id: string;
  /** Milliseconds since 1970, like `sentAt`. */
  readonly due: number;
  readonly sentAt: number;
  readonly attempts: number;
  /** The error of the last delivery. */
  readonly reason?: string;
  readonly body: string;
  readonly traceparent?: string;
}

/** Reads and writes the messages of a store that is not delivering any. */
export interface MessageTransfer {
  /** Returns the waiting messages after a position, in storage order. */
  waiting(after: number, limit: number): Promise<readonly (WaitingMessage & { readonly position: number })[]>;
  /** Deletes all messages, including dead ones. */
  clear(): Promise<void>;
  /** Stores messages unchanged. */
  add(messages: readonly WaitingMessage[]): Promise<void>;
  addDead(messages: readonly DeadMessage[]): Promise<void>;
}

export interface MessageStore {
  readonly transfer: MessageTransfer;
  readonly dead: HeldMessages["dead"];
}

const pageSize = 1_000;

export async function hasMessages({ transfer, dead }: MessageStore): Promise<boolean> {
  const lists = await Promise.all([transfer.waiting(0, 1), dead({ after: 0, limit: 1 })]);
  return lists.some(({ length }) => length > 0);
}

export function waitingPages({ transfer }: MessageStore): AsyncGenerator<readonly WaitingMessage[], void> {
  return pagesOf((after) => transfer.waiting(after, pageSize));
}

export function deadPages({ dead }: MessageStore): AsyncGenerator<readonly DeadMessage[], void> {
  return pagesOf((after) => dead({ after, limit: pageSize }));
}

async function* pagesOf<T extends { readonly position: number }>(
  read: (after: number) => Promise<readonly T[]>,
): AsyncGenerator<readonly T[], void> {
  let after = 0;
  for (let page = await read(after); page.length > 0; page = await read(after)) {
    yield page;
    after = page.at(-1)?.position ?? after;
  }
}

/** Replaces the target's messages with the source's; returns the number copied. */
export async function copyMessages(from: MessageStore, to: MessageStore): Promise<number> {
  let count = 0;
  await to.transfer.clear();
  for await (const page of waitingPages(from)) {
    await to.transfer.add(page);
    count += page.length;
  }
  for await (const page of deadPages(from)) {
    await to.transfer.addDead(page);
    count += page.length;
  }
  return count;
}
