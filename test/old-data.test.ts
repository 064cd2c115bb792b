import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RecordedSchema } from "../packages/fw/src/evolution/recorded.ts";
import { fw } from "../packages/fw/src/cli/testing/run.ts";
import { ask, startDev } from "./support/dev-app.ts";
import { devOptions } from "./support/topologies.ts";

/**
 * Returns the source of a shop. `order` and `email` are members of the two types. `rules` and `mailRules` follow the name
 * in `Entity(…)` and `Queue(…)`, and begin with a comma.
 */
const shop = (version: {
  readonly word: string;
  readonly order: string;
  readonly email: string;
  readonly rules?: string;
  readonly mailRules?: string;
  readonly worker?: string;
}): Record<string, string> => ({
  "shop/shop.ts": `
import { API, Entity, Queue, Worker, type ID, type Index, type Int, type Path } from "fw";
export interface Order { id: ID; ${version.order} }
export const orders = Entity<Order>("orders"${version.rules ?? ""});
export interface Email { ${version.email} }
export const emails = Queue<Email>("emails"${version.mailRules ?? ""});
export const seen = Entity<{ id: ID; text: string }>("seen");
${version.worker ?? ""}
export const word = API("GET /word", () => "${version.word}");
export const put = API("POST /orders/{id}", (ctx, { id, document }: { id: Path; document: string }) =>
  orders.put(ctx, { id, ...JSON.parse(document) }).then(() => "put"));
export const touch = API("POST /touch/{id}", (ctx, { id }: { id: Path }) => orders.update(ctx, id, () => {}).then(() => "touched"));
export const get = API("GET /orders/{id}", async (ctx, { id }: { id: Path }) => JSON.stringify(await orders.get(ctx, id)));
export const mail = API("POST /mail", (ctx, { message }: { message: string }) => emails.send(ctx, JSON.parse(message)));
export const mails = API("GET /mails", async (ctx) => (await seen.query().all(ctx)).map(({ text }) => text));
`,
});

/** Returns the rules for emails that the data directory records for the live version; `{}` without a record. */
function recordOf(root: string): object {
  const path = join(root, ".fw/data/schema.json");
  if (!existsSync(path)) return {};
  const { messages } = JSON.parse(readFileSync(path, "utf8")) as RecordedSchema;
  return { queue: messages["queue emails"]?.evolution };
}

const worker = `export const send = Worker(emails, async (ctx, email, { attempt }) => {
  await seen.create(ctx, { text: JSON.stringify({ ...email, attempt }) });
});`;
const one = shop({ word: "one", order: "amount: Int; due: string", email: "to: string" });
const bare = shop({
  word: "bare",
  order: "total: Int; currency: string; due: Date",
  email: "to: string; lang: string",
  worker,
});
const ruled = shop({
  word: "ruled",
  order: "total: Int; currency: string; due: Date",
  rules: `, { renamed: { total: "amount" }, upgrade: { currency: "EUR", due: (old) => new Date(String(old["due"])) } }`,
  email: "to: string; lang: string",
  mailRules: `, { upgrade: { lang: (old) => String(old["to"]).slice(-2) } }`,
  worker,
});

test.each(devOptions)(
  "documents and messages of an older version are read by rules, wait or are an error, and are never of another type (%s)",
  async (_how, ...args) => {
    await using dev = await startDev(one, ...args);
    const live = (word: string): Promise<unknown> => dev.eventually("/word", ({ body }) => body === `"${word}"`);
    const post = async (path: string, body: unknown = {}): Promise<number> => {
      const headers = { "content-type": "application/json" };
      const url = `http://127.0.0.1:${dev.port}${path}`;
      return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).status;
    };
    const document = async (id: string): Promise<unknown> => {
      const { status, body } = await ask(dev.port, `/orders/${id}`);
      return status === 200 ? JSON.parse(JSON.parse(body) as string) : status;
    };
    await live("one");
    expect(await post("/orders/o1", { document: JSON.stringify({ amount: 12, due: "2026-01-02" }) })).toBe(200);
    expect(await post("/orders/o2", { document: JSON.stringify({ amount: "12", due: "2026-01-02" }) })).toBe(500);
    expect(await post("/mail", { message: JSON.stringify({ to: "ann@example.de" }) })).toBe(200);

    dev.write(bare);
    await live("bare");
    expect(await document("o1")).toBe(500);
    await dev.says('the document "o1" of "orders" has no total, which is int');
    await dev.says('it does not fit the type of the queue "emails": body lang: is required');
    expect((await ask(dev.port, "/mails")).body).toBe("[]");
    expect((await fw(dev.root, "status")).out).toBe(
      "1 message of queue:emails that no type of the running code accepts\n",
    );
    const counts = await dev.eventually("/_fw/z/metrics", ({ body }) => body.includes('of="queue emails"'));
    expect(counts.body).toMatch(/^misfits_total\{of="entity orders"\} [1-9]/m);

    dev.write(ruled);
    await live("ruled");
    await expect.poll(() => recordOf(dev.root)).toMatchObject({ queue: { upgraded: ["lang"] } });
    const current = { id: "o1", currency: "EUR", due: "2026-01-02T00:00:00.000Z", total: 12 };
    expect(await document("o1")).toEqual(current);
    expect(await post("/touch/o1")).toBe(200);
    expect(await document("o1")).toEqual(current);
    const mails = await dev.eventually("/mails", ({ body }) => body.includes("ann"));
    expect(JSON.parse(mails.body)).toEqual([`{"to":"ann@example.de","lang":"de","attempt":1}`]);
  },
  120_000,
);
