import { expect, test } from "vitest";
import type { Platform } from "../../contract.ts";
import type { Destination, Delivery, DeliveryPolicy, Dispatcher, Consumer } from "../../messages.ts";
import { MisfitMessage } from "../../misfit.ts";
import { SteppedClock } from "../../stepped-clock.ts";
import { failure, fixture, item } from "./fixture.ts";
import type { OpenPlatform } from "./fixture.ts";

const emails: Destination = { kind: "queue", name: "emails" };
const placed: Destination = { kind: "topic", name: "order-placed" };
const deadEmails: Destination = { kind: "event", name: "dead.queue:emails" };

/** A policy of up to five attempts, at least one second apart. */
const policy: DeliveryPolicy = {
  maxAttempts: 5,
  minBackoff: 1_000,
  maxBackoff: 60_000,
  deadline: 10_000,
  concurrency: 16,
};

const consumers: readonly Consumer[] = [
  { id: "mail-send", destination: emails, delivery: policy },
  { id: "shop-bill", destination: placed, delivery: policy },
  { id: "shop-ship", destination: placed, delivery: policy },
  { id: "mail-dead", destination: deadEmails, delivery: policy },
];

export function messageTests(open: OpenPlatform): void {
  test("a message reaches the worker of its queue", async () => {
    const { platform, deliveries, dispatcher, clock } = await start(open);
    const sentAt = new Date(clock.now());
    const id = await platform.messages.send(emails, { body: `{"to":"bob","ü":["\\u0000",9007199254740993]}` });
    await dispatcher.idle();
    expect(deliveries.map(({ signal, ...rest }) => ({ ...rest, aborted: signal.aborted }))).toEqual([
      {
        id,
        consumer: "mail-send",
        destination: emails,
        attempt: 1,
        body: `{"to":"bob","ü":["\\u0000",9007199254740993]}`,
        sent: sentAt,
        aborted: false,
      },
    ]);
  });

  test("every consumer of a topic gets its own copy, and one that fails does not hold up the others", async () => {
    const { platform, deliveries, dispatcher, clock } = await start(open, (delivery) => {
      if (delivery.consumer === "shop-bill" && delivery.attempt < 3) throw new Error("not yet");
    });
    const id = await platform.messages.send(placed, { body: `"1"` });
    await dispatcher.idle();
    expect(summary(deliveries)).toEqual([`shop-bill ${id} 1`, `shop-ship ${id} 1`]);
    await clock.advance(policy.maxBackoff);
    await dispatcher.idle();
    expect(summary(deliveries)).toEqual([
      `shop-bill ${id} 1`,
      `shop-bill ${id} 2`,
      `shop-bill ${id} 3`,
      `shop-ship ${id} 1`,
    ]);
  });

  test("a topic or an event without consumers keeps nothing", async () => {
    const { platform, deliveries, dispatcher } = await start(open);
    await platform.messages.send({ kind: "topic", name: "other" }, { body: "1" });
    await platform.messages.send({ kind: "event", name: "auth.registered" }, { body: "1" });
    await dispatcher.idle({ all: true });
    expect(deliveries).toEqual([]);
  });

  test("after its last attempt a message is dead, with its error, and its subscribers get an event", async () => {
    const { platform, deliveries, dispatcher, clock } = await start(open, ({ consumer, attempt }) => {
      if (consumer === "mail-send") throw new Error(`no ${attempt} ${"x".repeat(2000)}`);
    });
    const sentAt = new Date(clock.now());
    const id = await platform.messages.send(emails, { body: `{"n":9007199254740993}` });
    await dispatcher.idle({ all: true });
    const reason = `no 5 ${"x".repeat(995)}`;
    expect(summary(deliveries.slice(0, -1))).toEqual([1, 2, 3, 4, 5].map((attempt) => `mail-send ${id} ${attempt}`));
    const lastDelivery = deliveries.at(-1);
    expect(lastDelivery?.consumer).toBe("mail-dead");
    expect(lastDelivery?.body).toBe(
      `{"id":"${id}","message":{"n":9007199254740993},"attempts":5,"reason":"${reason}"}`,
    );
    const [dead, ...others] = await dispatcher.dead({ consumer: "mail-send" });
    const body = `{"n":9007199254740993}`;
    expect(dead).toMatchObject({
      id,
      consumer: "mail-send",
      destination: emails,
      attempts: 5,
      body,
      sent: sentAt,
      reason,
    });
    expect(others).toEqual([]);
  });

  test("a dead letter that cannot be handled is dropped without an event", async () => {
    const { platform, deliveries, dispatcher } = await start(open, () => {
      throw new Error("no");
    });
    await platform.messages.send(emails, { body: "1" });
    await dispatcher.idle({ all: true });
    expect(deliveries.map(({ consumer }) => consumer)).toEqual([
      ...Array.from({ length: 5 }, () => "mail-send"),
      ...Array.from({ length: 5 }, () => "mail-dead"),
    ]);
    expect((await dispatcher.dead()).map(({ consumer }) => consumer)).toEqual(["mail-send", "mail-dead"]);
  });

  test("a dead message that is replayed is delivered as a new one under its old id", async () => {
    let broken = true;
    const { platform, deliveries, dispatcher } = await start(open, ({ consumer }) => {
      if (broken && consumer === "shop-bill") throw new Error("no");
    });
    const id = await platform.messages.send(placed, { body: `"1"` });
    await dispatcher.idle({ all: true });
    expect(await dispatcher.replay("shop-ship", id)).toBe(false);
    expect(await dispatcher.replay("shop-bill", "other")).toBe(false);
    broken = false;
    deliveries.length = 0;
    expect(await dispatcher.replay("shop-bill", id)).toBe(true);
    expect(await dispatcher.replay("shop-bill", id)).toBe(false);
    await dispatcher.idle();
    expect(summary(deliveries)).toEqual([`shop-bill ${id} 1`]);
    expect(deliveries[0]?.body).toBe(`"1"`);
    expect(await dispatcher.dead()).toEqual([]);
  });

  test("a dead message that is dropped is gone, for its consumer alone", async () => {
    const { platform, dispatcher } = await start(open, () => {
      throw new Error("no");
    });
    const id = await platform.messages.send(placed, { body: `"1"` });
    await dispatcher.idle({ all: true });
    expect(await dispatcher.drop("shop-bill", "other")).toBe(false);
    expect(await dispatcher.drop("shop-bill", id)).toBe(true);
    expect(await dispatcher.drop("shop-bill", id)).toBe(false);
    expect((await dispatcher.dead()).map(({ consumer }) => consumer)).toEqual(["shop-ship"]);
  });

  test("dead messages are listed by consumer and page, in the order in which they died", async () => {
    const { platform, dispatcher } = await start(open, () => {
      throw new Error("no");
    });
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) {
      ids.push(await platform.messages.send(i === 3 ? placed : emails, { body: `${i}` }));
      await dispatcher.idle({ all: true });
    }
    const mail = await dispatcher.dead({ consumer: "mail-send" });
    expect(mail.map(({ id }) => id)).toEqual(ids.filter((_, i) => i !== 3));
    const page = await dispatcher.dead({ consumer: "mail-send", after: mail[1]?.position ?? 0, limit: 2 });
    expect(page).toEqual(mail.slice(2, 4));
    expect(await dispatcher.dead()).toHaveLength(6 + 6 + 2);
  });

  test("a message has at most 256 KiB of UTF-8", async () => {
    const { platform, deliveries, dispatcher } = await start(open);
    const { messages } = platform;
    const body = JSON.stringify("é".repeat(128 * 1024 - 1));
    await messages.send(emails, { body });
    expect(await failure(() => messages.send(emails, { body: `${body} ` }))).toBe("too-large");
    await dispatcher.idle();
    expect(deliveries.map((delivery) => delivery.body)).toEqual([body]);
  });

  test("a delayed message is not delivered before its time", async () => {
    const { platform, deliveries, dispatcher, clock } = await start(open);
    await platform.messages.send(emails, { body: `"later"`, delay: 60_000 });
    await platform.messages.send(emails, { body: `"now"` });
    await clock.advance(59_999);
    await dispatcher.idle();
    expect(bodies(deliveries)).toEqual([`"now"`]);
    await clock.advance(1);
    await dispatcher.idle();
    expect(bodies(deliveries)).toEqual([`"now"`, `"later"`]);
    for (const delay of [-1, Number.NaN, 30 * 86_400_000 + 1])
      expect(await failure(() => platform.messages.send(emails, { body: "1", delay }))).toBe("message");
  });
}

