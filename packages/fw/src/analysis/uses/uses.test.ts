import { describe, expect, test } from "vitest";
import type { Use } from "../../model/uses.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const store = `
-- store/store.ts --
import { Auth, Bucket, Entity, Job, Queue, Role, Runner, Secret, Topic, type ID, type Index } from "fw";
export interface Order { id: ID; buyer: Index<string> }
export const orders = Entity<Order>("orders");
export const photos = Bucket("photos");
export const emails = Queue<string>("emails");
export const placed = Topic<string>("order-placed");
export const rebuild = Job<string>("rebuild");
export const rebuildRunner = Runner(rebuild, async () => {});
export const mailKey = Secret("MAIL_KEY");
export const auth = Auth({ social: true });
export const Editor = Role("editor");
`;

/**
 * Lists the uses of each handler by variable, as kind, name and operation. Expects diagnostics with the codes in
 * `wrong`.
 */
async function uses(text: string, wrong: readonly string[] = []): Promise<Readonly<Record<string, readonly string[]>>> {
  const { diagnostics } = await bench.analyze(store + text);
  expect(diagnostics.map(({ code }) => code)).toEqual(wrong);
  return Object.fromEntries((await bench.uses()).map((each) => [each.variable, lines(each.uses)]));
}

function lines(found: readonly Use[]): readonly string[] {
  return found.map(({ kind, name, operation }) => `${kind} ${name} ${operation}`.replace("  ", " "));
}

/** Lists the uses of a handler with this body; `top` is the code before it. */
async function handler(body: string, top = "", files = "", wrong: readonly string[] = []): Promise<readonly string[]> {
  const { handle } = await uses(
    `
