import { beforeAll, expect, test } from "vitest";
import { type Editor, useEditor } from "../testing/server.ts";

const orders = `import { API, Auth, Entity, Queue, RequireRole, Role, Service, Worker } from "fw";
import type { ID, Index, Path, Query } from "fw";
export const web = Service({ domain: "shop.example.com", traffic: { timeout: "30s" } });
export const auth = Auth({ password: true });
export const Editor = Role("editor");
export const canEdit = RequireRole(Editor);
export interface Order { id: ID; buyer: Index<string>; placed: Index<Date> }
export const orders = Entity<Order>("orders");
export const mails = Queue<{ to: string }>("mails");
export const mailer = Worker(mails, (_ctx, _mail) => {});
export const listOrders = API("GET /orders", async (ctx, req: { buyer: string & {}; page?: Query }) =>
  orders.query().where("buyer", "==", "x").orderBy("placed", "desc").page(ctx, req.page));
export const getOrder = API("GET /orders/{id}", async (ctx, { id }: { id: Path }): Promise<{ id: string }> => {
  await mails.send(ctx, { to: "x" });
  return { id: (await orders.get(ctx, id)).id };
}, { allow: canEdit });
`.replace("buyer: string & {}; ", "");

const reports = `import { API } from "fw";
import * as shop from "../shop/orders.ts";
import { orders } from "../shop/orders.ts";
export const report = API("GET /report", async (ctx) => {
  const orders = [await shop.getOrder.call(ctx, { id: "1" })];
  return { n: orders.length };
});
export const all = API("GET /all", async (ctx) => ({ n: await orders.query().count(ctx) }));
`;

const editorOf = useEditor({ "shop/orders.ts": orders, "reports/api.ts": reports });
beforeAll(() => {
  const { client } = editorOf();
  client.open("shop/orders.ts");
  client.open("reports/api.ts");
});

/** Returns the text of a hover over the first occurrence of `needle`, without Markdown markers. */
async function hoverText({ client }: Editor, path: string, text: string, needle: string): Promise<string | undefined> {
  const hover = (await client.at("textDocument/hover", path, text, needle)) as { contents: { value: string } } | null;
  return hover?.contents.value.replaceAll("\\", "").replaceAll("**", "");
}

test("a declaration tells what it comes to: route, door, service, indexes, grants, and who uses it", async () => {
  const editor = editorOf();
  const of = (needle: string): Promise<string | undefined> => hoverText(editor, "shop/orders.ts", orders, needle);
  expect(await of("getOrder")).toBe(`API GET /orders/{id}
- access: policy canEdit (editor)
- path id: string
- service shop-web
- runs on profile default, 1 cpu, 512Mi, 0 to 100 instances, 80 at a time, timeout 30s
- uses entity orders: get
- uses queue mails: send
- called by report of reports/api.ts (call)`);
  expect(await of("orders = Entity")).toBe(`entity orders, by buyer, placed
- index buyer asc, placed desc, needed by shop/orders.ts:12
- used by all of reports/api.ts (query), listOrders of shop/orders.ts (query), getOrder of shop/orders.ts (get)`);
  expect(await of("mails = Queue")).toBe(`queue mails, to shop-mailer
- used by getOrder of shop/orders.ts (send)`);
  expect(await of("mailer")).toBe(`worker shop-mailer, of queue mails
- service shop-mailer`);
  expect(await of("canEdit")).toBe(`Policy
- admits users with the role editor
- guards GET /orders/{id}`);
});

test("a use tells of the declaration that it means, through imports and namespaces, and a name of an inner scope of none", async () => {
  const editor = editorOf();
  const of = (needle: string): Promise<string | undefined> => hoverText(editor, "reports/api.ts", reports, needle);
  expect(await of("getOrder.call")).toMatch(/^API GET \/orders\/\{id\}\n/);
  expect(await of("orders } from")).toMatch(/^entity orders, /);
  expect(await of("orders.query")).toMatch(/^entity orders, /);
  expect(await of("orders.length")).toBeUndefined();
  expect(await of("orders = [")).toBeUndefined();
  expect(await of("API } from")).toBeUndefined();
  expect(await of(`"GET /report"`)).toBeUndefined();
});

test("what is told is of the text as it is typed", async () => {
  const { client } = editorOf();
  const edited = `\n\n${orders.replace("GET /orders/{id}", "GET /order/{id}")}`;
  client.edit("shop/orders.ts", edited);
  const hover = await client.at("textDocument/hover", "shop/orders.ts", edited, "getOrder");
  expect(hover).toMatchObject({
    contents: { kind: "markdown", value: expect.stringContaining("GET /order/\\{id\\}") },
    range: { start: { line: 14, character: 13 }, end: { line: 14, character: 21 } },
  });
});
