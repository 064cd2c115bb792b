import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { accessibilityProblems } from "./support/axe.ts";
import { launchBrowser } from "./support/browser.ts";
import { launchDev, writeApplication, type Dev } from "./support/dev-app.ts";

const hostile = "<img src=x onerror=\"document.title='struck'\"></script><script>document.title='struck'</script>";

const application = `
-- shop/shop.ts --
import { Alert, API, Auth, Authenticator, Bucket, Channel, Counter, Cron, Entity, Job, Page, Queue, RequireRole, Role, Runner, Secret, Site, Worker, Errorf, rate } from "fw";
import type { Form, Header, ID, Index, Int, Path, Query, Ref } from "fw";
import { take } from "../stock/stock.ts";
export const auth = Auth({ password: true });
export const Clerk = Role("clerk");
export const clerks = RequireRole(Clerk);
export const partners = Authenticator((_ctx, { key }: { key: Header<string, "X-Partner-Key"> }) => (key === "ours" ? { id: "partner:1", name: "a partner" } : undefined));
export const who = API("GET /who", (ctx) => ctx.user().name, { signIn: true });
export const key = Secret("SHOP_KEY");
export const site = Site("./web");
export interface Order { id: ID; buyer: Index<string>; placed: Index<Date>; total: Int }
export const orders = Entity<Order>("orders");
export interface Refund { id: ID; order: Index<Ref<Order>> }
export const refunds = Entity<Refund>("refunds", { onDelete: { order: "refuse" } });
export const sold = Counter("sold");
export const oncall = Channel("oncall", { email: "oncall@example.com" });
export const busy = Alert("busy", { if: rate(sold).above(1000), every: "5m", for: "10m", notify: [oncall] });
export const papers = Bucket("papers");
export interface PlaceOrder { total: Int; buyer: string }
export const placeOrder = API("POST /orders", async (ctx, { total, buyer }: PlaceOrder): Promise<Order> => {
  ctx.log.info("placing " + buyer, { total });
  await take.call(ctx, { total });
  sold.add(ctx, 1);
  return orders.create(ctx, { buyer, placed: ctx.now(), total });
});
export const byBuyer = API("GET /orders", (ctx, { buyer }: { buyer: Query }) => orders.query().where("buyer", "==", buyer).orderBy("placed").all(ctx));
export const totals = API("GET /totals", async (ctx, { buyer }: { buyer: Query }) => {
  let sum = 0;
  for (const { id } of await orders.query().where("buyer", "==", buyer).all(ctx)) sum += (await orders.get(ctx, id)).total;
  return sum;
});
export const ledger = Page("GET /ledger", async (ctx) => {
  let sum = 0;
  for (const { id } of await orders.query().where("buyer", "==", "ivy").all(ctx)) sum += (await orders.get(ctx, id)).total;
  return site.render(ctx, "ledger.html", { sum });
});
export const close = API("POST /orders/{id}/close", (ctx, { id }: { id: Path }) => ({ id, by: ctx.user().email, roles: ctx.user().roles }), { allow: clerks });
export const note = Page("POST /note", async (ctx, { text }: { text: Form }) => { await papers.put(ctx, "note", new Blob([text], { type: "text/plain" })); return site.fragment(ctx, "note.html", { text }); }, { signIn: true });
export const upload = API("POST /upload", (ctx, { name, file }: { name: Form; file: Form<Blob> }) => ({ name, type: file.type, size: file.size }));
export const fail = API("GET /fail", () => { throw new Error("the till is stuck"); });
export const wait = API("GET /wait", async (ctx) => { ctx.log.info("the kettle is on"); await until("boiled"); return { done: true }; });
export const boil = API("POST /boil", () => { going.get("boiled")?.(); });
const going = new Map<string, () => void>();
function until(what: string): Promise<void> { return new Promise((go) => { going.set(what, go); }); }
export const chatter = API("GET /chatter", (ctx) => { for (let i = 0; i < 10_000; i++) ctx.log.info("line " + i); });
export const mails = Queue<{ to: string }>("mails");
export const mailer = Worker(mails, (ctx, { to }) => { throw new Error("no house of " + to); }, { maxAttempts: 5, minBackoff: "1ms", maxBackoff: "1ms" });
export const mail = API("POST /mails", async (ctx, req: { to: string }) => { await mails.send(ctx, req); });
export const letters = Queue<{ to: string }>("letters");
export const postman = Worker(letters, (ctx, { to }, { attempt }) => { if (attempt < 3) throw new Error("no stamp for " + to); }, { maxAttempts: 5, minBackoff: "1h", maxBackoff: "1h" });
export const letter = API("POST /letters", async (ctx, req: { to: string }) => { await letters.send(ctx, req); });
export const sweep = Cron("sweep", "0 3 * * *", (ctx) => orders.create(ctx, { buyer: "cron", placed: ctx.now(), total: 0 }).then(() => {}));
export const dropOrder = API("DELETE /orders/{id}", async (ctx, { id }: { id: Path }) => { await orders.get(ctx, id); await orders.delete(ctx, id); });
export const settle = API("POST /orders/{id}/settle", async (ctx, { id }: { id: Path }) => {
  if ((await orders.get(ctx, id)).total === 0) throw Errorf(409, "settled already");
  await orders.update(ctx, id, (order) => ({ ...order, total: 0 }));
});
export const parcels = Queue<{ to: string }>("parcels");
export const packer = Worker(parcels, async (ctx, { to }) => { ctx.log.info("packing for " + to); await paint.start(ctx, { houses: 1 }); });
export const parcel = API("POST /parcels", async (ctx, req: { to: string }) => { await parcels.send(ctx, req); ctx.log.info("sent to " + req.to); });
export const paint = Job<{ houses: Int }>("paint");
export const wash = Job("wash", { history: "30d" });
export const washer = Runner(wash, (ctx, args, run) => {
  run.progress(0.4, "4 of 10 houses");
  return new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
});
export const painter = Runner(paint, (ctx, { houses }) => { ctx.log.info("painting"); return orders.create(ctx, { buyer: "job", placed: ctx.now(), total: houses }).then(() => {}); });
-- shop/web/templates/layout.html --
<!doctype html><title>Ledger</title><body>{{content}}</body>
-- shop/web/templates/ledger.html --
<p>{{sum}}</p>
-- shop/web/templates/note.html --
<p>{{text}}</p>
-- stock/stock.ts --
import { API, Errorf } from "fw";
import type { Int } from "fw";
export const take = API("POST /stock/take", (ctx, { total }: { total: Int }) => { ctx.log.info("taken"); if (total > 100) throw Errorf(422, "not so many"); return true; });
-- shop/web/hello.txt --
hello
-- .env --
SHOP_KEY=hunter2hunter2
`;

