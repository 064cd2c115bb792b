import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ID, Index, Int } from "../../declare/binding.ts";
import type { Context } from "../../declare/context.ts";
import { Entity, transaction } from "../../declare/entity.ts";
import { HOST } from "../../declare/slot.ts";
import type { Schema } from "../../model/schema.ts";
import type { Platform } from "../../platform/contract.ts";
import { openLocal } from "../../platform/local/open.ts";
import { SteppedClock } from "../../platform/stepped-clock.ts";
import { Rewriting } from "../background/rewriting.ts";
import type { BundledEntity } from "../bundle.ts";
import { unknownOrigin } from "../calls/origin.ts";
import { createApplication } from "../create-application.ts";
import { definitionsOf } from "../definitions.ts";
import { messages } from "../error-messages.ts";
import type { LogRecord } from "../observe/log.ts";
import { documentsAttribute, type SpanSink } from "../observe/span.ts";
import { newTrace } from "../observe/trace.ts";
import { settings } from "../settings.ts";
import { bundleOf } from "../testing/app.ts";
import { compileDocuments } from "../testing/documents.ts";
import { countOutdated } from "./rewrite.ts";

interface OldOrder {
  id: ID;
  amount: Int;
}
interface Order {
  id: ID;
  total: Index<Int>;
}

const oldOrders = Entity<OldOrder>("orders");
const orders = Entity<Order>("orders", {
  renamed: { total: "amount" },
  upgrade: {
    total: () => {
      throw new Error("no total");
    },
  },
});

const int: Schema = { kind: "int" };
const older = bundled(oldOrders, "amount", []);
const newer = bundled(orders, "total", [{ name: "total", many: false, rule: "int", type: "number" }]);

function bundled(declaration: unknown, field: string, indexed: BundledEntity["indexed"]): BundledEntity {
  const document: Schema = { kind: "object", fields: [{ name: field, schema: int, optional: false }] };
  const alternatives = compileDocuments(document);
  return {
    declaration: declaration as never,
    name: "orders",
    id: "id",
    indexed,
    transient: [],
    indexes: [],
    alternatives,
  };
}

/** Opens both versions of an application on the same store. */
async function versions() {
  const directory = mkdtempSync(join(tmpdir(), "fw-rewrite-"));
  const before = definitionsOf({ entities: [older] });
  const after = definitionsOf({ entities: [newer] });
  const clock = new SteppedClock();
  const platform = await openLocal(directory, before, { temporary: true, clock });
  onTestFinished(async () => {
    await platform.close();
    rmSync(directory, { recursive: true });
  });
  const oldPlatform = platform.builtWith(before);
  const old = versionOn(oldPlatform, older).ctx;
  await (await platform.prepare(after)).commit();
  return { old, oldStore: oldPlatform.entities, clock, ...versionOn(platform.builtWith(after), newer) };
}

function versionOn(platform: Platform, entity: BundledEntity) {
  const log: LogRecord[] = [];
  const steps: [name: string, documents: unknown, failure: unknown][] = [];
  const spans: SpanSink = ({ name, attributes, failed }, operation) =>
    void steps.push([name, attributes[documentsAttribute], failed ? operation?.[1] : undefined]);
  const bundle = { ...bundleOf([]), entities: [entity] };
  const app = createApplication(bundle, {
    settings: settings.test,
    platform,
    log: (record) => void log.push(record),
    spans,
  });
  const origin = { ...unknownOrigin(), trace: newTrace(true) };
  const ctx = { [HOST]: app.host, requestId: "r1", callOrigin: () => origin } as unknown as Context;
  return { ctx, app, log, platform, steps };
}

test("a query by a field with a rule finds the documents of an older version that still writes", async () => {
  const { old, ctx } = await versions();
  for (let round = 0; round < 3; round++) {
    await oldOrders.put(old, { id: `a${round}`, amount: 7 });
    await oldOrders.put(old, { id: "again", amount: 7 + round });
    const matches = await orders.query().where("total", ">=", 7).orderBy("total", "desc").all(ctx);
    expect(matches).toContainEqual({ id: "again", total: 7 + round });
    expect(matches).toHaveLength(round + 2);
    expect(await transaction(ctx, (tx) => orders.query().where("total", "==", 7).count(tx))).toBeGreaterThan(round);
    await oldOrders.put(old, { id: "summed", amount: 100 });
    expect(await orders.query().sum(ctx, "total")).toBeGreaterThan(100);
    await orders.delete(ctx, "summed");
  }
});

test("rewriting documents for a query is a step of its trace, and a query that cannot wait fails with the reason", async () => {
  const { old, ctx, steps } = await versions();
  await Promise.all([1, 2, 3].map((i) => oldOrders.put(old, { id: `o${i}`, amount: i })));
  await orders.query().where("total", "==", 2).all(ctx);
  expect(steps).toEqual([
    ["entity.rewrite orders", 3, undefined],
    ["entity.all orders", undefined, undefined],
  ]);
  for (let i = 0; i < 201; i++) await oldOrders.put(old, { id: `m${i}`, amount: i });
  await orders
    .query()
    .where("total", "==", 2)
    .all(ctx)
    .catch(() => {});
  const refusal: unknown = expect.objectContaining({ status: 503, message: messages.indexFilling });
  expect(steps.slice(2)).toEqual([["entity.all orders", undefined, refusal]]);
});

test("a query answers 503 while many documents are outdated, and every document when they are rewritten", async () => {
  const { old, ctx, app, platform, clock, log } = await versions();
  for (let i = 0; i < 250; i++) await oldOrders.put(old, { id: `o${i}`, amount: i });
  await expect(orders.query().where("total", "<", 1000).count(ctx)).rejects.toMatchObject({ status: 503 });
  const first = new Rewriting(app, platform);
  const second = new Rewriting(app, platform);
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      return countOutdated(platform.entities, newer);
    })
    .toBe(0);
  expect(await orders.query().where("total", "<", 1000).count(ctx)).toBe(250);
  await Promise.all([first.end(), second.end()]);
  const lines = log.map(({ message, fields }) => [message, fields?.["documents"]]);
  expect(lines.filter(([message]) => message === "rewriting older documents for an index")).toHaveLength(1);
  expect(lines).toContainEqual(["older documents were rewritten", 250]);
});

test("a document that no rule makes fit is logged, and queries that would miss it fail", async () => {
  const { oldStore, ctx, app, platform, clock, log } = await versions();
  await oldStore.insert({ kind: "orders", id: "broken" }, { total: "seven" });
  const rewriting = new Rewriting(app, platform);
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      return log.some(({ message }) => message === "a document was not rewritten, so queries that would miss it fail");
    })
    .toBe(true);
  await rewriting.end();
  await expect(orders.query().where("total", "==", 1).count(ctx)).rejects.toThrow(
    'a query of "orders" by total would miss the document "broken"',
  );
  await oldStore.delete({ kind: "orders", id: "broken" });
  expect(await orders.query().where("total", "==", 1).count(ctx)).toBe(0);
  expect(JSON.stringify(log)).toContain("broken");
});
