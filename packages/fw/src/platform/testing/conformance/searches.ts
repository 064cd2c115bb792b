import * as fc from "fast-check";
import { expect, test } from "vitest";
import { searchProperty } from "../../../lib/derived-indexes.ts";
import { searchedTerms, wordsOf } from "../../../lib/search-terms.ts";
import type { Definitions, EntityStore, Filter, Query } from "../../contract.ts";
import { useTerms } from "../../search-terms.ts";
import { transact } from "../../transact.ts";
import { asc, failure, fixture, idsOf, item, items } from "./fixture.ts";
import type { OpenPlatform } from "./fixture.ts";

const property = searchProperty(["title", "note"]);

const definitions: Definitions = {
  kinds: [
    {
      kind: "item",
      properties: [{ name: "c" }, { name: property, many: true }],
      composites: [{ properties: [asc(property), asc("c")] }],
    },
  ],
};

useTerms();

/** Tests searching for words in text, through a property that every platform derives from the document. */
export function searchTests(open: OpenPlatform, histories: number): void {
  test("a search finds the documents that have all words and the beginning of the last one", async () => {
    const { entities } = await fixture(open, undefined, definitions);
    await entities.insert(item("x"), { title: "Crème brûlée, twice", note: "for Ann", c: 2 });
    await entities.insert(item("y"), { title: "Creme caramel", note: null, c: 1 });
    await entities.insert(item("z"), { title: ["twice", "baked"], c: 3, other: "creme" });
    expect(await idsOfSearch(entities, "CREME")).toEqual(["x", "y"]);
    expect(await idsOfSearch(entities, "creme", "c")).toEqual(["y", "x"]);
    expect(await idsOfSearch(entities, "ann twic")).toEqual(["x"]);
    expect(await idsOfSearch(entities, "twic ann")).toEqual([]);
    expect(await idsOfSearch(entities, "twice")).toEqual(["x", "z"]);
    expect(await entities.count(searchQuery("creme"))).toBe(2);
    expect(await idsOfSearch(entities, "")).toEqual([]);
  });

  test("a searched document comes back as it was written, and changes of its texts are found at once", async () => {
    const platform = await fixture(open, undefined, definitions);
    const { entities } = platform;
    await entities.insert(item("x"), { title: "one", c: -0 });
    expect((await entities.get(item("x")))?.fields).toEqual({ title: "one", c: -0 });
    await transact(platform, async (transaction) => transaction.update(item("x"), { title: "two" }));
    expect([await idsOfSearch(entities, "one"), await idsOfSearch(entities, "two")]).toEqual([[], ["x"]]);
    expect((await entities.get(item("x")))?.fields).toEqual({ title: "two" });
    await entities.delete(item("x"));
    expect(await idsOfSearch(entities, "two")).toEqual([]);
  });

  test("a document with more words than an index holds is refused", async () => {
    const { entities } = await fixture(open, undefined, definitions);
    const title = Array.from({ length: 900 }, (_, n) => `w${n}`).join(" ");
    expect(await failure(() => entities.insert(item("x"), { title }))).toBe("indexed");
    await entities.insert(item("y"), { title: "again and ".repeat(400) });
    expect(await idsOfSearch(entities, "again an")).toEqual(["y"]);
  });

  test("random searches find what reading every document finds, page by page", async () => {
    const { entities } = await fixture(open, undefined, definitions);
    const texts = fc
      .array(
        fc.constantFrom("Red", "réd", "reddish", "Shoe", "SHOES", "ß", "ss", "東京", "東京都", "京", "京都", "a-b"),
        { maxLength: 4 },
      )
      .map((words) => words.join(" "));
    const queries = fc.array(fc.tuple(texts, fc.boolean()), { minLength: 4, maxLength: 4 });
    const documents = fc.array(fc.record({ title: texts, note: texts }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(documents, queries, async (all, searchesMade) => {
        const old = await entities.query(items({}));
        await Promise.all(old.documents.map(({ id }) => entities.delete(item(id))));
        await Promise.all(all.map((fields, n) => entities.upsert(item(`d${n}`), { ...fields, c: -n })));
        for (const [text, ordered] of searchesMade) {
          const ids = all.flatMap((fields, n) => (matches(`${fields.title} ${fields.note}`, text) ? [`d${n}`] : []));
          expect(await idsOfSearch(entities, text, ordered ? "c" : undefined, 2), text).toEqual(
            ordered ? ids.toReversed() : ids,
          );
        }
      }),
      { numRuns: histories },
    );
  });
}

/**
 * Compares word by word, without terms. A word in Han script matches if each pair of its adjacent characters occurs.
 */
function matches(text: string, search: string): boolean {
  const [own, words] = [wordsOf(text), wordsOf(search)];
  const isLast = (index: number): boolean => index === words.length - 1;
  return (
    words.length > 0 &&
    words.every((each, index) => {
      if (!/^\p{Script=Han}/u.test(each))
        return own.some((one) => (isLast(index) ? one.startsWith(each) : one === each));
      const pairs =
        each.length === 1
          ? [each]
          : Array.from(each)
              .slice(1)
              .map((next, at) => `${each[at]}${next}`);
      return pairs.every((pair) => own.some((one) => one.includes(pair)));
    })
  );
}

function searchQuery(text: string): Omit<Query, "limit"> {
  const words = wordsOf(text);
  const terms = words.length === 0 ? [""] : searchedTerms(words);
  return { kind: "item", filters: terms.map((value): Filter => ({ property, op: "==", value })), orders: [] };
}

async function idsOfSearch(entities: EntityStore, text: string, order?: string, limit = 1000): Promise<string[]> {
  const query = { ...searchQuery(text), orders: order === undefined ? [] : [asc(order)], limit };
  const ids: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await entities.query(after === undefined ? query : { ...query, after });
    ids.push(...idsOf(page.documents));
    after = page.next;
    if (after === undefined) return ids;
  }
}
