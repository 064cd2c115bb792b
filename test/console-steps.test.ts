import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConsoleEvent, Events, SpanEvent } from "../packages/fw/src/console/event-hub.ts";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { accessibilityProblems } from "./support/axe.ts";
import { launchBrowser } from "./support/browser.ts";
import { consoleOf } from "./support/console-api.ts";
import { launchDev, writeApplication, type Dev } from "./support/dev-app.ts";
import { expectWhole } from "./support/whole-page.ts";

const application = `
-- shop/shop.ts --
import { API, Authenticator, Cron, Entity, Policy, Queue, Secret, Worker, type Header, type ID, type Index, type Path } from "fw";
import { get } from "node:http";
import { count } from "../stock/stock.ts";
export interface Order { id: ID; buyer: Index<string>; total: number }
export const orders = Entity<Order>("orders");
export const key = Secret("PARTNER_KEY");
const partner = String(process.env.PARTNER);
const ask = async (path: string): Promise<number> => (await fetch(partner + path)).status;
export const place = API("POST /orders", (ctx, { buyer }: { buyer: string }) => orders.create(ctx, { buyer, total: 1 }));
export const list = API("GET /orders/{buyer}", async (ctx, { buyer }: { buyer: Path }) => (await orders.query().where("buyer", "==", buyer).limit(10).all(ctx)).length);
export const pay = API("GET /pay/{customer}", async (ctx, { customer }: { customer: Path }) => {
  await count.call(ctx, {});
  return ask("/v1/customers/" + customer + "/pay?key=hunter2&expand=all");
});
export const classic = API("GET /classic", () => new Promise<number>((resolve, reject) => {
  get(partner.replace("//", "//ann:hunter2@") + "/v1/ping", (response) => response.resume().on("end", () => resolve(response.statusCode ?? 0))).on("error", reject);
}));
export const refused = API("GET /refused", () => fetch(process.env.AWAY + "/v1/away").then(() => "reached", () => "away"));
export const lost = API("GET /lost", () => fetch(partner + "/v1/cut").then((response) => response.text()).then(() => "read", () => "cut"));
export const declined = API("GET /declined", () => ask("/v1/declined"));
export const secret = API("GET /secret", () => ask("/keys/" + key.value() + "/x"));
export const partners = Authenticator(async (_ctx, { token }: { token: Header<string, "X-Partner"> }) => ((await ask("/v1/verify")) === 200 ? { id: "p:1", name: token } : undefined));
export const weekdays = Policy(async () => { await ask("/v1/calendar"); });
export const guarded = API("GET /guarded", (ctx) => ctx.user().name, { allow: weekdays });
export const letters = Queue<string>("letters");
export const send = API("POST /letters", (ctx) => letters.send(ctx, "hello").then(() => {}));
export const carry = Worker(letters, async () => { await ask("/v1/letters"); });
export const sweep = Cron("sweep", "0 4 * * *", async () => { await ask("/v1/sweep"); });
-- stock/stock.ts --
import { API, Entity, type ID } from "fw";
export const goods = Entity<{ id: ID }>("goods");
export const count = API("GET /count", async (ctx) => (await goods.query().all(ctx)).length, { private: true });
-- .env --
PARTNER_KEY=topsecretvalue
`;

const topologies = ["in one process", "as services"] as const;
type Topology = (typeof topologies)[number];

/** The requests to `partner`, an external server. */
const received: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = [];
const partner = createServer((request, response) => {
  const { url = "", headers } = request;
  received.push({ url, headers });
  if (url === "/v1/cut") {
    response.writeHead(200, { "content-length": "100" }).write("half");
    setImmediate(() => response.destroy());
    return;
  }
  response.writeHead(url === "/v1/declined" ? 402 : 200).end("{}");
});

const running = new Map<Topology, Dev>();
let browser: Browser;
let host: string;
/** An address at which nothing listens, because no test may listen on so low a port. */
const away = "127.0.0.1:2";

beforeAll(async () => {
  host = await listen(partner);
  browser = await launchBrowser();
  await Promise.all(
    topologies.map(async (topology) => {
      const files = Object.fromEntries(filesOf(application));
      const args = topology === "as services" ? ["--services"] : [];
      const dev = launchDev(writeApplication(files), args, { PARTNER: `http://${host}`, AWAY: `http://${away}` });
      running.set(topology, dev);
      await dev.says("http://localhost:");
    }),
  );
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([...running.values()].map((dev) => dev[Symbol.asyncDispose]()));
  partner.closeAllConnections();
  partner.close();
});

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function on(topology: Topology): { readonly dev: Dev; readonly url: string } {
  const dev = running.get(topology);
  if (dev === undefined) throw new Error(`the application does not run ${topology}`);
  return { dev, url: `http://localhost:${dev.port}` };
}

