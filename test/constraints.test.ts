import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { mostTopologies, startFiles, type Running } from "./support/topologies.ts";

const library = Object.fromEntries(
  filesOf(`
-- books/books.ts --
import { API, checked, flash, Invalid, Page, Redirect, Site, type Body, type Email, type Form, type Int, type Max, type MaxItems, type MaxLength, type Min, type MinItems, type MinLength, type Path, type Pattern, type Query, type SchemaInput, type StandardSchema, type Url } from "fw";
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
export interface Loan { shelf: Path<Int>; reader: Form<string & Email>; password: Form<string & MinLength<3>>; days: Form<Int & Min<1>>; kind?: Form<"book" | "map">; slow?: Form<boolean>; copies?: Form<string[]> }
export const asked = Page("GET /loans/{shelf}", (ctx, { shelf }) => site.render(ctx, "loan.html", { shelf }));
export const lend = Page("POST /loans/{shelf}", (ctx, { shelf, reader, days }: Loan) => {
  if (reader === "x@y.z") throw Invalid({ reader: "has <lost> a book" });
  flash(ctx, "lent " + days + " <days>");
  return Redirect("/loans/" + shelf);
}, { invalid: (ctx, input, problems) => site.render(ctx, "loan.html", { input: JSON.stringify(input), problems: JSON.stringify(problems) }) });
export const buy = Page("POST /buy", async (_ctx, { what }: { what: Form }) => {
  flash(_ctx, "bought " + what);
  return Redirect("/bought/" + crypto.randomUUID());
}, { once: true });
-- books/web/templates/layout.html --
<main>{{#if @flash}}<p role="status">{{@flash}}</p>{{/if}}{{content}}</main>
-- books/web/templates/loan.html --
<form method="post">{{csrf}}
<input id="reader" name="reader" value="{{value "POST /loans/{shelf}" "reader" "you@home"}}" {{attributes "POST /loans/{shelf}" "reader"}}>{{errors "POST /loans/{shelf}" "reader"}}
{{field "POST /loans/{shelf}" "password" label="Password"}}
{{field "POST /loans/{shelf}" "days" label="Days" value=14}}
{{field "POST /loans/{shelf}" "kind" label="Kind" value="map"}}
{{field "POST /loans/{shelf}" "slow" label="Slow"}}
</form>
<pre>{{input}}</pre><pre>{{problems}}</pre>
-- books/web/templates/a.html --
<p>{{email}}</p>
-- ledger/ledger.ts --
import { API, Errorf, ErrorShape, type Int, type Min } from "fw";
export const errors = ErrorShape(({ message, problems }) => ({ errors: problems.length > 0 ? problems.map(({ at }) => at) : [message] }));
export const book = API("POST /entries", (_ctx, { amount }: { amount: Int & Min<1> }) => (amount > 9 ? Errorf(409, "too much") : { amount }));
-- desk/desk.ts --
import { API } from "fw";
import { book } from "../ledger/ledger.ts";
export const booking = API("POST /booking", (ctx, { amount }: { amount: number }) => book.call(ctx, { amount }));
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

  test("a form is shown again with its texts and their problems, and a message is shown once after a redirect", async () => {
    const origin = `http://localhost:${app.port}`;
    const form = await fetch(`${origin}/loans/7`);
    const [cookie = ""] = (form.headers.get("set-cookie") ?? "").split(";");
    const page = await form.text();
    const token = /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? "";
    expect(page.split("\n").slice(1, 6)).toEqual([
      '<input id="reader" name="reader" value="you@home" type="email" required>',
      '<label for="password">Password</label><input type="password" id="password" name="password" required pattern="[\\s\\S]{3,}">',
      '<label for="days">Days</label><input id="days" name="days" type="number" required min="1" value="14">',
      '<label for="kind">Kind</label><select id="kind" name="kind"><option value=""></option><option value="book">book</option><option value="map" selected>map</option></select>',
      '<label><input type="checkbox" id="slow" name="slow" value="true"> Slow</label>',
    ]);
    const submit = (fields: Record<string, string>, path = "/loans/7"): Promise<Response> =>
      fetch(`${origin}${path}`, {
        method: "POST",
        redirect: "manual",
        headers: { Cookie: cookie },
        body: new URLSearchParams({ _csrf: token, ...fields }),
      });
    const wrong = { reader: '"><b>', password: "hidden", days: "0", kind: "book", slow: "true", copies: "one" };
    const refusal = await submit(wrong);
    const again = await refusal.text();
    expect(refusal.status).toBe(422);
    expect(again.split("\n").slice(1, 6)).toEqual([
      '<input id="reader" name="reader" value="&quot;&gt;&lt;b&gt;" type="email" required aria-invalid="true" aria-describedby="reader-problems"><div id="reader-problems" class="problems" role="alert"><ul><li>must be an email address</li></ul></div>',
      '<label for="password">Password</label><input type="password" id="password" name="password" required pattern="[\\s\\S]{3,}">',
      '<label for="days">Days</label><input id="days" name="days" type="number" required min="1" aria-invalid="true" aria-describedby="days-problems" value="0"><div id="days-problems" class="problems" role="alert"><ul><li>must be at least 1</li></ul></div>',
      '<label for="kind">Kind</label><select id="kind" name="kind"><option value=""></option><option value="book" selected>book</option><option value="map">map</option></select>',
      '<label><input type="checkbox" id="slow" name="slow" value="true" checked> Slow</label>',
    ]);
    const [input = "", problems = ""] = [...again.matchAll(/<pre>(.*)<\/pre>/g)].flatMap(([, pres = ""]) =>
      pres.replaceAll("&quot;", '"').split("</pre><pre>"),
    );
    expect(
      JSON.parse(input.replaceAll("&gt;", ">").replaceAll("&lt;", "<").replaceAll('""><b>"', '"\\"><b>"')),
    ).toEqual({
      ...wrong,
      shelf: "7",
      password: "",
      copies: ["one"],
    });
    expect(JSON.parse(problems)).toEqual({ reader: ["must be an email address"], days: ["must be at least 1"] });
    expect(again).not.toContain("hidden<");
    const fits = { reader: "x@y.z", password: "hidden", days: "3" };
    const lostBook = await submit(fits);
    expect([lostBook.status, await lostBook.text()]).toEqual([
      422,
      expect.stringContaining("<li>has &lt;lost&gt; a book</li>"),
    ]);
    expect((await submit(wrong, "/loans/seven")).status).toBe(400);
    const redirect = await submit({ ...fits, reader: "a@b.c" });
    expect([redirect.status, redirect.headers.get("location")]).toEqual([303, "/loans/7"]);
    const [message = ""] = (redirect.headers.get("set-cookie") ?? "").split(";");
    const next = await fetch(`${origin}/loans/7`, { headers: { Cookie: `${cookie}; ${message}` } });
    expect(await next.text()).toContain('<p role="status">lent 3 &lt;days&gt;</p>');
    expect(next.headers.get("set-cookie")).toMatch(/fw_flash=; .*Max-Age=0/);
    const forged = message.replace(/=\w{4}/, "=AAAA");
    const other = await fetch(`${origin}/loans/7`, { headers: { Cookie: `${cookie}; ${forged}` } });
    expect(await other.text()).not.toContain("status");
  });

  test("a form that is submitted twice runs once, and both submits get one answer", async () => {
    const origin = `http://localhost:${app.port}`;
    const form = await fetch(`${origin}/loans/7`);
    const [cookie = ""] = (form.headers.get("set-cookie") ?? "").split(";");
    const token = /name="_csrf" value="([^"]+)"/.exec(await form.text())?.[1] ?? "";
    const buy = async (what: string): Promise<unknown[]> => {
      const body = new URLSearchParams({ _csrf: token, what });
      const answer = await fetch(`${origin}/buy`, {
        method: "POST",
        redirect: "manual",
        headers: { Cookie: cookie },
        body,
      });
      return [answer.status, answer.headers.get("location"), answer.headers.get("set-cookie")];
    };
    const answers = await Promise.all(Array.from({ length: 8 }, () => buy("a map")));
    answers.push(await buy("a map"));
    expect(answers).toEqual(
      answers.map(() => [303, expect.stringMatching(/^\/bought\/./), expect.stringMatching(/fw_flash=[^;]{20}/)]),
    );
    expect(new Set(answers.map(String)).size).toBe(1);
    expect((await buy("a globe"))[1]).not.toBe(answers[0]?.[1]);
  });

  test("a package writes its errors in its own shape, and its callers see none of it", async () => {
    expect(await post("/entries", { amount: 0 })).toEqual({ status: 400, body: { errors: ["body amount"] } });
    expect(await post("/entries", { amount: 10 })).toEqual({ status: 409, body: { errors: ["too much"] } });
    expect(await post("/booking", { amount: 10 })).toEqual({ status: 409, body: { error: "too much" } });
    const other = await fetch(`http://localhost:${app.port}/entries`);
    expect([other.status, await other.json()]).toEqual([405, { errors: ["method not allowed"] }]);
  });

  test("what is not a request is as it was", async () => {
    expect((await post("/relay", { title: "too long" })).body).toBe("body title: must be at most 4 characters");
    const asked = await fetch(`http://localhost:${app.port}/ask`);
    expect([asked.status, await asked.json()]).toEqual([200, "longer than that"]);
  });
});
