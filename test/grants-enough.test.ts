import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { PlatformGrant } from "../packages/fw/src/platform/grants.ts";
import { triesMore } from "../packages/fw/src/lib/testing/tries.ts";
import { copyOfExample } from "./support/fw.ts";
import { Customer } from "./support/shop.ts";
import { launchDev, writeApplication, type Answer, type Dev } from "./support/dev-app.ts";

/** An application that does everything that requires a grant, for itself or for the framework. */
const files = {
  ".env": "MAIL_KEY=abc\n",
  "shop/store.ts": `import { Auth, Bucket, Entity, Feed, type ID, type Index, Limit, Queue, Role, Secret, Topic } from "fw";
export interface Order { id: ID; buyer: Index<string> }
export const orders = Entity<Order>("orders");
export const diary = Entity<{ id: ID }>("diary");
export const photos = Bucket("photos");
export const receipts = Queue<string>("receipts");
export const placed = Topic<string>("placed");
export const placing = Limit("placing", "2/h");
export const news = Feed<string>("news");
export const mailKey = Secret("MAIL_KEY");
export const auth = Auth({ social: true });
export const Clerk = Role("clerk");
`,
  "shop/shop.ts": `import { API, type Path, RequireRole, Singleton, Subscribe, transaction, Worker } from "fw";
import { auth, Clerk, diary, mailKey, news, orders, photos, placed, placing, receipts, type Order } from "./store.ts";
export const IsClerk = RequireRole(Clerk);
export const place = API("POST /orders", async (ctx): Promise<Order> => {
  await placing.take(ctx, ctx.user().id);
  const order = await orders.create(ctx, { buyer: ctx.user().id });
  await transaction(ctx, async (tx) => {
    await orders.put(tx, order);
    await receipts.send(tx, order.id);
    await placed.publish(tx, order.id);
  });
  return order;
}, { signIn: true });
export const count = API("GET /orders/count", (ctx): Promise<number> => orders.query().where("buyer", "==", ctx.user().id).count(ctx), { signIn: true });
export const lines = API("GET /diary", async (ctx): Promise<string[]> => (await diary.query().all(ctx)).map(({ id }) => id));
export const make = API("POST /accounts", async (ctx): Promise<string> => (await auth.users.create(ctx, { email: "bea@example.com" })).id);
export const promote = API("POST /clerks/{id}", (ctx, { id }: { id: Path }): Promise<void> => auth.users.grant(ctx, id, Clerk));
export const remove = API("DELETE /accounts/{id}", (ctx, { id }: { id: Path }): Promise<void> => auth.users.delete(ctx, id));
export const clerk = API("GET /clerk", async (ctx): Promise<string> => (await auth.users.get(ctx, ctx.user().id)).email, { allow: IsClerk });
export const upload = API("POST /upload", async (ctx): Promise<string> => (await photos.signedPut(ctx, "a.txt", "10m")).url);
export const download = API("POST /download", async (ctx): Promise<string> => (await photos.signedGet(ctx, "a.txt", "10m")).url);
export const welcome = Subscribe(auth.registered, async (ctx) => { await diary.put(ctx, { id: "registered" }); });
export const first = Subscribe(auth.firstSignIn, async (ctx) => { await diary.put(ctx, { id: "signed in" }); });
export const sendReceipt = Worker(receipts, async (ctx, id) => { await orders.get(ctx, id); await diary.put(ctx, { id: \`receipt \${mailKey.value()}\` }); });
export const onPlaced = Subscribe(placed, async (ctx) => {
  for (let i = 0; i <= 100; i++) await news.publish(ctx, "a", "placed");
  await diary.put(ctx, { id: "placed" });
});
export const latest = API("GET /latest", async (ctx): Promise<string> => {
  for await (const { data } of news.events(ctx, "a", { after: "none" })) return data;
  return "none";
});
export const scan = Subscribe(photos.uploaded, async (ctx, { key }) => { await diary.put(ctx, { id: \`scan \${(await photos.get(ctx, key)).size}\` }); });
export const relay = Singleton("relay", async (ctx) => { await diary.put(ctx, { id: "relay" }); await new Promise((done) => ctx.signal.addEventListener("abort", done)); });
`,
  "news/news.ts": `import { API, Cron } from "fw";
export const news = API("GET /news", () => "none", { maxAge: "1h" });
export const gather = Cron("gather", "0 4 * * *", () => {});
`,
  "desk/desk.ts": `import { API } from "fw";
import { count } from "../shop/shop.ts";
export const mine = API("GET /desk", (ctx): Promise<number> => count.call(ctx, {}), { signIn: true });
`,
  "hall/hall.ts": `import { API } from "fw";
import { count } from "../shop/shop.ts";
export const passed = API("GET /hall", (ctx): Promise<number> => count.call(ctx, {}));
export const inside = API("POST /hall", (ctx): string => ctx.client.ip);
`,
};