const running = new Map<string, Dev>();
const topologies: readonly (readonly [name: string, args: readonly string[]])[] = [
  ["in one process", []],
  ["as services", ["--services"]],
];
let browser: Browser;

beforeAll(async () => {
  const starts = topologies.map(([name, args]) => {
    const root = writeApplication(Object.fromEntries(filesOf(application)));
    const dev = launchDev(root, [...args, "--allowed-host", "app.example"]);
    running.set(name, dev);
    return dev.says("http://localhost:");
  });
  browser = await launchBrowser("--disable-web-security");
  await Promise.all(starts);
});
afterAll(async () => {
  await browser.close();
  for (const dev of running.values()) await dev[Symbol.asyncDispose]();
});

function on(name: string): { dev: Dev; url: string } {
  const dev = running.get(name) as Dev;
  return { dev, url: `http://localhost:${dev.port}` };
}

function postOf(body: object): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

describe.each(topologies)("the console %s", (topology) => {
  let token = "";
  const url = (): string => on(topology).url;

  async function ask<T>(operation: string, input: object = {}): Promise<T> {
    const headers = { "x-fw-console": token, "content-type": "application/json" };
    const answer = await fetch(`${url()}/_fw/console/api/${operation}`, {
      method: "POST",
      headers,
      body: JSON.stringify(input),
    });
    const body = (await answer.json()) as T & { error?: string };
    if (!answer.ok) throw new Error(`${answer.status}: ${body.error}`);
    return body;
  }

  const json = (path: string, body: object): Promise<Response> => fetch(url() + path, postOf(body));

  beforeAll(async () => {
    const page = await (await fetch(`${url()}/_fw/console`)).text();
    token = /name="fw-console" content="([^"]+)"/.exec(page)?.[1] ?? "";
  });

  test("knows the application as soon as it was analysed", async () => {
    await expect
      .poll(() => ask("model"))
      .toMatchObject({
        graph: { app: "app" },
        diagram: { nodes: expect.arrayContaining([expect.objectContaining({ id: "entity orders", package: "shop" })]) },
      });
  });

  interface RequestSeen {
    kind: string;
    id: string;
    trace: string;
    path: string;
    status: number;
    service?: string;
    caller?: string;
    user?: string;
    message?: string;
    fields?: { req?: string; error?: { stack: string } };
  }
  const events = async (): Promise<RequestSeen[]> =>
    (await ask<{ events: RequestSeen[] }>("events", { after: 0 })).events;

  test("shows requests over services, their logs, and the cause behind an opaque 500", async () => {
    await json("/orders", { total: 3, buyer: "ann" });
    const failed = await fetch(`${url()}/fail`);
    expect(await failed.text()).not.toContain("till");
    const id = failed.headers.get("x-request-id");
    await expect
      .poll(async () =>
        (await events())
          .filter((each) => each.kind === "log" && each.fields?.req === id)
          .map((each) => each.fields?.error?.stack),
      )
      .toEqual([expect.stringContaining("the till is stuck")]);
    const allEvents = await events();
    const placed = allEvents.find(({ path }) => path === "/orders");
    expect(placed).toMatchObject({ status: 200, service: "shop" });
    expect(allEvents.find(({ path }) => path === "/fail")).toMatchObject({ id, status: 500 });
    expect(allEvents.map(({ message }) => message)).toContain("taken");
    if (topology === "as services")
      expect(allEvents.find(({ path }) => path === "/stock/take")).toMatchObject({
        service: "stock",
        caller: "shop",
        trace: placed?.trace,
      });
    expect(JSON.stringify(allEvents)).not.toContain("hunter2");
  });

  test("calls a route as anybody with any roles, and the session ends with the call", async () => {
    const call = (input: object): Promise<{ status: number; body: string }> =>
      ask("call", { method: "POST", path: "/orders/7/close", headers: [], ...input });
    expect(await call({})).toMatchObject({ status: 401 });
    expect(await call({ email: "carl@example.com" })).toMatchObject({ status: 403 });
    const answer = await call({ email: "carl@example.com", roles: ["clerk"] });
    expect(JSON.parse(answer.body)).toEqual({ id: "7", by: "carl@example.com", roles: ["clerk"] });
    const form = {
      path: "/note",
      body: "text=hello",
      headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
    };
    expect(await call({ ...form, email: "carl@example.com" })).toMatchObject({
      status: 200,
      body: expect.stringContaining("hello"),
    });
    expect(await ask("accounts")).toEqual({ accounts: [] });
    await expect(call({ path: "//evil.example/" })).rejects.toThrow("begin with one slash");
  });

  interface Documents {
    documents: { id: string; version: string; fields: Record<string, unknown> }[];
    indexes: string[][];
  }

  test("browses, queries, edits and deletes documents, and names the index of a query", async () => {
    await json("/orders", { total: 5, buyer: "bea" });
    const query = {
      kind: "orders",
      filters: [{ property: "buyer", op: "==", value: "bea" }],
      orders: [{ property: "placed", direction: "asc" }],
    };
    const {
      documents: [order],
      indexes,
    } = await ask<Documents>("documents", query);
    expect(indexes).toEqual([["buyer asc", "placed asc"]]);
    const place = { kind: "orders", id: order?.id, version: order?.version };
    await ask("documents/save", { ...place, json: JSON.stringify({ ...order?.fields, total: 6 }) });
    const current = (await ask<Documents>("documents", query)).documents[0]?.version;
    const misfit = { ...place, version: current, json: JSON.stringify({ ...order?.fields, total: "six" }) };
    await expect(ask("documents/save", misfit)).rejects.toThrow('total: "six" is not an int');
    await expect(ask("documents/create", { kind: "orders", json: "{}" })).rejects.toThrow("buyer: is required");
    await expect(ask("documents/save", { ...place, json: misfit.json.replace('"six"', "7") })).rejects.toThrow(
      "changed",
    );
    const [edited] = (await ask<Documents>("documents", query)).documents;
    expect(edited?.fields).toEqual({ ...order?.fields, total: 6 });
    const remove = { ...place, version: edited?.version };
    const refund = { kind: "refunds", id: "r1" };
    await expect(ask("documents/create", { ...refund, json: '{ "order": "gone" }' })).rejects.toThrow(
      "there is no document with this order",
    );
    await ask("documents/create", { ...refund, json: JSON.stringify({ order: order?.id }) });
    await expect(ask("documents/delete", remove)).rejects.toThrow("409: other documents refer to it: refunds");
    const [row] = (await ask<Documents>("documents", refund)).documents;
    await ask("documents/delete", { ...refund, version: row?.version });
    await ask("documents/delete", remove);
    expect((await ask<Documents>("documents", query)).documents).toEqual([]);
    await expect(ask("documents", { ...query, orders: [{ property: "total", direction: "asc" }] })).rejects.toThrow(
      "total",
    );
    await expect(ask("documents", { kind: "_fw_sessions" })).rejects.toThrow('there is no entity "_fw_sessions"');
  });

  test("creates documents, and finds one by its id in any entity", async () => {
    const fields = { buyer: "flo", placed: { $date: 0 }, total: 1 };
    const { id } = await ask<{ id: string }>("documents/create", { kind: "orders", json: JSON.stringify(fields) });
    expect(await ask("documents", { kind: "orders", id })).toMatchObject({ documents: [{ id, fields }], count: 1 });
    expect(await ask("documents/locate", { id })).toEqual({ entities: ["orders"] });
    expect(await ask("documents/locate", { id: "unknown" })).toEqual({ entities: [] });
    await expect(ask("documents/create", { kind: "orders", id, json: JSON.stringify(fields) })).rejects.toThrow();
    await expect(ask("documents/create", { kind: "orders", json: "[]" })).rejects.toThrow("[] is not an object");
  });

  test("creates accounts, grants roles, signs in as one and disables it", async () => {
    type Accounts = { accounts: { id: string; email: string; claims: object; disabled: boolean }[] };
    const find = async (): Promise<Accounts["accounts"][number] | undefined> =>
      (await ask<Accounts>("accounts")).accounts.find(({ email }) => email === "gil@example.com");
    await ask("accounts/create", { email: "gil@example.com", name: "Gil", role: "clerk" });
    const { id, claims } = (await find()) ?? { id: "", claims: {} };
    expect(claims).toEqual({ roles: ["clerk"] });
    const signedIn = await fetch(`${url()}/_fw/console/api/accounts/sign-in`, {
      method: "POST",
      headers: { "x-fw-console": token, "content-type": "application/json" },
      body: JSON.stringify({ id }),
    });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    expect(await (await fetch(`${url()}/who`, { headers: { cookie } })).json()).toBe("Gil");
    await ask("accounts/change", { id, change: "revoke", role: "clerk" });
    await ask("accounts/change", { id, change: "disable" });
    expect(await find()).toMatchObject({ claims: { roles: [] }, disabled: true });
    expect((await fetch(`${url()}/who`, { headers: { cookie } })).status).toBe(401);
    await expect(ask("accounts/sign-in", { id })).rejects.toThrow("disabled");
    await expect(ask("accounts/change", { id, change: "grant", role: "king" })).rejects.toThrow("not a declared role");
    await expect(ask("accounts/create", { email: "gil@example.com" })).rejects.toThrow();
    await ask("accounts/change", { id, change: "delete" });
  });

  interface Messages {
    backlog: { destination: string; messages: number }[];
    dead: { id: string; consumer: string; reason: string }[];
  }

  test("replays and drops dead messages, runs crons and starts jobs", async () => {
    await json("/mails", { to: "nobody" });
    const dead = async (): Promise<Messages["dead"]> => (await ask<Messages>("messages")).dead;
    await expect
      .poll(dead)
      .toEqual([
        expect.objectContaining({ consumer: "shop-mailer", reason: expect.stringContaining("no house of nobody") }),
      ]);
    const [letter] = await dead();
    const place = { consumer: letter?.consumer, id: letter?.id };
    expect(await ask("messages/replay", place)).toEqual({ done: true });
    await expect.poll(dead).toHaveLength(1);
    expect(await ask("messages/drop", place)).toEqual({ done: true });
    expect(await dead()).toEqual([]);
    expect((await ask<Messages>("messages")).backlog).toContainEqual({
      destination: "queue:mails",
      consumer: "shop-mailer",
      messages: 0,
      retried: 0,
      inFlight: 0,
    });
    expect(await ask("crons/run", { name: "sweep" })).toEqual({ done: true });
    await ask("jobs/start", { name: "paint", args: '{ "houses": 4 }' });
    const createOrder = async (buyer: string): Promise<unknown> =>
      (
        await ask<Documents>("documents", { kind: "orders", filters: [{ property: "buyer", op: "==", value: buyer }] })
      ).documents.map(({ fields }) => fields["total"]);
    expect(await createOrder("cron")).toEqual([0]);
    await expect.poll(() => createOrder("job")).toEqual([4]);
    await expect(ask("jobs/start", { name: "none" })).rejects.toThrow();
  });

  interface Pending {
    messages: { id: string; attempts: number; reason?: string; body: string }[];
  }

  test("lists the messages that wait for a retry, and retries one now", async () => {
    const place = { destination: "queue:letters", consumer: "shop-postman" };
    const pending = async (): Promise<Pending["messages"]> => (await ask<Pending>("messages/pending", place)).messages;
    const errors = async (): Promise<unknown> => (await pending()).map(({ attempts, reason }) => [attempts, reason]);
    await json("/letters", { to: "ivy" });
    const failed = (attempts: number): unknown => [[attempts, expect.stringContaining("no stamp for ivy")]];
    await expect.poll(errors).toEqual(failed(1));
    const [message] = await pending();
    await ask("messages/hasten", { ...place, id: message?.id });
    await expect.poll(errors).toEqual(failed(2));
    await ask("messages/hasten", { ...place, id: message?.id });
    await expect.poll(pending).toEqual([]);
  });

  test("has objects, people, metrics and alerts, and of secrets the names", async () => {
    await ask("call", {
      method: "POST",
      path: "/note",
      body: "text=kept",
      headers: [{ name: "content-type", value: "application/x-www-form-urlencoded" }],
      email: "carl@example.com",
    });
    expect(await ask("objects", { bucket: "papers" })).toMatchObject({ objects: [{ key: "note", size: 4 }] });
    const { base64 } = await ask<{ base64: string }>("objects/read", { bucket: "papers", key: "note" });
    expect(Buffer.from(base64, "base64").toString()).toBe("kept");
    await ask("objects/delete", { bucket: "papers", key: "note" });
    await fetch(`${url()}/_fw/api/session`, {
      method: "POST",
      body: new URLSearchParams({ dev_user: "alice" }),
      redirect: "manual",
    });
    const { accounts } = await ask<{ accounts: { id: string; email: string; sessions: unknown[] }[] }>("accounts");
    expect(accounts).toEqual([
      expect.objectContaining({
        email: "alice@example.com",
        sessions: [expect.objectContaining({ provider: "email" })],
      }),
    ]);
    await ask("accounts/sign-out", { id: accounts[0]?.id });
    expect(await ask("accounts")).toMatchObject({ accounts: [{ sessions: [] }] });
    await json("/orders", { total: 1, buyer: "cy" });
    const { series } = await ask<{ series: { name: string; value?: number }[] }>("metrics");
    expect(series.find(({ name }) => name === "sold")?.value).toBeGreaterThan(0);
    expect(await ask("alerts")).toMatchObject({ firing: [], rules: [{ name: "busy" }] });
    const model = JSON.stringify(await ask("model"));
    expect(model).toContain("SHOP_KEY");
    expect(model).not.toContain("hunter2");
  });

  test("answers only its own page on this machine", async () => {
    const { port } = on(topology).dev;
    const status = (path: string, headers: Record<string, string>, method = "GET"): Promise<number> =>
      new Promise((resolve, reject) => {
        request({ port, host: "127.0.0.1", path: `/_fw/console${path}`, method, headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        })
          .once("error", reject)
          .end();
      });
    const host = `localhost:${port}`;
    expect(await status("", { host })).toBe(200);
    expect(await status("", { host: `127.0.0.1:${port}` })).toBe(200);
    // Refuses a tunnel's host name, a name pointed at this machine, and forwarded requests.
    for (const other of ["app.example", "evil.example", "192.168.1.7", "machine"])
      expect(await status("", { host: other })).toBe(403);
    for (const name of ["x-forwarded-for", "forwarded", "via"])
      expect(await status("", { host, [name]: "1.2.3.4" })).toBe(403);
    // Pages of the application cannot read the page that contains the token.
    for (const as of ["empty", "iframe"]) expect(await status("", { host, "sec-fetch-dest": as })).toBe(403);
    for (const operation of ["events", "documents/delete", "messages/drop", "call", "nothing"]) {
      expect(await status(`/api/${operation}`, { host }, "POST")).toBe(403);
      expect(await status(`/api/${operation}`, { host, "x-fw-console": "x".repeat(43) }, "POST")).toBe(403);
      expect(
        await status(`/api/${operation}`, { host, "x-fw-console": token, "sec-fetch-site": "same-site" }, "POST"),
      ).toBe(403);
      expect(await status(`/api/${operation}`, { host, "x-fw-console": token })).toBe(405);
    }
    expect(await status("/api/__proto__", { host, "x-fw-console": token }, "POST")).toBe(404);
    expect(await status("/../../package.json", { host })).toBe(404);
  });
});