/** Tests the contract for messages that do not fit the type in their consumer's code. */
export function misfitTests(open: OpenPlatform): void {
  test("a message that does not fit its type waits, uses no attempt, and is tried again by other code", async () => {
    const clock = new SteppedClock();
    const { dispatcher, messages } = await fixture(open, clock, { kinds: [], consumers });
    if (dispatcher === undefined) throw new Error("this platform has no dispatcher");
    const attempts: string[] = [];
    const deliver =
      (takes: (body: string) => boolean) =>
      async ({ body, attempt }: Delivery): Promise<void> => {
        attempts.push(`${body} ${attempt}`);
        if (!takes(body)) throw new MisfitMessage("it does not fit");
      };
    const delivering = dispatcher.deliver(deliver((body) => body !== "1"));
    for (const body of ["0", "1", "2"]) await messages.send(emails, { body });
    await dispatcher.idle({ all: true });
    await clock.advance(policy.maxBackoff);
    await dispatcher.idle({ all: true });
    expect(attempts.toSorted()).toEqual(["0 1", "1 1", "2 1"]);
    expect(await dispatcher.dead()).toEqual([]);
    await delivering.stop();
    dispatcher.deliver(deliver(() => true));
    await dispatcher.idle();
    expect(attempts.slice(3)).toEqual(["1 1"]);
  });
}

