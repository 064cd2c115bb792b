import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Definitions, Platform } from "../contract.ts";
import type { LocalDispatcher } from "../local/open.ts";
import type { Consumer, Destination } from "../messages.ts";

const child: string = fileURLToPath(new URL("delivery-child.mjs", import.meta.url));

const destination: Destination = { kind: "queue", name: "emails" };
const delivery = { maxAttempts: 5, minBackoff: 1_000, maxBackoff: 1_000, deadline: 60_000, concurrency: 4 };
const consumers: readonly Consumer[] = [{ id: "mail-send", destination, delivery }];
const definitions: Definitions = { kinds: [], consumers };

/** A store that one process after another opens. */
export interface MessageStore {
  open(definitions: Definitions): Promise<Platform & { readonly dispatcher: LocalDispatcher }>;
  /** The arguments for `delivery-child.mjs`: the compiled module, its function to open the store, and the address. */
  readonly killed: readonly [module: string, open: string, address: string];
  /** Makes other processes notice that the killed one is dead. */
  afterKill?(): Promise<unknown>;
}

/** Checks `retried` in a `Backlog`: a message counts once its first delivery has failed or was cut off by a crash. */
export async function checkRetried(store: MessageStore): Promise<void> {
  const waiting = async (platform: { readonly dispatcher: LocalDispatcher }): Promise<unknown> => {
    const [{ messages, inFlight, retried } = {}] = await platform.dispatcher.backlog();
    return { messages, inFlight, retried };
  };
  const first = await store.open(definitions);
  await first.messages.send(destination, { body: "1" });
  expect(await waiting(first)).toEqual({ messages: 1, inFlight: 0, retried: 0 });
  await first.close();
  const [, signal] = (await once(fork(child, [...store.killed, JSON.stringify(definitions)]), "close")) as unknown[];
  expect(signal).toBe("SIGKILL");
  await store.afterKill?.();
  const second = await store.open(definitions);
  expect(await waiting(second)).toEqual({ messages: 1, inFlight: 0, retried: 1 });
  const attempts: number[] = [];
  const failures: ((error: Error) => void)[] = [];
  second.dispatcher.deliver(({ attempt }) => {
    attempts.push(attempt);
    return new Promise((_resolve, reject) => failures.push(reject));
  });
  await expect.poll(() => attempts).toEqual([2]);
  expect(await waiting(second)).toEqual({ messages: 1, inFlight: 1, retried: 1 });
  await second.messages.send(destination, { body: "2" });
  await expect.poll(() => attempts).toEqual([2, 1]);
  expect(await waiting(second)).toEqual({ messages: 2, inFlight: 2, retried: 1 });
  failures[1]?.(new Error("no"));
  await expect.poll(() => waiting(second)).toEqual({ messages: 2, inFlight: 1, retried: 2 });
  await second.close();
}
