import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { EntityStore, Query, Total } from "../../contract.ts";
import type { Fields } from "../../values.ts";
import { fixture, idsOf, item } from "./fixture.ts";
import type { OpenPlatform } from "./fixture.ts";
import { queries, randomDefinitions, writes } from "./random-queries.ts";
import { reference } from "./reference.ts";

interface RandomTries {
  /** Random write histories. */
  readonly histories: number;
  /** Random queries per history. */
  readonly queries: number;
  /** True if sums include dates; fields with dates are then excluded. */
  readonly addsDates: boolean;
}

export function randomTests(open: OpenPlatform, tries: RandomTries): void {
  const { histories: numRuns, queries: count, addsDates } = tries;
  test("random queries find what looking at every document finds, page by page", async () => {
    const { entities } = await fixture(open, undefined, randomDefinitions);
    await fc.assert(
      fc.asyncProperty(writes, fc.array(queries, { minLength: count, maxLength: count }), async (history, querySet) => {
        const documents = await rewrite(entities, history);
        for (const query of querySet) {
          const expected = reference(documents, query);
          expect(await allPages(entities, query)).toEqual(expected);
          expect(await entities.count(query)).toBe(expected.length);
          const summed = query.orders.at(-1)?.property;
          if (summed === undefined) continue;
          const values = expected.map((id) => documents.get(id)?.[summed]);
          if (addsDates && values.some((value) => value instanceof Date)) continue;
          expect(await entities.total(query, summed)).toEqual(plainTotal(values));
        }
      }),
      { numRuns },
    );
  });
}

/** Empties the store, repeats the writes (in order for each document) and returns the expected documents. */
async function rewrite(
  entities: EntityStore,
  history: readonly [string, Fields | undefined][],
): Promise<Map<string, Fields>> {
  const old = await entities.query({ kind: "item", filters: [], orders: [], limit: 1000 });
  await Promise.all(old.documents.map(({ id }) => entities.delete(item(id))));
  const documents = new Map<string, Fields>();
  const pendingWrites = new Map<string, Promise<unknown>>();
  for (const [id, fields] of history) {
    if (fields === undefined) documents.delete(id);
    else documents.set(id, fields);
    const write = async (): Promise<unknown> =>
      fields === undefined ? entities.delete(item(id)) : entities.upsert(item(id), fields);
    pendingWrites.set(id, (pendingWrites.get(id) ?? Promise.resolve()).then(write));
  }
  await Promise.all(pendingWrites.values());
  return documents;
}

async function allPages(entities: EntityStore, query: Query): Promise<string[]> {
  const differences: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await entities.query(after === undefined ? query : { ...query, after });
    differences.push(...idsOf(page.documents));
    after = page.next;
    if (after === undefined) return differences;
  }
}

/** Computes the total naively. The sum is a bigint if all numbers are bigints. */
function plainTotal(values: readonly unknown[]): Total {
  const numbers = values.filter((value) => typeof value === "number" || typeof value === "bigint");
  const sum = numbers.reduce<number>((all, each) => all + Number(each), 0);
  if (numbers.length === 0) return { sum: 0, average: undefined };
  const whole = numbers.every((each) => typeof each === "bigint");
  return { sum: whole ? BigInt(sum) : sum, average: sum / numbers.length };
}