async function open(name: string, section: string, options: Parameters<Browser["newPage"]>[0] = {}): Promise<Page> {
  const page = await browser.newPage(options);
  await page.goto(`${on(name).url}/_fw/console#${section}`);
  await page.locator("h1").waitFor();
  return page;
}

test.each([
  ["light", 1280],
  ["dark", 390],
] as const)(
  "axe finds nothing in any section, %s at %i pixels, and nothing is wider than the page",
  async (colorScheme, width) => {
    const { url } = on("in one process");
    // Every section has a row to check, even if no other test has run.
    await fetch(`${url}/fail`);
    await fetch(`${url}/orders`, postOf({ total: 2, buyer: "axe" }));
    const page = await open("in one process", "requests", {
      colorScheme,
      viewport: { width, height: 800 },
      bypassCSP: true,
    });
    for (const name of await page.locator("#sections a").allTextContents()) {
      await page.locator("#sections a", { hasText: name.replace(/\d+$/, "") }).click();
      const link = page.locator("main button.link").first();
      if (["Requests", "Routes"].includes(name)) await link.click();
      const violations = await accessibilityProblems(page);
      expect({ name, violations }).toEqual({ name, violations: [] });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    }
    await page.context().close();
  },
);

test("the page shows hostile data as text, in documents, logs and answers", async () => {
  const { url } = on("in one process");
  await fetch(`${url}/orders`, postOf({ total: 2, buyer: hostile }));
  const page = await open("in one process", "logs");
  await page.getByText("placing <img src=x").first().waitFor();
  for (const section of ["data", "requests", "application", "messages"]) {
    await page
      .getByRole("link", {
        name: { data: "Data", requests: "Requests", application: "Application", messages: "Messages" }[section] ?? "",
      })
      .first()
      .click();
    await page.locator("h1").waitFor();
  }
  await page.getByRole("link", { name: "Data", exact: true }).click();
  // The list of entities comes first.
  await page
    .getByRole("row", { name: /^orders \d+ buyer, placed shop / })
    .getByRole("link", { name: "orders" })
    .click();
  await page.getByText("onerror").first().waitFor();
  expect(await page.title()).not.toContain("struck");
  expect(await page.locator("main img[src='x'], main script").count()).toBe(0);
  await page.context().close();
});

