import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { CallSigner } from "../platform/call-signer.ts";
import { CallVerifier } from "../platform/call-verifier.ts";
import { newCallKeys } from "../platform/calls.ts";
import type { ListedKeys, MachineKey } from "../platform/machine-keys.ts";
import { openFront } from "./front.ts";
import { Gateway } from "./gateway.ts";
import { Identities, networkIdentity } from "./identities.ts";
import type { ListeningPool } from "./listening.ts";
import { MachineNetwork } from "./machine-network.ts";

/** Starts a machine that runs orders and records the headers of the requests it gets. */
async function machine() {
  const requests: IncomingHttpHeaders[] = [];
  const orders = createServer((req, res) => {
    requests.push(req.headers);
    res.end("ok");
  }).listen(0, "127.0.0.1");
  await once(orders, "listening");
  const { port } = orders.address() as AddressInfo;
  const published = new Map<string, MachineKey>();
  let failure: Error | undefined;
  const keys = {
    publish: async (key: MachineKey): Promise<void> => void published.set(key.id, key),
    withdraw: async (id: string): Promise<void> => void published.delete(id),
    list: async (): Promise<ListedKeys> => {
      if (failure !== undefined) throw failure;
      return { keys: [...published.values()], now: Date.now() };
    },
  };
  const addressOf = () => ({ host: "127.0.0.1", port });
  const network = new MachineNetwork({ keys, services: new Set(["orders"]), addressOf, warn: () => {} });
  await network.announce({ orders: [] });
  const identities = new Identities();
  const pool: ListeningPool = { ready: Promise.resolve(), hasFailed: false, use: (work) => work(port) };
  const unavailable = (): string => "unavailable";
  const gateway = new Gateway({ network, identities, ownEndpoint: () => undefined, poolOf: () => pool, unavailable });
  const front = await openFront({
    listens: { port: 0, host: "127.0.0.1" },
    log: () => {},
    targetOf: (request) => gateway.targetOf(request),
    forwarder: { forward: async () => {}, close: () => gateway.close() },
  });
  onTestFinished(async () => {
    await front.close();
    await network.leave();
    orders.close();
  });
  return {
    requests,
    identities,
    publish: keys.publish,
    fail: (error: Error) => (failure = error),
    call: (token: string) =>
      fetch(`http://127.0.0.1:${front.port}/orders`, { headers: { authorization: `Bearer ${token}` } }),
  };
}

test("the first call of a caller that a service has never heard of has a token that the service trusts", async () => {
  const { requests, identities, publish, call } = await machine();
  const { privateKey, publicKey } = newCallKeys();
  // The verifier of the service, created before the machine reads the caller's key.
  const trusted = new CallVerifier("orders", identities.publicKeysOf([networkIdentity]));
  await publish({ id: "other", publicKey, calls: { newcomer: ["orders"], "fw:platform": ["orders"] } });
  for (const caller of ["newcomer", "fw:platform"]) {
    const token = new CallSigner(`${caller}@other`, privateKey).tokenFor("orders");
    expect((await call(token)).status).toBe(200);
    const sent = requests.at(-1)?.authorization?.replace("Bearer ", "") ?? "";
    // Whatever keys a machine publishes, its calls never count as calls by the platform.
    expect(trusted.open(sent, Date.now())).toEqual({ invoker: networkIdentity });
  }
});

test("a call whose key cannot be read is unavailable instead of forbidden", async () => {
  const { requests, fail, call } = await machine();
  fail(new Error("the database is down"));
  const token = new CallSigner("web@other", newCallKeys().privateKey).tokenFor("orders");
  const statuses = [(await call(token)).status, (await call("forged")).status];
  expect([statuses, requests]).toEqual([[503, 403], []]);
});