/** Tests the contract for messages that a transaction sends. */
export function transactionMessageTests(open: OpenPlatform): void {
  test("a message of a transaction is sent when it commits, and never otherwise", async () => {
    const { platform, deliveries, dispatcher } = await start(open);
    const { entities } = platform;
    const rolled = await entities.begin();
    rolled.send(emails, { body: `"rolled back"` });
    await rolled.rollback();
    const abandoned = await entities.begin();
    await abandoned.get(item("x"));
    abandoned.send(emails, { body: `"lost"` });
    await entities.upsert(item("x"), { a: 1 });
    expect(await failure(() => abandoned.commit())).toBe("conflict");
    const committed = await entities.begin();
    committed.upsert(item("y"), {});
    const ids = [committed.send(emails, { body: `"kept"` }), committed.send(placed, { body: `"kept"` })];
    await dispatcher.idle({ all: true });
    expect(deliveries).toEqual([]);
    await committed.commit();
    await dispatcher.idle();
    expect(summary(deliveries)).toEqual([`mail-send ${ids[0]} 1`, `shop-bill ${ids[1]} 1`, `shop-ship ${ids[1]} 1`]);
    expect(await failure(() => committed.send(emails, { body: "1" }))).toBe("closed");
  });

  test("documents and messages of a transaction are at most 499", async () => {
    const { platform } = await start(open);
    const transaction = await platform.entities.begin();
    for (let i = 0; i < 250; i++) transaction.upsert(item(`i${i}`), {});
    for (let i = 0; i < 249; i++) transaction.send(emails, { body: "1" });
    expect(await failure(() => transaction.send(emails, { body: "1" }))).toBe("full");
  });

  test("a message of a transaction has at most 256 KiB of UTF-8, too", async () => {
    const { platform } = await start(open);
    const transaction = await platform.entities.begin();
    const body = JSON.stringify("x".repeat(256 * 1024 - 1));
    expect(await failure(() => transaction.send(emails, { body }))).toBe("too-large");
  });
}

/** Opens a platform that delivers to a handler, and records its deliveries. */
async function start(
  open: OpenPlatform,
  handle: (delivery: Delivery) => void = () => {},
): Promise<{ platform: Platform; dispatcher: Dispatcher; deliveries: Delivery[]; clock: SteppedClock }> {
  const clock = new SteppedClock();
  const kinds = [{ kind: "item", properties: [], composites: [] }];
  const platform = await fixture(open, clock, { kinds, consumers });
  const { dispatcher } = platform;
  if (dispatcher === undefined)
    throw new Error("to be tested, a platform needs a dispatcher that makes its deliveries");
  const deliveries: Delivery[] = [];
  dispatcher.deliver(async (delivery) => {
    deliveries.push(delivery);
    handle(delivery);
  });
  return { platform, dispatcher, deliveries, clock };
}

/** Returns each delivery's consumer, id and attempt, sorted. */
function summary(deliveries: readonly Delivery[]): string[] {
  return deliveries.map(({ consumer, id, attempt }) => `${consumer} ${id} ${attempt}`).toSorted();
}

function bodies(deliveries: readonly Delivery[]): string[] {
  return deliveries.map(({ body }) => body);
}