test("the page is used by keyboard alone: a request is opened, and a route is called", async () => {
  const page = await open("in one process", "requests");
  await fetch(`${on("in one process").url}/fail`);
  const row = page.getByRole("button", { name: "GET /fail" }).first();
  await row.waitFor();
  await row.focus();
  await page.keyboard.press("Enter");
  await page.getByText("Error: the till is stuck").first().waitFor();
  expect(await page.evaluate("document.activeElement.textContent")).toBe("GET /fail");
  await page.getByRole("button", { name: "Close", exact: true }).press("Enter");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("GET /fail");
  await page.getByRole("link", { name: "Routes" }).press("Enter");
  await page.getByRole("button", { name: "POST /orders/{id}/close" }).press("Enter");
  await page.getByLabel("id (path").fill("9");
  await page.getByLabel("Email address").fill("carl@example.com");
  await page.getByLabel("clerk").press("Space");
  await page.getByRole("button", { name: "Send" }).press("Enter");
  await page.getByText('"by": "carl@example.com"').waitFor();
  await page.getByRole("button", { name: "GET /who" }).press("Enter");
  await page.getByLabel("X-Partner-Key (header").fill("ours");
  await page.getByRole("button", { name: "Send" }).press("Enter");
  await page.getByText('"a partner"').waitFor();
  await page.getByRole("button", { name: "POST /upload" }).press("Enter");
  await page.getByLabel("name (form").fill("cat");
  await page
    .getByLabel("file (form")
    .setInputFiles({ name: "cat.png", mimeType: "image/png", buffer: Buffer.alloc(2e6) });
  await page.getByRole("button", { name: "Send" }).press("Enter");
  await page.getByText('"size": 2000000').waitFor();
  await page.context().close();
});

