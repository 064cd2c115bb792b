import { expect, onTestFinished, test, vi } from "vitest";
import { CallSigner } from "../platform/call-signer.ts";
import { newCallKeys } from "../platform/calls.ts";
import type { ListedKeys, MachineKey, MachineKeys } from "../platform/machine-keys.ts";
import { frontName, MachineNetwork } from "./machine-network.ts";

const calls = { web: ["orders"], orders: ["audit"], audit: [], [frontName]: ["web"] };

/** The published keys, which machines share in a database. */
class SharedKeys implements MachineKeys {
  readonly all = new Map<string, MachineKey>();
  reads = 0;
  failure: Error | undefined;
  /** The database's clock, in milliseconds ahead of the process's. */
  ahead = 0;
  /** Blocks reads and withdrawals while it is set. */
  gate: Promise<void> | undefined;

  async publish(key: MachineKey): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.all.set(key.id, key);
  }

  async withdraw(id: string): Promise<void> {
    await this.gate;
    this.all.delete(id);
  }

  async list(): Promise<ListedKeys> {
    this.reads += 1;
    await this.gate;
    if (this.failure !== undefined) throw this.failure;
    return { keys: [...this.all.values()], now: Date.now() + this.ahead };
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
  // Announce twice, so each machine has read the keys of all others.
  for (const each of [orders, web, front, audit, orders, web, front, audit]) await each.announce(calls);
  return { keys, orders, web, front, audit };
}

test("a machine admits calls that the caller's code makes, and requests that a front forwards", async () => {
  const { orders, web, front } = await machines();
  expect(await orders.open(web.tokenFor("web", "orders"))).toEqual({ caller: "web", service: "orders" });
  expect(await web.open(front.tokenFor(frontName, "web"))).toEqual({ caller: frontName, service: "web" });
});

test("a token of a service that may not call, for another service, or of an unknown key is refused", async () => {
  const { keys, orders, web, front, audit } = await machines();
  const calls = await Promise.all([
    audit.open(web.tokenFor("web", "audit")),
    audit.open(orders.tokenFor("orders", "orders")),
    audit.open(orders.tokenFor("web", "audit")),
    // A machine cannot act as a service it does not run.
    orders.open(audit.tokenFor("web", "orders")),
    orders.open(front.tokenFor("web", "orders")),
    web.open(orders.tokenFor(frontName, "web")),
  ]);
  expect(calls).toEqual(calls.map(() => undefined));
  const webKey = [...keys.all.values()].find((key) => "web" in key.calls);
  const stranger = newCallKeys().privateKey;
  const identities = ["web", `web@${webKey?.id}`, "fw:platform", "fw:operator", "fw:network", frontName, "@", ""];
  const tokens = identities.map((identity) => new CallSigner(identity, stranger).tokenFor("orders"));
  expect(await Promise.all(tokens.map((token) => orders.open(token)))).toEqual(tokens.map(() => undefined));
});

test("a token is refused after a minute", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { orders, web } = await machines();
  const token = web.tokenFor("web", "orders");
  expect(await orders.open(token)).toBeDefined();
  await vi.advanceTimersByTimeAsync(61_000);
  expect(await orders.open(token)).toBeUndefined();
});

