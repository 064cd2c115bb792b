import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { launchDev, startDev, writeApplication } from "./support/dev-app.ts";
import { devOptions } from "./support/topologies.ts";

const shop = (list: string): Record<string, string> => ({
  "shop/shop.ts": `
import { API, Entity, type ID, type Index, type Path } from "fw";
export interface Order { id: ID; buyer: Index<string>; placed: Index<Date> }
export const orders = Entity<Order>("orders");
export interface Ref { id: Path }
export const put = API("PUT /orders/{id}", (ctx, { id }: Ref) => orders.put(ctx, { id, buyer: "ann", placed: new Date(0) }));
export const get = API("GET /orders/{id}", async (ctx, { id }: Ref) => (await orders.get(ctx, id)).buyer + (process.env["FW_TEST_WORD"] ?? ""));
export const list = API("GET /orders", async (ctx) => (await ${list}.all(ctx)).map(({ id }) => id));
`,
});

test("local storage is on disk: it survives a reload, a restart and a new server", async () => {
  await using dev = await startDev(shop("orders.query()"));
  const put = await fetch(`http://127.0.0.1:${dev.port}/orders/one`, { method: "PUT" });
  expect(put.status).toBe(200);
  dev.write(shop(`orders.query().where("buyer", "==", "ann").orderBy("placed", "desc")`));
  await dev.eventually("/orders", ({ body }) => body === '["one"]');
  dev.write(shop(`orders.query().where("buyer", "==", "bob").orderBy("placed", "desc")`));
  await dev.eventually("/orders", ({ body }) => body === "[]");
  dev.write({ ".env": "FW_TEST_WORD=!\n" });
  await dev.eventually("/orders/one", ({ body }) => body === '"ann!"');

  const second = launchDev(dev.root, []);
  await second.says("; stop that server first");
  await second.says("Then save any file, and the application starts");
  second.process.kill("SIGKILL");
  await second.exited;

  dev.process.kill("SIGTERM");
  await dev.exited;
  await using third = launchDev(dev.root, []);
  await third.eventually("/orders/one", ({ body }) => body === '"ann!"');
});

test.each(devOptions)(
  "another git branch has its own data, also when it is checked out while fw dev runs (%s)",
  async (_how, ...args) => {
    const root = writeApplication({ ...shop("orders.query()"), ".gitignore": ".fw/\nnode_modules\n" });
    const git = (...command: string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...command], {
        cwd: root,
        encoding: "utf8",
      });
    git("init", "--quiet", "--initial-branch", "main");
    git("add", ".");
    git("commit", "--quiet", "--message", "one");
    await using dev = launchDev(root, args);
    const put = (id: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${dev.port}/orders/${id}`, { method: "PUT" });
    await dev.eventually("/orders", ({ body }) => body === "[]");
    await put("one");

    git("switch", "--quiet", "--create", "new/idea");
    await dev.says("the data is that of the branch new/idea, in .fw/branches/new%2Fidea, a copy of .fw/data");
    await dev.eventually("/orders", ({ body }) => body === '["one"]');
    await put("two");
    await dev.eventually("/orders", ({ body }) => body === '["one","two"]');

    git("switch", "--quiet", "main");
    await dev.says("the data is that of the main branch, in .fw/data");
    await dev.eventually("/orders", ({ body }) => body === '["one"]');
    const from = dev.output().length;
    git("switch", "--quiet", "new/idea");
    await dev.says("the data is that of the branch new/idea, in .fw/branches/new%2Fidea\n", from);
    await dev.eventually("/orders", ({ body }) => body === '["one","two"]');
  },
);

test("data of another build of fw is one sentence that says what to delete", async () => {
  const files = { ...shop("orders.query()"), ".fw/data/store": "not a database ".repeat(1000) };
  await using dev = launchDev(writeApplication(files), []);
  await dev.says("restore a backup, or delete the directory to start without data");
  expect(dev.output()).toContain(`the data in ${join(dev.root, ".fw", "data")} cannot be read`);
  expect(dev.output()).not.toMatch(/^\s+at /m);
});

test.each([
  ["renamed", `Entity<Order>("bills")`],
  ["removed", undefined],
])("a request that is under way while its entity is %s ends as it began", async (_what, after) => {
  const version = (word: string, entity: string | undefined): Record<string, string> => ({
    "shop/shop.ts": `
import { API, Entity, type ID, type Path } from "fw";
const gates: (() => void)[] = ((globalThis as any).gates ??= []);
export interface Order { id: ID; buyer: string }
export interface Ref { id: Path }
${
  entity === undefined
    ? ""
    : `export const orders = ${entity};
export const put = API("PUT /orders/{id}", async (ctx, { id }: Ref) => {
  await orders.put(ctx, { id, buyer: "before" });
  await new Promise<void>((go) => gates.push(go));
  await orders.put(ctx, { id, buyer: "ann" });
  return (await orders.get(ctx, id)).buyer;
});`
}
export const count = API("GET /count", () => ({ word: "${word}", gates: gates.length }));
export const open = API("POST /open", () => { for (const gate of gates) gate(); });
`,
  });
  await using dev = await startDev(version("old", `Entity<Order>("orders")`));
  const pendingPut = fetch(`http://127.0.0.1:${dev.port}/orders/one`, { method: "PUT" });
  await dev.eventually("/count", ({ body }) => body === `{"word":"old","gates":1}`);
  dev.write(version("new", after));
  await dev.eventually("/count", ({ body }) => body === `{"word":"new","gates":1}`);
  await fetch(`http://127.0.0.1:${dev.port}/open`, { method: "POST" });
  const answer = await pendingPut;
  expect([answer.status, await answer.text()]).toEqual([200, `"ann"`]);
});
