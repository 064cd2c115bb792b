import { expect, test } from "vitest";
import type { Definitions } from "../contract.ts";
import { lifetimeOf, type Ports } from "../lifetime.ts";
import { item } from "../testing/conformance/fixture.ts";
import { transact } from "../transact.ts";
import { openGcp } from "./open.ts";
import type { Mishap } from "./testing/faulty-proxy.ts";
import { makeBucket, onFake } from "./testing/fake.ts";
import { registerIndexes } from "./testing/lost-answers.ts";

const departure = new Error("the visitor has gone");
const definitions: Definitions = { kinds: [{ kind: "item", properties: [], composites: [] }], buckets: ["photos"] };

/** Opens a platform. `hit` decides the outcome of each call by its method. */
async function openPlatform(hit: (method: string) => Mishap | undefined) {
  const methods: string[] = [];
  let isRegistered = false;
  const on = await onFake(undefined, ({ url }) => {
    if (!isRegistered) return undefined;
    const method = url.pathname.split(":").at(-1) ?? "";
    methods.push(method);
    return hit(method);
  });
  on.fake.grant(`serviceAccount:${on.account}`, "roles/datastore.user");
  await makeBucket(on, "photos");
  const platform = await openGcp(on.place, definitions, on.cloud);
  await registerIndexes(platform);
  isRegistered = true;
  const controller = new AbortController();
  const ports = platform.until?.(lifetimeOf(controller.signal)) as Ports;
  const times = (method: string): number => methods.filter((each) => each === method).length;
  return { platform, ports, controller, times };
}

test("a read in flight ends at once when its caller is gone, and is not retried", async () => {
  const { ports, controller, times } = await openPlatform((method) => (method === "lookup" ? "no answer" : undefined));
  const reading = ports.entities.get(item("x"));
  await expect.poll(() => times("lookup")).toBe(1);
  controller.abort(departure);
  await expect(reading).rejects.toBe(departure);
  expect(times("lookup")).toBe(1);
});

test("a read that is to be asked again is not when nobody waits any more", async () => {
  const { ports, controller, times } = await openPlatform((method) => {
    if (method !== "lookup") return undefined;
    controller.abort(departure);
    return "503";
  });
  await expect(ports.entities.get(item("x"))).rejects.toBe(departure);
  expect(times("lookup")).toBe(1);
});

test("a write that was sent takes effect, even without a caller", async () => {
  const { platform, ports, controller } = await openPlatform((method) => {
    if (method === "commit") controller.abort(departure);
    return undefined;
  });
  await ports.entities.insert(item("x"), { a: 1 });
  expect((await platform.entities.get(item("x")))?.fields).toEqual({ a: 1 });
});

test("a write that failed is not sent again when nobody waits any more, and says what it failed with", async () => {
  const { platform, ports, controller, times } = await openPlatform((method) => {
    if (method !== "commit") return undefined;
    controller.abort(departure);
    return "503";
  });
  await expect(ports.entities.insert(item("x"), { a: 1 })).rejects.toMatchObject({ code: "unreachable" });
  expect(times("commit")).toBe(1);
  expect(await platform.entities.get(item("x"))).toBeUndefined();
});

test("a commit whose answer is lost when nobody waits any more is looked for, and was made", async () => {
  const { platform, controller, times } = await openPlatform((method) => {
    if (method !== "commit") return undefined;
    controller.abort(departure);
    return "reset after";
  });
  const until = lifetimeOf(controller.signal);
  await transact(platform, async (transaction) => transaction.insert(item("x"), { a: 1 }), { until });
  expect(times("commit")).toBe(1);
  expect((await platform.entities.get(item("x")))?.fields).toEqual({ a: 1 });
});

test("a transaction whose visitor has gone while it reads is rolled back", async () => {
  const { platform, controller, times } = await openPlatform((method) =>
    method === "lookup" ? "no answer" : undefined,
  );
  const work = transact(
    platform,
    async (transaction) => {
      transaction.insert(item("y"), {});
      await transaction.get(item("x"));
    },
    { until: lifetimeOf(controller.signal) },
  );
  await expect.poll(() => times("lookup")).toBe(1);
  controller.abort(departure);
  await expect(work).rejects.toBe(departure);
  expect(times("commit")).toBe(0);
});

test("what was signed for one visitor is handed out to the next", async () => {
  const { platform, times } = await openPlatform(() => undefined);
  const grant = {
    method: "GET",
    bucket: "photos",
    key: "a",
    expires: new Date(platform.clock.now() + 600_000),
  } as const;
  const sign = async (): Promise<unknown> => {
    const { signal } = new AbortController();
    return platform.until?.(lifetimeOf(signal)).objects.sign(grant);
  };
  expect(await sign()).toEqual(await sign());
  expect(times("signBlob")).toBe(1);
});

test("an upload that is coming in ends when the platform is closed, whoever waits for it", async () => {
  const { platform, ports } = await openPlatform(() => undefined);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const upload = ports.objects.put("photos", "a", readable, { contentType: "text/plain" });
  const ended = expect(upload).rejects.toMatchObject({ code: "closed" });
  await writer.write(new Uint8Array([1]));
  await platform.close();
  await ended;
});

test("nothing is asked of a platform that is closed, for whomever it was opened", async () => {
  const { platform, ports } = await openPlatform(() => undefined);
  await platform.close();
  const methods = [ports.leases.acquire("x", 1_000), ports.accounts.get("x"), ports.objects.find("photos", "a")];
  for (const each of methods) await expect(each).rejects.toMatchObject({ code: "closed" });
});
