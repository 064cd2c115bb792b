import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { startDev } from "./support/dev-app.ts";
import { devOptions } from "./support/topologies.ts";

// A bindery whose API sets its own status on creation, names its downloads, and details its refusals for programs.
const bindery = `
-- bindery/bindery.ts --
import { API, blob, Errorf, Page, Site, StatusPage } from "fw";
export interface Book { title: string }
export const bind = API("POST /books", (_ctx, { title }: Book): Book => {
  if (title === "") throw Errorf(422, "a book has a title", { details: { missing: ["title"], since: new Date(0) } });
  return { title };
}, { status: 201, maxBody: "2KB" });
export const queue = API("POST /queue", () => {}, { status: 202 });
export const list = API("GET /books.csv", () => blob("title\\n", { type: "text/csv", name: "Bücher.csv", download: true }));
export const site = Site("./web");
export const status = StatusPage((ctx, s) => site.fragment(ctx, "status.html", s));
export const order = Page("GET /orders", () => { throw Errorf(422, "choose a book first"); });
-- bindery/web/index.html --
<p>
-- bindery/web/templates/status.html --
<h1>{{code}} {{message}}{{policy}}</h1>
-- desk/desk.ts --
import { API } from "fw";
import { bind, list, queue } from "../bindery/bindery.ts";
export const viaCall = API("GET /via", async (ctx) => {
  const made = await bind.call(ctx, { title: "x".repeat(3000) });
  const file = await list.call(ctx, {});
  await queue.call(ctx, {});
  const failed = await bind.call(ctx, { title: "" }).catch((error: { status: number; message: string; details: { since: string } }) => error);
  return { made: made.title.length, name: file.name ?? "", download: file.download === true, refusal: "status" in failed ? { status: failed.status, since: failed.details.since } : null };
});
export const forward = API("GET /forward", (ctx) => bind.call(ctx, { title: "" }));
export const file = API("GET /file", (ctx) => list.call(ctx, {}));
`;

// A post office whose responses are replies: with headers, cookies and a status chosen at run time.
const post = `
-- post/post.ts --
import { API, blob, Errorf, Page, Redirect, reply, Site, type Cookie, type Int64, type Path } from "fw";
export interface Parcel { id: Path; text: string }
export const send = API("PUT /parcels/{id}", (_ctx, { id, text }: Parcel) => {
  if (text === "") return reply({ errors: { text: ["is empty"] }, at: new Date(0), big: 2n ** 60n as Int64 }, { status: 422, headers: { "Content-Type": "application/problem+json" } });
  if (text === "old") return reply(undefined, { status: 303, headers: { Location: "/parcels/" + id } });
  return reply({ id }, { status: 201, headers: { Location: "/parcels/ü" + id, "X-Count": 1 }, cookies: { last: id, basket: { value: "a;b", maxAge: "1h", sameSite: "strict" }, old: null } });
});
export const claim = API("PUT /claims/{id}", async (_ctx, { id }: { id: Path }) => {
  if (id === "7") return Errorf(409, "somebody has it", { details: { since: new Date(0), desk: 3 } });
  return { id };
});
export const split = API("GET /split", () => reply("x", { headers: { "X-Any": "a\\r\\nSet-Cookie: evil=1" } }));
export const csv = API("GET /csv", () => reply(blob("a,b", { type: "text/csv", name: "a.csv" }), { headers: { "X-Rows": 1 } }));
export const site = Site("./web");
export const form = Page("GET /form", (ctx, { last }: { last?: Cookie }) => reply(site.fragment(ctx, "form.html", { last: last ?? "-" }), { status: 422, headers: { "HX-Trigger": "opened" } }));
export const go = Page("GET /go", () => reply(Redirect("/form"), { cookies: { last: "gö" } }));
-- post/web/index.html --
<p>
-- post/web/templates/form.html --
<p>{{last}}</p>
-- counter/counter.ts --
import { API } from "fw";
import { claim, csv, form, send } from "../post/post.ts";
export const via = API("GET /told", async (ctx) => {
  const told = [];
  for (const text of ["", "x"]) {
    const { status, body, headers, cookies } = await send.call(ctx, { id: "7", text });
    told.push({ status, kind: body === undefined ? "nothing" : "at" in body ? body.at.getTime() + " " + body.big : body.id, location: headers["Location"] ?? null, cookies: Object.keys(cookies) });
  }
  const sheet = await csv.call(ctx, {});
  const page = await form.call(ctx, { last: "desk" });
  return { told, sheet: await new Response(sheet.body.stream()).text(), name: sheet.body.name, page: "status" in page ? page.status : null };
});
export const claims = API("GET /claims", async (ctx) => {
  const first = await claim.call(ctx, { id: "8" });
  const second = await claim.call(ctx, { id: "7" }).catch((error: { status: number; details: { desk: number } }) => error);
  return { first: first.id, second: "id" in second ? null : { status: second.status, desk: second.details.desk } };
});
export const claimed = API("GET /claimed", (ctx) => claim.call(ctx, { id: "7" }));
export const forward = API("GET /handed-on", (ctx) => send.call(ctx, { id: "8", text: "x" }));
`;

