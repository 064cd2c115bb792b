import { describe, expect, test } from "vitest";
import { openAnalyzer } from "../index.ts";
import { writeApp } from "../testing/app.ts";

const entities = `-- package.json --
{ "name": "app", "type": "module" }
-- data.ts --
import { Entity, type ID, type Index } from "fw";
export interface Order { id: ID; buyer: Index<string>; placed: Index<number> }
export const orders = Entity<Order>("orders");
export const carts = Entity<Order>("carts");
export const tables = { orders, carts };
export default orders;
`;

/** Lists the entities with queries that get an index, and the lines where a query escapes. */
async function read(code: string, files = ""): Promise<readonly string[]> {
  await using app = await writeApp(`${entities}-- a.ts --\n${code}\n${files}`);
  const analyzer = openAnalyzer(app.root);
  try {
    const { app: model, diagnostics } = await analyzer.analyze();
    const escapes = diagnostics.filter(({ code: id }) => id === "fw/query-escapes");
    const indexes = (model.indexes ?? []).map(({ entity }) => entity);
    return [...indexes, ...new Set(escapes.map(({ at }) => `escapes ${at.path}:${at.line}`))];
  } finally {
    analyzer.close();
  }
}

const ask = 'where("buyer", "==", "b").orderBy("placed", "desc").all(ctx)';
const handler = (code: string): string => `import { API } from "fw";
import * as data from "./data.ts";
import other, { orders, carts, tables } from "./data.ts";
${code}
void [data, other, orders, carts, tables].length;`;
const inside = (code: string): string => handler(`export const a = API("GET /a", async (ctx) => { ${code} });`);

describe("an entity by another name is followed to its queries", () => {
  test.each([
    ["a const", `const t = orders; return t.query().${ask};`],
    ["an assertion", `const t = orders as typeof orders; return t!.query().${ask};`],
    ["a default", `return other.query().${ask};`],
    ["a namespace", `return data.orders.query().${ask};`],
    ["an object", `return tables.orders.query().${ask};`],
    ["a pattern", `const { orders: t } = tables; return t.query().${ask};`],
    ["a pattern of a namespace", `const { tables: { orders: t } } = data; return t.query().${ask};`],
    ["element access", `return tables["orders"]["query"]()["where"]("buyer", "==", "b").orderBy("placed").all(ctx);`],
    ["a let", `let t = orders; return t.query().${ask};`],
    ["a function", `const list = (t: typeof orders) => t.query().${ask}; return list(orders);`],
    ["an optional call", `return orders?.query?.().${ask};`],
  ])("%s", async (_what, code) => {
    expect(await read(inside(code))).toEqual(["orders"]);
  });

  test.each([
    ["a const of the module", "const t = orders;"],
    ["a let of the module that nothing is assigned to", "let t = orders;"],
    ["a pattern of the module", "const { orders: t } = tables;"],
    ["a choice of the module of one", "const t = Math.random() > 2 ? orders : orders;"],
  ])("%s", async (_what, code) => {
    expect(await read(handler(`${code}\nexport const a = API("GET /a", async (ctx) => t.query().${ask});`))).toEqual([
      "orders",
    ]);
  });

  test("its fields may be of a constant object, of the module or of the function", async () => {
    const asked = 'where(o.by, "==", "b").orderBy(o.sort).all(ctx)';
    const o = 'const o = { by: "buyer", sort: "placed" } as const;';
    expect(await read(inside(`${o} return orders.query().${asked};`))).toEqual(["orders"]);
    expect(
      await read(handler(`${o}\nexport const a = API("GET /a", async (ctx) => orders.query().${asked});`)),
    ).toEqual(["orders"]);
  });

  test("a choice is either", async () => {
    expect(await read(inside(`const t = Math.random() > 2 ? orders : carts; return t.query().${ask};`))).toEqual([
      "carts",
      "orders",
    ]);
  });

  test("a helper in another file that takes it, from a file that has no query of its own", async () => {
    const helper = `-- list.ts --\nimport type { Context, EntityDeclaration } from "fw";\nimport type { Order } from "./data.ts";
export const list = (ctx: Context, t: EntityDeclaration<Order>) => t.query().${ask};`;
    const code = 'import { list } from "./list.ts";\n' + inside("return list(ctx, orders);");
    expect(await read(code, helper)).toEqual(["orders"]);
  });
});

