import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ID, Index, Int } from "../declare/binding.ts";
import type { Context } from "../declare/context.ts";
import { Entity } from "../declare/entity.ts";
import { StatusError } from "../declare/errors.ts";
import { HOST } from "../declare/slot.ts";
import { isA } from "../lib/thrown.ts";
import { withRules } from "../model/evolution.ts";
import type { Schema } from "../model/schema.ts";
import type { Definitions } from "../platform/contract.ts";
import { versionedPlatform } from "../platform/gcp/testing/versioned-platform.ts";
import { openLocal } from "../platform/local/open.ts";
import { emptyPlatform } from "../platform/postgres/testing/platform.ts";
import { hasPostgres, startServer, type TestServer } from "../platform/postgres/testing/server.ts";
import { SteppedClock } from "../platform/stepped-clock.ts";
import { Rewriting } from "../runtime/background/rewriting.ts";
import type { BundledEntity } from "../runtime/bundle.ts";
import { createApplication } from "../runtime/create-application.ts";
import { definitionsOf } from "../runtime/definitions.ts";
import { countOutdated } from "../runtime/entity/rewrite.ts";
import { settings } from "../runtime/settings.ts";
import { bundleOf } from "../runtime/testing/app.ts";
import { compileDocuments } from "../runtime/testing/documents.ts";
import type { VersionedPlatform } from "./testing/side-by-side.ts";

interface Before {
  id: ID;
  amount: Index<Int>;
}
interface After {
  id: ID;
  total: Index<Int>;
}

/** The first of two releases, which also reads the new name. */
const prepared = Entity<Before>("orders", { renamed: { amount: "total" } });
/** A release before the first one. */
const unprepared = Entity<Before>("orders");
const renamed = Entity<After>("orders", { renamed: { total: "amount" } });

const entities = {
  prepared: bundled(prepared, "amount", "total"),
  unprepared: bundled(unprepared, "amount"),
  renamed: bundled(renamed, "total", "amount"),
};

function bundled(declaration: unknown, field: string, earlier?: string): BundledEntity {
  const document: Schema = { kind: "object", fields: [{ name: field, schema: { kind: "int" }, optional: false }] };
  const evolution = earlier === undefined ? undefined : { renamed: { [field]: earlier }, upgraded: [] };
  const indexed = [{ name: field, many: false }];
  return {
    declaration: declaration as never,
    name: "orders",
    id: "id",
    indexed: withRules({ indexed, document, ...(evolution && { evolution }) }, {}),
    transient: [],
    indexes: [],
    alternatives: compileDocuments(document),
  };
}

/** Creates the code of one version on a platform, with its process that rewrites older documents. */
function versionOn(platform: VersionedPlatform, entity: BundledEntity, definitions: Definitions) {
  const own = platform.builtWith(definitions);
  const bundle = { ...bundleOf([]), entities: [entity] };
  const app = createApplication(bundle, { settings: settings.test, platform: own, log: () => {} });
  const ctx = { [HOST]: app.host, requestId: "r1" } as unknown as Context;
  return { ctx, entity, platform: own, rewrite: () => new Rewriting(app, own) };
}

/** Opens an empty store. */
type OpenStore = (definitions: Definitions) => Promise<{ platform: VersionedPlatform; dispose(): Promise<void> }>;

async function versions(open: OpenStore, first: "prepared" | "unprepared") {
  const definitions = definitionsOf({ entities: [entities[first]] });
  const store = await open(definitions);
  const { platform } = store;
  onTestFinished(async () => {
    await platform.close();
    await store.dispose();
  });
  const old = versionOn(platform, entities[first], definitions);
  return {
    platform,
    old,
    /** Fills the indexes of the next version, which starts before traffic moves to it. */
    start: async () => {
      const next = definitionsOf({ entities: [entities.renamed] });
      await (await platform.prepare(next)).commit();
      return versionOn(platform, entities.renamed, next);
    },
  };
}

