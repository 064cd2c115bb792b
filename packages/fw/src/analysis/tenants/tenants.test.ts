import { expect, test } from "vitest";
import { compareVersions } from "../../evolution/compare.ts";
import { recordedSchema } from "../../evolution/recorded.ts";
import { needsAction } from "../../evolution/change.ts";
import { useAppBench } from "../testing/app-bench.ts";
import { desk } from "../testing/desk-app.ts";
import { tenantMutants } from "../testing/tenant-mutants.ts";

const bench = useAppBench();

/** Mutants of the help desk that drop or change a tenant; `FW_TRIES=42` tests 1,008 of them. */
const mutants = tenantMutants(24 * Number(process.env["FW_TRIES"] ?? 1));

test("an application whose handlers name no tenant has no finding, and each index begins with the tenant", async () => {
  const { diagnostics, app } = await bench.analyze(desk);
  expect(diagnostics).toEqual([]);
  expect(app.indexes?.map(({ fields }) => fields.map(({ field }) => field))).toEqual([
    ["@tenant", "status", "weight"],
    ["@tenant", "weight"],
  ]);
});

test(`of ${mutants.length} changes that drop or change a tenant, all are refused before they run`, async () => {
  const accepted: string[] = [];
  for (const { name, text } of mutants) {
    const diagnostics = await bench.diagnose(text);
    if (!diagnostics.some(({ code }) => code.startsWith("fw/tenant-"))) accepted.push(name);
  }
  expect(accepted).toEqual([]);
}, 3_000_000);

test("documents and messages that change tenants need a decision", async () => {
  const before = recordedSchema((await bench.analyze(desk)).app);
  const changed = desk
    .replace(", title: Unique<string>", "")
    .replace('"notes", { tenant: orgs }', '"notes", { tenant: "shared" }');
  const { app, diagnostics } = await bench.analyze(changed);
  expect(diagnostics).toEqual([]);
  const changes = compareVersions(before, app).filter(needsAction);
  expect(changes.map(({ message }) => message)).toEqual([
    'documents of "notes" belong to tenants "orgs" and stay there, but the new version looks for those of no tenant',
  ]);
  const separate = recordedSchema(app);
  const back = compareVersions(separate, (await bench.analyze(desk)).app).filter(needsAction);
  expect(back.map(({ message }) => message)).toEqual([
    'documents of "notes" belong to no tenant and stay there, but the new version looks for those of tenants "orgs"',
  ]);
  const withoutTenants = desk
    .replace('"chats", { tenant: orgs }', '"chats", { tenant: "shared" }')
    .replace('"2/h", { tenant: orgs }', '"2/h"')
    .replace('"files", { tenant: orgs }', '"files", { tenant: "shared" }')
    .replace(/export const uploaded = [^]*?\n}\);/, "");
  expect(
    compareVersions(before, (await bench.analyze(withoutTenants)).app)
      .filter(needsAction)
      .map(({ message }) => message),
  ).toEqual([
    'events of the feed "chats" belong to tenants "orgs" and stay there, but the new version looks for those of no tenant',
    'counts of the limit "posts" belong to tenants "orgs" and stay there, but the new version looks for those of no tenant',
    'objects of the bucket "files" belong to tenants "orgs" and stay there, but the new version looks for those of no tenant',
  ]);
  const mails = desk.replace('"mails", { tenant: orgs }', '"mails"');
  expect(compareVersions(before, (await bench.analyze(mails)).app).filter(needsAction)).toMatchObject([
    {
      rule: "evolve-message",
      message: expect.stringContaining('waiting messages of the queue "mails" belong to tenants'),
    },
  ]);
});

