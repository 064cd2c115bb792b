import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { mostTopologies, startFiles, type Running } from "./support/topologies.ts";

const library = Object.fromEntries(
  filesOf(`
-- books/books.ts --
import { API, checked, Page, Site, type Body, type Email, type Form, type Int, type Max, type MaxItems, type MaxLength, type Min, type MinItems, type MinLength, type Path, type Pattern, type Query, type SchemaInput, type StandardSchema, type Url } from "fw";
export const site = Site("./web");
export type Title = string & MinLength<1> & MaxLength<4>;
export interface Book {
  shelf: Path<Int & Max<9>>;
  limit?: Query<Int & Min<1> & Max<100>>;
  tag?: Query<(string & MaxLength<2>)[] & MaxItems<2>>;
  id?: Query<(Int & Min<1>)[]>;
  title: Title;
  pages: Int & Min<1>;
  parts?: { name: Title }[] & MinItems<1>;
  cover?: (string & Url) | null;
  slug?: string & Pattern<"[a-z]+(?:-[a-z]+)*">;
  labels?: Record<string & MaxLength<3>, Int>;
  code?: Query<string & Pattern<"[A-Z]{2}|">>;
}
export const add = API("POST /shelves/{shelf}", (_ctx, { title, pages, limit, tag = [], id }: Book) => ({ title, pages, limit, tag, id }));
const Free: StandardSchema<{ name: string; from: string }, { name: string; from: Date }> = {
  "~standard": {
    version: 1,
    vendor: "test",
    async validate(value) {
      const { name, from } = value as { name: string; from: string };
      await Promise.resolve();
      const at = new Date(from);
      const issues = [
        ...(name === "ann" ? [{ message: "is taken", path: ["name"] }] : []),
        ...(Number.isNaN(at.getTime()) ? [{ message: "is no day", path: [{ key: "from" }] }] : []),
      ];
      return issues.length > 0 ? { issues } : { value: { name, from: at } };
    },
  },
};
export const reserve = API("POST /names", async (_ctx, { order }: { order: Body<SchemaInput<typeof Free>> }) => {
  const { from } = await checked(Free, order);
  return { year: from.getUTCFullYear() };
});
export const join = Page("POST /join", (_ctx, { email }: { email?: Form<string & Email> }) => site.fragment(_ctx, "a.html", { email: email ?? "nobody" }));
export const plain = API("POST /plain", (_ctx, { a, b }: { a: string; b: Int }) => a + b);
export type Tree = string | { [name: string]: Tree };
export interface Box { size: Int & Min<1>; notes?: Record<string, string> | null; tree?: Tree }
export type Shape = { kind: "disc"; radius: number; edge?: number[] } | { kind: "box" };
export interface Boxes { boxes: Box[]; pair: [Int, string]; shape: Shape; code: string & MaxLength<4> & Pattern<"[a-z]+"> }
export const pack = API("POST /boxes", (_ctx, { boxes }: Boxes) => boxes.length);
export const answer = API("GET /answer", (): { title: Title } => ({ title: "longer than that" }));
-- books/web/templates/a.html --
<p>{{email}}</p>
-- desk/desk.ts --
import { API } from "fw";
import { add, answer } from "../books/books.ts";
export const relay = API("POST /relay", async (ctx, { title }: { title: string }) => {
  try {
    return (await add.call(ctx, { shelf: 1, title, pages: 1 })).title;
  } catch (error) {
    return String((error as Error).message);
  }
});
export const ask = API("GET /ask", async (ctx) => (await answer.call(ctx, {})).title);
`),
);

