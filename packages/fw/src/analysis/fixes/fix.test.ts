import { describe, expect, test } from "vitest";
import { applyEdits } from "../../workspace/fixes.ts";
import { filesOf } from "../testing/app.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

/** Programs with a problem, the title of the fix and the program after it. */
const cases: readonly (readonly [rule: string, title: string, before: string, after: string])[] = [
  [
    "fw/unexported-role",
    "Add export",
    `import { Role } from "fw";\nconst Editor = Role("editor");\n`,
    `import { Role } from "fw";\nexport const Editor = Role("editor");\n`,
  ],
  [
    "fw/unexported-policy",
    "Add export",
    `import { Policy } from "fw";\n/** Some. */ const some = Policy(() => undefined);\n`,
    `import { Policy } from "fw";\n/** Some. */ export const some = Policy(() => undefined);\n`,
  ],
  [
    "fw/unexported-status",
    "Add export",
    `import { StatusPage } from "fw";\nconst status = StatusPage(() => "no");\n`,
    `import { StatusPage } from "fw";\nexport const status = StatusPage(() => "no");\n`,
  ],
  [
    "fw/unexported-req",
    "Add export",
    `import { API } from "fw";\ninterface Made { n: number }\nexport const make = API("POST /x", (_ctx, req: Made): Made => req);\n`,
    `import { API } from "fw";\nexport interface Made { n: number }\nexport const make = API("POST /x", (_ctx, req: Made): Made => req);\n`,
  ],
  [
    "fw/timezone",
    'Change to "Europe/Zurich"',
    `import { Cron } from "fw";\nexport const c = Cron("c", "0 7 * * *", () => {}, { timezone: 'Europe/Zürich' });\n`,
    `import { Cron } from "fw";\nexport const c = Cron("c", "0 7 * * *", () => {}, { timezone: 'Europe/Zurich' });\n`,
  ],
  [
    "fw/config-literal",
    "Rename to signIn",
    `import { API } from "fw";\nexport const a = API("GET /a", (): void => {}, { signin: true });\n`,
    `import { API } from "fw";\nexport const a = API("GET /a", (): void => {}, { signIn: true });\n`,
  ],
  [
    "fw/config-literal",
    "Rename to timeout",
    `import { Service } from "fw";\nexport const web = Service({ traffic: { "timout": "30s", concurrency: 10 } });\n`,
    `import { Service } from "fw";\nexport const web = Service({ traffic: { "timeout": "30s", concurrency: 10 } });\n`,
  ],
  [
    "fw/config-literal",
    'Change to "latency"',
    `import { Service } from "fw";\nexport const web = Service({ profile: "latencie" });\n`,
    `import { Service } from "fw";\nexport const web = Service({ profile: "latency" });\n`,
  ],
  [
    "fw/cache-signin",
    "Remove maxAge",
    `import { API } from "fw";\nexport const a = API("GET /a", (): void => {}, { maxAge: "10m", signIn: true });\n`,
    `import { API } from "fw";\nexport const a = API("GET /a", (): void => {}, { signIn: true });\n`,
  ],
  [
    "fw/cache-signin",
    "Remove maxAge",
    `import { API } from "fw";\nexport const a = API("GET /a", (): void => {}, {\r\n  signIn: true,\r\n  maxAge: "10m",\r\n});\r\n`,
    `import { API } from "fw";\nexport const a = API("GET /a", (): void => {}, {\r\n  signIn: true,\r\n});\r\n`,
  ],
  [
    "fw/package-level",
    "Change to const",
    `import { API } from "fw";\nexport let a = API("GET /a", (): void => {});\n`,
    `import { API } from "fw";\nexport const a = API("GET /a", (): void => {});\n`,
  ],
  [
    "fw/package-level",
    "Move to a constant",
    `import { Alert, Channel, Counter, rate } from "fw";
export const oncall = Channel("oncall", { email: "a@example.com" });

/** Orders fail. */
export const slow = Alert("slow", { if: rate(Counter("orders_failed")).above(3), every: "5m", notify: [oncall] });
`,
    `import { Alert, Channel, Counter, rate } from "fw";
export const oncall = Channel("oncall", { email: "a@example.com" });
export const ordersFailed = Counter("orders_failed");

/** Orders fail. */
export const slow = Alert("slow", { if: rate(ordersFailed).above(3), every: "5m", notify: [oncall] });
`,
  ],
  [
    "fw/worker-binding",
    "Move to a constant",
    `import { Queue, Worker } from "fw";\r\nconst jobs = 1;\r\nexport const run = Worker(Queue<number>("jobs"), () => void jobs);\r\n`,
    `import { Queue, Worker } from "fw";\r\nconst jobs = 1;\r\nexport const jobsQueue = Queue<number>("jobs");\r\nexport const run = Worker(jobsQueue, () => void jobs);\r\n`,
  ],
  [
    "fw/package-level",
    "Move to a constant",
    `import * as fw from "fw";\nfw.API("DELETE /orders", (): void => {});\n`,
    `import * as fw from "fw";\nexport const deleteOrders = fw.API("DELETE /orders", (): void => {});\n`,
  ],
  [
    "fw/package-level",
    "Move to a constant",
    `import { API } from "fw";\nexport const routes = { show: API("DELETE /", (): void => {}) };\n`,
    `import { API } from "fw";\nexport const deleteAPI = API("DELETE /", (): void => {});\nexport const routes = { show: deleteAPI };\n`,
  ],
  [
    "fw/package-level",
    "Move to a constant",
    `import { API } from "fw";\nconst n = 1; /* of\nall */ // n\n/** Routes. */\nexport const routes = [n, API("DELETE /", (): void => {})];\n`,
    `import { API } from "fw";\nconst n = 1; /* of\nall */ // n\nexport const deleteAPI = API("DELETE /", (): void => {});\n/** Routes. */\nexport const routes = [n, deleteAPI];\n`,
  ],
  [
    "fw/role-var",
    "Move to a constant",
    `import { RequireRole, Role } from "fw";\nexport const any = RequireRole(Role("public"));\n`,
    `import { RequireRole, Role } from "fw";\nexport const publicRole = Role("public");\nexport const any = RequireRole(publicRole);\n`,
  ],
  [
    "fw/route-params",
    "Mark with Path",
    `import { API } from "fw";\nexport const a = API("POST /a/{id}", (_ctx, req: { id: string }) => req.id.length);\n`,
    `import { API, type Path } from "fw";\nexport const a = API("POST /a/{id}", (_ctx, req: { id: Path }) => req.id.length);\n`,
  ],
  [
    "fw/body-on-get",
    "Mark with Query",
    `\uFEFFimport type { Int } from "fw";\r\nimport { API } from "fw";\r\nexport const a = API("GET /a", (_ctx, req: { n?: Int; tags: string[] }) => req.tags);\r\n`,
    `\uFEFFimport type { Int, Query } from "fw";\r\nimport { API } from "fw";\r\nexport const a = API("GET /a", (_ctx, req: { n?: Query<Int>; tags: Query<string[]> }) => req.tags);\r\n`,
  ],
  [
    "fw/page-binding",
    "Mark with Query",
    `import * as fw from "fw";\nexport const a = fw.Page("GET /a", (_ctx, req: { q: string }) => req.q);\n`,
    `import type { Query } from "fw";\nimport * as fw from "fw";\nexport const a = fw.Page("GET /a", (_ctx, req: { q: Query }) => req.q);\n`,
  ],
  [
    "fw/entity-ref",
    "Mark with Index",
    `import { Entity } from "fw";\nimport type { ID, Index, Ref } from "fw";\nexport interface Note { id: ID; next?: Ref<Note> }\nexport const notes = Entity<Note>("notes", { onDelete: { next: "clear" } });\nexport type Words = Index<string>;\n`,
    `import { Entity } from "fw";\nimport type { ID, Index, Ref } from "fw";\nexport interface Note { id: ID; next?: Index<Ref<Note>> }\nexport const notes = Entity<Note>("notes", { onDelete: { next: "clear" } });\nexport type Words = Index<string>;\n`,
  ],
  [
    "fw/unindexed-query",
    "Mark with Index",
    `import { API, Entity } from "fw";\nimport type { ID } from "fw";\nexport interface Note { id: ID; by: string }\nexport const notes = Entity<Note>("notes");\nexport const a = API("GET /a", async (ctx) => ({ n: await notes.query().where("by", "==", "x").count(ctx) }));\n`,
    `import { API, Entity } from "fw";\nimport type { ID, Index } from "fw";\nexport interface Note { id: ID; by: Index<string> }\nexport const notes = Entity<Note>("notes");\nexport const a = API("GET /a", async (ctx) => ({ n: await notes.query().where("by", "==", "x").count(ctx) }));\n`,
  ],
  [
    "import",
    'Change to "./other.ts"',
    `import { API } from "fw";\nimport { n } from './othr.ts';\nexport const a = API("GET /a", () => ({ n }));\n`,
    `import { API } from "fw";\nimport { n } from './other.ts';\nexport const a = API("GET /a", () => ({ n }));\n`,
  ],
  [
    "fw/machine-time",
    "Change to c.now()",
    `import { API, Entity, type ID } from "fw";\nexport const notes = Entity<{ id: ID; at: Date }>("notes");\nexport const a = API("POST /a", async (c): Promise<void> => { await notes.create(c, { at: new Date }); });\n`,
    `import { API, Entity, type ID } from "fw";\nexport const notes = Entity<{ id: ID; at: Date }>("notes");\nexport const a = API("POST /a", async (c): Promise<void> => { await notes.create(c, { at: c.now() }); });\n`,
  ],
  [
    "fw/machine-time",
    "Change to ctx.now().getTime()",
    `import { API } from "fw";\nexport const a = API("GET /a", () => ({ at: Date.now() }));\n`,
    `import { API } from "fw";\nexport const a = API("GET /a", (ctx) => ({ at: ctx.now().getTime() }));\n`,
  ],
];