describe.each(devOptions)("%s", (_how, ...args) => {
  let dev: Awaited<ReturnType<typeof startDev>>;
  beforeAll(async () => {
    dev = await startDev(Object.fromEntries(filesOf(bindery + post)), ...args);
  });
  afterAll(() => dev[Symbol.asyncDispose]());

  test("answers have their status, files their names, and refusals their details", async () => {
    const ask = async (path: string, body?: unknown) => {
      const answer = await fetch(`http://localhost:${dev.port}${path}`, {
        ...(body !== undefined && {
          method: "POST",
          body: JSON.stringify(body),
          headers: { "Content-Type": "application/json" },
        }),
      });
      const text = await answer.text();
      return [answer.status, text.startsWith("{") ? (JSON.parse(text) as unknown) : text, answer.headers] as const;
    };
    const replyTo = async (path: string, body?: unknown) => (await ask(path, body)).slice(0, 2);
    const refusal = {
      error: "a book has a title",
      details: { missing: ["title"], since: "1970-01-01T00:00:00.000Z" },
    };
    const disposition = `attachment; filename="B_cher.csv"; filename*=UTF-8''B%C3%BCcher.csv`;

    expect(await replyTo("/books", { title: "Emma" })).toEqual([201, { title: "Emma" }]);
    expect(await replyTo("/queue", {})).toEqual([202, ""]);
    expect(await replyTo("/books", { title: "" })).toEqual([422, refusal]);
    expect(await replyTo("/books", { title: "x".repeat(3000) })).toEqual([
      413,
      { error: "body: larger than 2048 bytes" },
    ]);
    const [, csv, headers] = await ask("/books.csv");
    expect([csv, headers.get("content-disposition")]).toEqual(["title\n", disposition]);

    expect(await replyTo("/orders")).toEqual([422, "<h1>422 choose a book first</h1>\n"]);
    expect(await replyTo("/via")).toEqual([
      200,
      { made: 3000, name: "Bücher.csv", download: true, refusal: { status: 422, since: refusal.details.since } },
    ]);
    expect(await replyTo("/forward")).toEqual([422, refusal]);
    const [, , filed] = await ask("/file");
    expect(filed.get("content-disposition")).toBe(disposition);
  });

  test("an error that is returned is answered and called like one that is thrown", async () => {
    const ask = async (path: string, method = "GET") => {
      const answer = await fetch(`http://localhost:${dev.port}${path}`, { method });
      return [answer.status, await answer.json()];
    };
    const refusal = { error: "somebody has it", details: { since: "1970-01-01T00:00:00.000Z", desk: 3 } };

    expect(await ask("/claims/8", "PUT")).toEqual([200, { id: "8" }]);
    expect(await ask("/claims/7", "PUT")).toEqual([409, refusal]);
    expect(await ask("/claims")).toEqual([200, { first: "8", second: { status: 409, desk: 3 } }]);
    expect(await ask("/claimed")).toEqual([409, refusal]);
  });

  test("replies have their status, headers and cookies, through calls, too", async () => {
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`http://localhost:${dev.port}${path}`, { redirect: "manual", ...init });
    const put = (text: string) =>
      ask("/parcels/7", {
        method: "PUT",
        body: JSON.stringify({ text }),
        headers: { "Content-Type": "application/json" },
      });

    const firstPut = await put("x");
    expect([
      firstPut.status,
      await firstPut.json(),
      firstPut.headers.get("location"),
      firstPut.headers.get("x-count"),
    ]).toEqual([201, { id: "7" }, "/parcels/%C3%BC7", "1"]);
    expect(firstPut.headers.getSetCookie()).toEqual([
      "last=7; Path=/; HttpOnly; SameSite=Lax",
      "basket=a%3Bb; Path=/; HttpOnly; SameSite=Strict; Max-Age=3600",
      "old=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0",
    ]);
    expect(firstPut.headers.get("cache-control")).toBe("no-store");

    const wrong = await put("");
    expect([wrong.status, await wrong.text(), wrong.headers.get("content-type")]).toEqual([
      422,
      '{"errors":{"text":["is empty"]},"at":"1970-01-01T00:00:00.000Z","big":1152921504606846976}',
      "application/problem+json",
    ]);
    const movedPut = await put("old");
    expect([movedPut.status, await movedPut.text(), movedPut.headers.get("location")]).toEqual([303, "", "/parcels/7"]);
    const split = await ask("/split");
    expect([split.status, split.headers.getSetCookie(), split.headers.get("x-any")]).toEqual([500, [], null]);
    const csv = await ask("/csv");
    expect([await csv.text(), csv.headers.get("x-rows"), csv.headers.get("content-disposition")]).toEqual([
      "a,b",
      "1",
      'inline; filename="a.csv"',
    ]);

    const emptyAnswer = await ask("/go");
    expect([emptyAnswer.status, emptyAnswer.headers.get("location"), emptyAnswer.headers.getSetCookie()]).toEqual([
      303,
      "/form",
      ["last=g%C3%B6; Path=/; HttpOnly; SameSite=Lax"],
    ]);
    const form = await ask("/form", { headers: { Cookie: "last=g%C3%B6" } });
    expect([form.status, await form.text(), form.headers.get("hx-trigger")]).toEqual([422, "<p>gö</p>\n", "opened"]);

    expect(await (await ask("/told")).json()).toEqual({
      told: [
        { status: 422, kind: "0 1152921504606846976", location: null, cookies: [] },
        { status: 201, kind: "7", location: "/parcels/ü7", cookies: ["last", "basket", "old"] },
      ],
      sheet: "a,b",
      name: "a.csv",
      page: 422,
    });
    const forwarded = await ask("/handed-on");
    expect([forwarded.status, forwarded.headers.get("location"), forwarded.headers.getSetCookie().length]).toEqual([
      201,
      "/parcels/%C3%BC8",
      3,
    ]);
  });
});