test.each(topologies)("a request is shown while it runs, %s, and what was opened of it goes on", async (topology) => {
  const page = await open(topology, "requests");
  const answer = fetch(`${on(topology).url}/wait`);
  await page
    .getByRole("region", { name: "Running requests" })
    .getByRole("button", { name: "GET /wait" })
    .press("Enter");
  const detail = page.getByRole("complementary");
  await detail.getByText("running", { exact: true }).first().waitFor();
  await detail.getByText("the kettle is on").first().waitFor();
  await fetch(`${on(topology).url}/boil`, { method: "POST" });
  expect((await answer).status).toBe(200);
  await detail.getByText("200", { exact: true }).first().waitFor();
  await page.getByRole("region", { name: "Running requests" }).waitFor({ state: "hidden" });
  // Its row has disappeared, so the newest request gets the focus.
  await page.keyboard.press("Escape");
  await detail.waitFor({ state: "hidden" });
  expect(await page.evaluate("document.activeElement.className")).toBe("link mono");
  await page.context().close();
});

test("links lead from a log line to its request, its route, and the requests of that route", async () => {
  const page = await open("in one process", "logs");
  await fetch(`${on("in one process").url}/orders`, postOf({ total: 3, buyer: "jo" }));
  await page
    .getByRole("row", { name: /placing jo/ })
    .getByRole("link", { name: "Request" })
    .click();
  const detail = page.getByRole("complementary");
  await detail.getByRole("link", { name: "POST /orders" }).click();
  await detail.getByText("anyone").waitFor();
  await detail.getByRole("link", { name: "Requests" }).click();
  await page.locator("h1", { hasText: "Requests" }).waitFor();
  await page.getByRole("button", { name: "POST /orders", exact: true }).first().waitFor();
  expect(await page.getByLabel("Filter").inputValue()).toBe('route:"POST /orders"');
  await page.context().close();
});

test("ten thousand lines are a short list with a filter", async () => {
  const page = await open("in one process", "logs");
  await fetch(`${on("in one process").url}/chatter`);
  await page.getByText("The newest 200 of").waitFor();
  expect(await page.locator("tbody tr").count()).toBe(200);
  await page.getByLabel("Filter").fill("line 4321");
  await page.getByRole("cell", { name: "line 4321" }).waitFor();
  expect(await page.locator("tbody tr").count()).toBe(1);
  await page.context().close();
});

test("errors that were logged several times are counted above the log, and one filters it", async () => {
  const { url } = on("in one process");
  for (let i = 0; i < 3; i += 1) expect((await fetch(`${url}/fail`)).status).toBe(500);
  const page = await open("in one process", "logs");
  const error = page.getByRole("listitem").filter({ hasText: /^\d+ × the till is stuck, last at \d\d:/ });
  await error.getByRole("button", { name: "the till is stuck" }).click();
  expect(await page.getByLabel("Filter").inputValue()).toBe("the till is stuck");
  const rows = page.getByRole("region", { name: "Log lines, newest first" }).locator("tbody tr");
  const texts = await rows.allTextContents();
  expect(texts.length).toBeGreaterThan(2);
  expect(texts.filter((text) => !text.includes("the till is stuck"))).toEqual([]);
  await page.context().close();
});

/**
 * Adds new events to the sections of logs and of crons. Returns what they show, how often they read an earlier event
 * again, and the number of elements that an update without events creates.
 */
const addEvents = `(async () => {
  const { errorCounts, events } = await import("/_fw/console/parts/live.js");
  const { logs } = await import("/_fw/console/sections/logs.js");
  const { schedules } = await import("/_fw/console/sections/schedules.js");
  const line = (fields) => ({ kind: "log", at: 0, severity: "ERROR", service: "shop", message: "a chipped kettle", fields });
  // Other tests have logged more frequent errors, of which the page shows the first few.
  for (const event of events.splice(0)) errorCounts.remove(event);
  const store = (event) => (events.push(event), errorCounts.add(event), event);
  let reads = 0;
  const earlier = store(new Proxy(line({}), { get: (target, name) => ((reads += 1), target[name]) }));
  const readsOf = (work) => ((reads = 0), work(), reads);
  const lines = logs();
  const frequent = () => lines.nodes[1].textContent.match(/\\d+ × a chipped kettle/)?.[0];
  const fresh = [store(line({})), store(line({}))];
  const lineReads = readsOf(() => lines.added(fresh));
  const threeLines = frequent();
  errorCounts.remove(earlier);
  lines.added([fresh[0]]);
  const crons = schedules();
  const runs = () => crons.nodes.find((node) => node.ariaLabel === "Crons").textContent;
  const run = { kind: "span", name: "/_fw/api/cron/sweep", id: "1", trace: "t", at: 0, ms: 3, failed: true };
  crons.added([store(run)]);
  const cause = store(line({ trace: "t", cron: "sweep", error: { message: "no broom", stack: "Error: no broom" } }));
  const runReads = readsOf(() => crons.added([cause]));
  let created = 0;
  document.createElement = (tag) => ((created += 1), Document.prototype.createElement.call(document, tag));
  const idleReads = readsOf(() => crons.added([]));
  delete document.createElement;
  const reading = { lineReads, runReads, idleReads };
  return { ...reading, created, threeLines, twoLines: frequent(), run: runs().match(/failed in 3 ms.*no broom/s) !== null };
})()`;