test("contexts that code takes from another request are refused, however it passes them", async () => {
  const member = (code: string): string =>
    `export const leak = API("GET /orgs/{org}/leak", async (ctx, { org }: { org: Path }) => { ${code} }, { allow: IsMember });`;
  const count = "tickets.query().count";
  const shelf = (method: string): string =>
    `const shelf = { count: (c: Context): Promise<number> => ${count}(c), ${method} };`;
  const leaks = {
    "a function expression that calls itself": member(
      `return (function again(c: Context, n: number): Promise<number> { return n === 0 ? ${count}(c) : again(stolen, 0); })(ctx, 1);`,
    ),
    "a function of a transaction that calls itself": member(
      `return transaction(ctx, async function again(tx: Context): Promise<number> { return tx === stolen ? ${count}(tx) : again(stolen); });`,
    ),
    "a constant with the function of a transaction": member(
      `const work = async (tx: Context) => ${count}(tx); await transaction(ctx, work); return work(stolen);`,
    ),
    "an assignment through a type": member(`(ctx as Context) = stolen; return ${count}(ctx);`),
    "an assignment in a list": member(`[ctx!] = [stolen]; return ${count}(ctx);`),
    "a parameter that a var declares again": member(`var ctx: Context = stolen; return ${count}(ctx);`).replace(
      "async (ctx,",
      "async (ctx: Context,",
    ),
    "a var that is declared again": member(
      `var c: Context = await orgs.enter(ctx, org); var c: Context = stolen; return ${count}(c);`,
    ),
    "the constructor of a prototype": member(
      "await totals(ctx); return totals.prototype.constructor(stolen) as Promise<number>;",
    ),
    "a query with the right context in second place": member(
      "return (await tickets.query().page(stolen, ctx as never)).items.length;",
    ),
    "an entity in the body of a reply": member(
      "return ((reply(tickets as never) as { body: unknown }).body as typeof tickets).query().count(stolen);",
    ),
    "a method that calls another one of its literal": `${shelf("steal(): Promise<number> { return this.count(stolen); }")}
${member("await shelf.count(ctx); return shelf.steal();")}`,
    "a method with an unknown context that calls another one": `${shelf("all(c: Context): Promise<number> { return this.count(c); }")}
${member("return shelf.count(ctx);")} export const all = API("GET /all", (ctx) => shelf.all(ctx));`,
  };
  const accepted: string[] = [];
  for (const [name, code] of Object.entries(leaks)) {
    const text = desk
      .replace("import { API, Entity, Queue", "import { API, reply, Entity, Queue")
      .replace("export const open", () => `declare let stolen: Context;\n${code}\nexport const open`);
    const diagnostics = await bench.diagnose(text);
    if (!diagnostics.some(({ code }) => code === "fw/tenant-escapes")) accepted.push(name);
  }
  expect(accepted).toEqual([]);
});

test("a method may read other members of its literal", async () => {
  const code = `const shelf = { prefix: "a", named(c: Context, id: string) { return tickets.get(c, this.prefix + id); } };
export const shelved = API("GET /orgs/{org}/shelf/{id}", (ctx, { id }: { org: Path; id: Path }) => shelf.named(ctx, id), { allow: IsMember });`;
  const text = desk.replace("export const open", () => `${code}\nexport const open`);
  expect(await bench.print(text)).toEqual([]);
});

test("hints name the application's own Tenant", async () => {
  const text = `
-- inn/inn.ts --
import { API, Bucket, Cron, Entity, Tenant, type ID, type Path } from "fw";
export const members = Entity<{ id: ID }>("members", { tenant: "shared" });
export const hotels = Tenant("inns", (ctx, user, { inn }: { inn: Path }) => members.find(ctx, inn + ":" + user.id));
export const rooms = Entity<{ id: ID }>("rooms", { tenant: hotels });
export const scans = Bucket("scans");
export const list = API("GET /rooms", (ctx) => rooms.query().all(ctx));
export const nightly = Cron("nightly", "0 3 * * *", async (ctx) => { await rooms.query().count(ctx); }, { timezone: "UTC" });`;
  const diagnostics = await bench.diagnose(text);
  expect(diagnostics.map(({ hint }) => hint)).toEqual([
    'add { tenant: hotels } to separate its objects by tenant, or { tenant: "shared" } to share them',
    "give the route a policy of RequireMember, or enter a tenant of the user: await hotels.enter(ctx, id)",
    "choose the tenant, such as hotels.as(ctx, id), and pass the context that it returns",
  ]);
});