-- shop/shop.ts --
import * as store from "../store/store.ts";
import { orders, photos, emails, placed, rebuild, mailKey, auth, Editor } from "../store/store.ts";
import { API } from "fw";
${top}
export const handle = API("POST /handle", async (ctx): Promise<void> => {
${body}
});
${files}`,
    wrong,
  );
  return handle ?? [];
}

const everyEntity = ["create", "delete", "find", "get", "getMany", "put", "query", "update"].map(
  (each) => `entity orders ${each}`,
);
const everyToken = ["create", "list", "revoke"].map((operation) => `users tokens.${operation}`);
const everyAccount = ["byEmail", "create", "delete", "disable", "enable", "get", "grant", "list", "revoke"].map(
  (each) => `users ${each}`,
);

describe("a use is what is read of a resource where it is named", () => {
  test.each<readonly [code: string, ...uses: string[]]>([
    ['await orders.get(ctx, "1");', "entity orders get"],
    ['await orders["get"](ctx, "1");', "entity orders get"],
    ['await (orders as typeof orders)!.get(ctx, "1");', "entity orders get"],
    ['await orders?.find(ctx, "1");', "entity orders find"],
    ['await orders.query().where("buyer", "==", "a").limit(1).all(ctx);', "entity orders query"],
    ['await Promise.all(["1"].map((id) => orders.delete(ctx, id)));', "entity orders delete"],
    ["const read = orders.get; await read(ctx, '1');", "entity orders get"],
    [
      "const { get, put: write } = orders; await get(ctx, '1'); await write(ctx, { id: '1', buyer: '' });",
      "entity orders get",
      "entity orders put",
    ],
    ["const { get } = orders;"],
    ["const o = orders; const p = o; await p.get(ctx, '1');", "entity orders get"],
    ['await store.orders.get(ctx, "1");', "entity orders get"],
    ['const { orders: mine } = store; await mine.get(ctx, "1");', "entity orders get"],
    ['await photos.signedPut(ctx, "a", "10m");', "bucket photos signedPut"],
    ["for await (const each of photos.list(ctx)) void each;", "bucket photos list"],
    ['await emails.send(ctx, "hello");', "queue emails send"],
    ['await placed.publish(ctx, "1");', "topic order-placed publish"],
    ['await rebuild.start(ctx, "1");', "job rebuild start"],
    ["mailKey.value();", "secret MAIL_KEY value"],
    ['await auth.users.grant(ctx, "1", Editor);', "users grant"],
    ['const { users } = auth; await users.byEmail(ctx, "a@example.com");', "users byEmail"],
    ['const { users: { disable } } = auth; await disable(ctx, "1");', "users disable"],
    ["await auth.users.list(ctx).limit(10).page();", "users list"],
    ["void [photos.uploaded, emails.dead, auth.registered, Editor.name];"],
    ["const orders = { get: (id: string) => id }; orders.get('1');"],
    ["const f = (orders: { get(id: string): void }) => orders.get('1'); void f;"],
    ["const o: typeof orders | undefined = undefined; void o;"],
    ["const box = { orders: 1 }; void box.orders;"],
    ["if (typeof orders === 'object' && orders !== undefined) void orders;"],
  ])("%s", async (code, ...expected) => {
    expect(await handler(code)).toEqual(expected);
  });
});

describe("what is handed on may be used in every way", () => {
  test.each<readonly [how: string, code: string, expected: readonly string[]]>([
    ["passed", "console.log(orders);", everyEntity],
    ["returned", "const make = () => orders; void make;", everyEntity],
    ["put into an object", "const o = { orders }; void o;", everyEntity],
    ["put into a list", "const o = [orders]; void o;", everyEntity],
    ["spread", "const o = { ...orders }; void o;", everyEntity],
    ["taken apart with the rest", "const { get, ...rest } = orders; void [get, rest];", everyEntity],
    ["kept in a variable", "let o = orders; o = o; void o;", everyEntity],
    ["read by a computed key", 'const key = "get" as "get" | "put"; void orders[key];', everyEntity],
    ["chosen", "const o = Math.random() > 0.5 ? orders : undefined; void o;", everyEntity],
    ["a default value", "const f = (o = orders) => o; void f;", everyEntity],
    ["a property of a class", "class Held { readonly o = orders; } void Held;", everyEntity],
    ["the accounts", "console.log(auth.users);", everyAccount],
    ["what declares sign-in", "console.log(auth);", [...everyAccount, ...everyToken]],
    ["a secret", "console.log(mailKey);", ["secret MAIL_KEY value"]],
  ])("%s", async (_how, code, expected) => {
    expect(await handler(code)).toEqual(expected);
  });

  test("a namespace that is handed on is every export of it", async () => {
    const found = await handler("console.log(store);");
    expect(found).toEqual(expect.arrayContaining([...everyEntity, ...everyAccount, "secret MAIL_KEY value"]));
  });
});

describe("code is followed through bindings of the top level", () => {
  test("functions, constants and classes, one after the other", async () => {
    const top = `
async function first(ctx: Context, id: string) { return second(ctx, id); }
const second = async (ctx: Context, id: string) => new Third().read(ctx, id);
class Third { async read(ctx: Context, id: string) { return orders.get(ctx, id); } }
import type { Context } from "fw";`;
    expect(await handler('await first(ctx, "1");', top)).toEqual(["entity orders get"]);
  });

  test("a class that is given an entity may use it in every way", async () => {
    const top = `
import type { Context } from "fw";
class Repository { constructor(private readonly entity: typeof orders) {} count(ctx: Context) { return this.entity.query().count(ctx); } }
const repository = new Repository(orders);`;
    expect(await handler("await repository.count(ctx);", top)).toEqual(everyEntity);
  });

  test("functions that call each other", async () => {
    const top = `
import type { Context } from "fw";
async function even(ctx: Context, n: number): Promise<void> { if (n > 0) await odd(ctx, n - 1); await orders.find(ctx, ""); }
async function odd(ctx: Context, n: number): Promise<void> { await even(ctx, n - 1); await photos.exists(ctx, ""); }`;
    expect(await handler("await odd(ctx, 3);", top)).toEqual(["bucket photos exists", "entity orders find"]);
  });

  test("what is not reached does not count", async () => {
    const top = "export const unused = () => mailKey.value(); export async function other() { return photos; }";
    expect(await handler('await orders.get(ctx, "1");', top)).toEqual(["entity orders get"]);
  });

  test("what is handed on as a function counts without a call", async () => {
    const top = "const secret = () => mailKey.value(); const registry = new Map<string, () => string>();";
    expect(await handler('registry.set("a", secret);', top)).toEqual(["secret MAIL_KEY value"]);
  });

  test("other names of the top level: constants, patterns, literals", async () => {
    const top = `
