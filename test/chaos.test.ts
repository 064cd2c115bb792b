import { expect, onTestFinished, test } from "vitest";
import { copyOfExample } from "./support/fw.ts";
import { startOnPostgres } from "./support/postgres/on-postgres.ts";
import { descendants } from "./support/processes.ts";
import { Customer, settledOrders, shipped } from "./support/shop.ts";
import { onCloud, onPostgres, startOnCloud, startServices, type Running } from "./support/topologies.ts";

/**
 * How long the test kills services, in seconds. The default is enough for a few kills; FW_CHAOS_SECONDS=180 sets three
 * minutes.
 */
const seconds = Number(process.env["FW_CHAOS_SECONDS"] ?? 4);

const price = 250;
const goods = { name: "Tea", price, count: 1_000_000 };

/** An application whose services can be killed. */
interface Victim {
  readonly app: Running;
  /** Returns the ids of the services' processes. */
  readonly services: () => readonly number[];
}

/** The cloud's APIs fail occasionally, before or after taking effect, and deliver messages twice and late. */
const faults = { probability: 0.01, duplicates: 0.1, reordering: 0.1 };

const topologies: readonly (readonly [name: string, start: (directory: string) => Promise<Victim>])[] = [
  ["as services", (directory) => startDev(directory, startServices)],
  ...(onCloud
    ? [["on the cloud, whose APIs fail", (directory: string) => startDev(directory, startFaulty)] as const]
    : []),
  ...(onPostgres ? [["on three machines", startMachines] as const] : []),
];

async function startDev(directory: string, start: typeof startServices): Promise<Victim> {
  const app = await start(directory);
  return { app, services: () => descendants(app.process.pid ?? 0, /\.fw\/(?:services|cloud)\//) };
}

function startFaulty(directory: string): ReturnType<typeof startOnCloud> {
  return startOnCloud(directory, faults);
}

async function startMachines(directory: string): Promise<Victim> {
  const app = await startOnPostgres(directory, 3);
  return { app, services: () => app.pids() };
}

test.skipIf(process.platform !== "linux").each(topologies)(
  "%s: whatever service is killed at whatever time, no order is lost, none is charged or shipped twice, and every policy holds",
  { timeout: 900_000 + seconds * 10_000 },
  async (_, start) => {
    const { app, services } = await start(await copyOfExample("shop"));
    onTestFinished(() => app[Symbol.asyncDispose]());
    const url = `http://localhost:${app.port}`;
    const clerk = await Customer.signIn(url, "alice", "clerk");
    const bob = await Customer.signIn(url, "bob");
    await clerk.surely("POST", "/stock/tea", goods);

    const acknowledged = new Set<string>();
    const [kills, refusals] = [[] as number[], [] as number[]];
    const until = Date.now() + seconds * 1_000;
    const buy = async (): Promise<void> => {
      // Runs until an order succeeds: on a slow machine, no service may have started between two kills.
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
        const pids = services();
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
      await shipped(bob, id);
    }
    const { body } = await bob.surely("GET", "/stock/tea");
    expect(goods.count - (body.count ?? 0)).toBe(orders.size);
  },
);
