import { expect, test } from "vitest";
import type { Definitions } from "../contract.ts";
import { lifetimeOf, type Ports } from "../lifetime.ts";
import { item } from "../testing/conformance/fixture.ts";
import { transact } from "../transact.ts";
import { openGcp } from "./open.ts";
import type { Mishap } from "./testing/faulty-proxy.ts";
import { onFake } from "./testing/fake.ts";

const gone = new Error("the visitor has gone");
const definitions: Definitions = { kinds: [{ kind: "item", properties: [], composites: [] }], buckets: ["photos"] };

/** A platform; `hit` says what becomes of each call, by its method. */
async function opened(hit: (method: string) => Mishap | undefined) {
  const asked: string[] = [];
  const on = await onFake(undefined, ({ url }) => {
    const method = url.pathname.split(":").at(-1) ?? "";
    asked.push(method);
    return hit(method);
  });
  on.fake.grant(`serviceAccount:${on.account}`, "roles/datastore.user");
  const platform = await openGcp(on.place, definitions, on.cloud);
  const controller = new AbortController();
  const ports = platform.until?.(lifetimeOf(controller.signal)) as Ports;
  const times = (method: string): number => asked.filter((each) => each === method).length;
  return { platform, ports, controller, times };
}

test("a read under way ends at once when nobody waits any more, and is not asked again", async () => {
  const { ports, controller, times } = await opened((method) => (method === "lookup" ? "no answer" : undefined));
  const reading = ports.entities.get(item("x"));
  await expect.poll(() => times("lookup")).toBe(1);
  controller.abort(gone);
  await expect(reading).rejects.toBe(gone);
  expect(times("lookup")).toBe(1);
});

test("a read that is to be asked again is not when nobody waits any more", async () => {
  const { ports, controller, times } = await opened((method) => {
    if (method !== "lookup") return undefined;
    controller.abort(gone);
    return "503";
  });
  await expect(ports.entities.get(item("x"))).rejects.toBe(gone);
  expect(times("lookup")).toBe(1);
});

test("a write that was sent is made, whoever waits for it", async () => {
  const { platform, ports, controller } = await opened((method) => {
    if (method === "commit") controller.abort(gone);
    return undefined;
  });
  await ports.entities.insert(item("x"), { a: 1 });
  expect((await platform.entities.get(item("x")))?.fields).toEqual({ a: 1 });
});

test("a write that failed is not sent again when nobody waits any more, and says what it failed with", async () => {
  const { platform, ports, controller, times } = await opened((method) => {
    if (method !== "commit") return undefined;
    controller.abort(gone);
    return "503";
  });
  await expect(ports.entities.insert(item("x"), { a: 1 })).rejects.toMatchObject({ code: "unreachable" });
  expect(times("commit")).toBe(1);
  expect(await platform.entities.get(item("x"))).toBeUndefined();
});

test("a commit whose answer is lost when nobody waits any more is looked for, and was made", async () => {
  const { platform, controller, times } = await opened((method) => {
    if (method !== "commit") return undefined;
    controller.abort(gone);
    return "reset after";
  });
  const until = lifetimeOf(controller.signal);
  await transact(platform, async (transaction) => transaction.insert(item("x"), { a: 1 }), { until });
  expect(times("commit")).toBe(1);
  expect((await platform.entities.get(item("x")))?.fields).toEqual({ a: 1 });
});

test("a transaction whose visitor has gone while it reads is rolled back", async () => {
  const { platform, controller, times } = await opened((method) => (method === "lookup" ? "no answer" : undefined));
  const work = transact(
    platform,
    async (transaction) => {
      transaction.insert(item("y"), {});
      await transaction.get(item("x"));
    },
    { until: lifetimeOf(controller.signal) },
  );
  await expect.poll(() => times("lookup")).toBe(1);
  controller.abort(gone);
  await expect(work).rejects.toBe(gone);
  expect(times("commit")).toBe(0);
});