const mine = orders;
const { users } = auth;
const { photos: pictures } = store;
const all = Object.freeze({ mine, pictures, more: { users } } as const);`;
    const code = 'await all.mine.get(ctx, ""); await all.pictures.exists(ctx, ""); await users.enable(ctx, "");';
    expect(await handler(code, top)).toEqual(["bucket photos exists", "entity orders get", "users enable"]);
  });

  test("a literal that is handed on is everything that it holds", async () => {
    expect(await handler("console.log(all);", "const all = { orders };")).toEqual(everyEntity);
  });

  test("imports by other names, re-exports, stars, defaults", async () => {
    const files = `
-- lib/index.ts --
export { read as load } from "./read.ts";
export * from "./more.ts";
export * as nested from "./nested.ts";
export { default } from "./unnamed.ts";
-- lib/read.ts --
import type { Context } from "fw";
import { orders as o } from "../store/store.ts";
export async function read(ctx: Context) { return o.get(ctx, ""); }
-- lib/more.ts --
import type { Context } from "fw";
import { photos } from "../store/store.ts";
export async function more(ctx: Context) { return photos.get(ctx, ""); }
-- lib/nested.ts --
import type { Context } from "fw";
import * as store from "../store/store.ts";
export async function deep(ctx: Context) { return store.emails.send(ctx, ""); }
-- lib/unnamed.ts --
import { mailKey } from "../store/store.ts";
export default function () { return mailKey.value(); }
`;
    const top = 'import unnamed, { load as fetch, more, nested } from "../lib/index.ts";';
    expect(await handler("await fetch(ctx);", top, files)).toEqual(["entity orders get"]);
    expect(await handler("await more(ctx);", top, files)).toEqual(["bucket photos get"]);
    expect(await handler("await nested.deep(ctx);", top, files)).toEqual(["queue emails send"]);
    expect(await handler("unnamed();", top, files)).toEqual(["secret MAIL_KEY value"]);
  });

  test("a handler that is named, and one that a function makes", async () => {
    const found = await uses(`
-- shop/shop.ts --
import { API, type Context } from "fw";
import { orders, photos } from "../store/store.ts";
async function list(ctx: Context): Promise<void> { await orders.query().all(ctx); }
function audited<T>(run: (ctx: Context) => Promise<T>): (ctx: Context) => Promise<T> {
  return async (ctx) => { await photos.exists(ctx, ""); return run(ctx); };
}
export const named = API("GET /named", list);
export const made = API("GET /made", audited(list));
`);
    expect(found["named"]).toEqual(["entity orders query"]);
    expect(found["made"]).toEqual(["bucket photos exists", "entity orders query"]);
  });
});

describe("a module that is imported when the code runs", () => {
  const files = `
-- lib/late.ts --
import type { Context } from "fw";
import { mailKey, orders, photos } from "../store/store.ts";
export { orders };
export const read = (ctx: Context) => photos.get(ctx, "");
export const key = () => mailKey.value();
`;
  test.each<readonly [code: string, expected: readonly string[]]>([
    ['const { read } = await import("../lib/late.ts"); await read(ctx);', ["bucket photos get"]],
    ['const late = await import("../lib/late.ts"); await late.orders.get(ctx, "");', ["entity orders get"]],
    ['await (await import("../lib/late.ts")).read(ctx);', ["bucket photos get"]],
    ['await import("../lib/late.ts");', []],
    [
      'await import("../lib/late.ts").then((late) => late.read(ctx));',
      ["bucket photos get", ...everyEntity, "secret MAIL_KEY value"],
    ],
  ])("%s", async (code, expected) => {
    expect(await handler(code, "", files)).toEqual(expected);
  });

  test("its specifier may be a constant of the top level, and nothing that is computed", async () => {
    const code = 'const name = "../lib/late.ts"; const late = await import(name); void late;';
    expect(await handler(code, "", files, ["import"])).toEqual([]);

    const top = 'const late = "../lib/late.ts" as const;';
    expect(await handler("const { key } = await import(late); key();", top, files)).toEqual(["secret MAIL_KEY value"]);
  });
});

describe("what a module does when it is loaded counts for whoever loads it", () => {
  const files = `
