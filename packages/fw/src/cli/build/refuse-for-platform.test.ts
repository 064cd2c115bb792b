import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { writeApp } from "../../analysis/testing/app.ts";
import { fw } from "../testing/run.ts";

const source = `-- package.json --
{ "name": "club", "type": "module" }
-- people/people.ts --
import { API, Auth, Subscribe } from "fw";
export const auth = Auth({ password: true, account: true });
export const sendMail = Subscribe(auth.mail, (ctx, mail) => ctx.log.info("a mail", { purpose: mail.purpose }));
export const hello = API("GET /", () => "hello");
`;

test.each([
  ["fw build", ["build", "--platform", "gcp"]],
  ["fw deploy", ["deploy", "--project", "club-1", "--env", "main", "--region", "europe-west1", "--yes"]],
  ["fw gen terraform", ["gen", "terraform", "--project", "club-1", "--env", "main", "--region", "europe-west1"]],
])("%s refuses account pages, because Identity Platform has the passwords", async (_, argv) => {
  expect(await runIn(source, argv)).toEqual({
    code: 2,
    err: expect.stringContaining("people/people.ts:2: Auth has account: true, but on Google Cloud passwords belong to"),
  });
});

const shop = `-- package.json --
{ "name": "shop", "type": "module" }
-- orders/orders.ts --
import { API, Queue } from "fw";
export const emails = Queue<string>("emails");
export const unused = Queue<string>("unused");
export const order = API("POST /orders", (ctx) => emails.send(ctx, "a"));
`;

test("messages that nothing receives are refused on Google Cloud, which has no place for them", async () => {
  expect(await runIn(shop, ["build", "--platform", "gcp"])).toEqual({
    code: 2,
    err: expect.stringContaining(
      'orders/orders.ts:4: queue "emails" has no Worker, and Google Cloud cannot store its messages without one',
    ),
  });
});

test("a queue to which nothing sends needs no Worker on Google Cloud", async () => {
  const text = shop.replace(", Queue }", ", Queue, Worker }");
  const worker = "export const send = Worker(emails, (ctx, address) => ctx.log.info(address));";
  expect(await runIn(`${text}${worker}\n`, ["build", "--platform", "gcp"])).toMatchObject({ code: 0 });
});

test("a build for your own machine accepts messages that nothing receives, because the store keeps them", async () => {
  expect(await runIn(shop, ["build", "--platform", "local"])).toMatchObject({ code: 0 });
});

async function runIn(files: string, argv: readonly string[]): Promise<{ readonly code: number; readonly err: string }> {
  const app = await writeApp(files);
  onTestFinished(() => app[Symbol.asyncDispose]());
  mkdirSync(join(app.root, "node_modules"));
  symlinkSync(fileURLToPath(new URL("../../../", import.meta.url)), join(app.root, "node_modules/fw"));
  const { code, err } = await fw(app.root, ...argv);
  return { code, err };
}
