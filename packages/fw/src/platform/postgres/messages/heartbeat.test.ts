import { expect, onTestFinished, test } from "vitest";
import { DeliveryLost } from "../../deadline.ts";
import { InFlightDelivery } from "../../in-flight-delivery.ts";
import type { Consumer } from "../../messages.ts";
import { SteppedClock } from "../../stepped-clock.ts";
import type { ClaimedDelivery, ClaimedMessage, DeliveryLane } from "./delivery.ts";
import { Heartbeat } from "./heartbeat.ts";

const policy = { maxAttempts: 3, minBackoff: 1_000, maxBackoff: 60_000, deadline: 60_000, concurrency: 4 };
const consumer: Consumer = { id: "mail-send", destination: { kind: "queue", name: "emails" }, delivery: policy };
const lane: DeliveryLane = { inbox: { destination: "queue:emails", consumer: "" }, consumer };
const message: ClaimedMessage = {
  n: 1,
  held: "1",
  id: "m",
  sent: 0,
  attempts: 1,
  reason: undefined,
  body: "1",
  traceparent: undefined,
};

/** A delivery whose handler waits until its signal aborts. */
interface Waiting {
  readonly delivery: ClaimedDelivery;
  /** Returns the abort reason of the handler's signal. */
  readonly reason: () => unknown;
}

function waitingDelivery(): Waiting {
  let reason: unknown;
  const delivery: ClaimedDelivery = new InFlightDelivery({ lane, message, attempt: 1, elapsed: 0 }, () => {});
  void delivery.run(({ signal }) => {
    signal.addEventListener("abort", () => (reason = signal.reason));
    return new Promise(() => {});
  });
  return { delivery, reason: () => reason };
}

/** Creates a heartbeat whose renewals get the given response, and records when each was sent. */
function beating(renew: () => Promise<readonly ClaimedDelivery[]>) {
  const clock = new SteppedClock(0);
  const renewals: number[] = [];
  const store = {
    renew: (): Promise<readonly ClaimedDelivery[]> => {
      renewals.push(clock.elapsed());
      return renew();
    },
  };
  const heartbeat = new Heartbeat(store, clock);
  onTestFinished(() => heartbeat.close());
  return { clock, heartbeat, renewals };
}

test("a lease is renewed each third of its time until its delivery has ended", async () => {
  const { clock, heartbeat, renewals } = beating(async () => []);
  const { delivery, reason } = waitingDelivery();
  expect(heartbeat.add(delivery, 0)).toBe(true);
  await clock.advance(30_000);
  expect(renewals.slice(0, 3)).toEqual([3_334, 6_668, 10_002]);
  expect(reason()).toBeUndefined();
  heartbeat.delete(delivery);
  const before = renewals.length;
  await clock.advance(30_000);
  expect(renewals).toHaveLength(before);
});

test("a claim whose response was late is renewed at once, and is no claim after its lease", async () => {
  const { clock, heartbeat, renewals } = beating(async () => []);
  await clock.advance(9_000);
  expect(heartbeat.add(waitingDelivery().delivery, 0)).toBe(true);
  await clock.advance(0);
  expect(renewals).toEqual([9_000]);
  expect(heartbeat.add(waitingDelivery().delivery, -1_000)).toBe(false);
});

test("a delivery whose renewal gets no response is stopped when its lease ends", async () => {
  const { clock, heartbeat, renewals } = beating(() => new Promise(() => {}));
  const { delivery, reason } = waitingDelivery();
  heartbeat.add(delivery, 0);
  await clock.advance(9_999);
  expect(reason()).toBeUndefined();
  await clock.advance(1);
  expect(reason()).toEqual(new DeliveryLost());
  expect(delivery.outcome).toBe("lost");
  expect(renewals).toHaveLength(1);
});

test("a failed renewal is repeated each second", async () => {
  const { clock, heartbeat, renewals } = beating(() =>
    renewals.length < 3 ? Promise.reject(new Error("no connection")) : Promise.resolve([]),
  );
  const { delivery, reason } = waitingDelivery();
  heartbeat.add(delivery, 0);
  await clock.advance(12_000);
  expect(renewals.slice(0, 3)).toEqual([3_334, 4_334, 5_334]);
  expect(reason()).toBeUndefined();
});

test("a delivery whose message another machine has claimed is stopped", async () => {
  const [lostOne, heldOne] = [waitingDelivery(), waitingDelivery()];
  const { clock, heartbeat } = beating(async () => [lostOne.delivery]);
  heartbeat.add(lostOne.delivery, 0);
  heartbeat.add(heldOne.delivery, 0);
  await clock.advance(4_000);
  expect(lostOne.reason()).toEqual(new DeliveryLost());
  expect(heldOne.reason()).toBeUndefined();
});
