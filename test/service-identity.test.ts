import { createPrivateKey, type KeyObject } from "node:crypto";
import { rmSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { servedRelay } from "../packages/fw/src/lib/own-modules.ts";
import { mintCall, type Call } from "../packages/fw/src/platform/calls.ts";
import type { LocalPlatform } from "../packages/fw/src/platform/local/open.ts";
import { openLoopback } from "../packages/fw/src/platform/loopback/client.ts";
import type { PeerConfig } from "../packages/fw/src/service/local/peer-config.ts";
import { Topology } from "../packages/fw/src/topology/topology.ts";
import { writeApplication } from "./support/dev-app.ts";
import { AppBuilder } from "../packages/fw/src/cli/build/builder.ts";
import { openData } from "../packages/fw/src/cli/data/open.ts";
import { processIO } from "../packages/fw/src/cli/io.ts";
import { Workspace } from "../packages/fw/src/workspace/workspace.ts";
import { ReleasePlan } from "../packages/fw/src/cli/services/plan.ts";

const market = `
-- bank/bank.ts --
import { API, Cron, Entity, Queue, Worker, type ID, type Int } from "fw";
export const transfers = Entity<{ id: ID; amount: Int }>("transfers");
export const booked = Entity<{ id: ID }>("booked");
export const bookings = Queue<{ transfer: string }>("bookings");
export const transfer = API("POST /transfers", async (ctx, { amount }: { amount: Int }) => {
  const { id } = await transfers.create(ctx, { amount });
  await bookings.send(ctx, { transfer: id });
  return { id };
}, { private: true });
export const book = Worker(bookings, (ctx, { transfer: id }) => booked.put(ctx, { id }).then(() => {}));
export const close = Cron("close", "0 4 * * *", (ctx) => booked.put(ctx, { id: "closed" }).then(() => {}));
-- shop/shop.ts --
import { API, type Int } from "fw";
import { transfer } from "../bank/bank.ts";
export const buy = API("POST /purchases", (ctx, { amount }: { amount: Int }) => transfer.call(ctx, { amount }));
-- thief/thief.ts --
import { API, Entity, type ID } from "fw";
export const loot = Entity<{ id: ID }>("loot");
export const hide = API("POST /loot", (ctx) => loot.create(ctx, {}));
`;

let root: string;
let platform: LocalPlatform;
let topology: Topology;
let lines: string[];
/** Everything that the service `thief` received, including its private key. */
let config: PeerConfig;
let stolen: KeyObject;

beforeAll(async () => {
  root = writeApplication(Object.fromEntries(filesOf(market)));
  const io = processIO();
  const workspace = new Workspace({ root, env: io.env });
  const { app } = await workspace.read();
  const built = await new AppBuilder(workspace, "local").build(app).finally(() => workspace.close());
  platform = await openData({ directory: root }, built.app);
  const entry = fileURLToPath(new URL("../packages/fw/src/topology/testing/thief.mjs", import.meta.url));
  const releases = (await new ReleasePlan(root, io.env).releasesOf(built)).map((release) =>
    release.name === "thief" ? { ...release, entry } : release,
  );
  lines = [];
  topology = new Topology({
    platform,
    listens: { port: 0, host: "127.0.0.1" },
    relay: pathToFileURL(servedRelay).href,
    isCommand: () => false,
    isOwnHost: () => true,
    console: {
      line: (service, line) => void lines.push(`${service} ${line}`),
      slow: () => {},
      exited: () => {},
      failed: () => {},
    },
  });
  await topology.start(built.app, releases);
  config = JSON.parse(lines.find((line) => line.startsWith("thief TOLD "))?.slice("thief TOLD ".length) ?? "") as never;
  stolen = createPrivateKey({ key: Buffer.from(config.key, "base64"), format: "der", type: "pkcs8" });
});

afterAll(async () => {
  await topology?.stop();
  await platform?.close();
  rmSync(root, { recursive: true, force: true });
});

/** Returns the status of a service's response to a caller with the thief's key. */
async function post(service: string, path: string, call: Call, body: object = {}): Promise<number> {
  const port = topology.pools.get(service)?.portFor(0) ?? 0;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${mintCall(stolen, call, Date.now() + 60_000)}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

async function count(kind: string): Promise<number> {
  return platform.entities.count({ kind, filters: [], orders: [] });
}

test("services call each other and are delivered to", async () => {
  const response = await fetch(`http://127.0.0.1:${topology.port}/purchases`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ amount: 3 }),
  });
  expect(response.status).toBe(200);
  await expect.poll(() => count("booked")).toBe(1);
});