-- lib/effects.ts --
import { mailKey, orders } from "../store/store.ts";
export const key = readKey();
function readKey() { return mailKey.value(); }
export const names = new Map([["orders", 1]]);
export const unused = () => orders.get;
`;
  test("also where nothing of it is named", async () => {
    expect(await handler("", 'import "../lib/effects.ts";', files)).toEqual(["secret MAIL_KEY value"]);
    expect(await handler('await import("../lib/effects.ts");', "", files)).toEqual(["secret MAIL_KEY value"]);
    expect(await handler("", "", files)).toEqual([]);
  });

  test("where it is imported, and something of it is reached", async () => {
    const top = 'import { names } from "../lib/effects.ts";';
    expect(await handler("void names;", `${top} export const own = names;`, files)).toEqual([]);
    expect(await handler("names.clear();", top, files)).toEqual(["secret MAIL_KEY value"]);
  });

  test("where what is reached of it is only another name of something, or a resource", async () => {
    const alias = `${files}-- lib/alias.ts --\nimport "./effects.ts";\nimport { photos } from "../store/store.ts";\nexport const o = photos;\n`;
    const top = 'import { o } from "../lib/alias.ts";';
    expect(await handler('await o.get(ctx, "");', top, alias)).toEqual(["bucket photos get", "secret MAIL_KEY value"]);
  });

  test("through modules that are imported, where it is imported for its effects alone", async () => {
    const through = `${files}-- lib/through.ts --\nimport "./effects.ts";\nexport const other = [1];\n`;
    expect(await handler("other.pop();", 'import { other } from "../lib/through.ts";', through)).toEqual([
      "secret MAIL_KEY value",
    ]);
  });

  test("a type that is imported loads nothing", async () => {
    const typed = `${files}export type Key = string;\n`;
    expect(await handler("", 'import type { Key } from "../lib/effects.ts";\nexport type Mine = Key;', typed)).toEqual(
      [],
    );
  });

  test("statements of the top level", async () => {
    const top =
      "if (process.argv.length > 5) console.log(mailKey.value());\ndeclare const process: { argv: string[] };";
    expect(await handler("", top)).toEqual(["secret MAIL_KEY value"]);
  });
});

describe("policies and calls of endpoints", () => {
  const shop = `
-- shop/shop.ts --
import { API, Policy, Worker, type Context } from "fw";
import { emails, mailKey, orders, photos } from "../store/store.ts";
export const Known = Policy(async (ctx, user) => { await orders.get(ctx, user.id); });
export const gated = API("GET /gated", async (ctx): Promise<void> => { await photos.exists(ctx, ""); }, { allow: Known });
export const outer = API("GET /outer", async (ctx): Promise<void> => { await gated.call(ctx, {}); });
export const outermost = API("GET /outermost", (ctx): Promise<void> => outer.call(ctx, {}));
export const sign = Worker(emails, async (ctx) => { mailKey.value(); await gated.call(ctx, {}); });
export const relay = (ctx: Context) => gated.call(ctx, {});
-- desk/desk.ts --
import { API } from "fw";
import { gated, relay } from "../shop/shop.ts";
import * as shop from "../shop/shop.ts";
export const direct = API("GET /desk", async (ctx): Promise<void> => { await gated.call(ctx, {}); });
export const byHelper = API("GET /desk/helper", async (ctx): Promise<void> => { await relay(ctx); });
export const byName = API("GET /desk/name", async (): Promise<void> => { console.log(shop.gated); });
`;
  const own = ["bucket photos exists", "entity orders get"];

  test("an endpoint has the uses of its policy, and of endpoints of its package that it calls", async () => {
    const found = await uses(shop);
    expect(found["gated"]).toEqual(own);
    expect(found["outer"]).toEqual(own);
    expect(found["outermost"]).toEqual(own);
  });

  test("a worker receives without a use, and calls the endpoints of its package from a service of its own", async () => {
    expect((await uses(shop))["sign"]).toEqual(["endpoint shop GET /gated call", "secret MAIL_KEY value"]);
  });

  test("an endpoint of another package is only called, also through a helper of its package", async () => {
    const found = await uses(shop);
    const call = ["endpoint shop GET /gated call"];
    expect(found["direct"]).toEqual(call);
    expect(found["byHelper"]).toEqual(call);
    expect(found["byName"]).toEqual(call);
  });
});

test("crons, subscribers, singletons, runners and status pages have uses", async () => {
  const found = await uses(`