/** Returns the number of documents that a query finds, or "later" if it is refused while an index is filled. */
async function countOf(query: Promise<number>): Promise<number | "later"> {
  try {
    return await query;
  } catch (error) {
    if (isA(error, StatusError) && error.status === 503) return "later";
    throw error;
  }
}

const byAmount = (ctx: Context, of = prepared): Promise<number> => of.query().where("amount", ">=", 0).count(ctx);
const byTotal = (ctx: Context): Promise<number> => renamed.query().where("total", ">=", 0).count(ctx);

/** Waits until a version has rewritten every document. */
async function rewriteAll({ platform, entity, rewrite }: ReturnType<typeof versionOn>): Promise<void> {
  const rewriting = rewrite();
  const { clock } = platform;
  await expect
    .poll(async () => {
      if (clock instanceof SteppedClock) await clock.advance(1_000);
      return countOutdated(platform.entities, entity);
    })
    .toBe(0);
  await rewriting.end();
}

function switchTests(open: OpenStore): void {
  test("documents are rewritten before traffic moves, while the running version writes and misses none", async () => {
    const { old, start } = await versions(open, "prepared");
    for (let i = 0; i < 25; i++) await prepared.put(old.ctx, { id: `o${i}`, amount: i });
    const next = await start();
    // The new revision has no traffic yet, but its process rewrites documents from the start.
    await rewriteAll(next);
    expect(await prepared.get(old.ctx, "o7")).toEqual({ id: "o7", amount: 7 });
    expect([25, "later"]).toContain(await countOf(byAmount(old.ctx)));
    for (let i = 25; i < 30; i++) {
      await prepared.put(old.ctx, { id: `o${i}`, amount: i });
      await renamed.put(next.ctx, { id: `n${i}`, total: i });
      const expected = 25 + 2 * (i - 24);
      expect([expected, "later"]).toContain(await countOf(byAmount(old.ctx)));
      expect([expected, "later"]).toContain(await countOf(byTotal(next.ctx)));
    }
    // Traffic has moved, so the old version no longer writes.
    await rewriteAll(next);
    expect(await byTotal(next.ctx)).toBe(35);
    // After a rollback, the version that is live again rewrites documents, too.
    await rewriteAll(old);
    expect(await byAmount(old.ctx)).toBe(35);
    expect(await prepared.get(old.ctx, "n29")).toEqual({ id: "n29", amount: 29 });
  });

  test("after a rollback to a version without a rule for the new name, its queries fail and miss nothing", async () => {
    const { old, start } = await versions(open, "unprepared");
    await unprepared.put(old.ctx, { id: "o1", amount: 1 });
    expect(await byAmount(old.ctx, unprepared)).toBe(1);
    const next = await start();
    await renamed.put(next.ctx, { id: "n1", total: 1 });
    await expect(byAmount(old.ctx, unprepared)).rejects.toThrow(
      'a query of "orders" by amount would miss the document "n1"',
    );
    await expect(unprepared.get(old.ctx, "n1")).rejects.toThrow('the document "n1" of "orders" has no amount');
    await unprepared.delete(old.ctx, "n1");
    expect(await byAmount(old.ctx, unprepared)).toBe(1);
  });
}

describe("on the local store", () => {
  switchTests(async (definitions) => {
    const directory = mkdtempSync(join(tmpdir(), "fw-switch-"));
    const platform = await openLocal(directory, definitions, { temporary: true });
    return { platform, dispose: async () => rmSync(directory, { recursive: true }) };
  });
});

describe("on the fake cloud", () => {
  switchTests(async (definitions) => ({ platform: await versionedPlatform(definitions), dispose: async () => {} }));
});

describe("on PostgreSQL", { skip: !hasPostgres() }, () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startServer()));
  afterAll(() => server.stop());
  switchTests(async (definitions) => {
    const store = await emptyPlatform(server, definitions, undefined);
    return { platform: store.platform as VersionedPlatform, dispose: () => store.dispose() };
  });
});