test("new events are counted and shown without reading earlier ones again", async () => {
  const page = await open("in one process", "routes");
  expect(await page.evaluate(addEvents)).toEqual({
    lineReads: 0,
    runReads: 0,
    idleReads: 0,
    created: 0,
    threeLines: "3 × a chipped kettle",
    twoLines: "2 × a chipped kettle",
    run: true,
  });
  await page.context().close();
});

test("the page shows a trace over services", async () => {
  const page = await open("as services", "requests");
  await fetch(`${on("as services").url}/orders`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ total: 200, buyer: "dora" }),
  });
  const trace = page.getByRole("complementary").getByRole("list").first();
  const newest = page.getByRole("row", { name: /POST \/orders 422/ }).getByRole("button");
  await newest.waitFor();
  // The events of different services arrive at different times.
  await expect
    .poll(async () => {
      await newest.click();
      return trace.getByRole("listitem").allTextContents();
    })
    .toEqual([
      expect.stringContaining("shop POST /orders"),
      expect.stringContaining("session, body and gate"),
      expect.stringContaining("handler placeOrder"),
      "INFO placing dora",
      expect.stringMatching(/^(?!stock).*\/stock\/take/),
      expect.stringContaining("stock POST /stock/take"),
      expect.stringContaining("session, body and gate"),
      expect.stringContaining("handler take"),
      "INFO taken",
    ]);
  await page.context().close();
});

test.each(topologies)("reads in a loop are named in the steps of their request, %s", async (topology) => {
  const { url } = on(topology);
  const place = (total: number): Promise<Response> =>
    fetch(`${url}/orders`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ total, buyer: "eli" }),
    });
  await Promise.all([1, 2, 3, 4, 5, 6].map(place));
  expect(await (await fetch(`${url}/totals?buyer=eli`)).json()).toBe(21);
  const page = await open(topology, "requests");
  await page.getByRole("button", { name: "GET /totals", exact: true }).first().click();
  const detail = page.getByRole("complementary");
  await detail.getByText(/^6 × entity\.get orders, .* read them together with orders\.getMany\(ctx, ids\)$/).waitFor();
  const steps = await detail.getByRole("list").first().getByRole("listitem").allTextContents();
  expect(steps[3]).toMatch(/ms where buyer == "eli" · index \(buyer\) · 6 documents$/);
  expect(steps.map((step) => step.replace(/ (?:under )?[\d.]+ m?s.*$/, ""))).toEqual([
    "shop GET /totals",
    "session, body and gate",
    "handler totals",
    "entity.all orders",
    ...Array.from({ length: 3 }, () => "entity.get orders"),
    "… 3 more entity.get orders",
  ]);
  await page.context().close();
});

test("two clicks lead from a slow page to the loop that reads 50 documents", async () => {
  const { url } = on("in one process");
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ total: 1, buyer: "ivy" });
  await Promise.all(Array.from({ length: 50 }, () => fetch(`${url}/orders`, { method: "POST", headers, body })));
  const page = await browser.newPage();
  await page.goto(`${url}/ledger`);
  const bar = page.locator("#fw-dev-bar");
  await bar.getByText("200 in ").click();
  expect(await bar.locator("summary").textContent()).toMatch(/^\s*200 in \d+ ms, 51 queries/);
  await bar.getByRole("link", { name: "Show this request" }).click();
  await page
    .getByRole("complementary")
    .getByText(/^50 × entity\.get orders, .* read them together with orders\.getMany\(ctx, ids\)$/)
    .waitFor();
  await page.context().close();
});

test.each(topologies)("headers and bodies of a request are shown, credentials masked, %s", async (topology) => {
  const page = await open(topology, "requests");
  const response = await fetch(`${on(topology).url}/orders?token=abc`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-partner-key": "ours", cookie: "fw=abc", "x-note": "it's me" },
    body: JSON.stringify({ total: 7, buyer: "fay hunter2hunter2" }),
  });
  await page.getByLabel("Filter").fill(`trace:${response.headers.get("x-request-id")}`);
  await page.getByRole("button", { name: "POST /orders", exact: true }).click();
  const detail = page.getByRole("complementary");
  await detail.getByRole("region", { name: "Body of the request" }).getByText('"fay [secret SHOP_KEY]"').waitFor();
  await detail.getByRole("region", { name: "Body of the response" }).getByText('"total": 7').waitFor();
  await detail
    .getByText(/^\d+ headers$/)
    .first()
    .click();
  await detail.getByText("it's me").waitFor();
  await detail.getByRole("button", { name: "Copy as curl" }).click();
  const command = await detail.getByRole("region", { name: "Command" }).locator("pre").textContent();
  expect(command).toContain(`curl -X POST '${on(topology).url}/orders?token=•••'`);
  expect(command).toContain(String.raw`-H 'x-note: it'\''s me'`);
  expect(await detail.textContent()).not.toMatch(/hunter2|fw=abc|ours/);
  await page.context().close();
});

test.each(topologies)("the copied curl command sends the same request from a shell, %s", async (topology) => {
  const { url } = on(topology);
  const marker = `${topology} 'one' "two"\nthree\tfour $HOME \`ls\` \\n !! 100% ünïcode 日本`;
  const form = new FormData();
  form.set("name", marker);
  form.set("file", new Blob(["first line\r\nsecond 'line' ü"], { type: "text/plain" }), "a b.txt");
  const json = { method: "POST", headers: { "content-type": "application/json" } };
  const requests: Readonly<Record<string, RequestInit>> = {
    "/orders": { ...json, body: JSON.stringify({ total: 3, buyer: marker }) },
    "/upload": { method: "POST", body: form },
    [`/orders?buyer={a,b}[1-2]'%20é`]: {},
    "/orders?buyer=head": { method: "HEAD" },
    "/stock/take": { method: "POST", body: JSON.stringify({ total: 4 }) },
  };
  const page = await open(topology, "requests");
  for (const [path, init] of Object.entries(requests)) {
    const response = await fetch(url + path, init);
    await page.getByLabel("Filter").fill(`trace:${response.headers.get("x-request-id")}`);
    const list = page.getByRole("region", { name: "Requests, newest first" });
    await list
      .getByRole("button", { name: path.replace(/\?.*/, "") })
      .first()
      .click();
    const detail = page.getByRole("complementary");
    await detail.getByRole("button", { name: "Copy as curl" }).click();
    const command = await detail.getByRole("region", { name: "Command" }).locator("pre").textContent();
    const { stdout, stderr } = spawnSync("bash", ["-c", `${command} -s -w '%{stderr}%{http_code}'`], {
      encoding: "utf8",
    });
    const head = init.method === "HEAD";
    const withoutId = (text: string): string => text.replace(/"id":"[^"]*"|"placed":"[^"]*"/g, "");
    expect({ path, status: stderr, body: head ? "" : withoutId(stdout) }).toEqual({
      path,
      status: String(response.status),
      body: withoutId(await response.text()),
    });
    await page.getByRole("button", { name: "Close", exact: true }).click();
  }
  await page.context().close();
});

