import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unneededGrants } from "../packages/fake-cloud/src/iam/unneeded.ts";
import type { OnCloud } from "./support/cloud/on-cloud.ts";
import { copyOfExample } from "./support/fw.ts";
import { Customer, type Answer } from "./support/shop.ts";
import { mostTopologies, topologies, type Running } from "./support/topologies.ts";

/** The polling interval. More frequent polling would take CPU time from the processes under test. */
const often = { interval: 50 };

/**
 * The topologies. The cloud is the one that starts services from images, because it records the grants that were
 * needed.
 */
const everywhere = [...new Map([...mostTopologies, ...topologies])];

describe.each(everywhere)("the shop %s", (topology, start) => {
  let dev: Running;
  let url: string;
  let clerk: Customer;
  let bob: Customer;
  beforeAll(async () => {
    dev = await start(await copyOfExample("shop"));
    url = `http://localhost:${dev.port}`;
    clerk = await Customer.signIn(url, "alice", "clerk");
    bob = await Customer.signIn(url, "bob");
    await clerk.send("POST", "/stock/tea", { name: "Tea", price: 350, count: 100 });
  });
  afterAll(() => dev[Symbol.asyncDispose]());

  const settled = async (customer: Customer, id: string): Promise<Answer["body"]> => {
    await expect.poll(async () => (await customer.get(`/orders/${id}`)).body.status, often).not.toBe("placed");
    return (await customer.get(`/orders/${id}`)).body;
  };

  test("an order is charged and shipped, by services that know each other's endpoints and events only", async () => {
    const placed = await bob.send("POST", "/orders", { sku: "tea", count: 3 });
    expect(placed).toMatchObject({ status: 200, body: { buyer: "bob", total: 1050, status: "placed" } });
    const { id } = placed.body;
    expect(await settled(bob, id)).toMatchObject({ status: "paid" });
    expect((await bob.get(`/orders/${id}/receipt`)).body).toMatchObject({ order: id, amount: 1050 });
    await expect.poll(async () => (await bob.get(`/shipments/${id}`)).status, often).toBe(200);
    expect((await bob.get("/stock/tea")).body.count).toBe(97);
  });

  test("an order that the card does not allow is declined, and nothing is shipped", async () => {
    await clerk.send("POST", "/stock/gold", { name: "Gold", price: 6_000_00, count: 5 });
    const { body } = await bob.send("POST", "/orders", { sku: "gold", count: 1 });
    expect(await settled(bob, body.id)).toMatchObject({
      status: "declined",
      reason: "the card allows 1,000 at a time",
    });
    expect((await bob.get(`/orders/${body.id}/receipt`)).status).toBe(404);
    expect((await bob.get(`/shipments/${body.id}`)).status).toBe(404);
  });

  test("a refusal keeps its status and sentence through every service", async () => {
    expect(await bob.send("POST", "/orders", { sku: "unicorn", count: 1 })).toEqual({
      status: 404,
      body: { error: "not found" },
    });
    expect(await bob.send("POST", "/orders", { sku: "tea", count: 1_000 })).toMatchObject({ status: 409 });
  });

  test("the warehouse's policy decides who stocks up, whoever asks on whose behalf", async () => {
    const goods = { name: "Tea", price: 350, count: 1 };
    const refused = { status: 403, body: { error: "this page needs the clerk role" } };
    expect(await bob.send("POST", "/stock/tea", goods)).toEqual(refused);
    expect((await clerk.send("POST", "/stock/tea", goods)).status).toBe(200);
  });

  test("one customer's order is nobody else's", async () => {
    const { body } = await bob.send("POST", "/orders", { sku: "tea", count: 1 });
    expect((await clerk.get(`/orders/${body.id}`)).status).toBe(404);
    expect((await clerk.get(`/orders/${body.id}/receipt`)).status).toBe(404);
  });

  test("private routes are for services only", async () => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/charges`, {
      method: "POST",
      headers,
      body: `{ "order": "x", "buyer": "bob", "amount": 1 }`,
    });
    expect(answer.status).toBe(403);
    // On the cloud, the platform responds.
    if (topology !== "on the cloud") expect(await answer.json()).toEqual({ error: "this route is private" });
  });

  test("nobody orders without a session", async () => {
    const response = await fetch(`${url}/orders`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{ "sku": "tea", "count": 1 }`,
    });
    expect([response.status, await response.json()]).toEqual([401, { error: "sign in to continue" }]);
  });

  test.runIf(topology === "on the cloud")(
    "every service may do what it asks for, and has no grant but what this took, or what failures take",
    async () => {
      const { fake } = dev as OnCloud;
      // Instances export their metrics when they stop.
      await fake.apis.containers.stop();
      const { accessChecks, policies } = fake.cloud;
      const accounts = accessChecks.filter(({ caller }) => caller.startsWith("shop-"));
      expect(accounts.filter((one) => !policies.isAllowed(one.caller, one.permission, one.resource))).toEqual([]);
      const callers = new Set(policies.grants().map(({ member }) => member.replace(/^serviceAccount:/, "")));
      callers.delete("deployer@demo-fw.iam.gserviceaccount.com");
      const left = unneededGrants(policies, accessChecks, callers).map(({ role, resource }) => `${role} ${resource}`);
      expect(left.filter((line) => !isForLater.test(line))).toEqual([]);
    },
  );
});

/**
 * Grants for failing messages, for accounts that no code looks up or creates here, and for counts of data that does not
 * match its type. `test/deploy.test.ts` covers them.
 */
const isForLater = /\.dead$|monitoring\.metricWriter |pubsub\.subscriber|firebaseauth\.viewer|auth\.registered$/;