test("a machine whose clock is wrong, or changes, is trusted", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { orders, web } = await machines();
  for (const minutes of [-90, 0, 90]) {
    vi.setSystemTime(Date.now() + minutes * 60_000);
    expect(await orders.open(web.tokenFor("web", "orders"))).toBeDefined();
  }
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

test("unknown tokens read the keys once at a time, and wait five seconds while the database hangs", async () => {
  const { keys, orders } = await machines();
  const before = keys.reads;
  keys.gate = new Promise(() => {});
  const token = new CallSigner("web@x", newCallKeys().privateKey).tokenFor("orders");
  const openAll = () => Promise.all(Array.from({ length: 30 }, () => orders.open(token)));
  const first = openAll();
  await expect.poll(() => keys.reads).toBe(before + 1);
  const calls = await Promise.all([first, openAll()]);
  expect(new Set(calls.flat())).toEqual(new Set(["unreadable"]));
  // The periodic renewals of the other three machines may have started to read.
  expect(keys.reads).toBeLessThanOrEqual(before + 4);
});

test("tokens that no new key can make valid cause no read, and do not wait", async () => {
  const { keys, orders, web } = await machines();
  const before = keys.reads;
  const [header = "", payload = "", seal = ""] = web.tokenFor("web", "orders").split(".");
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const own = JSON.parse(Buffer.from(payload, "base64url").toString()) as { iss: string; exp: number };
  const none = encode({ alg: "none", typ: "JWT" });
  const stranger = new CallSigner(own.iss, newCallKeys().privateKey);
  const hostile = [
    "",
    "x",
    "..",
    `${header}.${payload}.`,
    `${header}.${payload}`,
    `${none}.${payload}.`,
    `${none}.${payload}.${seal}`,
    `${encode({ alg: "HS256", typ: "JWT" })}.${payload}.${seal}`,
    `${header}.${payload}.${seal}.${seal}`,
    `${header}.${encode({ ...own, aud: "audit" })}.${seal}`,
    `${header}.${encode({ ...own, aud: "orders", exp: own.exp + 60 })}.${seal}`,
    `${header}.${encode({ ...own, aud: ["orders"] })}.${seal}`,
    `${header}.${encode({ iss: "web@x", aud: "orders", exp: 1 })}.${seal}`,
    `${header}.${encode({ iss: "web@x", aud: "orders", exp: null })}.${seal}`,
    `${header}.${encode("web")}.${seal}`,
    `${header}.${encode({ iss: "w".repeat(5_000), aud: "orders", exp: 1e15 })}.${seal}`,
    `${header}.${"A".repeat(1_000_000)}.${seal}`,
    `${header}.${payload}.${"A".repeat(86)}`,
    `${header}.${payload}.${seal}\n`,
    ` ${header}.${payload}.${seal}`,
    stranger.tokenFor("orders"),
    stranger.tokenFor("audit"),
  ];
  for (const token of hostile) expect(await orders.open(token), token.slice(0, 99)).toBeUndefined();
  expect(keys.reads).toBe(before);
});

test("a machine changes its key daily, and tokens of the old one stay valid until they expire", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { keys, orders, web } = await machines();
  await vi.advanceTimersByTimeAsync(86_400_000);
  const before = web.tokenFor("web", "orders");
  await vi.advanceTimersByTimeAsync(40_000);
  const after = web.tokenFor("web", "orders");
  const issuers = [before, after].map((token) => Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  expect(new Set(issuers.map((text) => (JSON.parse(text) as { iss: string }).iss)).size).toBe(2);
  expect(keys.all.size).toBe(8);
  // The other machines read the new key before its first token.
  const { reads } = keys;
  for (const token of [before, after]) expect(await orders.open(token)).toEqual({ caller: "web", service: "orders" });
  expect(keys.reads).toBe(reads);
});

test("a machine keeps its key, and its trust in others, while the database fails", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { keys, orders, web } = await machines();
  keys.failure = new Error("the database is down");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await orders.open(web.tokenFor("web", "orders"))).toEqual({ caller: "web", service: "orders" });
});

test("keys that lapsed while the database was down stay valid until their machines can renew them", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { keys, orders, web } = await machines();
  keys.failure = new Error("the database is down");
  await vi.advanceTimersByTimeAsync(150_000);
  keys.failure = undefined;
  keys.all.clear();
  await orders.announce(calls);
  expect(await orders.open(web.tokenFor("web", "orders"))).toEqual({ caller: "web", service: "orders" });
  // The machine of web fails during the outage; its key lapses now.
  await web.leave();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await orders.open(web.tokenFor("web", "orders"))).toBeUndefined();
});

test("a machine stops without waiting for a database that is down", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { keys, web } = await machines();
  keys.gate = new Promise(() => {});
  await vi.advanceTimersByTimeAsync(15_000);
  const left = web.leave();
  await vi.advanceTimersByTimeAsync(2_000);
  await left;
  keys.gate = undefined;
});

test("calls of the build before stay possible during an upgrade", async () => {
  const { orders, web, audit } = await machines();
  await web.announce({ ...calls, web: ["audit"] });
  expect(await orders.open(web.tokenFor("web", "orders"))).toBeDefined();
  expect(await audit.open(web.tokenFor("web", "audit"))).toEqual({ caller: "web", service: "audit" });
});