test.each(topologies)("a message, its delivery and the job that it started are one waterfall, %s", async (topology) => {
  const { url } = on(topology);
  const response = await fetch(`${url}/parcels`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ to: "kim" }),
  });
  const page = await open(topology, "requests");
  await page.getByLabel("Filter").fill(`trace:${response.headers.get("x-request-id")}`);
  await page.getByRole("button", { name: "POST /parcels" }).click();
  const detail = page.getByRole("complementary");
  await detail.locator(".trace").getByText("painting").waitFor();
  const rows = await detail
    .locator(".trace li > div:first-child")
    .evaluateAll((nodes) => nodes.map((node) => node.innerText.replace(/ (?:under )?[\d.]+ m?s[^]*$/, "")));
  expect(rows.map((row) => row.replace(/\n[^]*/, ""))).toEqual([
    "shop POST /parcels",
    "session, body and gate",
    "handler parcel",
    "send queue:parcels",
    "shop-packer queue:parcels",
    "INFO packing for kim",
    "send job:paint",
    "job paint",
    "INFO painting",
    "entity.create orders",
    "INFO sent to kim",
  ]);
  await page.context().close();
});

test("the error of a request leads to its line in the application, without the frames of fw", async () => {
  const { url, dev } = on("in one process");
  const response = await fetch(`${url}/fail`);
  const page = await open("in one process", "requests");
  await page.getByLabel("Filter").fill(`trace:${response.headers.get("x-request-id")}`);
  await page.getByRole("button", { name: "GET /fail" }).click();
  const stack = page.getByRole("complementary").locator(".stack");
  await stack.getByText("Error: the till is stuck", { exact: true }).waitFor();
  const links = stack.getByRole("link");
  expect(await links.count()).toBe(1);
  const source = readFileSync(join(dev.root, "shop/shop.ts"), "utf8").split("\n");
  const line = source.findIndex((each) => each.includes("the till is stuck")) + 1;
  expect(await links.getAttribute("href")).toMatch(new RegExp(`/shop/shop\\.ts:${line}:\\d+$`));
  await page.context().close();
});

test("a request is sent again as another user", async () => {
  const { url } = on("in one process");
  const page = await open("in one process", "requests");
  expect((await fetch(`${url}/orders/77/close`, { method: "POST" })).status).toBe(401);
  await page.getByRole("button", { name: "POST /orders/77/close" }).first().click();
  await page.getByRole("button", { name: "Replay as…" }).click();
  await page.getByLabel("Email address").fill("carl@example.com");
  await page.getByLabel("clerk").check();
  await page.getByRole("button", { name: "Send again" }).click();
  await page.getByText('"by": "carl@example.com"').waitFor();
  await page.context().close();
});

test("a request is written as a test that passes, with the documents that it read", async () => {
  const { dev, url } = on("in one process");
  for (const total of [40, 2])
    await fetch(`${url}/orders`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ total, buyer: "gil" }),
    });
  expect(await (await fetch(`${url}/totals?buyer=gil`)).json()).toBe(42);
  const page = await open("in one process", "requests");
  await page.getByLabel("Filter").fill('route:"GET /totals" status:200');
  await page.getByRole("button", { name: "GET /totals", exact: true }).first().click();
  await page.getByRole("button", { name: "Write a test" }).click();
  await page.getByText("Save as shop/shop.test.ts and run it with fw test.").waitFor();
  const writtenTest = (): Promise<string | null> =>
    page.getByRole("region", { name: "Test", exact: true }).locator("pre").textContent();
  const source = await writtenTest();
  expect(source).toContain('app.fetch("/totals?buyer=gil")');
  expect(source?.match(/orders\.put\(/g)).toHaveLength(2);
  const strict = source?.replace("assert.equal(", "assert.equal(await answer.json(), 42);\n  assert.equal(");
  // The second request of each pair gets a different response, because the first one has changed what it reads.
  const { id } = (await (
    await fetch(`${url}/orders`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ total: 9, buyer: "gil" }),
    })
  ).json()) as { readonly id: string };
  const form = new FormData();
  form.set("name", "gil's");
  form.set("file", new Blob(["text\r\n"], { type: "text/plain" }), "a.txt");
  const answers = [
    await fetch(`${url}/orders/${id}/settle`, { method: "POST" }),
    await fetch(`${url}/orders/${id}/settle`, { method: "POST" }),
    await fetch(`${url}/orders/${id}`, { method: "DELETE" }),
    await fetch(`${url}/orders/${id}`, { method: "DELETE" }),
    await fetch(`${url}/upload`, { method: "POST", body: form }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([204, 409, 204, 404, 200]);
  const sources = [String(strict)];
  for (const answer of answers) {
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByLabel("Filter").fill(`trace:${answer.headers.get("x-request-id")}`);
    await page.getByRole("region", { name: "Requests, newest first" }).getByRole("button").first().click();
    await page.getByRole("button", { name: "Write a test" }).click();
    await page.getByText("and run it with fw test.").waitFor();
    sources.push(String(await writtenTest()));
  }
  dev.write(Object.fromEntries(sources.map((text, i) => [`shop/written-${i}.test.ts`, text])));
  const { code, out } = await runFwTest(dev.root);
  expect({ code, out }).toMatchObject({ code: 0 });
  await page.context().close();
});

