import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { fw } from "../packages/fw/src/cli/testing/run.ts";
import { hasPostgres, startServer as startPostgres } from "../packages/fw/src/platform/postgres/testing/server.ts";
import { accessibilityProblems } from "./support/axe.ts";
import { launchBrowser } from "./support/browser.ts";
import { build } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { startServe, type Served } from "./support/served.ts";
import { expectWhole } from "./support/whole-page.ts";

/** A directory for screenshots of every page. */
const pictures = process.env["FW_PICTURES"];

const key = "a password of operators";
let root: string;
let server: Served;
let dashboard: string;
/** A foreign server. */
const partner = createServer((_request, response) => response.writeHead(503).end());
let partnerHost: string;

beforeAll(async () => {
  partner.listen(0, "127.0.0.1");
  await once(partner, "listening");
  partnerHost = `127.0.0.1:${(partner.address() as AddressInfo).port}`;
  root = writeApplication({
    "shop/shop.ts": `import { API, Auth, Cron, Entity, type ID, type Index, Queue, Worker } from "fw";
import { count } from "../stock/stock.ts";
export const auth = Auth({ password: true });
export const swept = Entity<{ id: ID; key: Index<string> }>("swept");
export const list = API("GET /swept", async (ctx) => (await swept.query().all(ctx)).length);
export const key = API("GET /key", () => process.env["FW_DASHBOARD_KEY"] ?? "withheld");
export const letters = Queue<string>("letters");
export const later = API("POST /later", (ctx) => letters.send(ctx, "hello", { delay: "1h" }).then(() => {}));
export const write = Worker(letters, (ctx, key) => swept.create(ctx, { key }).then(() => {}));
export const order = API("GET /order", async (ctx) => {
  await swept.query().where("key", "==", "a value of a document").all(ctx);
  await count.call(ctx, {});
  await fetch(process.env.PARTNER + "/v1/tills/till_7?note=a+value+of+a+query");
  throw new Error("the till is broken");
});
export const sweep = Cron("sweep", "0 4 * * *", (ctx) => swept.create(ctx, { key: "x" }).then(() => {}));
`,
    "stock/stock.ts": `import { API, Entity, type ID } from "fw";
export const goods = Entity<{ id: ID }>("goods");
export const count = API("GET /count", async (ctx) => (await goods.query().all(ctx)).length, { private: true });
`,
  });
  await build(root);
  server = await startServe(["--dashboard", "0", "--traces", "0"], {
    cwd: root,
    env: { FW_DASHBOARD_KEY: key, PARTNER: `http://${partnerHost}` },
  });
  dashboard = String(server.lines('"dashboard"')[0]?.["url"]);
  // The first request of a process to another server only starts the recording.
  expect((await fetch(`${server.url}/order`)).status).toBe(500);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  partner.closeAllConnections();
  partner.close();
  rmSync(root, { recursive: true, force: true });
});

