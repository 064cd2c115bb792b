import { expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const declarations = `
import { API, Cron, Entity, Policy, Queue, Worker, transaction, type Context, type ID, type Index, type Path } from "fw";
export interface Order { id: ID; due: Index<Date>; day?: string; at?: number; tries?: { last: Date }[] }
export const orders = Entity<Order>("orders");
export interface Mail { sent: Date }
export const mails = Queue<Mail>("mails");
const hour = 3_600_000;
`;

/** Handlers, with the ends of the messages that report them. */
const deciding: readonly (readonly [code: string, ...uses: string[]])[] = [
  [`(ctx) => orders.create(ctx, { due: new Date() })`, "is stored by `orders.create`"],
  [`(ctx) => orders.create(ctx, { due: new Date(Date.now() + 24 * hour) })`, "is stored by `orders.create`"],
  [
    `async (ctx) => { const now = new Date(); const order = { due: now }; await orders.create(ctx, { ...order }); }`,
    "is stored by `orders.create`",
  ],
  [
    `async (ctx, { id }: { id: Path }) => { await orders.update(ctx, id, (order) => { order.due = new Date(); }); }`,
    "is stored by `orders.update`",
  ],
  [
    `async (ctx, { id }: { id: Path }) => { await orders.update(ctx, id, (order) => ({ ...order, due: new Date() })); }`,
    "is stored by `orders.update`",
  ],
  [
    `async (ctx, { id }: { id: Path }) => { const order = await orders.get(ctx, id); order.due = new Date(); await orders.put(ctx, order); }`,
    "is stored by `orders.put`",
  ],
  [`(ctx) => orders.query().where("due", "<", new Date()).all(ctx)`, "is compared by `orders.query`"],
  [
    `(ctx) => orders.query().where("due", "<", new Date(Date.now() - hour)).count(ctx)`,
    "is compared by `orders.query`",
  ],
  [`async (ctx) => { await mails.send(ctx, { sent: new Date() }); }`, "is sent by `mails.send`"],
  [
    `async (ctx) => transaction(ctx, async (tx) => { await mails.send(tx, { sent: new Date() }); })`,
    "is sent by `mails.send`",
  ],
  [
    `() => ({ at: new Date(), day: new Date().toISOString().slice(0, 10) })`,
    "is returned by handle",
    "is returned by handle",
  ],
  [`(ctx) => transaction(ctx, async () => ({ at: new Date() }))`, "is returned by handle"],
  [
    `async (ctx, { id }: { id: Path }) => { const order = await orders.get(ctx, id); return { late: order.due < new Date() }; }`,
    "is compared with `order.due`",
  ],
  [
    `async (ctx, { id }: { id: Path }) => { const { due } = await orders.get(ctx, id); if (Date.now() > due.getTime()) throw new Error("late"); }`,
    "is compared with `due.getTime()`",
  ],
  [
    `async (ctx) => { for await (const order of orders.query().each(ctx)) if (order.due < new Date()) ctx.log.info("late"); }`,
    "is compared with `order.due`",
  ],
  [
    `async (ctx) => (await orders.query().all(ctx)).filter((order) => order.due < new Date()).length`,
    "is compared with `order.due`",
  ],
  [`(ctx, { until }: { until: Path<Date> }) => ({ open: until > new Date() })`, "is compared with `until`"],
  [
    `(ctx) => { const day = () => new Date().toISOString(); return orders.create(ctx, { due: ctx.now(), day: day() }); }`,
    "is stored by `orders.create`",
  ],
  [
    `(ctx) => { const store = (order: { due: Date }) => orders.create(ctx, order); return store({ due: new Date() }); }`,
    "is stored by `orders.create`",
  ],
  [
    `async (ctx) => { await Promise.all(["a"].map((day) => ({ day, due: new Date() })).map((each) => orders.create(ctx, each))); }`,
  ],
  [
    `async (ctx) => { await orders.create(ctx, { due: ctx.now(), tries: ["a"].map(() => ({ last: new Date() })) }); }`,
    "is stored by `orders.create`",
  ],
];

test.each(deciding)("a time that decides something is found: %s", async (code, ...uses) => {
  const messages = await findings(code);
  expect(messages.map((message) => message.replace(/^.* and its result /, ""))).toEqual(uses);
});

/** Handlers that only measure durations, build names or hold times in memory. */
const measuring: readonly string[] = [
  `() => { const start = Date.now(); return { took: Date.now() - start }; }`,
  `(ctx) => { const start = new Date(); ctx.log.info("took", { ms: Date.now() - start.getTime() }); }`,
  `async (ctx) => { const start = Date.now(); await orders.create(ctx, { due: ctx.now(), at: Date.now() - start }); }`,
  `async () => { const end = Date.now() + 5_000; while (Date.now() < end) await new Promise((done) => setTimeout(done, 10)); }`,
  "async (ctx) => { await orders.create(ctx, { id: `${Date.now()}-${Math.random()}`, due: ctx.now() }); }",
  `async (ctx) => { await orders.create(ctx, { id: Date.now().toString(36), due: ctx.now() }); }`,
  `async (ctx) => { await orders.create(ctx, { id: String(Date.now() * 1000 + Math.random()), due: ctx.now() }); }`,
  `(ctx) => { ctx.log.info("at", { at: new Date() }); }`,
  `(ctx) => { seen.set(ctx.requestId, { at: Date.now() }); for (const [id, { at }] of seen) if (at < Date.now() - hour) seen.delete(id); }`,
  `() => ({ since: started })`,
  `(ctx) => { let at = new Date(); at = ctx.now(); return { at }; }`,
  `() => { const value = { at: new Date(), count: 1 }; return { count: value.count }; }`,
  `(ctx) => { const Date = { now: () => 1 }; return { at: Date.now() }; }`,
  `(ctx) => orders.create(ctx, { due: new Date(2026, 1, 1) })`,
  `() => ({ shard: Date.now() % 7, zone: new Date().getTimezoneOffset() })`,
];

test.each(measuring)("a time that decides nothing is left alone: %s", async (code) => {
  expect(await findings(code, "const seen = new Map<string, { at: number }>();\nconst started = new Date();")).toEqual(
    [],
  );
});

test("functions of other modules are followed, and code that no handler reaches is not", async () => {
  const text = `${declarations}
import { stored, tomorrow } from "../lib/times.ts";
export const make = API("POST /x", (ctx) => orders.create(ctx, { due: tomorrow() }));
export const keep = API("POST /y", async (ctx) => { await stored(ctx); });
export async function tool(ctx: Context) { await orders.create(ctx, { due: new Date() }); }
-- lib/times.ts --
import type { Context } from "fw";
import { orders } from "../shop/shop.ts";
export function tomorrow() { const now = Date.now(); return new Date(now + 24 * 3_600_000); }
export async function stored(ctx: Context) { await orders.create(ctx, { due: new Date() }); }
`;
  const problems = await bench.diagnose(`-- shop/shop.ts --\n${text}`);
  const places = problems
    .filter(({ code }) => code === "fw/machine-time")
    .map(({ at, hint }) => [at.path, at.line, hint]);
  expect(places).toEqual([
    ["lib/times.ts", 3, "pass ctx to this function and write ctx.now().getTime()"],
    ["lib/times.ts", 4, "write ctx.now()"],
  ]);
});

async function findings(handler: string, before = ""): Promise<readonly string[]> {
  const route = /\{ (id|until) \}: /.exec(handler)?.[1];
  const text = `${declarations}${before}\nexport const handle = API("POST /x${route ? `/{${route}}` : ""}", ${handler});\n`;
  const problems = await bench.diagnose(`-- shop/shop.ts --\n${text}`);
  return problems.filter(({ code }) => code === "fw/machine-time").map(({ message }) => message);
}
