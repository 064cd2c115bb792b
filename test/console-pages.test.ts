import { createHmac } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityProblems } from "./support/axe.ts";
import { launchBrowser } from "./support/browser.ts";
import { startDev as startApplication, writeApplication } from "./support/dev-app.ts";
import { copyOfExample, startDev, type DevServer } from "./support/fw.ts";
import { longApp, visitLongApp } from "./support/long-app.ts";
import { Customer } from "./support/shop.ts";
import { expectWhole } from "./support/whole-page.ts";

/**
 * A directory for screenshots of every page, in four combinations of color scheme and width. Without it, only two of
 * them are checked, and none captured.
 */
const pictures = process.env["FW_PICTURES"];

const sizes = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 390 },
  ...(pictures === undefined
    ? []
    : ([
        { colorScheme: "dark", width: 1280 },
        { colorScheme: "light", width: 390 },
      ] as const)),
] as const;

let shop: DevServer;
let hub: DevServer;
/** An application with long names, paths and values. */
let long: DevServer;
let browser: Browser;

beforeAll(async () => {
  const room = await copyOfExample("hub");
  writeFileSync(join(room, ".env"), `WEBHOOK_SECRET=${webhookSecret}\n`);
  [shop, hub, long, browser] = await Promise.all([
    startDev(await copyOfExample("shop"), "--services"),
    startDev(room, "--services"),
    startDev(writeApplication(longApp), "--services"),
    launchBrowser("--disable-web-security"),
  ]);
  await Promise.all([visitShop(shop.url), visitHub(hub.url), visitLongApp(long.url)]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([shop, hub, long].map((each) => each?.[Symbol.asyncDispose]()));
});

/** Sends paid, declined and refused orders, and requests pages. */
async function visitShop(url: string): Promise<void> {
  const [clerk, bob] = [await Customer.signIn(url, "alice", "clerk"), await Customer.signIn(url, "bob")];
  await clerk.send("POST", "/stock/tea", { name: "Tea from a garden far away", price: 350, count: 100 });
  await clerk.send("POST", "/stock/gold", { name: "Gold", price: 600_000, count: 5 });
  for (const sku of ["tea", "tea", "gold", "unicorn"]) await bob.send("POST", "/orders", { sku, count: 1 });
  await bob.get("/orders");
  await fetch(`${url}/missing-${"very-".repeat(30)}long-path`);
  await fetch(url);
}

const webhookSecret = "of-the-test";

/** Sends signed and refused deliveries, and requests with and without a session. */
async function visitHub(url: string): Promise<void> {
  const alice = await Customer.signIn(url, "alice");
  await alice.get("/programs");
  await Promise.all(["push", "release", "comment"].map((kind) => deliver(url, kind)));
  await fetch(`${url}/rooms/builds`);
  await fetch(`${url}/webhook`, { method: "POST", body: "{}" });
}

async function deliver(url: string, kind: string): Promise<void> {
  const body = JSON.stringify({ kind, by: "ada", text: "A sentence that is as long as those of a real delivery." });
  const signature = createHmac("sha256", webhookSecret).update(body).digest("hex");
  const headers = { "x-delivery": `of-${kind}`, "x-event": kind, "x-signature-256": `sha256=${signature}` };
  expect((await fetch(`${url}/webhook`, { method: "POST", headers, body })).status).toBe(202);
}

/** Returns the titles of the sections, without counts. */
async function sectionsOf(page: Page): Promise<readonly string[]> {
  const links = page.locator("#sections a");
  await links.first().waitFor();
  return (await links.allTextContents()).map((text) => text.replace(/\d+$/, ""));
}

/** Buttons that open details, by section. */
const openers: Readonly<Record<string, string>> = {
  Requests: "tbody tr:nth-child(-n + 6) button.link",
  Routes: "tbody tr:nth-child(-n + 2) button.link",
  Data: "tbody tr:nth-child(1) button:text-is('Edit'), button:text-is('New document')",
  Messages: "td button:text-is('Show')",
  Mails: "main button.link",
};

test.each(sizes)("every page of the console is accessible and whole at $width pixels, $colorScheme", async (size) => {
  const { colorScheme, width } = size;
  for (const [app, { url }] of [
    ["shop", shop],
    ["hub", hub],
    ["long", long],
  ] as const) {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
    await page.goto(`${url}/_fw/console`);
    for (const title of await sectionsOf(page)) {
      await page.locator("#sections a", { hasText: title }).click();
      await page.locator("h1", { hasText: title }).waitFor();
      // A loaded section shows a table, a form or the reason why there is none.
      const counts = ["Logs", "Data"].includes(title) ? ", p.muted:not(:empty)" : "";
      await page.locator(`main :is(.card, .none${counts}):visible`).first().waitFor();
      if (title === "Application") await page.locator("svg.graph [data-box]").first().waitFor();
      if (title === "Metrics") {
        // Sends a request, because the charts show only the latest minutes.
        await fetch(url);
        await page.getByText(/^[1-9]\d* requests?, a point every/).waitFor();
      }
      const entity = page.locator("main tbody a");
      if (title === "Data" && (await entity.count()) > 0) {
        await entity.first().click();
        await page.getByText("in order of id, without an index").waitFor();
      }
      await expectWhole(page, `${app}, ${title}`, width);
      for (const opener of await page.locator(openers[title] ?? "nothing").all()) {
        await opener.click();
        if (title === "Data" || title === "Routes") await page.locator("aside :is(form, .none)").first().waitFor();
        await expectWhole(page, `${app}, ${title}, ${await opener.textContent()}`, width);
      }
      expect({ app, title, problems: await accessibilityProblems(page) }).toEqual({ app, title, problems: [] });
      if (pictures === undefined) continue;
      mkdirSync(pictures, { recursive: true });
      const name = title.toLowerCase().replaceAll(" ", "-");
      await page.screenshot({ path: join(pictures, `${app}-${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
    await page.context().close();
  }
});

test("the graph opens packages, counts the calls of the last minute, marks a trace and finds names", async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(`${shop.url}/_fw/console#application`);
  const graph = page.getByRole("group", { name: "Architecture" });
  const boxes = (): Promise<readonly string[]> =>
    graph.locator(".box").evaluateAll((nodes) => nodes.map((node) => node.getAttribute("data-box") ?? ""));
  await graph.getByRole("button", { name: "+ shop" }).waitFor();
  await page.getByText("All data is up to date with the running code.").waitFor();
  expect((await boxes()).toSorted()).toEqual(
    expect.arrayContaining(["package payments", "package shop", "package warehouse"]),
  );
  const bob = await Customer.signIn(shop.url, "bob");
  const placed = await bob.send("POST", "/orders", { sku: "tea", count: 1 });
  expect(placed.status).toBe(200);
  await graph.locator("text.edge.busy").first().waitFor();
  await graph.getByRole("button", { name: "+ shop" }).press("Enter");
  await graph.locator('[data-box="entity orders"]').waitFor();
  expect(await graph.locator('[data-box="entity orders"]').getAttribute("href")).toMatch(
    /^vscode:\/\/file\/.+\/shop\/orders\.ts:\d+:1$/,
  );
  await page.getByLabel("Search").fill("shipments");
  await graph.locator('[data-box="entity shipments"]:not(.dim)').waitFor();
  await page.getByLabel("Search").fill("");
  await page.getByRole("checkbox", { name: "entity" }).uncheck();
  await graph.locator('[data-box="entity orders"]').waitFor({ state: "detached" });
  await page.goto(`${shop.url}/_fw/console#requests`);
  await page.getByRole("button", { name: "POST /orders", exact: true }).first().click();
  await page.getByTitle("Show in the graph").click();
  await page
    .getByRole("group", { name: "Architecture" })
    .locator("path.edge.traced")
    .first()
    .waitFor({ state: "attached" });
  await page.context().close();
});

/** A script that returns the counts that an arrow could cover, or that have no outline in the background's color. */
const uncoveredCounts = `(() => {
  const paths = [...document.querySelectorAll("path.edge")];
  const background = getComputedStyle(document.querySelector(".picture")).backgroundColor;
  const covers = (label) => {
    const { paintOrder, stroke } = getComputedStyle(label);
    const isAbove = paths.every((path) => path.compareDocumentPosition(label) & Node.DOCUMENT_POSITION_FOLLOWING);
    return isAbove && paintOrder.startsWith("stroke") && stroke === background;
  };
  const counts = [...document.querySelectorAll("text.edge.busy")];
  return counts.filter((label) => !covers(label)).map((label) => label.textContent);
})()`;

test("the counts of arrows that lead down hide the arrows", async () => {
  const bob = await Customer.signIn(shop.url, "bob");
  expect((await bob.send("POST", "/orders", { sku: "tea", count: 1 })).status).toBe(200);
  const page = await browser.newPage({ viewport: { width: 390, height: 900 } });
  await page.goto(`${shop.url}/_fw/console#application`);
  const counts = page.getByRole("group", { name: "Architecture" }).locator("text.edge.busy");
  await counts.first().waitFor();
  expect(await page.evaluate(uncoveredCounts)).toEqual([]);
  await page.context().close();
});

test("a section about kinds that the application does not declare says where to read about them", async () => {
  const page = await browser.newPage();
  await page.goto(`${hub.url}/_fw/console#messages`);
  await page.getByText("The application declares no Queue, Topic or Job: see npx --no fw docs queue.").waitFor();
  await page.goto(`${hub.url}/_fw/console#mails`);
  await page.getByText("The application declares no Mail: see npx --no fw docs mail.").waitFor();
  await page.context().close();
});

test("a refused request shows the gate that refused it, why, and who may call its route", async () => {
  const bob = await Customer.signIn(shop.url, "bob");
  expect((await bob.send("POST", "/stock/silver", { name: "Silver", price: 1, count: 1 })).status).toBe(403);
  expect((await bob.send("POST", "/orders", { sku: 3, count: 1 })).status).toBe(400);
  expect((await fetch(`${shop.url}/nowhere`)).status).toBe(404);
  const page = await browser.newPage();
  await page.goto(`${shop.url}/_fw/console#requests`);
  const details = page.getByRole("complementary", { name: "Request details" });
  const open = async (filter: string): Promise<void> => {
    await page.getByLabel("Filter").fill(filter);
    await page.getByRole("region", { name: "Requests, newest first" }).getByRole("button").first().click();
  };
  await open("/stock/silver");
  await details.getByText(/^“.*the clerk role.*”\. Access: users with the role clerk, by Stocking\.$/).waitFor();
  const steps = details.locator(".trace li");
  expect(await steps.allTextContents()).toEqual([
    expect.stringContaining("POST /stock/{sku}"),
    expect.stringMatching(/^session, body and gate .* ms answered before the handler began$/),
  ]);
  expect(await steps.last().locator(".failed").count()).toBe(1);
  await open("route:/orders status:400");
  await details.getByText("“body sku: 3 is not a string”.", { exact: true }).waitFor();
  await open("/nowhere");
  await details.getByText("No route matches the request, so no handler began.").waitFor();
  await page.context().close();
});

test("a chart shows its latest values without a pointer", async () => {
  const page = await browser.newPage({ viewport: { width: 390, height: 900 } });
  await page.goto(`${shop.url}/_fw/console#metrics`);
  const legend = (chart: string): Promise<string | null> =>
    page.getByRole("figure", { name: chart }).locator(".u-legend").textContent();
  await expect.poll(() => legend("Requests per second")).toMatch(/^Time\s*latest\s*requests\s*[\d.]+\/s, \d+ in all/);
  expect(await legend("Duration, up to")).toMatch(/p50\s*[\d.]+ ms to [\d.]+ ms, of \d+/);
  await page.context().close();
});

/** Places a hundred packages in the page. Returns the number of boxes, and of timers that fired in the meantime. */
const placeHundred = `(async () => {
  const { graphPicture } = await import("/_fw/console/parts/graph.js");
  const id = (number) => "package " + (number % 100);
  const numbers = [...Array(300).keys()];
  const picture = graphPicture({ toggle: () => {}, linkOf: () => undefined });
  document.body.append(picture.node);
  let timers = 0;
  const timer = setInterval(() => timers++, 1);
  await picture.show({
    matches: new Set(),
    nodes: numbers.slice(0, 100).map((i) => ({ id: id(i), kind: "package", title: id(i), package: id(i), lines: [] })),
    edges: numbers.map((i) => ({ id: String(i), from: id(i), to: id(i * i * 7 + 3), labels: [], parts: [] })),
  });
  clearInterval(timer);
  return { boxes: picture.node.querySelectorAll("[data-box]").length, timers };
})()`;

/** Places a hundred open packages of five boxes, with arrows between some of them. */
const placeOpen = `(async () => {
  const { place } = await import("/_fw/console/vendor/layout.js");
  const groups = [...Array(100).keys()];
  const kinds = ["service", "worker", "entity", "queue", "topic"];
  const nodes = groups.flatMap((i) => kinds.map((kind) => ({ id: kind + i, title: kind + i, lines: ["a line"], group: "part" + i })));
  const edges = groups.flatMap((i) => [
    ...kinds.slice(1).map((kind) => ({ from: "service" + i, to: kind + i })),
    ...[i + 1, 7 * i + 3, 3 * i * i + 5].map((to) => ({ from: "service" + i, to: "service" + (to % 100) })),
  ]);
  const { boxes, frames, arrows } = place({ nodes, edges });
  const contains = (outer, { x, y, width, height }) =>
    outer.x <= x && outer.y <= y && x + width <= outer.x + outer.width && y + height <= outer.y + outer.height;
  const overlaps = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
  const frameOf = new Map(frames.map((frame) => [frame.group, frame]));
  return {
    boxes: boxes.length,
    outside: nodes.filter(({ group }, i) => !contains(frameOf.get(group), boxes[i])).length,
    overlapping: frames.filter((frame, i) => frames.slice(i + 1).some((other) => overlaps(frame, other))).length,
    withoutEnds: arrows.filter(({ points }) => points.length < 2 || points.some(({ x, y }) => !Number.isFinite(x + y))).length,
  };
})()`;

test("a hundred packages are placed with all of them open", async () => {
  const page = await browser.newPage();
  await page.goto(`${shop.url}/_fw/console#requests`);
  expect(await page.evaluate(placeOpen)).toEqual({ boxes: 500, outside: 0, overlapping: 0, withoutEnds: 0 });
  await page.close();
});

test("the page stays responsive while it places a hundred packages", async () => {
  const page = await browser.newPage();
  await page.goto(`${shop.url}/_fw/console#graph`);
  const { boxes, timers } = await page.evaluate<{ readonly boxes: number; readonly timers: number }>(placeHundred);
  expect(boxes).toBe(100);
  expect(timers).toBeGreaterThan(10);
  await page.close();
});

/** Shows a waterfall of a failed query and a rewrite of documents. Returns its rows and the sentences above it. */
const waitingSteps = `(async () => {
  const { indexWaits, waterfall } = await import("/_fw/console/parts/waterfall.js");
  const steps = [
    { id: "1", name: "entity.all orders", at: 0, ms: 2, failed: true, details: { waitsForIndex: true } },
    { id: "2", name: "entity.rewrite orders", at: 2, ms: 40, details: { documents: 57 } },
    { id: "3", name: "entity.all orders", at: 42, ms: 1, details: { documents: 3 } },
  ];
  const chart = waterfall();
  chart.update(steps);
  const rows = [...chart.node.querySelectorAll("li")].map((row) => row.textContent);
  return { sentences: indexWaits(steps), rows };
})()`;

test("queries that wait for an index are marked in the waterfall", async () => {
  const page = await browser.newPage();
  await page.goto(`${shop.url}/_fw/console#requests`);
  expect(await page.evaluate(waitingSteps)).toEqual({
    sentences: [
      "entity.all orders waits for an index: fw is still filling it from older documents of orders",
      "57 documents of orders had an older form and no index: a query rewrote them first, 40 ms in total",
    ],
    rows: [
      "entity.all orders 2 ms waits for an index",
      "entity.rewrite orders 40 ms 57 documentsrewritten for the index of a query",
      "entity.all orders 1 ms 3 documents",
    ],
  });
  await page.close();
});

/** Shows a retry an hour after its request. Returns the widths of the bars in percent, and the texts of the rows. */
const retriedSteps = `(async () => {
  const { waterfall } = await import("/_fw/console/parts/waterfall.js");
  const steps = [
    { id: "1", name: "POST /orders", at: 0, ms: 100 },
    { id: "2", parent: "1", name: "shop queue:mails", at: 90, ms: 20 },
    { id: "3", parent: "1", name: "shop queue:mails, attempt 2", at: 3_600_110, ms: 80 },
    { id: "4", parent: "3", name: "entity.get orders", at: 3_600_110, ms: 40 },
  ];
  const chart = waterfall();
  chart.update(steps);
  const rows = [...chart.node.querySelectorAll("li")];
  return {
    widths: rows.map((row) => Math.round(Number.parseFloat(row.querySelector(".lane > span").style.width))),
    texts: rows.map((row) => row.firstElementChild.textContent),
  };
})()`;

test("a pause of an hour before a retry takes little of the waterfall's width, and says so", async () => {
  const page = await browser.newPage();
  await page.goto(`${shop.url}/_fw/console#requests`);
  expect(await page.evaluate(retriedSteps)).toEqual({
    widths: [50, 10, 40, 20],
    texts: [
      "POST /orders 100 ms ",
      "shop queue:mails 20 ms ",
      "shop queue:mails, attempt 2 80 ms after a pause of 60 min",
      "entity.get orders 40 ms ",
    ],
  });
  await page.close();
});

/** Shows a waterfall of a request, two of its queries and a log line, in place of the section. */
const severalSteps = `(async () => {
  const { waterfall } = await import("/_fw/console/parts/waterfall.js");
  const chart = waterfall();
  const at = 1_800_000_000_000;
  const steps = [
    { id: "1", name: "GET /totals", at, ms: 100 },
    { id: "2", parent: "1", name: "entity.all orders", at: at + 20, ms: 2.5 },
    { id: "3", parent: "1", name: "entity.get orders", at: at + 60, ms: 40 },
    { id: "4", parent: "1", name: "read", at: at + 50, ms: 0, severity: "INFO" },
  ];
  chart.update(steps);
  globalThis.updateAgain = () => chart.update([...steps, { id: "5", parent: "1", name: "late", at: at + 99, ms: 1 }]);
  const aside = document.createElement("aside");
  aside.append(chart.node);
  const columns = document.createElement("div");
  columns.className = "columns";
  columns.append(aside);
  document.querySelector("main h1").nextElementSibling.replaceWith(columns);
})()`;

test.each([1280, 390])(
  "a dragged time or a chosen step fills the lanes of a waterfall, at %d pixels",
  async (width) => {
    const page = await browser.newPage({ viewport: { width, height: 900 }, bypassCSP: true });
    await page.goto(`${shop.url}/_fw/console#application`);
    await page.locator("svg.graph [data-box]").first().waitFor();
    await page.evaluate(severalSteps);
    const axis = async (): Promise<readonly string[]> => page.locator(".ticks span").allTextContents();
    const lane = (name: string): Locator => page.locator(".trace li", { hasText: name }).locator(".lane");
    const shareOf = async (name: string): Promise<readonly number[]> => {
      const [outer, inner] = [await lane(name).boundingBox(), await lane(name).locator("span").boundingBox()];
      if (!outer || !inner) return [];
      return [inner.x - outer.x, inner.width].map((pixels) => Math.round((100 * pixels) / outer.width));
    };
    const whole = page.getByRole("button", { name: "Whole trace" });
    expect(await axis()).toEqual(["0", "25", "50", "75", "100 ms"]);
    expect(await shareOf("entity.get orders")).toEqual([60, 40]);
    expect(await page.locator(".trace li").evaluateAll((rows) => rows.map((row) => row.title))).toEqual([
      "starts at 0 ms, takes 100 ms",
      "starts at 20 ms, takes 2.5 ms",
      "at 50 ms",
      "starts at 60 ms, takes 40 ms",
    ]);
    expect(await whole.isVisible()).toBe(false);

    // The labels span the width of the lanes, and none covers another.
    const [ticks, box] = [await page.locator(".ticks").boundingBox(), await lane("entity.get orders").boundingBox()];
    expect([ticks?.x, ticks?.width]).toEqual([box?.x, box?.width]);
    const edges = await page
      .locator(".ticks span")
      .evaluateAll((labels) =>
        labels.map((label) => label.getBoundingClientRect()).map(({ left, right }) => ({ left, right })),
      );
    expect(edges.filter(({ right }, i) => right > (edges[i + 1]?.left ?? Infinity))).toEqual([]);

    const { x, y, width: length, height } = box ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(x + 0.5 * length, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + 0.7 * length, y + height / 2, { steps: 4 });
    await page.locator(".selection").waitFor();
    await page.mouse.up();
    await page.locator(".selection").waitFor({ state: "detached" });
    expect((await axis()).map((text) => Math.round(Number.parseFloat(text)))).toEqual([50, 55, 60, 65, 70]);
    expect(await shareOf("entity.get orders")).toEqual([50, 50]);
    expect(await shareOf("entity.all orders")).toEqual([]);

    // New steps do not change the zoom; a double click resets it.
    await page.evaluate("updateAgain()");
    expect(await shareOf("entity.get orders")).toEqual([50, 50]);
    await lane("entity.get orders").dblclick();
    expect(await axis()).toEqual(["0", "25", "50", "75", "100 ms"]);

    await page.getByRole("button", { name: "Zoom to entity.all orders, starts at 20 ms" }).press("Enter");
    expect(await axis()).toEqual(["20", "", "21.25", "", "22.5 ms"]);
    expect(await shareOf("entity.all orders")).toEqual([0, 100]);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await axis()).toEqual(["0", "25", "50", "75", "100 ms"]);
    await lane("entity.get orders").click();
    await whole.click();
    expect(await whole.isVisible()).toBe(false);
    expect(await shareOf("entity.get orders")).toEqual([60, 40]);
    await page.context().close();
  },
);

/**
 * An application that stores orders with a field. `rules` are the entity's options; `filter` is the condition of a
 * query.
 */
const ordersWith = (field: string, rules: string, filter: string): Readonly<Record<string, string>> => ({
  "shop/shop.ts": `
import { API, Entity, type ID, type Index, type Int } from "fw";
export const orders = Entity<{ id: ID; ${field} }>("orders"${rules});
export const seed = API("POST /seed", async (ctx) => {
  for (let i = 0; i < 2_000; i += 1) await orders.create(ctx, { ${field.replace(/:.*/, "")}: i });
});
export const large = API("GET /large", (ctx) => orders.query()${filter}.count(ctx));
`,
});

test("a query that waits for its index is marked in the details of its request", async () => {
  await using dev = await startApplication(ordersWith("amount: Int", "", ""));
  const { status } = await fetch(`http://localhost:${dev.port}/seed`, { method: "POST" });
  expect(status).toBe(204);
  const from = dev.output().length;
  dev.write(ordersWith("total: Index<Int>", `, { renamed: { total: "amount" } }`, `.where("total", ">=", 1_999)`));
  await dev.says("live", from);
  // Rewriting takes seconds, because requests take precedence.
  expect(await dev.eventually("/large", ({ body }) => body !== "2000")).toMatchObject({ status: 503 });
  const page = await browser.newPage();
  await page.goto(`http://localhost:${dev.port}/_fw/console#requests?filter=status:503`);
  await page.getByRole("button", { name: "GET /large" }).first().click();
  const details = page.getByRole("complementary", { name: "Request details" });
  await details.getByText("entity.count orders waits for an index: fw is still filling it").waitFor();
  await details.locator(".trace").getByText("waits for an index", { exact: true }).waitFor();
  await page.context().close();
});