function request(path: string, password: string, init: RequestInit = {}, url = dashboard): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`ann:${password}`).toString("base64")}`;
  return fetch(url + path, { ...init, headers: { authorization, ...init.headers } });
}

/** Calls an operation like the page does. */
async function operate(name: string, input: object = {}, url = dashboard): Promise<{ status: number; body: unknown }> {
  const page = await (await request("/_fw/console", key, {}, url)).text();
  const token = /name="fw-console" content="([^"]+)"/.exec(page)?.[1] ?? "";
  const path = `/_fw/console/api/${name}`;
  const init = {
    method: "POST",
    headers: { "x-fw-console": token },
    body: JSON.stringify(input),
  };
  const answer = await request(path, key, init, url);
  return { status: answer.status, body: await answer.json() };
}

test("only clients with the key reach the dashboard, which the application's port does not have", async () => {
  expect((await fetch(`${dashboard}/_fw/console`)).status).toBe(401);
  expect((await request("/_fw/console", "another password")).status).toBe(401);
  expect((await request("/", key)).url).toBe(`${dashboard}/_fw/console`);
  const own = { headers: { authorization: `Basic ${Buffer.from(`ann:${key}`).toString("base64")}` } };
  expect((await fetch(`${server.url}/_fw/console`, own)).status).toBe(404);
  expect(await (await fetch(`${server.url}/key`)).json()).toBe("withheld");
});

test("operators see counts of all services, and nothing of what commands cannot do", async () => {
  await fetch(`${server.url}/swept`);
  const { body } = await operate("metrics");
  expect(JSON.stringify(body)).toContain("GET /swept");
  expect(JSON.stringify((await operate("model")).body)).toContain('"name":"sweep"');
  for (const name of ["documents", "documents/save", "call", "jobs/start", "objects/read"])
    expect({ name, ...(await operate(name)) }).toMatchObject({ name, status: 404 });
});

test("an operation without an object of input is refused, and is no change", async () => {
  for (const input of ["null", "5", '"text"'])
    expect(await operate("crons/run", JSON.parse(input) as object)).toEqual({
      status: 400,
      body: { error: "the input must be an object" },
    });
  expect(server.lines("operator ann")).toEqual([]);
});

test("what an operator changes is in the log, with the operator's name", async () => {
  expect(await operate("crons/run", { name: "sweep" })).toMatchObject({ status: 200 });
  expect(await (await fetch(`${server.url}/swept`)).json()).toBe(1);
  expect(server.lines("operator ann")).toMatchObject([
    { message: "operator ann: crons/run", operator: "ann", operation: "crons/run", input: { name: "sweep" } },
  ]);
});

test("the server's page shows versions, disk, backups, services, and the changes of operators", async () => {
  const backup = await fw(root, "backup", join(root, "backups/1"));
  expect(backup).toMatchObject({ code: 0 });
  await operate("messages/drop", { consumer: "shop", id: "none" });
  await using browser = await launchBrowser();
  const page = await browser.newPage({ httpCredentials: { username: "ann", password: key } });
  await page.goto(`${dashboard}/_fw/console#server`);
  const facts = page.getByRole("region", { name: "Server", exact: true });
  await facts.getByText(`v${process.versions.node}`).waitFor();
  const rows = await facts.getByRole("row").allTextContents();
  expect(rows.find((row) => row.startsWith("Last backup"))).toContain(String(new Date().getFullYear()));
  expect(rows.find((row) => row.startsWith("Free disk space"))).toMatch(/[MG]B of [\d.]+ [MG]B \(\d+ %\)$/);
  const services = page.getByRole("region", { name: "Services" });
  // The last number varies while events are being collected.
  expect(await services.getByRole("row").allTextContents()).toContainEqual(expect.stringMatching(/^shop11\d$/));
  const changes = page.getByRole("region", { name: "Changes by operators, newest first" });
  expect(await changes.getByRole("row").nth(1).textContent()).toMatch(/annmessages\/drop.*"consumer": "shop"/s);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
});

test("a failed request is shown with its steps in all services, without values of documents", async () => {
  expect((await fetch(`${server.url}/order`)).status).toBe(500);
  await using browser = await launchBrowser();
  const page = await browser.newPage({ httpCredentials: { username: "ann", password: key } });
  await page.goto(`${dashboard}/_fw/console#requests`);
  await page.getByText("all that failed or took 500 ms or longer, and 0 % of the others, fewer under load.").waitFor();
  await page.getByRole("button", { name: "GET /order" }).first().click();
  const details = page.getByRole("complementary", { name: "Request details" });
  await details.getByText("entity.all goods").waitFor();
  const text = await details.textContent();
  for (const part of ["where key == ?", "GET /count", "the till is broken", `GET ${partnerHost}/v1/tills/{}`])
    expect(text).toContain(part);
  expect(await page.content()).not.toMatch(/a value of a document|till_7|of\+a\+query/);
  expect(await page.getByRole("button", { name: "GET /swept" }).count()).toBe(0);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  for (const name of ["exchange", "test"]) expect((await operate(name, { id: "x" })).status).toBe(404);
});

test("queries and calls of all requests are counted, also of those whose traces are not kept", async () => {
  const countOf = async (name: string): Promise<number> => {
    const rows = (await operate("steps", { range: 300_000 })).body as readonly { name: string; count: number }[];
    return rows.filter((row) => row.name === name).reduce((sum, { count }) => sum + count, 0);
  };
  const [before, calls] = [await countOf("entity.all swept"), await countOf(`GET ${partnerHost}/v1/tills/{}`)];
  await Promise.all(Array.from({ length: 5 }, () => fetch(`${server.url}/swept`)));
  await fetch(`${server.url}/order`);
  await expect.poll(() => countOf("entity.all swept")).toBe(before + 6);
  expect(await countOf(`GET ${partnerHost}/v1/tills/{}`)).toBe(calls + 1);
  const { body } = await operate("steps", { range: 300_000 });
  expect(JSON.stringify(body)).not.toMatch(/a value of a document|till_7|of\+a\+query/);
  await using browser = await launchBrowser();
  const page = await browser.newPage({ httpCredentials: { username: "ann", password: key } });
  await page.goto(`${dashboard}/_fw/console#steps`);
  const row = page.getByRole("row", { name: `GET ${partnerHost}/v1/tills/{}` });
  await row.getByText(/^\d+ failed$/).waitFor();
  await row.getByRole("link", { name: "Trace of a slow one" }).click();
  await page.getByRole("button", { name: "GET /order" }).waitFor();
});

