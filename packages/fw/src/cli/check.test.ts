import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { writeApp, type WrittenApp } from "../analysis/testing/app.ts";
import { fw } from "./testing/run.ts";

const packageDir = fileURLToPath(new URL("../..", import.meta.url));

/** Creates an application in which TypeScript can resolve fw. */
async function application(text: string): Promise<WrittenApp> {
  const app = await writeApp(`-- package.json --
{ "name": "shop", "type": "module" }
-- tsconfig.json --
{ "compilerOptions": { "module": "nodenext", "strict": true, "noEmit": true, "allowImportingTsExtensions": true } }
${text}`);
  mkdirSync(join(app.root, "node_modules"));
  symlinkSync(packageDir, join(app.root, "node_modules/fw"));
  return app;
}

const good = `-- orders/api.ts --
import { API, Service } from "fw";
import type { Path } from "fw";
export const web = Service({ domain: "shop.example.com" });
export const getOrder = API("GET /orders/{id}", (_ctx, req: { id: Path }) => ({ id: req.id }), { signIn: true });
`;

const bad = `-- orders/api.ts --
import { API } from "fw";
export const here: number = "text";
export const order = API("GET /_fw/orders", () => ({}));
`;

test("fw check of a right application says what it looked at and exits 0", async () => {
  await using app = await application(good);
  const ran = await fw(app.root, "check");
  expect(ran).toMatchObject({ code: 0, err: "" });
  expect(ran.out).toMatch(/^no problems in 1 file \(1 route\) in \d+ ms\n$/);
});

test("fw check where nothing is declared says so", async () => {
  await using app = await application("-- a.ts --\nexport const a = 1;\n");
  const { code, err, out } = await fw(app.root, "check");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^nothing is declared here: fw read 1 TypeScript file and found .* in \d+ ms\n$/);
});

test("fw check reports rules and type errors together, by place, and exits 1", async () => {
  await using app = await application(bad);
  const { code, out } = await fw(app.root, "check");
  expect(code).toBe(1);
  expect(out.indexOf("orders/api.ts:2:14: ")).toBeGreaterThanOrEqual(0);
  expect(out.indexOf("(fw/reserved-prefix)")).toBeGreaterThan(out.indexOf("(ts2322)"));
});

test("a warning is printed and fails only a strict check, and a build takes the code", async () => {
  const loop = `-- shop/shop.ts --
import { API, Entity } from "fw";
import type { ID } from "fw";
export interface Customer { id: ID; name: string }
export const customers = Entity<Customer>("customers");
export interface Order { id: ID; customer: string }
export const orders = Entity<Order>("orders");
export const names = API("GET /names", async (ctx): Promise<string[]> => {
  const all = await orders.query().all(ctx);
  const found = await Promise.all(all.map((order) => customers.find(ctx, order.customer)));
  return found.flatMap((customer) => customer?.name ?? []);
});
`;
  await using app = await application(loop);
  const ran = await fw(app.root, "check");
  expect(ran.code).toBe(0);
  expect(ran.out).toContain("shop/shop.ts:9:54: warning: `customers.find(ctx, order.customer)` reads one document");
  expect(ran.out).toMatch(/\n1 warning in 1 file\n$/);
  expect((await fw(app.root, "check", "--strict")).code).toBe(1);
  expect(JSON.parse((await fw(app.root, "check", "--json")).out)).toMatchObject({
    diagnostics: [{ code: "fw/read-in-loop", severity: "warning" }],
  });
  expect((await fw(app.root, "check", "--format", "github")).out).toMatch(/^::warning file=shop\/shop\.ts/);
  expect((await fw(app.root, "build")).code).toBe(0);
  expect(await fw(app.root, "check", "--strict", "--fix")).toMatchObject({
    code: 0,
    err: expect.stringContaining("fixed 1 problem"),
  });
});

test("fw check --json prints data for problems and for none", async () => {
  await using right = await application(good);
  expect(await fw(right.root, "check", "--json")).toMatchObject({
    code: 0,
    out: expect.stringContaining(`"diagnostics": []`),
  });
  await using wrong = await application(bad);
  const { code, out } = await fw(wrong.root, "check", "--format", "json");
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ diagnostics: [{ code: "ts2322" }, { code: "fw/reserved-prefix" }] });
});

test("fw check --format github and sarif are for CI", async () => {
  await using app = await application(bad);
  expect((await fw(app.root, "check", "--format", "github")).out).toContain("::error file=orders/api.ts,line=2");
  expect(JSON.parse((await fw(app.root, "check", "--format", "sarif")).out)).toMatchObject({ version: "2.1.0" });
});

test("fw finds the application from a directory inside of it, and with -C from anywhere", async () => {
  await using app = await application(good);
  const inside = await fw(join(app.root, "orders"), "gen", "graph");
  expect(inside).toEqual(await fw("/", "gen", "graph", "-C", app.root));
  expect(inside).toEqual(await fw("/", "-C", app.root, "gen", "graph"));
});

test("fw gen graph prints services, routes, doors and domains", async () => {
  await using app = await application(good);
  expect(await fw(app.root, "gen", "graph")).toEqual({
    code: 0,
    err: "",
    out: `orders-web  (orders, profile default, shop.example.com)
  GET  /orders/{id}  api  signed in    orders/api.ts:4
`,
  });
  const { out } = await fw(app.root, "gen", "graph", "--json");
  expect(JSON.parse(out)).toMatchObject({
    app: "shop",
    services: [{ name: "orders-web", domain: "shop.example.com" }],
  });
});

test("a warning refuses no command that reads the declarations", async () => {
  await using app = await application(`-- orders/api.ts --
import { API, Entity, type ID } from "fw";
export const orders = Entity<{ id: ID }>("orders");
export const list = API("GET /orders", async (ctx) => {
  const all = await orders.query().all(ctx);
  for (const { id } of all) await orders.get(ctx, id);
  return all.length;
});
`);
  expect(await fw(app.root, "check")).toMatchObject({ code: 0, out: expect.stringContaining("fw/read-in-loop") });
  for (const command of [["graph"], ["graph", "--grants"], ["grafana"]])
    expect({ command, ...(await fw(app.root, "gen", ...command)) }).toMatchObject({ command, code: 0, err: "" });
});

test("fw gen graph of an application with problems points at fw check", async () => {
  await using app = await application(bad);
  expect(await fw(app.root, "gen", "graph")).toMatchObject({
    code: 2,
    err: `fw: the application has a problem; run "fw check" for details\n`,
  });
});
