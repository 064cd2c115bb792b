import { describe, expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const entity = `
import { API, Entity, type Context, type EntityQuery, type ID, type Index } from "fw";
export interface Order { id: ID; a: Index<string>; b: Index<string>; c: Index<string>; d: Index<string>; e: Index<string>; f: Index<string>; g: Index<string>; h: Index<string>; i: Index<string>; at: Index<Date> }
export const orders = Entity<Order>("orders");
declare const yes: boolean;
`;

/** Returns the composite indexes of a module's queries, or its problems. */
async function found(code: string, others = ""): Promise<string[]> {
  const { app, diagnostics } = await bench.analyze(`-- shop/shop.ts --\n${entity}${code}\n${others}`);
  if (diagnostics.length > 0) {
    const first = entity.split("\n").length - 1;
    return diagnostics.map(
      ({ at, code, message }) => `${at.path === "shop/shop.ts" ? at.line - first : at.path} ${code}: ${message}`,
    );
  }
  return (app.indexes ?? []).map(({ fields }) =>
    fields.map(({ field, direction }) => `${field} ${direction}`).join(", "),
  );
}

describe("a query is followed", () => {
  test.each([
    ["through if and else", `if (yes) q = q.where("a", "==", "x"); else q = q.where("b", "==", "x");`],
    ["through conditional expressions", `q = yes ? q.where("a", "==", "x") : q.where("b", "==", "x");`],
    [
      "through a switch",
      `switch (String(yes)) { case "1": q = q.where("a", "==", "x"); break; default: q = q.where("b", "==", "x"); }`,
    ],
    [
      "through a loop that is left early",
      `for (;;) { if (yes) { q = q.where("a", "==", "x"); break; } q = q.where("b", "==", "x"); break; }`,
    ],
    [
      "through a function inside",
      `const add = (one: EntityQuery<Order>) => yes ? one.where("a", "==", "x") : one.where("b", "==", "x"); q = add(q);`,
    ],
    [
      "through try and catch",
      `try { if (yes) q = q.where("a", "==", "x"); } catch { } if (yes) q = q.where("b", "==", "x");`,
    ],
    [
      "past an early return",
      `if (yes) return q.where("a", "==", "x").orderBy("at").count(ctx); q = q.where("b", "==", "x");`,
    ],
  ])("%s", async (_, code) => {
    const body = `let q = orders.query(); ${code} return q.orderBy("at").count(ctx);`;
    expect(await found(`export async function list(ctx: Context) { ${body} }`)).toEqual([
      "a asc, at asc",
      "b asc, at asc",
    ]);
  });

  test("into functions of other files and back, also through a namespace", async () => {
    const code = `import * as help from "../lib/help.ts";
export async function list(ctx: Context) { return help.sorted(help.open().where("b", "==", "x")).all(ctx); }`;
    const others = `-- lib/help.ts --
import type { EntityQuery } from "fw";
import { orders, type Order } from "../shop/shop.ts";
export function open() { return orders.query().where("a", "==", "x"); }
export const sorted = (q: EntityQuery<Order>) => q.orderBy("at", "desc");
`;
    expect(await found(code, others)).toEqual(["a asc, b asc, at desc"]);
  });

  test("from a constant of the module", async () => {
    const code = `const open = orders.query().where("a", "==", "x");
export async function list(ctx: Context) { return open.orderBy("at").all(ctx); }`;
    expect(await found(code)).toEqual(["a asc, at asc"]);
  });

  test("when an entity is passed to a function", async () => {
    const code = `function of(ctx: Context, kept: typeof orders) { return kept.query().where("a", "==", "x").orderBy("at").all(ctx); }
export async function list(ctx: Context) { return of(ctx, orders); }`;
    expect(await found(code)).toEqual(["a asc, at asc"]);
  });

  test.each([
    ["a private parameter property", "constructor(private entity: typeof orders) {}", "this.entity"],
    ["a readonly parameter property", "constructor(readonly entity: typeof orders) {}", "this.entity"],
    [
      "a readonly field",
      "readonly entity: typeof orders; constructor(entity: typeof orders) { this.entity = entity; }",
      "this.entity",
    ],
    [
      "a # field",
      "#entity: typeof orders; constructor(entity: typeof orders) { this.#entity = entity; }",
      "this.#entity",
    ],
    ["a default value", "constructor(private entity = orders, readonly page = 20) {}", "this.entity"],
  ])("when a class keeps it in %s", async (_, fields, entityOf) => {
    const code = `class Orders { ${fields}
  list(ctx: Context, a: string) { return ${entityOf}.query().where("a", "==", a).orderBy("at").all(ctx); }
  later = (ctx: Context) => [1].map(() => ${entityOf}.query().where("b", "==", "x").orderBy("at").all(ctx));
}
const repository = new Orders(${fields.includes("= orders") ? "" : "orders"});
export const list = API("GET /orders", (ctx) => repository.list(ctx, "x"));`;
    expect(await found(code)).toEqual(["a asc, at asc", "b asc, at asc"]);
  });

  test("when instances of a class in another file keep different entities", async () => {
    const code = `import { Repository, Sorted } from "../lib/repository.ts";
export interface Item { id: ID; a: Index<string>; at: Index<Date> }
export const items = Entity<Item>("items");
export const both = [new Repository(items), new Sorted(orders)];`;
    const others = `-- lib/repository.ts --
import type { Context, EntityDeclaration } from "fw";
export class Repository<T> {
  constructor(protected readonly entity: EntityDeclaration<T>) {}
  list(ctx: Context) { return this.entity.query().where("a" as never, "==", "x" as never).orderBy("at" as never).all(ctx); }
}
export class Sorted<T> extends Repository<T> {
  last(ctx: Context) { return this.entity.query().where("b" as never, "==", "x" as never).orderBy("at" as never).all(ctx); }
}
`;
    const { app, diagnostics } = await bench.analyze(`-- shop/shop.ts --\n${entity}${code}\n${others}`);
    expect(diagnostics).toEqual([]);
    const indexes = app.indexes?.map(
      ({ entity: name, fields }) => `${name} ${fields.map(({ field }) => field).join(" ")}`,
    );
    expect(indexes).toEqual(["items a at", "orders a at", "orders b at"]);
  });

  test("when the constructor of a class passes it to the class that it extends", async () => {
    const code = `class Base { constructor(readonly entity: typeof orders) {}
  open(ctx: Context) { return this.entity.query().where("a", "==", "x").orderBy("at").all(ctx); } }
class Orders extends Base { constructor() { super(orders); }
  shut(ctx: Context) { return this.entity.query().where("b", "==", "x").orderBy("at").all(ctx); } }
export const list = API("GET /orders", (ctx) => new Orders().shut(ctx));`;
    expect(await found(code)).toEqual(["a asc, at asc", "b asc, at asc"]);
  });

  test("past a local variable of the same name as an entity", async () => {
    const code = `export function list(orders: { query(): { where(a: string, b: string, c: string): { each(x: number): void } } }) {
  orders.query().where("nothing", "==", "x").each(1);
}`;
    expect(await found(code)).toEqual([]);
  });
});

describe("query-escapes: a query is stored or passed where its indexes cannot be traced", () => {
  test.each([
    ["const kept = { q: orders.query() };", "is stored in an object"],
    ["const kept = [orders.query()];", "is stored in a list"],
    ["let kept = orders.query();", "is in a module variable that can change"],
    ["console.log(orders.query());", "is passed where fw cannot follow it"],
    ["class Kept { q = orders.query(); }", "is used where fw cannot follow it"],
    ["const { where } = orders.query();", "is destructured"],
    ["const make = [1].map(() => orders.query());", "is returned from a function expression"],
    ["async function make() { return orders.query(); }", "is returned as a promise"],
    ["function make() { return orders.query(); } [1].map(make);", "is returned by this function, which is passed on"],
    [
      "const go = () => { let q = orders.query(); const run = () => { q = q.where('a', '==', 'x'); }; run(); };",
      "is assigned in another function",
    ],
    [
      "function again(q: EntityQuery<Order>): EntityQuery<Order> { return yes ? q : again(q.where('a', '==', 'x')); } again(orders.query());",
      "is passed where fw cannot follow it",
    ],
    ["const f = orders.query().where;", "is used without a call"],
    ["void (async () => { await orders.query(); })();", "is awaited; end it with all, first, count or page"],
    [
      "const go = () => { let q = orders.query(); while (yes) q = q.orderBy('a'); return q; };",
      "grows with each iteration of a loop",
    ],
  ])("%s", async (code, how) => {
    const lines = await found(code);
    expect(lines).toEqual([`1 fw/query-escapes: fw cannot follow this query further: it ${how}`]);
  });
});

describe("query-escapes: a class keeps an entity where its indexes cannot be traced", () => {
  const use = "list(ctx: Context) { return this.entity.query().count(ctx); }";
  test.each([
    ["in a field that other code can change", "constructor(public entity: typeof orders) {}", "new Kept(orders)"],
    [
      "in a field that a method changes",
      "constructor(private entity: typeof orders) {} swap(other: typeof orders) { this.entity = other; }",
      "new Kept(orders)",
    ],
    [
      "in a field that a callback changes",
      "private entity = orders; constructor(other: typeof orders) { [1].forEach(() => { this.entity = other; }); }",
      "new Kept(orders)",
    ],
    ["which nobody creates", "constructor(private entity: typeof orders) {}", "Kept"],
    [
      "that one of two instances gets from elsewhere",
      "constructor(private entity: typeof orders) {}",
      "[new Kept(orders), new Kept(JSON.parse('1'))]",
    ],
    ["that it may get", "constructor(private entity: typeof orders) {}", "new Kept(yes ? orders : JSON.parse('1'))"],
    ["that is spread", "constructor(private entity: typeof orders) {}", "new Kept(...[orders] as const)"],
  ])("%s", async (_, fields, created) => {
    expect(await found(`class Kept { ${fields} ${use} }\nvoid ${created};`)).toEqual([
      "1 fw/query-escapes: fw cannot follow this query further: it begins with an entity that is passed where fw cannot follow it",
    ]);
  });

  test("and a method returns the query", async () => {
    const code = `class Kept { constructor(readonly entity: typeof orders) {} all() { return this.entity.query(); } }\nvoid new Kept(orders);`;
    expect(await found(code)).toEqual([
      "1 fw/query-escapes: fw cannot follow this query further: it is returned from a method",
    ]);
  });
});

describe("query-shapes: one function assembles a query from more than four conditional filters", () => {
  const condition = (field: string) => `if (yes) q = q.where("${field}", "==", "x");`;
  /** Returns a function that adds a conditional filter for each of the fields, the last two in a helper. */
  const list = (fields: string, begin: string, rest = "") => {
    const help = `function more(q: EntityQuery<Order>) { ${Array.from(fields.slice(-2), condition).join(" ")} return q; }\n`;
    const body = `let q = ${begin}; ${Array.from(fields.slice(0, -2), condition).join(" ")} return more(q)${rest}.all(ctx);`;
    return `${help}export async function list(ctx: Context) { ${body} }`;
  };

  test("the fifth is reported, wherever it is", async () => {
    expect(await found(list("abcd", "orders.query()"))).toEqual([]);
    expect(await found(list("abcde", "orders.query()"))).toEqual([
      "1 fw/query-shapes: this is the fifth conditional filter of the query; the maximum is 4",
    ]);
  });

  test("with a number of conditions, the next one is reported", async () => {
    expect(await found(list("abcdef", "orders.query({ conditions: 6 })"))).toEqual([]);
    expect(await found(list("abcdefg", "orders.query({ conditions: 6 })"))).toEqual([
      "1 fw/query-shapes: this is the seventh conditional filter of the query; the maximum is 6",
    ]);
    expect(await found(list("abcdefghi", "orders.query({ conditions: 8 })"))).toEqual([
      "1 fw/query-shapes: this is the ninth conditional filter of the query; the maximum is 8",
    ]);
  });

  test("where one of two beginnings has no number, the fifth is reported", async () => {
    expect(await found(list("abcde", "yes ? orders.query({ conditions: 8 }) : orders.query()"))).toEqual([
      "1 fw/query-shapes: this is the fifth conditional filter of the query; the maximum is 4",
    ]);
  });

  test("five of one field are five", async () => {
    expect(await found(list("aaaaa", "orders.query()"))).toHaveLength(1);
  });

  test("two alternatives of one filter are one", async () => {
    const either = `q = yes ? q.where("e", "==", "x") : q.where("e", "==", "y");`;
    const body = `let q = orders.query(); ${Array.from("abcd", condition).join(" ")} ${either} return q.all(ctx);`;
    expect(await found(`export async function list(ctx: Context) { ${body} }`)).toEqual([]);
  });

  test("eight need one index each for an order, with the fixed filters", async () => {
    const begin = `orders.query({ conditions: 8 }).where("i", "==", "x")`;
    expect(await found(list("abcdefgh", begin, `.orderBy("at")`))).toEqual([
      ...Array.from("abcdefgh", (field) => `${field} asc, i asc, at asc`),
      "i asc, at asc",
    ]);
  });

  test.each([
    ["a constant", "const conditions = 6 as const;", "{ conditions }"],
    ["undefined", "", "undefined"],
    ["no number", "", "{}"],
  ])("the number may be %s", async (_, before, options) => {
    const body = `${before} return orders.query(${options}).all(ctx);`;
    expect(await found(`export async function list(ctx: Context) { ${body} }`)).toEqual([]);
  });

  test.each([
    ["{ conditions: 4 }", "conditions is 4, which is not a number from 5 to 8"],
    ["{ conditions: 9 }", "conditions is 9, which is not a number from 5 to 8"],
    ["{ conditions: 5.5 }", "conditions is 5.5, which is not a number from 5 to 8"],
    ['{ conditions: "8" }', 'conditions is "8", which is not a number from 5 to 8'],
    ["{ conditions: n }", "conditions is not a constant: `n` is only known at run time"],
    ["{ ...more }", "conditions is not a constant"],
    ["more", "conditions is not a constant"],
  ])("%s is reported once, at the number", async (options, message) => {
    const body = `let q = orders.query(\n${options});\n${Array.from("abcde", condition).join(" ")} return q.all(ctx);`;
    const code = `export async function list(ctx: Context, n: 5 | 6, more: { conditions: 5 }) { ${body} }`;
    expect(await found(code)).toEqual([`2 fw/query-shapes: ${message}`]);
  });
});

test("a query with a number of conditions on an entity from elsewhere is reported", async () => {
  const code = `class Kept { constructor(private entity: typeof orders) {} list(ctx: Context) { return this.entity.query({ conditions: 8 }).all(ctx); } }\nvoid Kept;`;
  expect(await found(code)).toEqual([
    "1 fw/query-escapes: fw cannot follow this query further: it begins with an entity that is passed where fw cannot follow it",
  ]);
});

test("an edit of a helper is seen by the query that goes through it", async () => {
  const help = (field: string): string =>
    `-- lib/help.ts --\nimport type { EntityQuery } from "fw";\nimport type { Order } from "../shop/shop.ts";\nexport const by = (q: EntityQuery<Order>) => q.where("${field}", "==", "x");\n`;
  const code = `import { by } from "../lib/help.ts";\nexport async function list(ctx: Context) { return by(orders.query()).orderBy("at").all(ctx); }`;
  expect(await found(code, help("a"))).toEqual(["a asc, at asc"]);
  expect(await found(code, help("b"))).toEqual(["b asc, at asc"]);
  expect(await found(code, help("none"))).toEqual([
    'lib/help.ts fw/unindexed-query: the query filters by "none", which is not a field of "orders"',
  ]);
});
