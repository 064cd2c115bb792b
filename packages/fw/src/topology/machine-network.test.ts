import { expect, onTestFinished, test, vi } from "vitest";
import { CallSigner } from "../platform/call-signer.ts";
import { newCallKeys } from "../platform/calls.ts";
import type { MachineKey, MachineKeys } from "../platform/machine-keys.ts";
import { frontName, MachineNetwork } from "./machine-network.ts";

const calls = { web: ["orders"], orders: ["audit"], audit: [], [frontName]: ["web"] };

/** Published keys, as machines share them in a database. */
class SharedKeys implements MachineKeys {
  readonly all = new Map<string, MachineKey>();
  reads = 0;
  failure: Error | undefined;

  async publish(key: MachineKey): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.all.set(key.id, key);
  }

  async withdraw(id: string): Promise<void> {
    this.all.delete(id);
  }

  async list(): Promise<readonly MachineKey[]> {
    this.reads += 1;
    return [...this.all.values()];
  }
}

function newNetwork(keys: MachineKeys, ...services: readonly string[]): MachineNetwork {
  const network = new MachineNetwork({
    keys,
    services: new Set(services),
    addressOf: (service) => ({ host: service, port: 80 }),
    warn: () => {},
  });
  onTestFinished(() => network.leave());
  return network;
}

async function machines() {
  const keys = new SharedKeys();
  const [orders, web, front, audit] = [["orders"], ["web"], [], ["audit"]].map((own) => newNetwork(keys, ...own)) as [
    MachineNetwork,
    MachineNetwork,
    MachineNetwork,
    MachineNetwork,
  ];
  for (const each of [orders, web, front, audit]) await each.announce(calls);
  return { keys, orders, web, front, audit };
}

test("a machine admits calls that the caller's code makes, and requests that a front forwards", async () => {
  const { orders, web, front } = await machines();
  expect(await orders.open(web.tokenFor("web", "orders"))).toEqual({ caller: "web", service: "orders" });
  expect(await web.open(front.tokenFor(frontName, "web"))).toEqual({ caller: frontName, service: "web" });
  expect([orders.callersOf("orders"), orders.callersOf("audit"), web.callersOf("web")]).toEqual([
    ["web"],
    ["orders"],
    [],
  ]);
});

test("a token of a service that may not call, for another service, or of an unknown key is refused", async () => {
  const { keys, orders, web, front, audit } = await machines();
  expect(await audit.open(web.tokenFor("web", "audit"))).toBeUndefined();
  expect(await audit.open(orders.tokenFor("orders", "orders"))).toBeUndefined();
  expect(await audit.open(orders.tokenFor("web", "audit"))).toBeUndefined();
  // A machine cannot act as a service that it does not run.
  expect(await orders.open(audit.tokenFor("web", "orders"))).toBeUndefined();
  expect(await orders.open(front.tokenFor("web", "orders"))).toBeUndefined();
  expect(await web.open(orders.tokenFor(frontName, "web"))).toBeUndefined();
  const webKey = [...keys.all.values()].find((key) => "web" in key.calls);
  const stranger = newCallKeys().privateKey;
  for (const identity of ["web", `web@${webKey?.id}`, "fw:platform", "fw:operator", frontName, "@", ""])
    expect(await orders.open(new CallSigner(identity, stranger).tokenFor("orders")), identity).toBeUndefined();
});

test("a token is refused after a minute", async () => {
  const { orders, web } = await machines();
  const token = web.tokenFor("web", "orders");
  vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await orders.open(token)).toBeUndefined();
});

test("a machine that has just started is trusted at once, and one that has left is not any more", async () => {
  const { keys, orders } = await machines();
  const later = newNetwork(keys, "web");
  await later.announce(calls);
  const token = later.tokenFor("web", "orders");
  expect(await orders.open(token)).toEqual({ caller: "web", service: "orders" });
  await later.leave();
  await orders.announce(calls);
  expect(await orders.open(token)).toBeUndefined();
});

test("unknown tokens cause no more than a read of the keys a second", async () => {
  const { keys, orders } = await machines();
  const before = keys.reads;
  const token = new CallSigner("web@x", newCallKeys().privateKey).tokenFor("orders");
  expect(await Promise.all(Array.from({ length: 50 }, () => orders.open(token)))).toEqual(
    Array.from({ length: 50 }, () => undefined),
  );
  expect(keys.reads).toBe(before + 1);
});

test("a machine changes its key daily, and tokens of the old one stay valid until they expire", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { keys, orders, web } = await machines();
  await vi.advanceTimersByTimeAsync(86_400_000);
  const before = web.tokenFor("web", "orders");
  await vi.advanceTimersByTimeAsync(10_000);
  const after = web.tokenFor("web", "orders");
  const issuers = [before, after].map((token) => Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  expect(new Set(issuers.map((text) => (JSON.parse(text) as { iss: string }).iss)).size).toBe(2);
  expect(keys.all.size).toBe(8);
  for (const token of [before, after]) expect(await orders.open(token)).toEqual({ caller: "web", service: "orders" });
});

test("a machine keeps its key, and its trust in others, while the database fails", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { keys, orders, web } = await machines();
  keys.failure = new Error("the database is down");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await orders.open(web.tokenFor("web", "orders"))).toEqual({ caller: "web", service: "orders" });
});

test("calls of the build before stay possible during an upgrade", async () => {
  const { orders, web, audit } = await machines();
  await web.announce({ ...calls, web: ["audit"] });
  expect(await orders.open(web.tokenFor("web", "orders"))).toBeDefined();
  expect(await audit.open(web.tokenFor("web", "audit"))).toEqual({ caller: "web", service: "audit" });
  expect(audit.callersOf("audit")).toEqual(["orders", "web"]);
});