describe.each(mostTopologies)("%s", (name, start) => {
  let app: Running;
  beforeAll(async () => {
    app = await startFiles([name, start], library);
  });
  afterAll(() => app[Symbol.asyncDispose]());

  const post = async (path: string, body: unknown): Promise<{ status: number; body: unknown }> => {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(`http://localhost:${app.port}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };

  test("a request is held to its constraints, and told of all that is wrong with it at once", async () => {
    const fits = { title: "😀😀😀😀", pages: 1, parts: [{ name: "a" }], cover: null };
    expect(await post("/shelves/9?limit=100&tag=ab&tag=c&code=AB&id=3&id=40", { ...fits, slug: "a-b" })).toEqual({
      status: 200,
      body: { title: "😀😀😀😀", pages: 1, limit: 100, tag: ["ab", "c"], id: [3, 40] },
    });
    const misses = {
      title: "",
      pages: 0,
      parts: [{ name: "ok" }, { name: "too long" }],
      cover: "ftp://a",
      labels: { one: 1, three: 3 },
      slug: `${"a".repeat(50_000)}-`,
    };
    const problems = [
      ["path shelf", "must be at most 9"],
      ["query limit", "must be at least 1"],
      ["query tag", "must have at most 2 items"],
      ["query id", "must be at least 1"],
      ["query code", "must match [A-Z]{2}|"],
      ["body title", "must be at least 1 character"],
      ["body pages", "must be at least 1"],
      ["body parts[1].name", "must be at most 4 characters"],
      ["body cover", "must be a URL that begins with https:// or http://"],
      ["body slug", "must match [a-z]+(?:-[a-z]+)*"],
      ["body labels", 'the key "three" must be at most 3 characters'],
    ];
    expect(await post("/shelves/10?limit=0&tag=a&tag=b&tag=c&code=ab&id=1&id=0", misses)).toEqual({
      status: 400,
      body: {
        error: "path shelf: must be at most 9",
        details: { problems: problems.map(([at, problem]) => ({ at, problem })) },
      },
    });
    expect((await post("/shelves/1?tag=abc", { title: 5 })).body).toEqual({
      error: "query tag: must be at most 2 characters",
      details: {
        problems: [
          { at: "query tag", problem: "must be at most 2 characters" },
          { at: "body title", problem: "5 is not a string" },
          { at: "body pages", problem: "is required" },
        ],
      },
    });
    expect((await post("/shelves/1", { ...fits, parts: [] })).body).toMatchObject({
      error: "body parts: must have at least 1 item",
    });
    expect((await post("/shelves/1", [])).body).toEqual({
      error: "body: [] is not an object",
      details: { problems: [{ at: "body", problem: "[] is not an object" }] },
    });
  });

  test("a schema library runs, and its issues are reported like constraints", async () => {
    expect(await post("/names", { name: "bob", from: "2026-01-31" })).toEqual({ status: 200, body: { year: 2026 } });
    expect(await post("/names", { name: "ann", from: "soon" })).toEqual({
      status: 400,
      body: {
        error: "body name: is taken",
        details: {
          problems: [
            { at: "body name", problem: "is taken" },
            { at: "body from", problem: "is no day" },
          ],
        },
      },
    });
    expect((await post("/names", { name: 5 })).body).toEqual({
      error: "body name: 5 is not a string",
      details: {
        problems: [
          { at: "body name", problem: "5 is not a string" },
          { at: "body from", problem: "is required" },
        ],
      },
    });
  });

  test("a 400 lists the problems at every depth, those of a request without constraints too", async () => {
    const boxes = [{ size: 0, notes: { a: 1, b: "b" } }, 3, { size: 2, notes: null, kind: "round" }];
    expect(
      await post("/boxes", { boxes, pair: ["a", "b"], shape: { kind: "disc", radius: "1", edge: [2, "x"] } }),
    ).toEqual({
      status: 400,
      body: {
        error: "body boxes[0].size: must be at least 1",
        details: {
          problems: [
            { at: "body boxes[0].size", problem: "must be at least 1" },
            { at: "body boxes[0].notes.a", problem: "1 is not a string" },
            { at: "body boxes[1]", problem: "3 is not an object" },
            { at: "body pair[0]", problem: '"a" is not an int' },
            { at: "body shape.radius", problem: '"1" is not a number' },
            { at: "body shape.edge[1]", problem: '"x" is not a number' },
            { at: "body code", problem: "is required" },
          ],
        },
      },
    });
    const { body } = await post("/boxes", { boxes: [], pair: [1, "b"], shape: { kind: "box" }, code: "a-long-one" });
    expect((body as { details: unknown }).details).toEqual({
      problems: [
        { at: "body code", problem: "must be at most 4 characters" },
        { at: "body code", problem: "must match [a-z]+" },
      ],
    });
    expect((await post("/plain", { a: 1, b: 1 })).body).toEqual({ error: "body a: 1 is not a string" });
    expect(await post("/plain", {})).toEqual({
      status: 400,
      body: {
        error: "body a: is required",
        details: {
          problems: [
            { at: "body a", problem: "is required" },
            { at: "body b", problem: "is required" },
          ],
        },
      },
    });
  });

  test("a 400 lists at most 100 problems and 16,384 characters of them", async () => {
    const problemsOf = async (boxes: unknown): Promise<{ at: string; problem: string }[]> =>
      ((await post("/boxes", { boxes })).body as { details: { problems: { at: string; problem: string }[] } }).details
        .problems;
    expect(await problemsOf(Array.from({ length: 10_000 }, () => 0))).toHaveLength(100);
    const deep = (depth: number): object =>
      depth === 0 ? { x: 1, y: 2, z: 3 } : { ["k".repeat(64)]: deep(depth - 1) };
    const trees = await problemsOf(Array.from({ length: 90 }, () => ({ size: 1, tree: deep(20) })));
    const characters = trees.reduce((sum, { at, problem }) => sum + at.length + problem.length, 0);
    expect(characters).toBeGreaterThan(14_000);
    expect(characters).toBeLessThan(20_000);
  });

  test("what is not a request is as it was", async () => {
    expect((await post("/relay", { title: "too long" })).body).toBe("body title: must be at most 4 characters");
    const asked = await fetch(`http://localhost:${app.port}/ask`);
    expect([asked.status, await asked.json()]).toEqual([200, "longer than that"]);
  });
});
