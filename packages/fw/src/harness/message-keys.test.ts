import { expect, test } from "vitest";
import { transaction } from "../declare/entity.ts";
import { Queue } from "../declare/queue.ts";
import { Worker } from "../declare/worker.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { destination, worker } from "../runtime/testing/background.ts";
import { bundleOf } from "../runtime/testing/app.ts";
import { testApps } from "./load.ts";
import type { TestApp } from "./test-app.ts";

const mails = Queue<string>("mails");

async function mailing(
  handle: (mail: string) => void | Promise<void> = () => {},
): Promise<TestApp & { readonly handled: string[] }> {
  const handledMails: string[] = [];
  const handler = Worker(mails, async (_ctx, mail) => {
    handledMails.push(mail);
    await handle(mail);
  });
  const bundle: Bundle = {
    ...bundleOf([]),
    keepsData: true,
    destinations: [destination(mails)],
    consumers: [worker(handler, { minBackoff: 10_000, maxBackoff: 10_000 })],
  };
  const app = await testApps(async () => ({ default: bundle }))();
  return Object.assign(app, { handled: handledMails });
}

test("of the messages with one key only the last is delivered, at its own time", async () => {
  await using app = await mailing();
  await mails.send(app.ctx(), "first", { key: "ann", delay: "1h" });
  await mails.send(app.ctx(), "other", { key: "bob", delay: "1h" });
  await mails.send(app.ctx(), "plain", { delay: "1h" });
  await mails.send(app.ctx(), "later", { key: "ann", delay: "2h" });
  await app.clock.advance("1h");
  expect(app.handled.toSorted()).toEqual(["other", "plain"]);
  await mails.send(app.ctx(), "sooner", { key: "ann", delay: "1m" });
  await app.clock.advance("1m");
  expect(app.handled.slice(2)).toEqual(["sooner"]);
  await app.drain();
  expect(app.handled).toHaveLength(3);
});

test("a key is free again after its message was delivered or cancelled", async () => {
  await using app = await mailing();
  await mails.send(app.ctx(), "one", { key: "ann" });
  await app.drain();
  expect(await mails.cancel(app.ctx(), "ann")).toBe(false);
  await mails.send(app.ctx(), "two", { key: "ann", delay: "1h" });
  expect(await mails.cancel(app.ctx(), "ann")).toBe(true);
  expect(await mails.cancel(app.ctx(), "ann")).toBe(false);
  await mails.send(app.ctx(), "three", { key: "ann", delay: "1h" });
  await app.drain();
  expect(app.handled).toEqual(["one", "three"]);
});

test("keys of any characters are different keys", async () => {
  await using app = await mailing();
  const keys = ["", " ", "\0", "__proto__", "é", "e\u0301", "\ud83d", "\ud83c", "\ufffd", "x".repeat(5_000)];
  for (const key of keys) await mails.send(app.ctx(), key, { key });
  await app.drain();
  expect(app.handled).toHaveLength(keys.length);
});

test("a message with a key replaces another if and only if its transaction commits", async () => {
  await using app = await mailing();
  await mails.send(app.ctx(), "kept", { key: "ann", delay: "1h" });
  const failed = transaction(app.ctx(), async (tx) => {
    await mails.send(tx, "undone", { key: "ann" });
    await mails.cancel(tx, "ann");
    throw new Error("undone");
  });
  await expect(failed).rejects.toThrow("undone");
  await mails.send(app.ctx(), "replaced", { key: "bob", delay: "1h" });
  await transaction(app.ctx(), async (tx) => {
    await mails.send(tx, "replaced at once", { key: "bob" });
    await mails.send(tx, "last", { key: "bob" });
  });
  await app.drain();
  expect(app.handled.toSorted()).toEqual(["kept", "last"]);
});

test("a message that failed is not tried again once it is replaced or cancelled", async () => {
  await using app = await mailing((mail) => {
    if (mail === "failing") throw new Error("busy");
  });
  for (const key of ["ann", "bob"]) await mails.send(app.ctx(), "failing", { key });
  await app.clock.advance("1s");
  expect(await mails.cancel(app.ctx(), "ann")).toBe(false);
  await mails.send(app.ctx(), "mended", { key: "bob" });
  await app.drain();
  expect(app.handled).toEqual(["failing", "failing", "mended"]);
});

test("of sends and cancels of one key at once exactly one message is left, or none", async () => {
  await using app = await mailing();
  await Promise.all(
    Array.from({ length: 12 }, (_, n) => mails.send(app.ctx(), `mail ${n}`, { key: "ann", delay: "1h" })),
  );
  const cancelled = await Promise.all([1, 2, 3].map(() => mails.cancel(app.ctx(), "ann")));
  expect(cancelled.filter(Boolean)).toHaveLength(1);
  await Promise.all(Array.from({ length: 12 }, (_, n) => mails.send(app.ctx(), `again ${n}`, { key: "ann" })));
  await app.drain();
  expect(app.handled).toHaveLength(1);
});
