import { expect, test } from "vitest";
import type { Clock, Definitions } from "../../contract.ts";
import { lifetimeOf, portsFor } from "../../lifetime.ts";
import type { Call } from "../../operation.ts";
import { transact } from "../../transact.ts";
import { examples } from "../examples.ts";
import { fixture, item, type OpenPlatform } from "./fixture.ts";

const departure = new Error("the visitor has gone");
const definitions: Definitions = {
  kinds: [{ kind: "item", properties: [{ name: "a" }], composites: [] }],
  buckets: ["photos"],
};

/** Tests the contract of every platform for a transaction whose lifetime ends. */
export function lifetimeTests(open: OpenPlatform): void {
  test("a transaction that nobody waits for any more is rolled back, and fails with the reason", async () => {
    const platform = await fixture(open);
    const controller = new AbortController();
    const work = transact(
      platform,
      async (transaction) => {
        await transaction.get(item("x"));
        transaction.insert(item("x"), {});
        controller.abort(departure);
      },
      { until: lifetimeOf(controller.signal) },
    );
    await expect(work).rejects.toBe(departure);
    expect(await platform.entities.get(item("x"))).toBeUndefined();
  });

  test("a transaction that lost a conflict is not tried again when nobody waits any more", async () => {
    const { entities, clock } = await fixture(open);
    const controller = new AbortController();
    const sleep: Clock["sleep"] = (milliseconds, signal) => {
      controller.abort(departure);
      return clock.sleep(milliseconds, signal);
    };
    await entities.insert(item("x"), {});
    let tries = 0;
    const work = transact(
      { entities, clock: { ...clock, sleep } },
      async (transaction) => {
        await transaction.get(item("x"));
        await entities.upsert(item("x"), { tries: ++tries });
        transaction.update(item("x"), {});
      },
      { until: lifetimeOf(controller.signal) },
    );
    await expect(work).rejects.toBe(departure);
    expect((await entities.get(item("x")))?.fields).toEqual({ tries: 1 });
  });

  test("what is begun when nobody waits any more is carried out: it is what was left to do", async () => {
    const platform = await fixture(open);
    const lifetime = lifetimeOf(AbortSignal.abort(departure));
    await portsFor(platform, lifetime).entities.insert(item("x"), { a: 1 });
    await transact(platform, async (transaction) => transaction.upsert(item("y"), { a: 2 }), { until: lifetime });
    expect((await portsFor(platform, lifetime).entities.getMany([item("x"), item("y")])).length).toBe(2);
  });
}

/** Tests the contract of platforms that wait for remote responses. */
export function waitingTests(open: OpenPlatform): void {
  test("no operation is begun any more in a lifetime that is over", async () => {
    const platform = await fixture(open, undefined, definitions);
    const controller = new AbortController();
    const ports = platform.until?.(lifetimeOf(controller.signal)) as unknown as Record<string, Record<string, Call>>;
    controller.abort(departure);
    for (const [port, given] of Object.entries(examples))
      for (const [name, givenOf] of Object.entries<() => unknown[]>(given))
        await expect(ports[port]?.[name]?.(...givenOf()), `${port}.${name}`).rejects.toBe(departure);
    await expect(ports["entities"]?.["begin"]?.()).rejects.toBe(departure);
  });

  test("a body that comes in when nobody waits any more is let go, and nothing is written", async () => {
    const controller = new AbortController();
    const platform = await fixture(open, undefined, definitions);
    const ports = portsFor(platform, lifetimeOf(controller.signal));
    let released: unknown;
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(new Uint8Array(10)),
      pull: () => controller.abort(departure),
      cancel: (reason) => void (released = reason),
    });
    await expect(ports.objects.put("photos", "x", body, { contentType: "a/b" })).rejects.toBe(departure);
    await expect.poll(() => released).toBe(departure);
    expect(await platform.objects.find("photos", "x")).toBeUndefined();
  });
}
