import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { launchDev, writeApplication, type Dev } from "./support/dev-app.ts";

/** An application of two services. Only `shop` receives `POST /orders` requests; both add to the counter. */
const files = {
  "shop/shop.ts": `import { Alert, API, Channel, Counter, Page, ratio, rate, Site } from "fw";
export const site = Site("./web");
export const home = Page("GET /", (ctx) => site.render(ctx, "home.html"), { maxAge: "1m" });
export const board = Page("GET /board", (ctx) => site.render(ctx, "home.html"));
export const placed = Counter("placed");
export const order = API("POST /orders", (ctx): string => { placed.add(ctx, 1); throw new Error("no"); });
export const oncall = Channel("oncall", { email: "oncall@example.com" });
export const early = Alert("early", { if: ratio(order, "5xx").above(0.5), every: "20m", for: "570s", notify: [oncall] });
export const late = Alert("late", { if: ratio(order, "5xx").above(0.5), every: "20m", for: "10m", notify: [oncall] });
export const many = Alert("many", { if: rate(placed).above(0.002), every: "20m", notify: [oncall] });
`,
  "shop/web/templates/layout.html": `<!doctype html><html lang="en"><body>{{content}}</body></html>`,
  "shop/web/templates/home.html": "<p>home</p>",
  "back/back.ts": `import { API } from "fw";
import { placed } from "../shop/shop.ts";
export const refill = API("POST /refill", (ctx) => { placed.add(ctx, 1); });
`,
};

const start = Date.UTC(2026, 0, 1, 12);

/** Starts `fw dev` with a clock that only the test advances. */
async function startedAt(instant: number, args: readonly string[]): Promise<Dev & { moveTo(instant: number): void }> {
  const clock = join(mkdtempSync(join(tmpdir(), "fw-clock-")), "now");
  const moveTo = (at: number): void => {
    writeFileSync(`${clock}.next`, String(at));
    renameSync(`${clock}.next`, clock);
  };
  moveTo(instant);
  const preload = new URL("support/set-clock.mjs", import.meta.url).href;
  const dev = launchDev(writeApplication(files), args, {
    NODE_OPTIONS: `--import ${preload}`,
    FW_TEST_CLOCK: clock,
  });
  await dev.says("http://localhost:");
  const dispose = dev[Symbol.asyncDispose];
  return Object.assign(dev, {
    moveTo,
    [Symbol.asyncDispose]: async () => {
      await dispose();
      rmSync(join(clock, ".."), { recursive: true, force: true });
    },
  });
}

const second = 1_000;
const minute = 60 * second;

test.each([
  ["in one process", []],
  ["with a process for each service", ["--services"]],
] as const)("an alert fires when its time has come, and not one second before: %s", async (_, args) => {
  await using dev = await startedAt(start, args);
  const post = (path: string): Promise<Response> => fetch(`http://localhost:${dev.port}${path}`, { method: "POST" });
  expect((await post("/orders")).status).toBe(500);
  for (let i = 0; i < 2; i++) expect((await post("/refill")).status).toBe(204);
  dev.moveTo(start + 30 * second);
  // Three in 20 minutes: one in the first service and two in the second.
  await dev.says("alert many is firing: rate of placed above 0.002; when deployed, it notifies oncall");
  dev.moveTo(start + 10 * minute + 29 * second);
  await dev.says("alert early is firing: ratio of POST /orders 5xx above 0.5; when deployed, it notifies oncall");
  await dev.eventually("/board", ({ body }) => body.includes("Alert early is firing"));
  expect(dev.output()).not.toContain("alert late");
  dev.moveTo(start + 10 * minute + 30 * second);
  await dev.says("alert late is firing: ratio of POST /orders 5xx above 0.5; when deployed, it notifies oncall");
  const { body } = await dev.eventually("/board", ({ body }) => body.includes("Alert late is firing"));
  expect(body).toContain(`<p role="status">Alert early is firing</p><p role="status">Alert late is firing</p>`);
  expect((await dev.get("/")).body).not.toContain("is firing");
  dev.moveTo(start + 40 * minute);
  await dev.says("alert late is no longer firing");
});
