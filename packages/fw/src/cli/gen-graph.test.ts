import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { writeTypedApp } from "../analysis/testing/typed-app.ts";
import { fw } from "./testing/run.ts";

const golden = fileURLToPath(new URL("../../test-data/generate/graph", import.meta.url));

const shop = `
-- tsconfig.json --
{ "compilerOptions": { "module": "nodenext", "strict": true, "noEmit": true, "allowImportingTsExtensions": true } }
-- shop/store.ts --
import { Auth, Bucket, Entity, Queue, Role, Secret, type ID, type Index } from "fw";
export interface Order { id: ID; buyer: Index<string>; photo?: string }
export const orders = Entity<Order>("orders");
export const photos = Bucket("photos");
export const receipts = Queue<string>("receipts");
export const mailKey = Secret("MAIL_KEY");
export const auth = Auth({ social: true });
export const Clerk = Role("clerk");
-- shop/find.ts --
import type { Context } from "fw";
import * as store from "./store.ts";
export async function mine(ctx: Context): Promise<string[]> {
  const found = await store.orders.query().where("buyer", "==", ctx.user().id).all(ctx);
  return found.map(({ id }) => id);
}
-- shop/shop.ts --
import { API, Cron, RequireRole, Singleton, Subscribe, Worker, type Context, type Path } from "fw";
import { mine } from "./find.ts";
import { auth, Clerk, mailKey, orders, photos, receipts } from "./store.ts";
export const IsClerk = RequireRole(Clerk);
export const list = API("GET /orders", (ctx): Promise<string[]> => mine(ctx), { signIn: true });
export const show = API("GET /orders/{id}", async (ctx, { id }: { id: Path }): Promise<string> => {
  const { buyer } = await orders.get(ctx, id);
  return (await auth.users.get(ctx, buyer)).name;
}, { signIn: true });
export const promote = API("POST /clerks/{id}", (ctx, { id }: { id: Path }): Promise<void> => auth.users.grant(ctx, id, Clerk), { allow: IsClerk });
export const sweep = Cron("sweep", "every 1h", async (ctx) => {
  for await (const { key } of photos.list(ctx)) if ((await orders.find(ctx, key)) === undefined) await photos.delete(ctx, key);
});
export const sendReceipt = Worker(receipts, async (ctx, id) => {
  ctx.log.info(mailKey.value(), await orders.get(ctx, id));
});
export const scan = Subscribe(photos.uploaded, async () => {});
export const relay = Singleton("relay", async (ctx) => { await receipts.send(ctx, ""); });
-- desk/desk.ts --
import { API } from "fw";
import { show } from "../shop/shop.ts";
export const first = API("GET /desk", (ctx): Promise<string> => show.call(ctx, { id: "1" }));
`;

test("fw gen graph --grants prints what each service may do, and the code that needs it", async () => {
  await using app = await writeTypedApp(shop);
  expect(await fw(app.root, "gen", "graph", "--grants")).toEqual({
    code: 0,
    err: "",
    out: `desk
  endpoint shop GET /orders/{id}: call (desk/desk.ts:3)

shop
  bucket photos: delete, list (shop/shop.ts:12)
  entity orders: find, get, query (shop/find.ts:4)
  users: get, grant (shop/shop.ts:8), the identity admin role
  fw: entity _fw_sessions: create, delete, get, query, update
  fw: users: get, signIn
  fw: entity _fw_session_marks: get, put
  fw: entity _fw_seen: create, get
  fw: event auth.first-sign-in: send
  fw: entity _fw_registered: create, get
  fw: event auth.registered: send
  fw: lease account: hold
  fw: entity _fw_ticks: create, get, update

shop-sendReceipt  (worker)
  entity orders: get (shop/shop.ts:15)
  secret MAIL_KEY: value (shop/shop.ts:15)

shop-scan  (subscribe)
  nothing

shop-relay  (singleton)
  queue receipts: send (shop/shop.ts:18)
  fw: lease singleton:relay: hold
`,
  });
});

test("fw gen graph --format mermaid and svg draw services, what they share, who does what with it, and where messages go", async () => {
  await using app = await writeTypedApp(shop);
  const mermaid = await fw(app.root, "gen", "graph", "--format", "mermaid");
  expect(mermaid).toMatchObject({ code: 0, err: "" });
  await expect(mermaid.out).toMatchFileSnapshot(`${golden}/shop.mmd.txt`);
  const svg = await fw(app.root, "gen", "graph", "--format", "svg");
  await expect(svg.out).toMatchFileSnapshot(`${golden}/shop.svg.txt`);
  expect(await fw(app.root, "gen", "graph", "--format", "svg")).toEqual(svg);
  expect((await fw(app.root, "gen", "graph", "--format", "svg", "--grants")).err).toContain('remove "--grants"');
  expect((await fw(app.root, "gen", "graph", "--json", "--format", "svg")).err).toContain("use either");
});

test("fw gen graph --grants --json prints the same as data", async () => {
  await using app = await writeTypedApp(shop);
  const { out } = await fw(app.root, "gen", "graph", "--grants", "--json");
  expect(JSON.parse(out)).toMatchObject({
    app: "app",
    services: [
      {
        name: "desk",
        kind: "app",
        grants: [{ kind: "endpoint", name: "shop GET /orders/{id}", operations: ["call"], at: "desk/desk.ts:3" }],
      },
      { name: "shop", kind: "app" },
      { name: "shop-sendReceipt", kind: "worker", framework: [] },
      { name: "shop-scan", kind: "subscribe", grants: [], framework: [] },
      {
        name: "shop-relay",
        kind: "singleton",
        framework: [{ kind: "lease", name: "singleton:relay", operations: ["hold"] }],
      },
    ],
  });
});
