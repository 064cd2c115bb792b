import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { CallSigner } from "../platform/call-signer.ts";
import type { MachineKey } from "../platform/machine-keys.ts";
import { Egress } from "./egress.ts";
import { Identities } from "./identities.ts";
import { MachineNetwork } from "./machine-network.ts";

function signerOf(identities: Identities, service: string): CallSigner {
  return new CallSigner(service, identities.privateKeyOf(service));
}

/** Starts a machine that runs web and audit. Only web calls orders, which runs elsewhere and records its requests. */
async function machine() {
  const requests: IncomingHttpHeaders[] = [];
  const orders = createServer((req, res) => {
    requests.push(req.headers);
    res.end("ok");
  }).listen(0, "127.0.0.1");
  await once(orders, "listening");
  const published = new Map<string, MachineKey>();
  const network = new MachineNetwork({
    keys: {
      publish: async (key) => void published.set(key.id, key),
      withdraw: async (id) => void published.delete(id),
      list: async () => ({ keys: [...published.values()], now: Date.now() }),
    },
    services: new Set(["web", "audit"]),
    addressOf: () => ({ host: "127.0.0.1", port: (orders.address() as AddressInfo).port }),
    warn: () => {},
  });
  await network.announce({ web: ["orders"], audit: [], stock: ["orders"] });
  const identities = new Identities();
  const egress = new Egress({ identities, network, log: () => {} });
  await egress.open(["orders"]);
  onTestFinished(async () => {
    await egress.close();
    await network.leave();
    orders.close();
  });
  const call = async (token: string | undefined, headers: Readonly<Record<string, string>> = {}): Promise<number> => {
    const all = new Headers(headers);
    if (token !== undefined) all.set("authorization", `Bearer ${token}`);
    return (await fetch(`${egress.originOf("orders")}/orders`, { headers: all })).status;
  };
  return { requests, identities, call };
}

test("a call leaves the machine with a token of the machine, and without headers of a forwarded request", async () => {
  const { requests, identities, call } = await machine();
  const own = signerOf(identities, "web").tokenFor("orders");
  expect(await call(own, { "x-fw-deadline-ms": "500", "x-forwarded-for": "203.0.113.7", "x-fw-forwarded": "x" })).toBe(
    200,
  );
  const [{ authorization = "", ...headers } = {}] = requests;
  const claims = JSON.parse(Buffer.from(authorization.split(".")[1] ?? "", "base64url").toString()) as object;
  expect(claims).toMatchObject({ iss: expect.stringMatching(/^web@[\w-]{36}$/), aud: "orders" });
  expect(headers).toMatchObject({ "x-fw-deadline-ms": "500" });
  expect(Object.keys(headers).filter((name) => /forwarded/.test(name))).toEqual([]);
});

test("services without calls to a service, of other machines or without a token do not leave through its port", async () => {
  const { requests, identities, call } = await machine();
  const tokens = [
    undefined,
    signerOf(identities, "audit").tokenFor("orders"),
    signerOf(identities, "stock").tokenFor("orders"),
    identities.platform.tokenFor("orders"),
    identities.network.tokenFor("orders"),
    signerOf(identities, "web").tokenFor("audit"),
    signerOf(new Identities(), "web").tokenFor("orders"),
  ];
  expect(await Promise.all(tokens.map((token) => call(token)))).toEqual(tokens.map(() => 403));
  expect(requests).toEqual([]);
});