test("services of their own, each with the grants that are derived, do everything that one process does, and need every one of them", async () => {
  const root = writeApplication(files);
  await using dev = launchDev(root, ["--services"], recording(root));
  await dev.says("http://localhost:");
  const session = await ask(dev, "POST", "/_fw/api/session", { type: form, body: "dev_user=alice&roles=" });
  const cookie = [session.headers["set-cookie"] ?? []]
    .flat()
    .map((each) => each.split(";", 1)[0])
    .join("; ");
  const send = async (method: string, path: string, body = ""): Promise<string> => {
    const answer = await ask(dev, method, path, { type: "text/plain", body, cookie });
    return `${answer.status} ${answer.body}`;
  };
  expect(session.status).toBe(303);
  expect(await send("POST", "/orders")).toMatch(/^200 /);
  expect(await send("GET", "/orders/count")).toBe("200 1");
  expect(await send("GET", "/latest")).toBe(`200 "placed"`);
  expect(await send("GET", "/desk")).toBe("200 1");
  expect(await send("GET", "/hall")).toBe("200 1");
  expect(await send("GET", "/news")).toBe(`200 "none"`);
  expect(await send("PUT", "/news")).toMatch(/^405/);
  expect(await send("GET", "/nowhere")).toMatch(/^404/);
  const id = JSON.parse((await send("POST", "/accounts")).slice(4)) as string;
  expect(await send("POST", `/clerks/${id}`)).toMatch(/^204/);
  expect(await send("DELETE", `/accounts/${id}`)).toMatch(/^204/);
  expect(await send("GET", "/clerk")).toMatch(/^403/);
  expect(await send("POST", "/clerks/alice")).toMatch(/^204/);
  // Alice's session is stale, so the first service that needs it reads the account.
  expect(await send("GET", "/desk")).toBe("200 1");
  expect(await send("GET", "/clerk")).toBe(`200 "alice@example.com"`);
  expect(await send("PUT", JSON.parse((await send("POST", "/upload")).slice(4)) as string, "hello")).toMatch(/^200/);
  expect(await send("GET", JSON.parse((await send("POST", "/download")).slice(4)) as string)).toBe("200 hello");
  const token = await ask(dev, "POST", "/_fw/api/session", { type: form, body: "idToken=none" });
  expect(token.status).toBe(401);
  const events = ["placed", "receipt abc", "registered", "relay", "scan 5", "signed in"];
  await dev.eventually("/diary", ({ body }) => events.every((line) => body.includes(line)));
  expect(await send("DELETE", "/_fw/api/session")).toMatch(/^20/);
  expect(dev.output()).not.toContain("has no grant");
  expect(dispensable(root)).toEqual({
    // A session that was created while its account was being deleted is deleted on its next use. Refreshing a session
    // also reads it.
    desk: ["entity _fw_sessions: delete", "entity _fw_sessions: get"],
    hall: [],
    // The cron only runs at four.
    news: ["entity _fw_ticks: create", "entity _fw_ticks: get", "entity _fw_ticks: update"],
    // Granting a role also reads the account.
    shop: ["entity _fw_sessions: get", "users : get"],
    "shop-first": [],
    "shop-onPlaced": [],
    "shop-relay": [],
    "shop-scan": [],
    "shop-sendReceipt": [],
    "shop-welcome": [],
  });
  // Repeats requests with one grant withheld; each must then fail.
  for (const [method, path, grant] of replayed) {
    const before = dev.output().length;
    writeFileSync(join(root, withheldFile), `shop ${grant}`);
    const body = path === "/_fw/api/session" ? "dev_user=alice&roles=" : "";
    const { status } = await ask(dev, method, path, { type: form, body, ...(body === "" && { cookie }) });
    expect([grant, status]).toEqual([grant, 500]);
    await dev.says("has no grant", before);
    rmSync(join(root, withheldFile));
  }
});

