import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fw } from "../packages/fw/src/cli/testing/run.ts";
import { startDev } from "./support/dev-app.ts";
import { devOptions } from "./support/topologies.ts";

const app = {
  ".env": "SHOP_KEY=open-sesame\n",
  "shop/shop.ts": `import { API, Job, Queue, Runner, Secret, Singleton, Worker } from "fw";
const key = Secret("SHOP_KEY");
export const letters = Queue<{ to: string }>("letters");
export const bring = Worker(letters, (ctx, { to }) => { ctx.log.warn("brought", { to }); });
export const hello = API("POST /hello", async (ctx) => {
  ctx.log.info("hello was said with " + key.value(), { twice: "one\\ntwo" });
  console.log("printed by hand");
  console.error("complained by hand");
  await letters.send(ctx, { to: "ann" });
  return { ok: true };
});
export const counting = Job("counting");
export const count = Runner(counting, (ctx) => { ctx.log.info("counted"); });
export const start = API("POST /count", async (ctx) => { await counting.start(ctx); });
export const relay = Singleton("relay", async (ctx) => {
  ctx.log.info("relayed");
  await new Promise((over) => ctx.signal.addEventListener("abort", over));
});
export const broken = API("GET /broken", (): { ok: boolean } => { throw new Error("the spring broke"); });`,
};

async function logs(root: string, ...args: string[]): Promise<string> {
  const ran = await fw(join(root, "shop"), "logs", ...args);
  expect(ran).toMatchObject({ code: 0 });
  return ran.out;
}

describe.each(devOptions)("fw dev %s", (_how, ...options) => {
  test("keeps what services log and print, without secrets, beside the running server and after it", async () => {
    const dev = await startDev(app, ...options);
    try {
      const url = `http://127.0.0.1:${dev.port}`;
      await fetch(`${url}/hello`, { method: "POST" });
      await fetch(`${url}/broken`);
      await fetch(`${url}/count`, { method: "POST" });
      await expect.poll(() => logs(dev.root, "shop-count")).toContain("INFO  counted");
      await expect.poll(() => logs(dev.root, "shop-relay")).toContain("INFO  relayed");
      await expect.poll(() => logs(dev.root, "shop-bring")).toContain("WARNING  brought");
      await expect.poll(() => logs(dev.root, "shop")).toContain("the spring broke");
      await expect.poll(() => logs(dev.root)).toMatch(/^\S+Z {2}\w+ {2}INFO {2}printed by hand$/m);
      await expect.poll(() => logs(dev.root)).toMatch(/^\S+Z {2}\w+ {2}ERROR {2}complained by hand$/m);
      expect(await logs(dev.root, "shop")).not.toContain("brought");
      // The lines also appear in the terminal, because nothing captures standard output locally.
      expect(dev.output()).toMatch(/^[^{\n]*printed by hand$/m);
    } finally {
      dev.process.kill("SIGTERM");
      await dev.exited;
    }
    const after = await logs(dev.root, "shop");
    expect(after).toMatch(
      /^\S+Z {2}shop {2}INFO {2}hello was said with \[secret SHOP_KEY\]\n( {4}\S.*\n)* {4}twice:\n {8}one\n {8}two$/m,
    );
    expect(after).toMatch(/^ {8}Error: the spring broke\n {12}at .*shop\.ts/m);
    expect(after).not.toContain("open-sesame");
    await dev[Symbol.asyncDispose]();
  });
});