test("each operation that the page may call exists, and operators sign users out there", async () => {
  const page = await (await request("/_fw/console", key)).text();
  const offered = /name="fw-console-operations" content="([^"]+)"/.exec(page)?.[1]?.split(" ") ?? [];
  const statuses = await Promise.all(offered.map(async (name) => ({ name, status: (await operate(name)).status })));
  expect(statuses.filter(({ status }) => status === 404)).toEqual([]);
  expect(await fw(root, "users", "create", "bea@example.com")).toMatchObject({ code: 0 });
  const { accounts } = (await operate("accounts")).body as { accounts: { id: string }[] };
  expect(await operate("accounts/sign-out", { id: accounts[0]?.id })).toEqual({ status: 200, body: null });
});

test.each([
  { colorScheme: "dark", width: 390 },
  { colorScheme: "light", width: 1280 },
] as const)("every page is accessible and whole at $width pixels, $colorScheme", async ({ colorScheme, width }) => {
  await using browser = await launchBrowser();
  const httpCredentials = { username: "ann", password: key };
  const page = await browser.newPage({
    bypassCSP: true,
    colorScheme,
    httpCredentials,
    viewport: { width, height: 900 },
  });
  await page.goto(`${dashboard}/_fw/console`);
  const links = page.locator("#sections a");
  await links.first().waitFor();
  for (const link of await links.all()) {
    const title = ((await link.textContent()) ?? "").replace(/\d+$/, "");
    await link.click();
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    await page.locator("main :is(.card, .none):visible").first().waitFor();
    const violations = await accessibilityProblems(page);
    await expectWhole(page, title, width);
    if (pictures !== undefined)
      await page.screenshot({ path: join(pictures, `dashboard-${title}-${width}-${colorScheme}.png`), fullPage: true });
    const editorLinks = await page.locator('main a[href*="://file"]').count();
    expect({ title, violations, editorLinks }).toEqual({
      title,
      violations: [],
      editorLinks: 0,
    });
    if (title !== "Users") continue;
    await page.getByText("bea@example.com").waitFor();
    expect(await page.locator("main table :is(button, input)").count()).toBe(0);
  }
});

test("a dashboard without a password is refused", async () => {
  const lacks = await fw(root, "serve", "--dashboard", "0");
  expect(lacks).toMatchObject({
    code: 2,
    err: expect.stringContaining("set FW_DASHBOARD_KEY to at least 16 characters"),
  });
  expect(await fw(root, "serve", "--slow", "1s")).toMatchObject({
    code: 2,
    err: expect.stringContaining('"--slow" needs --dashboard'),
  });
  expect(await fw(root, "serve", "--traces", "0.1")).toMatchObject({
    code: 2,
    err: expect.stringContaining('"--traces" needs --dashboard'),
  });
});

describe("data in PostgreSQL", { skip: !hasPostgres() }, () => {
  test("each machine's dashboard shows the messages of all machines", async () => {
    const database = await startPostgres();
    onTestFinished(() => database.stop());
    const start = (name: string): Promise<Served> =>
      startServe(["--dashboard", "0", "--data", join(root, name)], {
        cwd: root,
        env: { FW_DASHBOARD_KEY: key, FW_DATABASE: database.address("dashboards"), FW_OBJECTS: join(root, "objects") },
      });
    await using first = await start("first");
    await using second = await start("second");
    const [, other] = [first, second].map((machine) => String(machine.lines('"dashboard"')[0]?.["url"]));
    expect((await fetch(`${first.url}/later`, { method: "POST" })).status).toBe(204);
    const place = { destination: "queue:letters", consumer: "shop-write" };
    const { body } = await operate("messages/pending", place, other);
    const [message] = (body as { messages: { id: string; body: string }[] }).messages;
    expect(JSON.parse(message?.body ?? "")).toBe("hello");
    expect((await operate("messages", {}, other)).body).toMatchObject({
      backlog: expect.arrayContaining([expect.objectContaining({ ...place, messages: 1 })]) as unknown,
    });
    expect(await operate("messages/hasten", { ...place, id: message?.id }, other)).toMatchObject({ status: 200 });
    await expect.poll(async () => (await fetch(`${first.url}/swept`)).json()).toBe(1);
    expect((await operate("timeline", { range: 300_000 }, other)).status).toBe(200);
    expect((await operate("server", {}, other)).body).toMatchObject({
      data: "database",
      changes: [{ operator: "ann" }],
    });
  });
});
