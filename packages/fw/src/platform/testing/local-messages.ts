import { onTestFinished } from "vitest";
import { openLocal } from "../local/open.ts";
import type { LocalPlatform } from "../local/open.ts";
import type { Destination, Delivery, DeliveryPolicy, Consumer } from "../messages.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { scratch } from "../../lib/testing/scratch.ts";

export const emails: Destination = { kind: "queue", name: "emails" };
export const placed: Destination = { kind: "topic", name: "order-placed" };

export const policy: DeliveryPolicy = {
  maxAttempts: 10,
  minBackoff: 10_000,
  maxBackoff: 600_000,
  deadline: 60_000,
  concurrency: 4,
};

/** Returns the worker of the queue `emails`. */
export function worker(delivery: Partial<DeliveryPolicy> = {}): Consumer {
  return { id: "mail-send", destination: emails, delivery: { ...policy, ...delivery } };
}

/** Opens a platform with these consumers and a stopped clock, for the current test. */
export async function openMessages(
  consumers: readonly Consumer[],
): Promise<{ platform: LocalPlatform; clock: SteppedClock; directory: string }> {
  const clock = new SteppedClock();
  const directory = await scratch();
  const platform = await openLocal(directory, { kinds: [], consumers }, { clock, temporary: true });
  onTestFinished(() => platform.close());
  return { platform, clock, directory };
}

/** Sends messages with the bodies 0, 1, 2 … */
export async function sendMany({ messages }: LocalPlatform, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, i) => messages.send(emails, { body: `${i}` })));
}

/** Delivers to a handler that runs until `done` of its delivery or `release` is called. */
export function held({ dispatcher }: LocalPlatform): {
  readonly deliveries: (Delivery & { done: () => void })[];
  readonly delivering: { stop(): Promise<void> };
  readonly total: number;
  release(): void;
} {
  const deliveries: (Delivery & { done: () => void })[] = [];
  let total = 0;
  let released = false;
  const delivering = dispatcher.deliver((delivery) => {
    total++;
    if (released) return Promise.resolve();
    return new Promise((done) => deliveries.push({ ...delivery, done }));
  });
  return {
    deliveries,
    delivering,
    get total() {
      return total;
    },
    release() {
      released = true;
      for (const { done } of deliveries.splice(0)) done();
    },
  };
}

/** Rejects when the delivery's signal aborts. */
export function aborted({ signal }: Delivery): Promise<void> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
}