describe("a fix", () => {
  test.each(cases)("of %s: %s, and nothing is wrong any more", async (rule, title, before, after) => {
    const app = (text: string): string => `-- shop/other.ts --\nexport const n = 1;\n-- shop/shop.ts --\n${text}`;
    const [found, ...more] = await bench.diagnose(app(before));
    expect([found?.code, found?.fix?.title, more]).toEqual([rule, title, []]);
    const source = filesOf(app(before)).get("shop/shop.ts") ?? "";
    expect(applyEdits(source, found?.fix?.edits ?? [])).toBe(after);
    expect(await bench.diagnose(app(after))).toEqual([]);
  });

  test.each([
    ["a type that is more than a name", `{ id: string | number }`],
    ["a type of another file's choosing", `import("./other.ts").Req`],
  ])("is not offered for %s", async (_, type) => {
    const text = `import { API } from "fw";\nexport const a = API("GET /a/{id}", (_ctx, req: ${type}) => ({ ok: !!req }));\n`;
    const found = await bench.diagnose(
      `-- shop/other.ts --\nexport interface Req { id: string | null }\n-- shop/shop.ts --\n${text}`,
    );
    expect(found.length).toBeGreaterThan(0);
    expect(found.map(({ fix }) => fix)).toEqual(found.map(() => undefined));
  });

  test.each([
    ["inside a function", `export const make = () => run(API("GET /a", (): void => {}));`],
    ["in one of several constants", `const a = 1, b = run(API("GET /a", (): void => {})); void a; void b;`],
    ["whose names are taken", `const getA = 1, getAAPI = run(API("GET /a", () => getA)); void getAAPI;`],
    ["in a condition", `if (process.env["X"]) run(API("GET /a", (): void => {}));`],
    ["in a branch", `run(process.env["X"] ? 1 : API("GET /a", (): void => {}));`],
    ["after &&", `run(process.env["X"] && API("GET /a", (): void => {}));`],
    ["in a default", `const { a = API("GET /a", (): void => {}) } = {} as { a?: unknown }; void a;`],
    ["in an assignment to what is missing", `run.a ??= API("GET /a", (): void => {});`],
    ["in an optional call", `run.a?.(API("GET /a", (): void => {}));`],
  ])("is not offered for a declaration %s", async (_, code) => {
    const text = `import { API } from "fw";\nfunction run(api: unknown): void { void api; }\n${code}\n`;
    const found = await bench.diagnose(`-- shop/shop.ts --\n${text}`);
    expect(found.map(({ code: id, fix }) => [id, fix])).toEqual([["fw/package-level", undefined]]);
  });

  test("is not offered for a variable that is assigned, nor where a name means something else", async () => {
    const assigned = await bench.diagnose(`-- shop/shop.ts --
import { API } from "fw";
export let a = API("GET /a", (): void => {});
a = a;
`);
    expect(assigned.map(({ code, fix }) => [code, fix])).toContainEqual(["fw/package-level", undefined]);
    const named = await bench.diagnose(`-- shop/shop.ts --
import { API } from "fw";
type Path = string;
export const a = API("POST /a/{id}", (_ctx, req: { id: Path }) => req.id.length);
`);
    expect(named.map(({ code, fix }) => [code, fix])).toEqual([["fw/route-params", undefined]]);
    const ownName = await bench.diagnose(`-- shop/shop.ts --
import { API } from "fw";
export const a = API("GET /a", () => { const ctx = 1; return { ctx, at: Date.now() }; });
`);
    expect(ownName.map(({ code, fix }) => [code, fix])).toEqual([["fw/machine-time", undefined]]);
  });
});

test("a parameter of the route is offered to be bound to it, and to nothing else", async () => {
  const found = await bench.diagnose(`-- shop/shop.ts --
import { API } from "fw";
export const a = API("GET /a/{id}", (_ctx, req: { id: string }) => req.id.length);
`);
  expect(found.map(({ code, fix }) => [code, fix?.title])).toEqual([
    ["fw/route-params", "Mark with Path"],
    ["fw/body-on-get", undefined],
  ]);
});
