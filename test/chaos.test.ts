import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { copyOfExample, startDev } from "./support/fw.ts";
import { descendants } from "./support/processes.ts";
import { Customer } from "./support/shop.ts";

/** A few in the suite; FW_CHAOS_SECONDS=180 for minutes. */
const seconds = Number(process.env["FW_CHAOS_SECONDS"] ?? 4);

const price = 250;
const goods = { name: "Tea", price, count: 1_000_000 };

/** Ids of the processes that services run in. */
function services(server: number): number[] {
  return descendants(server).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(".fw/services/");
    } catch {
      return false;
    }
  });
}

test.skipIf(process.platform !== "linux")(
  "whatever service is killed at whatever time, no order is lost, none is charged or shipped twice, and every policy holds",
  { timeout: 900_000 + seconds * 10_000 },
  async () => {
    const dev = await startDev(await copyOfExample("shop"), "--services");
    onTestFinished(() => dev[Symbol.asyncDispose]());
    const clerk = await Customer.signIn(dev.url, "alice", "clerk");
    const bob = await Customer.signIn(dev.url, "bob");
    await clerk.surely("POST", "/stock/tea", goods);

    const acknowledged = new Set<string>();
    const [kills, refusals] = [[] as number[], [] as number[]];
    const until = Date.now() + seconds * 1_000;
    const buy = async (): Promise<void> => {
      // On a slow machine no service may have come up between two kills.
      while (Date.now() < until || acknowledged.size === 0) {
        const placed = await bob.send("POST", "/orders", { sku: "tea", count: 1 }).catch(() => undefined);
        if (placed?.status === 200) acknowledged.add(placed.body.id);
        const stocked = await bob.send("POST", "/stock/tea", goods).catch(() => undefined);
        if (stocked !== undefined) refusals.push(stocked.status);
      }
    };
    const kill = async (): Promise<void> => {
      while (Date.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 400));
        const pids = services(dev.child.pid ?? 0);
        const pid = pids[Math.floor(Math.random() * pids.length)];
        if (pid !== undefined) process.kill(pid, "SIGKILL");
        kills.push(pid ?? 0);
      }
    };
    await Promise.all([buy(), buy(), buy(), kill()]);

    expect(acknowledged.size).toBeGreaterThan(0);
    expect(kills.length).toBeGreaterThan(0);
    expect(refusals.filter((status) => status < 500 && status !== 403)).toEqual([]);
    const orders = await settledOrders(bob);
    expect([...acknowledged].filter((id) => !orders.has(id))).toEqual([]);
    for (const id of orders) {
      expect((await bob.surely("GET", `/orders/${id}/receipt`)).body).toMatchObject({ order: id, amount: price });
      expect(await shipped(bob, id)).toBe(true);
    }
    const { body } = await bob.surely("GET", "/stock/tea");
    expect(goods.count - (body.count ?? 0)).toBe(orders.size);
  },
);

/** Every order of a customer, once all are paid; also those whose answer got lost. */
async function settledOrders(customer: Customer): Promise<Set<string>> {
  for (;;) {
    const all: { readonly id: string; readonly status: string }[] = [];
    for (let after: string | undefined = ""; after !== undefined;) {
      const page = await customer.surely("GET", `/orders${after === "" ? "" : `?after=${encodeURIComponent(after)}`}`);
      all.push(...(page.body.items ?? []));
      after = page.body.next;
    }
    if (all.every(({ status }) => status === "paid")) return new Set(all.map(({ id }) => id));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function shipped(customer: Customer, id: string): Promise<boolean> {
  for (let tries = 0; tries < 4_000; tries++) {
    if ((await customer.surely("GET", `/shipments/${id}`)).status === 200) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}
