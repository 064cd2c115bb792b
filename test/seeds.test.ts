import { execFile } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { fw, fwIn } from "../packages/fw/src/cli/testing/run.ts";
import { filesBelow } from "../packages/fw/src/lib/read-file.ts";
import { launchDev, writeApplication } from "./support/dev-app.ts";
import { devOptions } from "./support/topologies.ts";

const run = promisify(execFile);
const bin = fileURLToPath(new URL("../packages/fw/bin/fw.js", import.meta.url));

const shop = {
  "shop/shop.ts": `
import { API, Entity, Queue, Seed, Worker, type ID } from "fw";
export interface Order { id: ID; buyer: string; times?: number }
export const orders = Entity<Order>("orders");
export const mails = Queue<{ order: string }>("mails");
export const demo = Seed("demo", async (ctx) => {
  const before = await orders.find(ctx, "one");
  await orders.put(ctx, { id: "one", buyer: "SEEDED-BUYER", times: (before?.times ?? 0) + 1 });
  await mails.send(ctx, { order: "one" });
});
export const mailed = Worker(mails, async (ctx, { order }) => void (await orders.put(ctx, { id: "mailed-" + order, buyer: "x" })));
export const list = API("GET /orders", (ctx) => orders.query().all(ctx));
`,
};

const seeded = ({ body }: { readonly body: string }): boolean =>
  body.includes('"times":1') && body.includes("mailed-one");

test.each(devOptions)("fw dev seeds an empty store once, and fw seed seeds it again (%s)", async (_how, ...args) => {
  const root = writeApplication(shop);
  await using dev = launchDev(root, args);
  await dev.says("seeded the data: demo");
  await dev.eventually("/orders", seeded);
  dev.process.kill("SIGTERM");
  await dev.exited;
  await using again = launchDev(root, args);
  await again.eventually("/orders", seeded);
  expect(again.output()).not.toContain("seeded the data");
  again.process.kill("SIGTERM");
  await again.exited;
  const ran = await run(process.execPath, [bin, "seed", "demo"], { cwd: root });
  expect(ran).toEqual({ stdout: "seeded the data: demo\n", stderr: "" });
  await using third = launchDev(root, args);
  await third.eventually("/orders", ({ body }) => body.includes('"times":2'));
});

test("a build leaves seeds out, and fw seed refuses data that fw serve has used, production and unknown names", async () => {
  const root = writeApplication(shop);
  expect(await fw(root, "build")).toMatchObject({ code: 0 });
  const services = filesBelow(join(root, ".fw/build/services")).filter((path) => path.endsWith(".js"));
  expect(services.length).toBeGreaterThan(1);
  expect(services.filter((path) => readFileSync(path, "utf8").includes("SEEDED-BUYER"))).toEqual([]);

  expect(await fw(root, "seed", "dem")).toMatchObject({
    code: 2,
    err: expect.stringContaining(`there is no seed "dem": the seeds are "demo"; did you mean "demo"?`),
  });
  expect(await fwIn({ NODE_ENV: "production" }, [], root, "seed")).toMatchObject({
    code: 2,
    err: expect.stringContaining("NODE_ENV is production; seeds are for development and tests"),
  });
  mkdirSync(join(root, ".fw/data/services"), { recursive: true });
  expect(await fw(root, "seed")).toMatchObject({
    code: 2,
    err: expect.stringContaining("seeds are for development and tests"),
  });
});