test("a service is told its own key, the public ones of its callers, and where those are that it calls", () => {
  expect(Object.keys(config.callers)).toEqual(["fw:platform"]);
  expect(config.services).toEqual({});
  expect(Object.keys(config).toSorted()).toEqual(["callers", "key", "platform", "relay", "services"]);
});

test("who has a service's own key only cannot call a peer as another service, nor as itself where it has no grant", async () => {
  const before = await count("transfers");
  for (const invoker of ["shop", "bank", "thief", "fw:platform"]) {
    const call = { audience: "bank", invoker };
    expect([invoker, await post("bank", "/transfers", call, { amount: 1 })]).toEqual([invoker, 403]);
  }
  expect(await count("transfers")).toBe(before);
});

test("a service takes nothing on its own port that nobody of the application has sent, whatever Host it names", async () => {
  const forged = ["shop", "thief", "fw:platform"].map((invoker) =>
    mintCall(stolen, { audience: "shop", invoker }, Date.now() + 60_000),
  );
  for (const [service, pool] of topology.pools) {
    const port = pool.portFor(0);
    if (service === "thief") continue;
    for (const token of ["", ...forged])
      for (const path of ["/", "/purchases", "/_fw/signin", "/_fw/api/session", "/_fw/dev/operate/jobs/x"]) {
        const headers = { "x-fw-forwarded": token, ...(token !== "" && { authorization: `Bearer ${token}` }) };
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers });
        expect([service, path, response.status]).toEqual([service, path, 403]);
        expect(await response.text()).toContain("requests between services");
      }
  }
});

test("the platform applies the grants of the service that signed, regardless of the claimed name", async () => {
  const as = (invoker: string): ReturnType<typeof openLoopback> =>
    openLoopback({
      url: config.platform,
      token: () => mintCall(stolen, { audience: "fw:platform", invoker }, Date.now() + 60_000),
    });
  const thief = as("thief");
  await thief.entities.insert({ kind: "loot", id: "x" }, {});
  await expect(thief.entities.insert({ kind: "transfers", id: "x" }, {})).rejects.toMatchObject({ code: "denied" });
  await thief.close();
  for (const invoker of ["bank", "fw:platform", "nobody"]) {
    const pretender = as(invoker);
    await expect(pretender.entities.insert({ kind: "transfers", id: "x" }, {})).rejects.toMatchObject({
      code: "denied",
      message: expect.stringContaining("not signed by a known caller"),
    });
    await pretender.close();
  }
  expect(await platform.entities.get({ kind: "transfers", id: "x" })).toBeUndefined();
});

test("a push and a cron trigger that the platform did not sign are refused and logged", async () => {
  const before = await count("booked");
  const data = Buffer.from(JSON.stringify({ transfer: "forged" })).toString("base64");
  const envelope = {
    message: { data, messageId: "m", publishTime: "2026-11-21T10:00:00Z" },
    subscription: "bank-book",
  };
  for (const invoker of ["fw:platform", "bank", "thief"]) {
    const [push, cron] = [
      { audience: "bank-book", invoker },
      { audience: "bank", invoker },
    ];
    expect(await post("bank-book", "/_fw/api/push", push, envelope)).toBe(403);
    expect(await post("bank", "/_fw/api/cron/close", cron)).toBe(403);
  }
  expect(await count("booked")).toBe(before);
  const refusals = (): string[] =>
    lines.filter((line) => line.includes("refused a call that is not from the platform"));
  await expect.poll(refusals).toHaveLength(6);
  expect(refusals()[0]).toContain(`"expected_invoker":"fw:platform"`);
});