test("charts show requests over time, and go on after a reload of the page and of the code", async () => {
  const { dev, url } = on("in one process");
  const page = await open("in one process", "metrics");
  const total = async (): Promise<number> => {
    const [text = ""] = await page.getByText(/[\d,]+ requests?, a point every 5 seconds/).allTextContents();
    return Number(/^[\d,]+/.exec(text)?.[0].replace(",", "") ?? 0);
  };
  await page.getByLabel("Requests of").selectOption("route GET /who");
  for (let i = 0; i < 3; i += 1) await fetch(`${url}/who`, { headers: { "x-partner-key": "ours" } });
  // The charts also show requests of previous tests.
  const scrape = await (await fetch(`${url}/_fw/z/metrics`)).text();
  const count = Number(/^request_ms_count\{route="GET \/who"\} (\d+)/m.exec(scrape)?.[1]);
  expect(count).toBeGreaterThanOrEqual(3);
  await expect.poll(total, { interval: 500 }).toBe(count);
  await page.getByRole("figure", { name: "Requests by duration" }).locator("canvas").waitFor();
  const chart = page.getByRole("figure", { name: "Duration, up to" });
  // The cursor shows the values at one point in time.
  await chart.locator(".u-over").hover();
  await expect.poll(() => chart.locator(".u-legend").textContent()).toMatch(/Time:?\s*\d+:\d+/);
  const source = readFileSync(join(dev.root, "stock/stock.ts"), "utf8");
  dev.write({ "stock/stock.ts": `${source}\nexport const restocked = API("GET /restocked", () => 1);\n` });
  await dev.eventually("/restocked", ({ status }) => status === 200);
  await page.reload();
  await page.getByLabel("Requests of").selectOption("route GET /who");
  await expect.poll(total).toBe(count);
  await page.context().close();
});

test("a chart draws a value without neighbors as a dot", async () => {
  const page = await open("in one process", "metrics");
  const pixels = await page.evaluate<number>(`(async () => {
    const { timeChart } = await import("/_fw/console/parts/time-chart.js");
    const chart = timeChart({ title: "Dots", format: String, isLogarithmic: true });
    document.querySelector("main").prepend(chart.node);
    const color = getComputedStyle(document.documentElement).getPropertyValue("--series-1").trim();
    const probe = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
    probe.fillStyle = color;
    probe.fillRect(0, 0, 1, 1);
    const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
    chart.update([60, 120, 180, 240, 300], [{ label: "line", values: [null, null, 256, null, null] }]);
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const canvas = chart.node.querySelector("canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4)
      if (data[i] === r && data[i + 1] === g && data[i + 2] === b && data[i + 3] === 255) count += 1;
    return count;
  })()`);
  expect(pixels).toBeGreaterThan(12);
  await page.context().close();
});

test("a chart explains the values that it shows, not those of an earlier update", async () => {
  const page = await open("in one process", "metrics");
  await page.evaluate(`(async () => {
    const { timeChart } = await import("/_fw/console/parts/time-chart.js");
    const chart = timeChart({ title: "Explained", format: String });
    document.querySelector("main").prepend(chart.node);
    for (const text of ["earlier", "latest"])
      chart.update([1, 2, 3], [{ label: "line", values: [1, 1, 1], describe: () => text }]);
  })()`);
  const chart = page.getByRole("figure", { name: "Explained" });
  await chart.locator(".u-over").hover();
  await expect.poll(() => chart.locator(".u-legend").textContent()).toMatch(/latest|earlier/);
  expect(await chart.locator(".u-legend").textContent()).toContain("latest");
  await page.context().close();
});

test("a message that waits for its retry is shown, and retried now", async () => {
  const page = await open("in one process", "messages");
  page.setDefaultTimeout(60_000);
  const send = (to: string): Promise<Response> =>
    fetch(`${on("in one process").url}/letters`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ to }),
    });
  await send("hal");
  await page
    .getByRole("row", { name: /queue:letters/ })
    .getByRole("button", { name: "Show" })
    .click();
  await page.getByText('"to": "hal"').waitFor();
  await page.getByRole("button", { name: "Retry now" }).click();
  await page.getByText("The message is due now.").waitFor();
  await page.context().close();
});

test("a cron has its next run, and its last ones with their results", async () => {
  const page = await open("in one process", "schedules");
  const row = page.getByRole("region", { name: "Crons" }).getByRole("row", { name: /sweep/ });
  await row.getByText("3:00:00").waitFor();
  await row.getByRole("button", { name: "Run now" }).click();
  await row.getByText("completed").first().waitFor();
  await page.context().close();
});

test("a recorded run shows its progress, and can be cancelled", async () => {
  const page = await open("in one process", "schedules");
  const row = page.getByRole("region", { name: "Recorded runs" }).getByRole("row", { name: /wash/ });
  await page
    .getByRole("region", { name: "Jobs" })
    .getByRole("row", { name: /wash/ })
    .getByRole("button", { name: "Start" })
    .click();
  await row.getByText("40 %, 4 of 10 houses").waitFor();
  await row.getByRole("button", { name: "Cancel" }).click();
  await row.getByText("cancelled").waitFor();
  await page.context().close();
});

test("new requests wait while one is open, files are folded, and the filter takes fields", async () => {
  const { url } = on("in one process");
  const page = await open("in one process", "requests");
  await fetch(`${url}/wait/none`);
  await page.getByRole("button", { name: "GET /wait/none" }).first().click();
  const rows = page.getByRole("region", { name: "Requests, newest first" }).locator("tbody tr");
  const before = await rows.count();
  await fetch(`${url}/hello.txt`);
  await fetch(`${url}/fail`);
  await page.getByRole("button", { name: "Show 1 new" }).waitFor();
  expect(await rows.count()).toBe(before);
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await expect.poll(() => rows.first().textContent()).toContain("GET /fail");
  await page.getByText("static files are hidden").waitFor();
  await page.getByLabel("Static files").check();
  await page.getByLabel("Filter").fill("/hello.txt");
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByLabel("Filter").fill("status:5xx");
  await expect.poll(async () => (await rows.allTextContents()).every((row) => row.includes("500"))).toBe(true);
  await page.context().close();
});

function runFwTest(root: string): Promise<{ code: number | null; out: string }> {
  return new Promise((resolve) => {
    const { NODE_OPTIONS: _options, VITEST: _vitest, NODE_ENV: _env, ...env } = process.env;
    const child = spawn(process.execPath, [join(root, "node_modules/fw/bin/fw.js"), "test"], { cwd: root, env });
    let out = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (out += String(chunk)));
    child.once("close", (code) => resolve({ code, out }));
  });
}