const repository = (declared: string, field: string): string =>
  `class Repo { ${declared}; constructor(t: typeof orders) { this.${field} = t; } list(ctx: any) { return this.${field}.query().${ask}; } }
const repo = new Repo(orders);
export const a = API("GET /a", async (ctx) => repo.list(ctx));`;

test("an entity is followed into a class that keeps it", async () => {
  expect(await read(handler(repository("#t", "#t")))).toEqual(["orders"]);
});

describe("an entity that is not followed to its queries is told there", () => {
  test.each([
    ["a list", `for (const t of [orders, carts]) await t.query().${ask};`],
    ["a function of a list", `await Promise.all([orders, carts].map((t) => t.query().${ask}));`],
    ["an object by a computed key", `return tables[ctx.path as "orders"].query().${ask}; void [orders];`],
    ["a computed key of it", `return orders[ctx.path as "query"]().${ask};`],
    ["a detached query", `const { query } = orders; return query().${ask};`],
    ["a detached query by a name", `const begin = orders.query; return begin().${ask};`],
    ["import()", `const { orders: t } = await import("./data.ts"); return t.query().${ask};`],
    ["a map", `return new Map([["a", orders]]).get("a")!.query().${ask};`],
  ])("%s", async (_what, code) => {
    expect(await read(inside(code))).toEqual(["escapes a.ts:4"]);
  });

  test("a class that keeps one in a field that other code can change", async () => {
    expect(await read(handler(repository("t", "t")))).toEqual(["escapes a.ts:4"]);
  });

  test("a helper that is called with one that is followed and with one that is not", async () => {
    const code = `const list = (ctx: any, t: typeof orders) => t.query().${ask};
export const a = API("GET /a", async (ctx) => list(ctx, orders));
export const b = API("GET /b", async (ctx) => { for (const t of [carts]) await list(ctx, t); });`;
    expect(await read(handler(code))).toEqual(["orders", "escapes a.ts:4"]);
  });

  test("but not what another library asks", async () => {
    const code = `import pg from "pg";\nconst db = pg();\nexport const a = API("GET /a", async (ctx) => { void ctx; void [orders]; return db.query("select 1"); });`;
    expect(await read(handler(code))).toEqual([]);
  });
});

describe("a variable that may hold another entity than the one that is known is told", () => {
  test.each([
    ["it is assigned to by a pattern", "let t: any = carts; [t] = [orders];"],
    ["it is assigned to by a pattern of an object", "let t: any = carts; ({ t } = { t: orders });"],
    ["a loop assigns to it", "let t: any = carts; for (const each of [orders]) t = each;"],
    ["it is the variable of a loop", "let t: any = carts; for (t of [orders]) void 0;"],
    ["a function inside assigns to it", "let t: any = carts; (() => { t = orders; })();"],
    ["of one way nothing is known", "let t: any = (tables as any)[String(1)]; if (Math.random() > 2) t = carts;"],
    [
      "it is a parameter",
      `await Promise.all([orders].map((t: any) => { if (Math.random() > 2) t = carts; return t.query().${ask}; })); const t = carts;`,
    ],
  ])("where %s", async (_what, code) => {
    const found = await read(inside(`${code} return t.query().${ask};`));
    expect(found.filter((each) => each.startsWith("escapes"))).not.toEqual([]);
  });

  test("but not where it begins with nothing", async () => {
    const code = "let t; if (Math.random() > 2) t = orders; else t = carts;";
    expect(await read(inside(`${code} return t.query().${ask};`))).toEqual(["carts", "orders"]);
  });
});
