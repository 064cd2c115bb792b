import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "../../declare/context.ts";
import { openAppBench, type AppBench } from "../testing/app-bench.ts";
import { impersonalMembers } from "./context-flow.ts";

let bench: AppBench;
beforeAll(async () => {
  bench = await openAppBench();
});
afterAll(() => bench.close());

const files = `
-- store/store.ts --
import { API, Auth, Counter, Entity, Queue, type ID, type Index, type Int } from "fw";
export interface Order { id: ID; user: Index<string>; total: Int }
export const orders = Entity<Order>("orders");
export const emails = Queue<string>("emails");
export const placed = Counter("placed");
export const auth = Auth({ social: true });
export const mine = API("GET /mine", (ctx): string => ctx.user().id, { signIn: true });
-- web/pages/templates/part.html --
<form>{{csrf}}</form>
-- web/web.ts --
import { Site } from "fw";
export const site = Site("./pages");
-- lib/notes.ts --
import type { Context } from "fw";
export default function note(ctx: Context) { ctx.log.info("noted"); }
export const notes = { write(ctx: Context) { note(ctx); } };
export const greet = (greeting: string, ctx: Context): string => greeting + name(ctx);
function name(ctx: Context): string { return ctx.maybeUser()?.name ?? ""; }
export const down = (n: number, ctx: Context): number => (n === 0 ? up(ctx) : down(n - 1, ctx));
const up = (ctx: Context): number => (ctx.isHTMX ? down(1, ctx) : 0);
export const deep = (n: number, ctx: Context): string => (n === 0 ? name(ctx) : deep(n - 1, ctx));
export let changed = (ctx: Context): void => ctx.log.info("a");
export const change = (): void => { changed = (ctx) => void ctx.user(); };
`;

