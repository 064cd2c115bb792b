import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { useAppBench } from "../../analysis/testing/app-bench.ts";
import type { ID, Index, Int } from "../../declare/binding.ts";
import type { Context } from "../../declare/context.ts";
import type { EntityQuery } from "../../declare/entity-query.ts";
import { Entity, transaction } from "../../declare/entity.ts";
import { HOST } from "../../declare/slot.ts";
import { tries } from "../../lib/testing/tries.ts";
import { allOfKind } from "../../model/declarations.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Definitions, Platform } from "../../platform/contract.ts";
import { deployedPlatform } from "../../platform/gcp/testing/deployed-platform.ts";
import { openLocal } from "../../platform/local/open.ts";
import { emptyPlatform } from "../../platform/postgres/testing/platform.ts";
import { hasPostgres, startServer, type TestServer } from "../../platform/postgres/testing/server.ts";
import type { BundledEntity } from "../bundle.ts";
import { createApplication } from "../create-application.ts";
import { definitionsOf } from "../definitions.ts";
import { settings } from "../settings.ts";
import { bundleOf } from "../testing/app.ts";

interface Ticket {
  id: ID;
  team: Index<"a" | "b">;
  status: Index<"open" | "held" | "closed">;
  urgent?: Index<boolean>;
  level: Index<1 | 2> | null;
  area: Index<"x" | "y">;
  kind: Index<"x" | "y">;
  owner: Index<"x" | "y">;
  stage: Index<"x" | "y">;
  plan: Index<"x" | "y">;
  at: Index<Int>;
}

/** The fields by which queries may filter. */
const conditions = ["status", "urgent", "level", "area", "kind", "owner", "stage", "plan"] as const;

/** The source of an application. The analysis derives its indexes and field values. */
const source = `
-- desk/desk.ts --
import { API, Entity, type Context, type EntityQuery, type ID, type Index, type Int, type Query } from "fw";
export interface Ticket {
  id: ID; team: Index<"a" | "b">; status: Index<"open" | "held" | "closed">; urgent?: Index<boolean>; level: Index<1 | 2> | null;
  area: Index<"x" | "y">; kind: Index<"x" | "y">; owner: Index<"x" | "y">; stage: Index<"x" | "y">; plan: Index<"x" | "y">; at: Index<Int>;
}
export const tickets = Entity<Ticket>("tickets");
export const list = API("GET /tickets", async (ctx, req: { has: Query<string[]>; sort: Query<"none" | "up" | "down"> }) => {
  let q = tickets.query({ conditions: 8 }).where("team", "==", "a");
  if (req.has.includes("status")) q = q.where("status", "in", ["open", "held"]);
  if (req.has.includes("urgent")) q = q.where("urgent", "==", true);
  if (req.has.includes("level")) q = q.where("level", "==", 1);
  if (req.has.includes("area")) q = q.where("area", "==", "x");
  if (req.has.includes("kind")) q = q.where("kind", "==", "x");
  if (req.has.includes("owner")) q = q.where("owner", "==", "x");
  if (req.has.includes("stage")) q = q.where("stage", "==", "x");
  if (req.has.includes("plan")) q = q.where("plan", "==", "x");
  const sorted = q.sortBy(req.sort, { none: {}, up: { at: "asc" }, down: { at: "desc" } });
  await sorted.countBy(ctx, "status");
  await sorted.countBy(ctx, "urgent");
  await sorted.countBy(ctx, "level");
  return sorted.offset(3).page(ctx);
});
`;

const tickets = Entity<Ticket>("tickets");
const bench = useAppBench();
let bundled: BundledEntity;

beforeAll(async () => {
  const { app, diagnostics } = await bench.analyze(source);
  expect(diagnostics).toEqual([]);
  const [model] = allOfKind(app.packages, "entity");
  if (model === undefined) throw new Error("there is no entity");
  const { name, id, indexed } = model;
  const indexes = (app.indexes ?? []).map(({ fields }) => fields);
  // One for each filter and order, plus one with only the fixed filter.
  expect(indexes).toHaveLength(18);
  const countValues = Object.fromEntries((app.countedFields ?? []).map(({ field, values }) => [field, values]));
  bundled = { declaration: tickets as never, name, id, indexed, transient: [], countValues, indexes };
});

function contextOn(platform: Platform): Context {
  const app = createApplication({ ...bundleOf([]), entities: [bundled] }, { settings: settings.test, platform });
  return { [HOST]: app.host, requestId: "r1" } as unknown as Context;
}

const either = fc.constantFrom("x" as const, "y" as const);
const ticket: fc.Arbitrary<Omit<Ticket, "id">> = fc
  .record({
    team: fc.constantFrom("a" as const, "a" as const, "b" as const),
    status: fc.constantFrom("open" as const, "held" as const, "closed" as const),
    urgent: fc.option(fc.boolean(), { nil: undefined }),
    level: fc.constantFrom(1 as const, 2 as const, null),
    area: either,
    kind: either,
    owner: either,
    stage: either,
    plan: either,
    at: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ urgent, ...rest }) => ({ ...rest, ...(urgent !== undefined && { urgent }) }));