-- work/work.ts --
import { Cron, Singleton, StatusPage, Subscribe, HTML } from "fw";
import { auth, emails, mailKey, orders, photos, placed } from "../store/store.ts";
export const nightly = Cron("nightly", "every 15m", async (ctx) => { await orders.query().count(ctx); });
export const scan = Subscribe(photos.uploaded, async (ctx, { key }) => { await photos.get(ctx, key); });
export const greet = Subscribe(auth.registered, async (ctx) => { await emails.send(ctx, ""); });
export const relay = Singleton("relay", async (ctx) => { await placed.publish(ctx, ""); });
export const status = StatusPage(() => HTML(mailKey.value()));
`);
  expect(found).toEqual({
    rebuildRunner: [],
    nightly: ["entity orders query"],
    scan: ["bucket photos get"],
    greet: ["queue emails send"],
    relay: ["topic order-placed publish"],
    status: ["secret MAIL_KEY value"],
  });
});

test("a use stands at the first place in source order that leads to it", async () => {
  await uses(`
-- shop/a.ts --
import type { Context } from "fw";
import { orders } from "../store/store.ts";
export const help = (ctx: Context) => orders.get(ctx, "");
-- shop/shop.ts --
import { API } from "fw";
import { orders } from "../store/store.ts";
import { help } from "./a.ts";
export const handle = API("GET /", async (ctx): Promise<void> => {
  await orders.get(ctx, "");
  await help(ctx);
});
`);
  const found = (await bench.uses()).find(({ variable }) => variable === "handle");
  expect(found?.uses.map(({ at }) => at)).toEqual([
    { path: "shop/a.ts", line: 3, column: 39, endLine: 3, endColumn: 49 },
  ]);
});

test("names that lead to themselves lead nowhere", async () => {
  const files = `
-- lib/circle.ts --
import { b } from "./other.ts";
export const a: unknown = b;
export const late: unknown = (await import("./circle.ts")).late;
export * from "./other.ts";
-- lib/other.ts --
import { a } from "./circle.ts";
export const b: unknown = a;
export * from "./circle.ts";
`;
  const top = 'import * as circle from "../lib/circle.ts"; import { a, late } from "../lib/circle.ts";';
  // Neither module can be loaded before the other.
  expect(await handler("console.log(circle, a, late);", top, files, ["import"])).toEqual([]);
});

test("a chain of 2,000 functions is followed to the end", async () => {
  const links = Array.from({ length: 2000 }, (_, i) => `const f${i} = (ctx: Context): unknown => f${i + 1}(ctx);`);
  const top = `import type { Context } from "fw";
${links.join("\n")}
const f2000 = (ctx: Context) => orders.get(ctx, "");`;
  expect(await handler("f0(ctx);", top)).toEqual(["entity orders get"]);
});

test("a change is seen wherever it is reached from", async () => {
  const app = (body: string): string => `
-- lib/help.ts --
import type { Context } from "fw";
import { orders, photos } from "../store/store.ts";
export const help = async (ctx: Context): Promise<void> => { ${body} };
void photos;
void orders;
-- shop/shop.ts --
import { API } from "fw";
import { help } from "../lib/help.ts";
export const handle = API("GET /", async (ctx): Promise<void> => help(ctx));
`;
  expect((await uses(app('await orders.get(ctx, "");')))["handle"]).toEqual(["entity orders get"]);
  expect((await uses(app('await photos.get(ctx, "");')))["handle"]).toEqual(["bucket photos get"]);
  expect((await uses(app("")))["handle"]).toEqual([]);
});