async function eventsOf(topology: Topology): Promise<readonly ConsoleEvent[]> {
  const ask = await consoleOf(on(topology).url);
  return (await ask<Events>("events", { after: 0 })).events;
}

/** Sends a request, and returns the outgoing requests of its trace once there are `count`. */
async function outgoingOf(
  topology: Topology,
  path: string,
  count = 1,
  init: RequestInit = {},
): Promise<readonly SpanEvent[]> {
  const response = await fetch(on(topology).url + path, init);
  await response.text();
  const id = response.headers.get("x-request-id");
  const find = async (): Promise<readonly SpanEvent[]> => {
    const events = await eventsOf(topology);
    const request = events.find((each) => each.kind === "request" && each.id === id);
    if (request?.kind !== "request") return [];
    return events.filter(
      (each) => each.kind === "span" && each.trace === request.trace && each.group !== undefined,
    ) as SpanEvent[];
  };
  await expect.poll(async () => (await find()).length).toBe(count);
  return find();
}

const facts = ({ name, group, status, error, failed }: SpanEvent): object => ({ name, group, status, error, failed });

describe.each(topologies)("%s", (topology) => {
  test("requests to other servers are steps of the requests that sent them, without their values", async () => {
    const customers = ["cus_1", "cus_2", "cus_3", "cus_4", "cus_5"];
    const steps = await Promise.all(customers.map((customer) => outgoingOf(topology, `/pay/${customer}`)));
    expect(steps.map((all) => all.map(facts))).toEqual(
      customers.map((customer) => [
        {
          name: `GET ${host}/v1/customers/${customer}/pay?key=•••&expand=•••`,
          group: `GET ${host}/v1/customers/{}/pay`,
          status: 200,
          error: undefined,
          failed: false,
        },
      ]),
    );
    const headers = received.flatMap((each) => (each.url.startsWith("/v1/customers") ? Object.keys(each.headers) : []));
    expect(headers.filter((name) => /trace|baggage|^x-fw/.test(name))).toEqual([]);
  });

  test("requests of node:http, failures and statuses are steps, too", async () => {
    const paths = ["/classic", "/refused", "/lost", "/declined"];
    const steps = await Promise.all(paths.map((path) => outgoingOf(topology, path)));
    expect(steps.flat().map(facts)).toEqual([
      { name: `GET ${host}/v1/ping`, group: `GET ${host}/v1/ping`, status: 200, error: undefined, failed: false },
      {
        name: `GET ${away}/v1/away`,
        group: `GET ${away}/v1/away`,
        status: undefined,
        error: expect.stringMatching(/^\w+/) as string,
        failed: true,
      },
      {
        name: `GET ${host}/v1/cut`,
        group: `GET ${host}/v1/cut`,
        status: 200,
        error: expect.stringMatching(/^\w+/) as string,
        failed: true,
      },
      {
        name: `GET ${host}/v1/declined`,
        group: `GET ${host}/v1/declined`,
        status: 402,
        error: undefined,
        failed: true,
      },
    ]);
  });

  test("authenticators, policies, workers and crons have steps for what they request", async () => {
    const guarded = await outgoingOf(topology, "/guarded", 2, { headers: { "x-partner": "ann" } });
    expect(guarded.map(({ name }) => name)).toEqual([`GET ${host}/v1/verify`, `GET ${host}/v1/calendar`]);
    const letter = await outgoingOf(topology, "/letters", 1, { method: "POST" });
    expect(letter.map(({ name }) => name)).toEqual([`GET ${host}/v1/letters`]);
    const ask = await consoleOf(on(topology).url);
    await ask("crons/run", { name: "sweep" });
    const names = (await eventsOf(topology)).flatMap((each) => (each.kind === "span" ? [each.name] : []));
    expect(names).toContain(`GET ${host}/v1/sweep`);
  });

  test("the value of a secret in a path is hidden, and fw's own requests are no steps", async () => {
    const [step] = await outgoingOf(topology, "/secret");
    expect(step?.name).toBe(`GET ${host}/keys/[secret PARTNER_KEY]/x`);
    const hosts = (await eventsOf(topology)).flatMap((each) =>
      each.kind === "span" && each.group !== undefined ? [each.group.split(" ")[1]?.split("/")[0]] : [],
    );
    expect(new Set(hosts)).toEqual(new Set([host, away]));
  });

  test("the waterfall shows a request to another server with its status", async () => {
    const page = await open(topology, "requests");
    await fetch(`${on(topology).url}/declined`);
    await page.getByRole("button", { name: "GET /declined" }).first().click();
    const step = page.getByRole("complementary").locator(".trace li", { hasText: `GET ${host}/v1/declined` });
    await step.waitFor();
    expect(await step.locator(".warn").textContent()).toBe("402");
    expect(await step.locator(".lane .failed").count()).toBe(1);
    await page.context().close();
  });

  test("queries and calls of all requests are counted by their shape and route, and survive a change of the code", async () => {
    const { dev, url } = on(topology);
    const json = { method: "POST", headers: { "content-type": "application/json" } };
    for (const buyer of ["ann", "ann", "bob"])
      await fetch(`${url}/orders`, { ...json, body: JSON.stringify({ buyer }) });
    for (const buyer of ["ann", "bob", "cy"]) await fetch(`${url}/orders/${buyer}`);
    const page = await open(topology, "steps");
    const table = page.getByRole("region", { name: "Queries and calls" });
    const row = table.getByRole("row", { name: "where buyer == ? · limit 10 · index (buyer)" });
    await row.waitFor();
    const cells = async (): Promise<readonly string[]> => (await row.getByRole("cell").allTextContents()).slice(1);
    await expect.poll(async () => (await cells())[1]).toBe("3");
    const [route, , total, p50, p95, longest, documents] = await cells();
    expect({ route, documents }).toEqual({ route: "GET /orders/{buyer}", documents: "3" });
    for (const duration of [total, longest]) expect(duration).toMatch(/^(?:under )?[\d.]+ m?s$/);
    for (const range of [p50, p95]) expect(range).toMatch(/^(?:under [\d.]+\sms|[\d.]+\sms to [\d.]+\sm?s)$/);
    expect(await page.content()).not.toContain("hunter2");

    await page.getByLabel("Show").selectOption("outgoing");
    await row.waitFor({ state: "detached" });
    const outgoing = table.getByRole("row", { name: `GET ${host}/v1/customers/{}/pay` });
    expect(await outgoing.getByRole("cell").nth(1).textContent()).toBe("GET /pay/{customer}");
    const declined = table.getByRole("row", { name: `GET ${host}/v1/declined` });
    await declined.getByText(/^\d failed$/).waitFor();
    await table
      .getByRole("row", { name: `GET ${host}/v1/sweep` })
      .getByText("cron sweep")
      .waitFor();
    await page.getByLabel("Show").selectOption("");
    await page.getByLabel("Filter").fill("buyer limit");
    await expect.poll(() => table.locator("tbody tr").count()).toBe(1);

    await row.getByRole("link", { name: "Trace of a slow one" }).click();
    await page.getByRole("button", { name: /^GET \/orders\/(?:ann|bob|cy)$/ }).click();
    await page.getByRole("complementary").getByText("entity.all orders").first().waitFor();

    dev.write({ "shop/other.ts": `import { API } from "fw";\nexport const added = API("GET /added", () => 1);\n` });
    await dev.eventually("/added", ({ status }) => status === 200);
    await page.goto(`${url}/_fw/console#steps`);
    await page.reload();
    await expect.poll(async () => (await cells())[1]).toBe("3");
    await page.context().close();
  });

  test("a click on a column or a choice sorts the rows", async () => {
    const page = await open(topology, "steps");
    const table = page.getByRole("region", { name: "Queries and calls" });
    const counts = async (): Promise<readonly number[]> =>
      (await table.locator("tbody tr td:nth-child(3)").allTextContents()).map(Number);
    await expect.poll(async () => (await counts()).length).toBeGreaterThan(3);
    await table.getByRole("button", { name: "Count" }).click();
    const sorted = await counts();
    expect(sorted).toEqual(sorted.toSorted((a, b) => b - a));
    expect(await table.getByRole("columnheader", { name: "Count" }).getAttribute("aria-sort")).toBe("descending");
    expect(await page.getByLabel("Sort by").inputValue()).toBe("Count");
    await page.getByLabel("Sort by").selectOption("Longest");
    expect(await table.getByRole("columnheader", { name: "Longest" }).getAttribute("aria-sort")).toBe("descending");
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectWhole(page, "Queries and calls", 1280);
    await expectWhole(page, "Queries and calls", 390);
    await page.context().close();
  });
});

async function open(topology: Topology, section: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, bypassCSP: true });
  await page.goto(`${on(topology).url}/_fw/console#${section}`);
  return page;
}