/** A query: its conditional filters, order, offset and limit. */
interface QueryCase {
  readonly filters: readonly (typeof conditions)[number][];
  readonly sort: "none" | "up" | "down";
  readonly offset: number;
  readonly limit: number;
}

const queryCase: fc.Arbitrary<QueryCase> = fc.record({
  filters: fc.uniqueArray(fc.constantFrom(...conditions), { maxLength: conditions.length }),
  sort: fc.constantFrom("none" as const, "up" as const, "down" as const),
  offset: fc.integer({ min: 0, max: 12 }),
  limit: fc.integer({ min: 1, max: 6 }),
});

const compared: { readonly [Field in (typeof conditions)[number]]: readonly unknown[] } = {
  status: ["open", "held"],
  urgent: [true],
  level: [1],
  area: ["x"],
  kind: ["x"],
  owner: ["x"],
  stage: ["x"],
  plan: ["x"],
};

function queryOf({ filters, sort, limit }: QueryCase): EntityQuery<Ticket> {
  let q = tickets.query({ conditions: 8 }).where("team", "==", "a");
  for (const field of filters)
    q = field === "status" ? q.where(field, "in", ["open", "held"]) : q.where(field, "==", compared[field][0] as never);
  return q.sortBy(sort, { none: {}, up: { at: "asc" }, down: { at: "desc" } }).limit(limit);
}

/** Returns what a query should find, by checking every document. */
function matching(all: readonly Ticket[], { filters, sort }: QueryCase): readonly Ticket[] {
  const direction = sort === "down" ? -1 : 1;
  return all
    .filter((each) => each.team === "a" && filters.every((field) => compared[field].includes(each[field])))
    .toSorted((a, b) => direction * ((sort === "none" ? 0 : a.at - b.at) || (a.id < b.id ? -1 : 1)));
}

async function pagesOf(ctx: Context, query: EntityQuery<Ticket>): Promise<readonly string[]> {
  const ids: string[] = [];
  let next: string | undefined;
  do {
    const page = await query.page(ctx, next);
    ids.push(...page.items.map(({ id }) => id));
    next = page.next;
  } while (next !== undefined);
  return ids;
}

function randomQueryTests(open: (definitions: Definitions) => Promise<Platform>, runs: number): void {
  test("offsets, counts by a field and any of eight filters find what looking at every document finds", async () => {
    const ctx = contextOn(await open(definitionsOf({ entities: [bundled] })));
    const rounds = fc.tuple(
      fc.array(ticket, { minLength: 8, maxLength: 30 }),
      fc.array(queryCase, { minLength: 6, maxLength: 6 }),
    );
    let earlier = 0;
    await fc.assert(
      fc.asyncProperty(rounds, async ([contents, queries]) => {
        const all = contents.map((each, n): Ticket => ({ id: `t${String(n).padStart(2, "0")}`, ...each }));
        await transaction(ctx, async (tx) => {
          for (const each of all) await tickets.put(tx, each);
          for (let n = all.length; n < earlier; n++) await tickets.delete(tx, `t${String(n).padStart(2, "0")}`);
        });
        earlier = all.length;
        for (const each of queries) {
          const query = queryOf(each);
          const expected = matching(all, each);
          const ids = expected.map(({ id }) => id);
          const { offset, limit } = each;
          const read = (await query.offset(offset).all(ctx)).map(({ id }) => id);
          expect(read, JSON.stringify(each)).toEqual(ids.slice(offset, offset + limit));
          expect(await pagesOf(ctx, query.offset(offset))).toEqual(ids.slice(offset));
          const fieldValues = {
            status: ["open", "held", "closed"],
            urgent: [false, true],
            level: [1, 2, null],
          } as const;
          for (const field of ["status", "urgent", "level"] as const) {
            const counts = fieldValues[field].map((value) => {
              const count = expected.filter((one) => one[field] === value).length;
              return { value, count };
            });
            expect(await query.countBy(ctx, field), field).toEqual(counts);
            expect(await transaction(ctx, (tx) => query.countBy(tx, field)), field).toEqual(counts);
          }
        }
      }),
      { numRuns: runs },
    );
  });
}

describe("on the local store", () => {
  randomQueryTests(async (definitions) => {
    const directory = await mkdtemp(join(tmpdir(), "fw-queries-"));
    const platform = await openLocal(directory, definitions, { temporary: true });
    onTestFinished(async () => {
      await platform.close();
      await rm(directory, { recursive: true, force: true });
    });
    return platform;
  }, tries(10));
});

describe("on the fake cloud", () => {
  randomQueryTests((definitions) => deployedPlatform(definitions), tries(2));
});

describe("on PostgreSQL", { skip: !hasPostgres() }, () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startServer()));
  afterAll(() => server.stop());
  randomQueryTests(async (definitions) => {
    const opened = await emptyPlatform(server, definitions, systemClock);
    onTestFinished(() => opened.dispose());
    return opened.platform;
  }, tries(3));
});
