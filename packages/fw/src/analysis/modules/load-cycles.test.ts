import { expect, test } from "vitest";
import { openAnalyzer, type Analysis } from "../index.ts";
import { writeTypedApp } from "../testing/typed-app.ts";

type Files = Readonly<Record<string, string>>;

async function analysisOf(files: Files): Promise<Analysis> {
  const text = Object.entries(files).map(([path, source]) => `-- ${path} --\n${source}\n`);
  await using app = await writeTypedApp(text.join(""));
  const analyzer = openAnalyzer(app.root);
  try {
    return await analyzer.analyze();
  } finally {
    analyzer.close();
  }
}

async function firstOf(files: Files): Promise<readonly string[]> {
  return (await analysisOf(files)).app.loadOrder?.first ?? [];
}

async function problemsIn(files: Files): Promise<readonly string[]> {
  const { diagnostics } = await analysisOf(files);
  return diagnostics.map(
    ({ at, code, message, hint, related = [] }) =>
      `${at.path}:${at.line}:${at.column} ${message} (${code}) ${hint} [${related.map((each) => `${each.at.path}:${each.at.line}:${each.at.column} ${each.message}`).join()}]`,
  );
}

const hint = "move the shared values into a module that both import, or read them inside a function";

test("packages whose declarations need each other while they load are an error that shows the cycle and the fix", async () => {
  const problems = await problemsIn({
    "mail/mail.ts": `import { Queue, Subscribe } from "fw";
import { placed } from "../orders/orders.ts";
export const emails = Queue<string>("emails");
export const onPlaced = Subscribe(placed, async (ctx, id) => emails.send(ctx, id));`,
    "orders/orders.ts": `import { Topic, Worker } from "fw";
import { emails } from "../mail/mail.ts";
export const placed = Topic<string>("placed");
export const send = Worker(emails, async (ctx, id) => placed.publish(ctx, id));`,
  });
  expect(problems).toEqual([
    `orders/orders.ts:4:28 "emails" is not initialized when this module loads: the modules import each other, orders/orders.ts → mail/mail.ts → orders/orders.ts (import) ${hint} [mail/mail.ts:4:35 "placed" is read here while the module loads]`,
  ]);
});

test("so are longer ways, through re-exports, and through what a constant or a class is made of", async () => {
  const problems = await problemsIn({
    "a/a.ts": `import { API } from "fw";
import { b } from "../index.ts";
export const base = b + 1;
export const get = API("GET /a", (): number => base);`,
    "b/b.ts": `import { C } from "../index.ts";
export const b = [1].length + new C().n;`,
    "c/c.ts": `import { base } from "../a/a.ts";
export class C { static first = base; n = 1; }`,
    "index.ts": `export * from "./a/a.ts";
export { b } from "./b/b.ts";
export { C } from "./c/c.ts";`,
  });
  expect(problems.map((each) => each.split(" (import)")[0])).toEqual([
    `c/c.ts:2:33 "base" is not initialized when this module loads: the modules import each other, c/c.ts → a/a.ts → b/b.ts → c/c.ts`,
  ]);
});

test("modules that use each other later, by type, as functions, or in one direction only are fine", async () => {
  const problems = await problemsIn({
    "mail/mail.ts": `import { Queue, Subscribe } from "fw";
import { placed, label, type Order } from "../orders/orders.ts";
export const name = label("emails");
export const emails = Queue<Order>("emails");
export const onPlaced = Subscribe(placed, async (ctx, order) => emails.send(ctx, order));`,
    "orders/orders.ts": `import { API, Topic } from "fw";
import { emails } from "../mail/mail.ts";
export interface Order { id: string }
export const placed = Topic<Order>("placed");
export function label(text: string): string { return text; }
class Later { sender = emails; method(): unknown { return emails; } }
export const place = API("POST /orders", async (ctx) => { new Later().method(); await emails.send(ctx, { id: "1" }); });`,
  });
  expect(problems).toEqual([]);
});

test("modules that would need each other in one order are loaded in the other, whatever their names are", async () => {
  const orders = (mail: string): string => `import { API, Topic } from "fw";
import { emails } from "../${mail}/mail.ts";
export const placed = Topic<string>("placed");
export const place = API("POST /orders", async (ctx) => { await emails.send(ctx, "1"); });`;
  const mail = `import { Queue, Subscribe } from "fw";
import { placed } from "../orders/orders.ts";
export const emails = Queue<string>("emails");
export const onPlaced = Subscribe(placed, async (ctx, id) => emails.send(ctx, id));`;
  for (const name of ["mail", "zmail"]) {
    const files = { "orders/orders.ts": orders(name), [`${name}/mail.ts`]: mail };
    expect(await problemsIn(files)).toEqual([]);
    expect(await firstOf(files)).toEqual([`${name}/mail.ts`]);
  }
});

test("what is imported as a type, or by a function alone, decides no order", async () => {
  expect(
    await firstOf({
      "a/a.ts": `import { API } from "fw";
import type { B } from "../b/b.ts";
export const one = 1;
export const get = API("GET /a", (): B => ({ b: one }));`,
      "b/b.ts": `import { one } from "../a/a.ts";
export interface B { b: number }
export const two = one + 1;`,
    }),
  ).toEqual([]);
});

test("a circle that no declaration reaches is nobody's", async () => {
  const problems = await problemsIn({
    "a/a.ts": `import { API } from "fw";\nexport const get = API("GET /a", (): number => 1);`,
    "scripts/x.ts": `import { y } from "./y.ts";\nexport const x = y + 1;`,
    "scripts/y.ts": `import { x } from "./x.ts";\nexport const y = x + 1;`,
  });
  expect(problems).toEqual([]);
});

test("an error says that no order works for two modules that need a third, which imports both", async () => {
  const subscriber = (name: string): string => `import { type Context, Subscribe } from "fw";
import { placed } from "../orders/orders.ts";
export const onPlaced = Subscribe(placed, async () => {});
export const ${name} = async (ctx: Context): Promise<void> => ctx.log.info("${name}");`;
  const files = {
    "audit/audit.ts": subscriber("note"),
    "mail/mail.ts": subscriber("send"),
    "orders/orders.ts": `import { API, Topic } from "fw";
import { note } from "../audit/audit.ts";
import { send } from "../mail/mail.ts";
export const placed = Topic<string>("placed");
export const place = API("GET /place", async (ctx): Promise<void> => { await note(ctx); await send(ctx); });`,
  };
  expect(await problemsIn(files)).toEqual([
    `audit/audit.ts:3:35 "placed" is not initialized when this module loads, whichever module loads first: orders/orders.ts imports this module and another that needs it (import) ${hint} [mail/mail.ts:3:35 "placed" is read here while the module loads]`,
  ]);
  const events = {
    ...files,
    "orders/events.ts": `import { Topic } from "fw";\nexport const placed = Topic<string>("placed");`,
  };
  const mended = Object.entries(events).map(([path, text]): [string, string] => [
    path,
    text
      .replace("../orders/orders.ts", "../orders/events.ts")
      .replace(/export const placed = .*\n(?=export const place )/, ""),
  ]);
  expect(await problemsIn(Object.fromEntries(mended))).toEqual([]);
});
