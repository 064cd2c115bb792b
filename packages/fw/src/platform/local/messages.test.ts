import { expect, test } from "vitest";
import type { Consumer } from "../messages.ts";
import { emails, openMessages, placed, policy, sendMany, worker } from "../testing/local-messages.ts";
import { redefine } from "../testing/redefine.ts";

test("a queue keeps its messages without a worker, and for a worker under another name", async () => {
  const { platform } = await openMessages([]);
  const bodies: string[] = [];
  platform.dispatcher.deliver(async ({ consumer, body }) => void bodies.push(`${consumer} ${body}`));
  await sendMany(platform, 1);
  await redefine(platform, { kinds: [], consumers: [worker()] });
  await platform.dispatcher.idle();
  expect(bodies).toEqual(["mail-send 0"]);
  await redefine(platform, { kinds: [] });
  await sendMany(platform, 1);
  await platform.dispatcher.idle({ all: true });
  await redefine(platform, { kinds: [], consumers: [{ ...worker(), id: "mail-post" }] });
  await platform.dispatcher.idle();
  expect(bodies).toEqual(["mail-send 0", "mail-post 0"]);
});

test("a subscriber that goes and comes back has its messages; one that is new has none from before", async () => {
  const bill: Consumer = { id: "shop-bill", destination: placed, delivery: policy };
  const { platform } = await openMessages([bill]);
  const handledBodies: string[] = [];
  await platform.messages.send(placed, { body: `"1"` });
  await redefine(platform, { kinds: [], consumers: [{ ...bill, id: "shop-ship" }] });
  platform.dispatcher.deliver(async ({ consumer, body }) => void handledBodies.push(`${consumer} ${body}`));
  await platform.messages.send(placed, { body: `"2"` });
  await platform.dispatcher.idle();
  expect(handledBodies).toEqual([`shop-ship "2"`]);
  await redefine(platform, { kinds: [], consumers: [bill] });
  await platform.dispatcher.idle();
  expect(handledBodies).toEqual([`shop-ship "2"`, `shop-bill "1"`]);
});

test("two workers of one queue are refused", async () => {
  const { platform } = await openMessages([worker()]);
  const both = { kinds: [], consumers: [worker(), { ...worker(), id: "mail-post" }] };
  await expect(redefine(platform, both)).rejects.toThrow("the queue emails has two consumers, mail-send and mail-post");
});

test("a consumer's newest 10,000 dead messages stay", async () => {
  const consumers = [worker({ concurrency: 1000 }), { id: "shop-bill", destination: placed, delivery: policy }];
  const { platform } = await openMessages(consumers);
  platform.dispatcher.deliver(() => Promise.reject(new Error("no")));
  await platform.messages.send(placed, { body: `"other"` });
  await redefine(platform, {
    kinds: [],
    consumers: consumers.map((each) => ({ ...each, delivery: { ...each.delivery, maxAttempts: 1 } })),
  });
  await sendMany(platform, 10_050);
  await platform.dispatcher.idle({ all: true });
  const dead = await platform.dispatcher.dead({ consumer: "mail-send", limit: 20_000 });
  expect(dead).toHaveLength(10_000);
  expect(dead.map(({ body }) => Number(body)).toSorted((a, b) => a - b)[0]).toBeGreaterThan(0);
  expect(await platform.dispatcher.dead({ consumer: "shop-bill" })).toHaveLength(1);
  expect(await platform.dispatcher.dead()).toHaveLength(100);
  expect(await platform.dispatcher.deadCount()).toBe(10_001);
});

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

test("what a message carries beside its body comes with each delivery of it and of its dead letter, and with no other's", async () => {
  const dead: Consumer = {
    id: "mail-dead",
    destination: { kind: "event", name: "dead.queue:emails" },
    delivery: policy,
  };
  const { platform, clock } = await openMessages([{ ...worker(), delivery: { ...policy, maxAttempts: 5 } }, dead]);
  const handledBodies: string[] = [];
  platform.dispatcher.deliver(async ({ consumer, attempt, traceparent: carried }) => {
    handledBodies.push(`${consumer} ${attempt} ${carried}`);
    if (consumer === "mail-send" && carried !== undefined) throw new Error("no");
  });
  await platform.messages.send(emails, { body: `"traced"`, traceparent });
  await platform.dispatcher.idle();
  for (let attempt = 1; attempt < 5; attempt++) {
    await clock.advance(policy.maxBackoff * 2);
    await platform.dispatcher.idle();
  }
  // This message gets the row number of the deleted one.
  await platform.messages.send(emails, { body: `"plain"` });
  await platform.dispatcher.idle();
  const attempts = [1, 2, 3, 4, 5].map((attempt) => `mail-send ${attempt} ${traceparent}`);
  expect(handledBodies).toEqual([...attempts, `mail-dead 1 ${traceparent}`, "mail-send 1 undefined"]);
});