/** Analyzes a package with `handlers`. Returns the handlers that use the signed-in user. */
async function asking(handlers: readonly string[]): Promise<readonly string[]> {
  const { diagnostics } = await bench.analyze(`${files}
-- shop/shop.ts --
import { API, transaction, type Context } from "fw";
import * as fw from "fw";
import note, { change, changed, deep, down, greet, notes } from "../lib/notes.ts";
import { auth, emails, mine, orders, placed } from "../store/store.ts";
import { site } from "../web/web.ts";
let kept: Context | undefined;
export const keep = (ctx?: Context): Context | undefined => (kept = ctx ?? kept);
class Repository { read(ctx: Context) { return orders.find(ctx, "1"); } }
export const repository = new Repository();
const wrapped = (run: (ctx: Context) => string): ((ctx: Context) => string) => (ctx) => run(ctx);
const named = (ctx: Context): string => ctx.requestId;
const passOn = (ctx: Context, run: (ctx: Context) => string): string => run(ctx);
const key: string = "user";
${handlers.map((handler, index) => `export const h${index} = API("GET /${index}", ${handler});`).join("\n")}
`);
  expect(diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
  const uses = await bench.uses();
  return handlers.filter((_, index) => uses.some((each) => each.variable === `h${index}` && each.asksVisitor));
}

const asks = [
  "(ctx) => ctx.user().id",
  "(ctx) => ctx.maybeUser()?.id ?? ''",
  '(ctx) => ctx["user"]().id',
  "(ctx) => ctx[key as 'user']().id",
  "(ctx) => (ctx as Context)!.user().id",
  "({ user }) => user().id",
  "({ ...rest }) => void rest",
  "({ log = console, ...rest }) => void [log, rest]",
  "(ctx) => { const { maybeUser: who } = ctx; return who()?.id ?? ''; }",
  "(ctx) => { const c = ctx; const who = c.user; return who().id; }",
  "(ctx) => { let c = ctx; return c.user().id; }",
  "(ctx) => [1].map(() => ctx.user().id)",
  "(ctx) => greet('hello ', ctx)",
  "(ctx) => deep(3, ctx)",
  "(ctx) => { const inner = (c: Context) => c.user().id; return inner(ctx); }",
  "(ctx) => { function inner(c: Context) { return c.user().id; } return inner(ctx); }",
  "(...args) => args[0].user().id",
  "function () { return (arguments[0] as Context).user().id; }",
  "(ctx) => JSON.stringify(ctx)",
  "(ctx) => Object.keys({ ctx }).join()",
  "(ctx) => void [ctx]",
  "(ctx) => void { ...ctx }",
  "(ctx) => void keep(ctx)",
  "(ctx) => void new Map([[ctx, 1]])",
  "(ctx) => void `${ctx}`",
  "(ctx) => Reflect.has(ctx, 'user')",
  "async (ctx) => void (await repository.read(ctx))",
  "async (ctx) => transaction(ctx, async (tx) => tx.user().id)",
  "async (ctx) => fw.transaction(ctx, async (tx) => greet('a', tx))",
  "async (ctx) => transaction(ctx, repository.read as unknown as (tx: Context) => Promise<string>)",
  "wrapped((ctx) => ctx.requestId)",
  "(ctx) => named.call(null, ctx)",
  "(ctx) => named.bind(null, ctx)()",
  "(ctx) => changed(ctx)",
  "(ctx) => passOn(ctx, (c) => c.requestId)",
  "async (ctx) => (await site.fragment(ctx, 'part.html', {})).text",
  "(ctx) => ctx.requestId, { signIn: true }",
  "async (ctx) => own.call(ctx, {})); export const own = API('GET /own', (ctx) => ctx.maybeUser()?.id ?? '', { maxAge: '1h' }",
];

const impersonalHandlers = [
  "() => 1",
  "(_ctx) => 1",
  "(ctx) => ctx.client.ip + ctx.origin + ctx.requestId",
  "(ctx) => { ctx.log.info('user', { user: 1 }); return ctx.signal.aborted; }",
  "({ log, isHTMX }) => { log.info('a'); return isHTMX; }",
  "(ctx) => { const { log } = ctx; const c = ctx; log.info('a'); c.log.info('b'); }",
  "(ctx) => typeof ctx === 'object' && ctx !== undefined",
  "async (ctx) => (await orders.get(ctx, '1')).user",
  "async (ctx) => (await orders.query().where('user', '==', 'a').all(ctx)).map(({ user }) => user)",
  "async (ctx) => { await Promise.all(['1', '2'].map((id) => orders.delete(ctx, id))); }",
  "async (ctx) => { const get = orders.find; await get(ctx, '1'); }",
  "async (ctx) => { await emails.send(ctx, 'a'); placed.add(ctx, 1); }",
  "async (ctx) => (await auth.users.byEmail(ctx, 'a@example.com')).id",
  "async (ctx) => mine.call(ctx, {})",
  "async (ctx) => transaction(ctx, async (tx) => { const found = await orders.get(tx, '1'); await orders.put(tx, found); })",
  "async (ctx) => { await transaction(ctx, async (tx) => { await orders.find(tx, '1'); note(tx); }); }",
  "(ctx) => { note(ctx); notes.write(ctx); }",
  "(ctx) => down(3, ctx)",
  "named",
  "(ctx) => { const inner = (c: Context) => c.requestId; return inner(ctx); }",
  "(ctx) => ctx.maybeUser()?.id ?? '', { maxAge: '1h' }",
];

test("an endpoint asks who visits where its code may ask its context, through whatever functions, and not where it cannot", async () => {
  expect(await asking([...asks, ...impersonalHandlers])).toEqual(asks);
});

test("without sign-in no code asks for users", async () => {
  await bench.analyze(
    '-- shop/shop.ts --\nimport { API } from "fw";\nexport const who = API("GET /", (ctx) => ctx.maybeUser()?.id ?? "");\n',
  );
  expect((await bench.uses()).map(({ asksVisitor }) => asksVisitor)).toEqual([false]);
});

test("a context without its user has the same values for every client", () => {
  const all: Record<Exclude<keyof Context, symbol | "user" | "maybeUser" | "tenant">, true> = {
    client: true,
    log: true,
    isHTMX: true,
    htmx: true,
    wantsFragment: true,
    origin: true,
    now: true,
    signal: true,
    requestId: true,
  };
  expect(impersonalMembers.toSorted()).toEqual(Object.keys(all).toSorted());
});
