import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Destination, Delivery, Consumer } from "../../messages.ts";
import type { SteppedClock } from "../../stepped-clock.ts";
import type { LocalPlatform } from "../open.ts";
import { emails, openMessages, placed, policy, worker } from "../../testing/local-messages.ts";
import { tries } from "../../../lib/testing/tries.ts";
import { redefine } from "../../testing/redefine.ts";

type Ending = "succeeds" | "fails" | "never ends";
type Step = { readonly send: Destination; readonly delay: number } | { readonly advance: number } | "stop" | "redefine";

const consumers: readonly Consumer[] = [
  worker({ maxAttempts: 5, rateLimit: 20 }),
  { id: "shop-bill", destination: placed, delivery: { ...policy, maxAttempts: 5 } },
  { id: "shop-ship", destination: placed, delivery: { ...policy, maxAttempts: 7, concurrency: 1 } },
];

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ send: fc.constantFrom(emails, placed), delay: fc.nat(20_000) }) },
  { weight: 2, arbitrary: fc.record({ advance: fc.nat(120_000) }) },
  fc.constantFrom("stop", "redefine"),
);

/** The outcomes of deliveries in order, starting over after the last one. */
const endings: fc.Arbitrary<Ending[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant("fails") },
    fc.constantFrom("succeeds", "never ends"),
  ) as fc.Arbitrary<Ending>,
  { minLength: 1, maxLength: 30 },
);

test("whatever fails, stops or hangs, every message of a consumer is handled or dead, never both and never lost", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), endings, check), {
    numRuns: tries(40),
  });
});

/** Advances the clock until no message is left; hanging deliveries time out. */
async function drain({ dispatcher }: LocalPlatform, clock: SteppedClock): Promise<void> {
  const drained = { yet: false };
  const idle = dispatcher.idle({ all: true }).then(() => (drained.yet = true));
  while (!drained.yet) await clock.advance(policy.deadline);
  await idle;
}

async function check(steps: readonly Step[], ends: readonly Ending[]): Promise<void> {
  const { platform, clock } = await openMessages(consumers);
  const handled: string[] = [];
  const attempts: Delivery[] = [];
  const handle = async (delivery: Delivery): Promise<void> => {
    const ending = ends[attempts.length % ends.length];
    attempts.push(delivery);
    if (ending === "fails") throw new Error("no");
    if (ending === "never ends") await new Promise(() => {});
    handled.push(`${delivery.consumer} ${delivery.id}`);
  };
  let delivering = platform.dispatcher.deliver(handle);
  const expected: string[] = [];
  for (const each of steps) {
    if (each === "redefine") await redefine(platform, { kinds: [], consumers: consumers.toReversed() });
    else if (each === "stop") {
      const stopping = delivering.stop();
      await clock.advance(10_000);
      await stopping;
      delivering = platform.dispatcher.deliver(handle);
    } else if ("advance" in each) await clock.advance(each.advance);
    else {
      const id = await platform.messages.send(each.send, { body: "1", delay: each.delay });
      const names = consumers
        .filter(({ destination }) => destination === each.send)
        .map((consumer) => `${consumer.id} ${id}`);
      expected.push(...names);
    }
  }
  await drain(platform, clock);
  const dead = await platform.dispatcher.dead({ limit: 1000 });
  const died = dead.map(({ consumer, id }) => `${consumer} ${id}`);
  expect([...handled, ...died].toSorted()).toEqual(expected.toSorted());
  for (const { consumer, attempts: made } of dead)
    expect(made).toBe(consumers.find(({ id }) => id === consumer)?.delivery.maxAttempts);
  for (const { consumer, attempt } of attempts)
    expect(attempt).toBeLessThanOrEqual(consumers.find(({ id }) => id === consumer)?.delivery.maxAttempts ?? 0);
  await platform.close();
}
