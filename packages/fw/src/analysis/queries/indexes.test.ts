import { expect, test } from "vitest";
import { allOfKind } from "../../model/declarations.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const header = `
import { API, Entity, type ID, type Index, type Query, type Search } from "fw";
export interface Photo {
  id: ID; owner: Index<string>; size: Index<number>; color: Index<string>; album: Index<string>; tags: Index<string[]>; kind: Index<"raw" | "print">;
  people: Index<string[]>; taken: Index<Date>; stars: Index<number>; title: Search<string>; note?: Search<string>;
}
export const photos = Entity<Photo>("photos");
const day = new Date(0);
export interface Req { a?: Query; b?: Query; c?: Query; d?: Query; sort: Query<"newest" | "best" | "own">; up: Query<"asc" | "desc"> }
`;

/** Cases: the reason for the indexes that Firestore in Datastore mode needs, then the queries of one application. */
const cases: readonly (readonly [why: string, ...lines: string[]])[] = [
  ["no filter: by key", "q.all(ctx)"],
  ["one equality: the field's own index", 'q.where("owner", "==", "a").all(ctx)'],
  ["equalities alone are merged", 'q.where("owner", "==", "a").where("size", "==", 1).all(ctx)'],
  [
    "however many",
    'q.where("owner", "==", "a").where("size", "==", 1).where("color", "==", "r").where("album", "==", "x").all(ctx)',
  ],
  ["twice the same list", 'q.where("tags", "contains", "a").where("tags", "contains", "b").all(ctx)'],
  ["in is equality", 'q.where("owner", "in", ["a", "b"]).all(ctx)'],
  ["a range alone: the field's own index", 'q.where("taken", ">", day).all(ctx)'],
  ["both ends of a range", 'q.where("taken", ">", day).where("taken", "<", day).all(ctx)'],
  ["a range in its own order", 'q.where("taken", ">", day).orderBy("taken").all(ctx)'],
  ["a range the other way round", 'q.where("taken", ">", day).orderBy("taken", "desc").all(ctx)'],
  ["one order: the field's own index", 'q.orderBy("taken").all(ctx)'],
  ["which is there in both directions", 'q.orderBy("taken", "desc").all(ctx)'],
  ["two orders", 'q.orderBy("stars", "desc").orderBy("taken").all(ctx)'],
  [
    "other directions are another index",
    'q.orderBy("stars", "desc").orderBy("taken").all(ctx)',
    'q.orderBy("stars").orderBy("taken").all(ctx)',
  ],
  [
    "another sequence is another index",
    'q.orderBy("stars").orderBy("taken").all(ctx)',
    'q.orderBy("taken").orderBy("stars").all(ctx)',
  ],
  ["a range with a second order", 'q.where("stars", ">", 3).orderBy("stars").orderBy("taken").all(ctx)'],
  ["an equality with an order", 'q.where("owner", "==", "a").orderBy("taken", "desc").all(ctx)'],
  ["an equality with a range sorts by the range", 'q.where("owner", "==", "a").where("taken", ">", day).all(ctx)'],
  [
    "the same with the order written out",
    'q.where("owner", "==", "a").where("taken", ">", day).orderBy("taken").all(ctx)',
    'q.where("owner", "==", "a").where("taken", ">", day).all(ctx)',
  ],
  [
    "both directions: two indexes",
    'q.where("owner", "==", "a").orderBy("taken", "desc").all(ctx)',
    'q.where("owner", "==", "a").orderBy("taken").all(ctx)',
  ],
  ["an order by a field that is equal changes nothing", 'q.where("owner", "==", "a").orderBy("owner").all(ctx)'],
  ["nor beside another order", 'q.where("owner", "==", "a").orderBy("owner").orderBy("taken").all(ctx)'],
  ["nor one by a field that is in", 'q.where("owner", "in", ["a"]).orderBy("owner").orderBy("taken").all(ctx)'],
  ["an order repeated", 'q.where("owner", "==", "a").orderBy("taken").orderBy("taken", "desc").all(ctx)'],
  ["a count by a field is an equality", 'q.where("owner", "==", "a").countBy(ctx, "kind")'],
  ["and with an order", 'q.orderBy("taken").offset(10).countBy(ctx, "kind")'],
  ["in with an order", 'q.where("owner", "in", ["a", "b"]).orderBy("taken").all(ctx)'],
  ["a list with an order", 'q.where("tags", "contains", "a").orderBy("taken").all(ctx)'],
  [
    "twice the same list with an order: the index is merged with itself",
    'q.where("tags", "contains", "a").where("tags", "contains", "b").orderBy("taken").all(ctx)',
  ],
  [
    "two lists with an order: an index holds one",
    'q.where("tags", "contains", "a").where("people", "contains", "b").orderBy("taken").all(ctx)',
  ],
  [
    "two lists and an equality",
    'q.where("owner", "==", "a").where("tags", "contains", "a").where("people", "contains", "b").orderBy("taken").all(ctx)',
  ],
  [
    "two equalities with an order: one index of both",
    'q.where("owner", "==", "a").where("size", "==", 1).orderBy("taken").all(ctx)',
  ],
  [
    "written the other way round it is the same",
    'q.where("owner", "==", "a").where("size", "==", 1).orderBy("taken").all(ctx)',
    'q.where("size", "==", 1).where("owner", "==", "a").orderBy("taken").all(ctx)',
  ],
  [
    "each alone and both: both are merged of the two",
    'q.where("owner", "==", "a").orderBy("taken").all(ctx)',
    'q.where("size", "==", 1).orderBy("taken").all(ctx)',
    'q.where("owner", "==", "a").where("size", "==", 1).orderBy("taken").all(ctx)',
  ],
  [
    "one alone and both: two are needed either way, and the larger reads less",
    'q.where("owner", "==", "a").orderBy("taken").all(ctx)',
    'q.where("owner", "==", "a").where("size", "==", 1).orderBy("taken").all(ctx)',
  ],
  [
    "pairs that share a field do not share an index",
    'q.where("owner", "==", "a").where("size", "==", 1).orderBy("taken").all(ctx)',
    'q.where("owner", "==", "a").where("color", "==", "r").orderBy("taken").all(ctx)',
  ],
  [
    "a triple of two pairs",
    'q.where("owner", "==", "a").where("size", "==", 1).orderBy("taken").all(ctx)',
    'q.where("size", "==", 1).where("color", "==", "r").orderBy("taken").all(ctx)',
    'q.where("owner", "==", "a").where("size", "==", 1).where("color", "==", "r").orderBy("taken").all(ctx)',
  ],
  [
    "indexes of other orders are not merged",
    'q.where("owner", "==", "a").orderBy("taken").all(ctx)',
    'q.where("size", "==", 1).orderBy("stars").all(ctx)',
    'q.where("owner", "==", "a").where("size", "==", 1).orderBy("taken").all(ctx)',
  ],
  [
    "an index of a longer order does not serve a shorter one: it lacks documents",
    'q.where("owner", "==", "a").orderBy("taken").orderBy("stars").all(ctx)',
    'q.where("owner", "==", "a").orderBy("taken").all(ctx)',
  ],
  [
    "an order without equalities is no part of a merge",
    'q.orderBy("taken").orderBy("stars").all(ctx)',
    'q.where("owner", "==", "a").orderBy("taken").orderBy("stars").all(ctx)',
  ],
  [
    "a range and an order of the same field, with equalities",
    'q.where("owner", "==", "a").where("size", "==", 1).where("stars", ">", 2).orderBy("stars", "desc").all(ctx)',
  ],
  [
    "every way to read it takes the same index",
    'q.where("owner", "==", "a").orderBy("taken").count(ctx)',
    'q.where("owner", "==", "a").orderBy("taken").limit(5).page(ctx)',
    'q.where("owner", "==", "a").orderBy("taken").first(ctx)',
  ],
  [
    "a sort that a visitor chooses: an index for each",
    'q.where("owner", "==", "a").sortBy(req.sort, { newest: { taken: "desc" }, best: { stars: "desc", taken: "desc" }, own: { owner: "asc" } }).all(ctx)',
  ],
  ["a sum alone: the field's own index", 'q.sum(ctx, "size")'],
  ["a sum of some has an index as an order has", 'q.where("owner", "==", "a").sum(ctx, "size")'],
  ["the average takes the same", 'q.where("owner", "==", "a").average(ctx, "size")'],
  ["a sum beside a range", 'q.where("taken", ">", day).sum(ctx, "size")'],
  ["a sum of what is sorted", 'q.where("owner", "==", "a").orderBy("taken", "desc").sum(ctx, "size")'],
  ["a sum of the range's own field", 'q.where("owner", "==", "a").where("size", ">", 1).sum(ctx, "size")'],
  [
    "one condition and an order: without it the field's own",
    '(() => { let x = q.orderBy("taken"); if (req.a) x = x.where("owner", "==", req.a); return x.all(ctx); })()',
  ],
  [
    "two conditions: merged",
    '(() => { let x = q.orderBy("taken"); if (req.a) x = x.where("owner", "==", req.a); if (req.b) x = x.where("color", "==", req.b); return x.all(ctx); })()',
  ],
  [
    "four conditions: four indexes for sixteen shapes",
    '(() => { let x = q.orderBy("taken"); if (req.a) x = x.where("owner", "==", req.a); if (req.b) x = x.where("color", "==", req.b); if (req.c) x = x.where("album", "==", req.c); if (req.d) x = x.where("tags", "contains", req.d); return x.all(ctx); })()',
  ],
  [
    "four conditions beside a filter that is always there",
    '(() => { let x = q.where("size", "==", 1).orderBy("taken"); if (req.a) x = x.where("owner", "==", req.a); if (req.b) x = x.where("color", "==", req.b); if (req.c) x = x.where("album", "==", req.c); if (req.d) x = x.where("tags", "contains", req.d); return x.all(ctx); })()',
  ],
  ["a search alone", 'q.search("a b").all(ctx)'],
  ["a search and an order", 'q.search("a").orderBy("taken", "desc").page(ctx)'],
  [
    "a conditional search beside a filter and an order",
    '(() => { let x = q.where("owner", "==", "a").orderBy("taken"); if (req.a) x = x.search(req.a); return x.all(ctx); })()',
  ],
  ["a search and a list: merged", 'q.search("a").where("tags", "contains", "t").orderBy("taken").all(ctx)'],
  [
    "a conditional range changes the order",
    '(() => { let x = q.where("owner", "==", "a"); if (req.a) x = x.where("taken", ">", day); return x.all(ctx); })()',
  ],
  ["a direction that the request chooses: both", 'q.where("owner", "==", "a").orderBy("taken", req.up).all(ctx)'],
  [
    "a loop: none, or the list merged with itself",
    '(() => { let x = q.orderBy("taken"); for (const t of [req.a, req.b]) if (t) x = x.where("tags", "contains", t); return x.all(ctx); })()',
  ],
];

test("the composite indexes of query shapes, each checked against Firestore's rules", async () => {
  const text: string[] = ["Queries, and the composite indexes that Firestore in Datastore mode needs for them.", ""];
  for (const [why, ...lines] of cases) {
    const calls = lines.map((line, i) => {
      const code = line.replace(/^q\b/, "photos.query()").replaceAll(/= q\b/g, "= photos.query()");
      return `export const l${i} = API("POST /l${i}", async (ctx, req: Req) => { void req; await ${code}; });`;
    });
    const { app, diagnostics } = await bench.analyze(`-- shop/shop.ts --\n${header}${calls.join("\n")}\n`);
    expect(diagnostics, why).toEqual([]);
    const indexes = (app.indexes ?? []).map(({ fields, neededBy }) => {
      const from = neededBy.map(({ line }) => line - header.split("\n").length + 1).join(", ");
      return `  -> ${fields.map(({ field, direction }) => `${field} ${direction}`).join(", ")}  (for ${from})`;
    });
    text.push(
      `# ${why}`,
      ...lines.map((line, i) => `${i + 1}. ${line}`),
      ...(indexes.length === 0 ? ["  -> none"] : indexes),
      "",
    );
  }
  expect(cases.length).toBeGreaterThanOrEqual(40);
  await expect(text.join("\n")).toMatchFileSnapshot("indexes.golden.txt");
});

test("an id that queries name is indexed, and no other is", async () => {
  const indexed = async (read: string): Promise<unknown> => {
    const { app, diagnostics } = await bench.analyze(`-- photos/photos.ts --${header}
const q = photos.query();
export const list = API("GET /list", (ctx) => ${read});
`);
    const [photos] = allOfKind(app.packages, "entity");
    const names = photos?.indexed.map(({ name }) => name) ?? [];
    return { id: names.includes("id"), diagnostics, composite: app.indexes?.map(({ fields }) => fields) };
  };
  const none = { id: false, diagnostics: [], composite: undefined };
  expect(await indexed("q.all(ctx)")).toEqual(none);
  expect(await indexed('q.where("id", ">", "m").all(ctx)')).toEqual({ ...none, id: true });
  expect(await indexed('q.where("owner", "==", "a").orderBy("id", "desc").all(ctx)')).toEqual({
    id: true,
    diagnostics: [],
    composite: [
      [
        { field: "owner", direction: "asc" },
        { field: "id", direction: "desc" },
      ],
    ],
  });
  expect(await indexed("q.all(ctx)")).toEqual(none);
});