/** Requests, each with a grant of the shop that it requires. */
const replayed = [
  ["POST", "/_fw/api/session", "entity _fw_sessions: create"],
  ["GET", "/diary", "entity diary: query"],
  ["GET", "/latest", "entity _fw_feed_events: get"],
  ["POST", "/upload", "bucket photos: signedPut"],
  ["POST", "/download", "bucket photos: signedGet"],
  ["POST", "/accounts", "users : create"],
  ["POST", "/clerks/alice", "lease account: hold"],
  ["POST", "/clerks/alice", "entity _fw_session_marks: put"],
] as const;

// The application above uses the same grants. The nightly run shows that the example has no unnecessary ones.
test.runIf(triesMore)("the shop of the examples, as services, needs every grant that is derived for it", async () => {
  const root = await copyOfExample("shop");
  await using dev = launchDev(root, ["--services"], recording(root));
  await dev.says("http://localhost:");
  const url = `http://localhost:${dev.port}`;
  const clerk = await Customer.signIn(url, "alice", "clerk");
  await clerk.send("POST", "/stock/tea", { name: "Tea", price: 350, count: 100 });
  const { id } = (await clerk.send("POST", "/orders", { sku: "tea", count: 3 })).body;
  await expect.poll(async () => (await clerk.get(`/shipments/${id}`)).status).toBe(200);
  expect((await clerk.get(`/orders/${id}/receipt`)).body).toMatchObject({ amount: 1050 });
  for (const path of ["/orders", "/stock"]) expect(await clerk.get(path)).toMatchObject({ status: 200 });
  expect(dev.output()).not.toContain("has no grant");
  // No session is stale here, no account was deleted, and a test user has no password and sends no token.
  const unread = ["entity _fw_sessions: delete", "entity _fw_sessions: get", "entity _fw_sessions: update"];
  expect(dispensable(root)).toEqual({
    payments: [],
    shop: [...unread, "users : signIn"],
    "shop-checkOut": [],
    warehouse: [...unread, "users : get"],
    "warehouse-ship": [],
  });
});

/** Makes a dev server record the grants and accesses of its services, and withhold the grants named by the test. */
function recording(root: string): Readonly<Record<string, string>> {
  const preload = fileURLToPath(new URL("support/record-asks.mjs", import.meta.url));
  return {
    NODE_OPTIONS: `--import ${preload}`,
    FW_TEST_ASKS: join(root, asksFile),
    FW_TEST_WITHHELD: join(root, withheldFile),
  };
}

const asksFile = "asks.jsonl";
const withheldFile = "withheld";

/** Either the grants of a service, or the grants that cover one access. */
type RecordLine =
  | { readonly service: string; readonly grants: readonly PlatformGrant[] }
  | { readonly service: string; readonly covering: readonly PlatformGrant[] };

/**
 * Returns, by service, the grants that could each be removed alone without any access being refused. Excludes secrets
 * and calls to endpoints, which the platform does not check; `find` counts as `get`.
 */
function dispensable(root: string): Readonly<Record<string, readonly string[]>> {
  const grantsByService = new Map<string, ReadonlySet<string>>();
  const neededGrants = new Set<string>();
  for (const line of readFileSync(join(root, asksFile), "utf8").trim().split("\n")) {
    const entry = JSON.parse(line) as RecordLine;
    if ("grants" in entry) grantsByService.set(entry.service, new Set(entry.grants.flatMap(namesOf)));
    else {
      const [only, ...others] = new Set(entry.covering.flatMap(namesOf));
      if (only !== undefined && others.length === 0) neededGrants.add(`${entry.service} ${only}`);
    }
  }
  return Object.fromEntries(
    [...grantsByService].map(([service, all]) => [
      service,
      [...all].filter((each) => !neededGrants.has(`${service} ${each}`)).toSorted(),
    ]),
  );
}

function namesOf({ kind, name, operation }: PlatformGrant): string[] {
  if (kind === "secret" || kind === "endpoint" || kind === "limit" || kind === "feed") return [];
  return [`${kind} ${name}: ${operation === "find" ? "get" : operation}`];
}

const form = "application/x-www-form-urlencoded";

interface RequestSpec {
  readonly type: string;
  readonly body: string;
  readonly cookie?: string;
}

function ask(dev: Dev, method: string, path: string, { type, body, cookie = "" }: RequestSpec): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const allHeaders = { "content-length": String(Buffer.byteLength(body)), cookie };
    const headers = body === "" ? allHeaders : { ...allHeaders, "content-type": type };
    const outgoing = request({ port: dev.port, host: "127.0.0.1", method, path, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }));
    });
    outgoing.on("error", reject).end(body);
  });
}
