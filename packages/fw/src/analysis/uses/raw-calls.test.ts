import { expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const shop = `
-- shop/orders.ts --
import { API, Page, HTML, type Context } from "fw";
export async function list(ctx: Context): Promise<string[]> { return [ctx.requestId]; }
export const handlers = { show: async (): Promise<string> => "", list };
export default async (ctx: Context): Promise<string> => ctx.requestId;
const hidden = async (): Promise<string> => "";
export const home = () => HTML("");
export const listOrders = API("GET /orders", list);
export const showOrder = API("GET /orders/show", handlers.show);
export const hiddenOrder = API("GET /orders/hidden", hidden);
export const homePage = Page("GET /", home);
export const inside = API("GET /orders/inside", async (ctx): Promise<number> => (await list(ctx)).length + (await hidden()).length);
-- shop/parts/help.ts --
import type { Context } from "fw";
import { list } from "../orders.ts";
export const help = async (ctx: Context): Promise<number> => (await list(ctx)).length;
-- shop/uses.ts --
import { API } from "fw";
import own from "./orders.ts";
import { help } from "./parts/help.ts";
export const ownOrder = API("GET /orders/own", own);
export const helped = API("GET /orders/help", (ctx): Promise<number> => help(ctx));
`;

/** Returns the findings, with their hints, for a handler with this body in another package. */
async function told(code: string, imports: string, files = ""): Promise<readonly string[]> {
  const found = await bench.diagnose(`${shop}
-- desk/desk.ts --
import { API, type Context } from "fw";
${imports}
export const desk = API("GET /desk", async (ctx): Promise<void> => {
${code}
});
${files}`);
  return found.map(({ at, code, message, hint }) => {
    return `${at.path}:${at.line} ${code} ${message.split(" ", 1).join("")} ${hint}`;
  });
}

const line = "desk/desk.ts:4 fw/raw-call";

test("a call of a handler of another package is refused at the call", async () => {
  const hint = "write listOrders.call(ctx, …)";
  const direct = 'import { list } from "../shop/orders.ts";';
  expect(await told("await list(ctx);", direct)).toEqual([`${line} \`list\` ${hint}`]);
  expect(await told("await list.call(undefined, ctx);", direct)).toEqual([`${line} \`list.call\` ${hint}`]);
  expect(await told("[1].forEach(async () => { const f = list; await f(ctx); });", direct)).toEqual([
    `${line} \`f\` ${hint}`,
  ]);
  expect(await told("await l(ctx);", 'import { list as l } from "../shop/orders.ts";')).toEqual([
    `${line} \`l\` ${hint}`,
  ]);
  expect(await told("await shop.list(ctx);", 'import * as shop from "../shop/orders.ts";')).toEqual([
    `${line} \`shop.list\` ${hint}`,
  ]);
  expect(await told("await handlers.list(ctx);", 'import { handlers } from "../shop/orders.ts";')).toEqual([
    `${line} \`handlers.list\` ${hint}`,
  ]);
  expect(await told('const { list } = await import("../shop/orders.ts"); await list(ctx);', "")).toEqual([
    `${line} \`list\` ${hint}`,
  ]);
});

test("so is a handler that a literal holds, a default export, a page's, and one by another file's name", async () => {
  expect(await told("await handlers.show();", 'import { handlers } from "../shop/orders.ts";')).toEqual([
    `${line} \`handlers.show\` write showOrder.call(ctx, …)`,
  ]);
  expect(await told("await own(ctx);", 'import own from "../shop/orders.ts";')).toEqual([
    `${line} \`own\` write ownOrder.call(ctx, …)`,
  ]);
  expect(await told("home();", 'import { home } from "../shop/orders.ts";')).toEqual([
    `${line} \`home\` write homePage.call(ctx, …)`,
  ]);
  const through = '-- lib/orders.ts --\nexport { list as orders } from "../shop/orders.ts";\n';
  expect(await told("await orders(ctx);", 'import { orders } from "../lib/orders.ts";', through)).toEqual([
    `${line} \`orders\` write listOrders.call(ctx, …)`,
  ]);
});

test("so is a handler of another package that a function gets", async () => {
  const hint = "pass a function that calls the endpoint: (ctx, request) => listOrders.call(ctx, request)";
  const direct = 'import { list } from "../shop/orders.ts";\nconst twice = (f: unknown): unknown => f;';
  expect(await told("void twice(list);", direct)).toEqual([`desk/desk.ts:5 fw/raw-call \`list\` ${hint}`]);
  expect(await told("void [ctx].map(list);", direct)).toEqual([`desk/desk.ts:5 fw/raw-call \`list\` ${hint}`]);
  expect(await told("void ctx;", `${direct}\nexport const again = API("GET /desk/orders", list);`)).toEqual([]);
  expect(await told('await import("../shop/orders.ts").then(({ help }: any) => twice(help));', direct)).toEqual([]);
});

test("calls of endpoints, and calls within the package, are fine", async () => {
  expect(await told("await listOrders.call(ctx, {});", 'import { listOrders } from "../shop/orders.ts";')).toEqual([]);
  expect(
    await told("const list = (n: number) => n; list(1);", 'import { listOrders } from "../shop/orders.ts";'),
  ).toEqual([]);
});

test("code in a directory without declarations is of the packages that reach it", async () => {
  const lib = `-- lib/count.ts --
import type { Context } from "fw";
import { list } from "../shop/orders.ts";
export const count = async (ctx: Context): Promise<number> => (await list(ctx)).length;
export const other = 1;
`;
  const both = 'import { count, other } from "../lib/count.ts";';
  expect(await told("void [other];", both, lib)).toEqual([]);
  expect(await told("await count(ctx);", both, lib)).toEqual([
    "lib/count.ts:3 fw/raw-call `list` write listOrders.call(ctx, …)",
  ]);
  expect(await told("await help(ctx);", 'import { help } from "../shop/parts/help.ts";')).toEqual([
    "shop/parts/help.ts:3 fw/raw-call `list` write listOrders.call(ctx, …)",
  ]);
});

test("a function that endpoints of both packages have may be called in both", async () => {
  const code = "await list(ctx);";
  const shared = `import { list } from "../shop/orders.ts";\nexport const again = API("GET /desk/orders", list);`;
  expect(await told(code, shared)).toEqual([]);
});

test("a call that is put right is told no more", async () => {
  const imports = 'import { list, listOrders } from "../shop/orders.ts";';
  expect(await told("await list(ctx); void listOrders;", imports)).toHaveLength(1);
  expect(await told("await listOrders.call(ctx, {}); void list;", imports)).toEqual([]);
});
