import * as fc from "fast-check";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codePoint } from "../packages/fw/src/lib/testing/code-point.ts";
import { tries } from "../packages/fw/src/lib/testing/tries.ts";
import { startDev, type Dev } from "./support/dev-app.ts";

/** Two packages that report the calls between them as JSON, to compare one process with separate services. */
const files = {
  "back/back.ts": `import { API, Auth, Deny, Entity, Errorf, type Blob, type Form, type ID, type Int, type Int64, type Json, NotFound, Page, type Path, Policy, type Query, Queue, Redirect, RequireRole, Role, Topic } from "fw";
export const auth = Auth({ social: true, password: true });
export const Clerk = Role("clerk");
export const IsClerk = RequireRole(Clerk);
export const Never = Policy(() => Deny("never"));
export interface Count { id: ID; n: number }
export const counts = Entity<Count>("counts");
export interface Thing { n: Int; text: string; list: string[]; big: Int64; opt?: number; nested?: { a: boolean | null }[]; json?: Json }
export interface Note { id: ID; text: string }
export const notes = Entity<Note>("notes");
export const mails = Queue<Thing>("mails");
export const news = Topic<Thing>("news");
export const echo = API("POST /echo", (_ctx, req: Thing): Thing => req);
export const numbers = API("POST /numbers", (_ctx, { values }: { values: number[] }): { values: number[] } => ({ values }));
export const paths = API("GET /paths/{id}/of/{n}", (_ctx, { id, n, q, flag }: { id: Path; n: Path<Int>; q: Query<string[]>; flag?: Query<boolean> }) => ({ id, n, q, flag: flag ?? null }));
export const any1 = API("GET /{a}", (_ctx, { a }: { a: Path }): string[] => ["any1", a]);
export const any2 = API("GET /{a}/{b}", (_ctx, { a, b }: { a: Path; b: Path }): string[] => ["any2", a, b]);
export const any3 = API("GET /{a}/{b}/{c}", (_ctx, { a, b, c }: { a: Path; b: Path; c: Path }): string[] => ["any3", a, b, c]);
export const item = API("GET /items/{id}", (_ctx, { id }: { id: Path }): string[] => ["item", id]);
export const newItem = API("GET /items/new", (): string[] => ["newItem"]);
export const itemPart = API("GET /items/{id}/{part}", (_ctx, { id, part }: { id: Path; part: Path }): string[] => ["itemPart", id, part]);
export const newPart = API("GET /items/new/{\u7a2e}", (_ctx, req: { \u7a2e: Path }): string[] => ["newPart", req.\u7a2e]);
export const saveAny = API("POST /\u00e9t\u00e9/{id}", (_ctx, { id }: { id: Path }): string[] => ["saveAny", id]);
export const saveNew = API("POST /\u00e9t\u00e9/new", (): string[] => ["saveNew"]);
export const forms = API("POST /forms", async (_ctx, { title, tags, file }: { title: Form; tags: Form<string[]>; file?: Form<Blob> }) => ({
  title, tags, file: file === undefined ? null : { name: file.name ?? "", type: file.type, size: file.size ?? -1, text: await new Response(file.stream()).text() },
}));
interface Answer { n: Int; s: string; deep: { a: number } }
const shared: Answer = { n: 1, s: "shared", deep: { a: 1 } };
const answers: readonly (() => unknown)[] = [
  () => shared, () => ({ ...shared, extra: "kept by nobody" }), () => ({ ...shared, n: 1.5 }), () => ({ ...shared, n: Number.NaN }),
  () => ({ n: 1, s: "a" }), () => undefined, () => null, () => "text", () => ({ ...shared, s: 5 }), () => ({ ...shared, n: -0 }), () => ({ ...shared, deep: { a: Infinity } }),
  () => () => 1, () => new (class { n = 1; s = "of a class"; deep = { a: 2 }; more = 1 })(), () => ({ ...shared, toJSON: () => ({ n: 7, s: "json", deep: { a: 7 } }) }), () => [shared],
];
export const answer = API("GET /answers/{k}", (_ctx, { k }: { k: Path<Int> }): Answer => answers[k]?.() as Answer);
let kept: { items: string[] } = { items: [] };
export const keep = API("POST /keep", (_ctx, req: { items: string[] }): void => { kept = req; req.items.push("of the callee"); });
export const held = API("GET /held", (): string[] => kept.items);
export const who = API("GET /who", (ctx): string => ctx.maybeUser()?.id ?? "nobody");
export const same = API("GET /same", (ctx): string => ctx.maybeUser()?.id ?? "nobody", { maxAge: "60s" });
export const gated = API("GET /gated", (ctx): string => ctx.user().id, { signIn: true });
export const clerks = API("GET /clerks/{n}", (ctx, { n }: { n: Path<Int> }): string => ctx.user().id + n, { allow: IsClerk });
export const never = API("GET /never", (): string => "ran", { allow: Never });
const errors: readonly (() => unknown)[] = [
  () => new Error("inside"), () => NotFound(), () => Errorf(422, "too \\u{1f600} odd"), () => Deny("no"), () => "text", () => Object.create(null), () => new TypeError("type"), () => undefined,
];
export const fails = API("POST /fails/{k}", (_ctx, { k }: { k: Path<Int> }): string => { throw errors[k]?.(); });
export const blob = API("GET /blob", (): Blob => ({ type: "text/plain", size: 5, etag: "v1", stream: () => new Response("bytes").body as ReadableStream<Uint8Array> }));
export const looks = API("GET /looks/{how}", (ctx, { how }: { how: Path }): string => {
  const seen = how === "at-nothing" ? "" : how === "at-htmx" ? String(ctx.isHTMX) : ctx.htmx.target;
  if (how === "and-fails") throw NotFound();
  return seen;
});
export const away = Page("GET /away", () => Redirect("/r\\u00e9gion"));
export const inc = API("POST /inc/{id}", (ctx, { id }: { id: Path }): Promise<Count> => counts.update(ctx, id, (count) => ({ ...count, n: count.n + 1 })));
export const chain = API("GET /chain", async (ctx): Promise<string> => who.call(ctx, {}));
`,
  "front/front.ts": `import { API, type Context, isDenied, isNotFound, type Int, type Json, Page, type Path, Site, Subscribe, transaction, Worker } from "fw";
import { inspect } from "node:util";
import * as back from "../back/back.ts";
type Any = { call(ctx: unknown, request: unknown): Promise<unknown> };
const endpoints: Record<string, Any> = {
  echo: back.echo as never, numbers: back.numbers as never, paths: back.paths as never, forms: back.forms as never, answer: back.answer as never, who: back.who as never,
  same: back.same as never, gated: back.gated as never, clerks: back.clerks as never, never: back.never as never, fails: back.fails as never, away: back.away as never, chain: back.chain as never,
  any1: back.any1 as never, any2: back.any2 as never, any3: back.any3 as never, item: back.item as never, newItem: back.newItem as never, itemPart: back.itemPart as never,
  newPart: back.newPart as never, saveAny: back.saveAny as never, saveNew: back.saveNew as never,
};
/** Replaces the test's notation for values that JSON cannot express. */
function revived(value: unknown): unknown {
  if (typeof value === "string") {
    if (value === "$NaN") return Number.NaN;
    if (value === "$undefined") return undefined;
    if (value === "$-0") return -0;
    if (value === "$lone") return "\\ud800";
    if (value.startsWith("$big:")) return BigInt(value.slice(5));
    if (value.startsWith("$long:")) return "x".repeat(Number(value.slice(6)));
    if (value.startsWith("$file:")) return { type: value.slice(6), name: "a \\"b\\".txt", stream: () => new Response("of a file").body };
    return value;
  }
  if (Array.isArray(value)) return value.map(revived);
  if (typeof value === "object" && value !== null) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, revived(item)]));
  return value;
}
async function told(work: () => Promise<unknown>): Promise<string> {
  try {
    const value = await work();
    return inspect(value, { depth: 9, sorted: true, maxStringLength: 99 });
  } catch (error) {
    const { status, message } = error as { status?: number; message: string };
    if (status === undefined) return error instanceof URIError || /does not match|failed/.test(message) ? message.replace(/: its log.*/, "") : "an opaque failure";
    return [status, message, isNotFound(error), isDenied(error)].join(" ");
  }
}
export const run = API("POST /run", (ctx, { name, given }: { name: string; given: Json }): Promise<string> =>
  told(async () => endpoints[name]?.call(ctx, revived(given))));
const keep = async (ctx: Context, from: string, { text, ...all }: back.Thing): Promise<void> => {
  await back.notes.put(ctx, { id: from + text, text: inspect(all, { depth: 9, sorted: true }) });
};
export const onMail = Worker(back.mails, (ctx, mail) => keep(ctx, "mail", mail));
export const onNews = Subscribe(back.news, (ctx, news) => keep(ctx, "news", news));
export const post = API("POST /post/{how}", (ctx, { how, given }: { how: Path<Int>; given: Json }): Promise<string> =>
  told(() => transaction(ctx, async (tx) => {
    await back.mails.send(tx, revived(given) as back.Thing);
    await back.counts.put(tx, { id: "posted", n: how });
    await back.news.publish(tx, revived(given) as back.Thing);
    if (how === 1) throw new Error("given up; it failed");
    return "sent";
  })));
export const came = API("GET /came", async (ctx): Promise<Record<string, string>> =>
  Object.fromEntries((await back.notes.query().all(ctx)).map(({ id, text }) => [id, text])));
export const shares = API("POST /shares", async (ctx): Promise<string> => {
  const items = ["of the caller"];
  await back.keep.call(ctx, { items });
  items.push("later");
  const first = await back.answer.call(ctx, { k: 0 });
  first.deep.a = 99;
  first.s = "changed by the caller";
  return inspect([items, await back.held.call(ctx, {}), await back.answer.call(ctx, { k: 0 })], { depth: 9 });
});
export const bytes = API("GET /bytes", async (ctx): Promise<string> => {
  const found = await back.blob.call(ctx, {});
  const text = await new Response(found.stream()).text();
  return [Object.keys(found).toSorted().join(), found.type, found.size, found.etag, text, await told(async () => found.stream())].join(" ");
});
export const revokes = API("POST /revokes", async (ctx): Promise<string> => {
  const before = await told(() => back.clerks.call(ctx, { n: 1 }));
  await back.auth.users.revoke(ctx, ctx.user().id, back.Clerk);
  return [before, await told(() => back.clerks.call(ctx, { n: 1 }))].join();
}, { signIn: true });
export const begins = API("POST /begins/{how}", async (ctx, { how }: { how: import("fw").Path<Int> }): Promise<string> => {
  for (const id of ["w1", "w2"]) await back.counts.put(ctx, { id, n: 0 });
  const outcome = await told(() => transaction(ctx, async (tx) => {
    if (how === 0) { await back.inc.call(tx, { id: "w2" }); return "committed"; }
    if (how === 1) { await back.inc.call(tx, { id: "w2" }); throw new Error("given up; it failed"); }
    await back.counts.put(tx, { id: "w1", n: 5 });
    const inside = await own.call(tx, {});
    await back.inc.call(tx, { id: "w2" });
    return inside;
  }));
  return [outcome, (await back.counts.get(ctx, "w1")).n, (await back.counts.get(ctx, "w2")).n].join();
});
export const site = Site("./public");
export const page = Page("GET /page/{how}", async (ctx, { how }: { how: Path }) =>
  site.fragment(ctx, "page.html", { seen: await told(() => back.looks.call(ctx, { how })) }));
/** In the same package: a plain read that is not part of the transaction. */
export const own = API("GET /own", async (ctx): Promise<string> => String((await back.counts.get(ctx, "w1")).n));
`,
  "front/public/templates/page.html": "{{seen}}",
};

let one: Dev;
let many: Dev;
const cookies = new Map<Dev, string>();

beforeAll(async () => {
  [one, many] = await Promise.all([startDev(files), startDev(files, "--services")]);
  for (const dev of [one, many]) {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const { headers } = await ask(dev, "POST", "/_fw/api/session", "dev_user=alice&role=clerk", form);
    cookies.set(
      dev,
      [headers["set-cookie"] ?? []]
        .flat()
        .map((each) => each.split(";", 1)[0])
        .join("; "),
    );
  }
});
afterAll(async () => {
  await Promise.all([one, many].map((dev) => dev[Symbol.asyncDispose]()));
});

/** Sends a request, as alice or anonymously, to both topologies and returns their common response. */
async function both(method: string, path: string, body?: unknown, as: "alice" | "nobody" = "alice"): Promise<string> {
  const answers = await Promise.all(
    [one, many].map(async (dev) => {
      const headers = { "content-type": "application/json", ...(as === "alice" && { cookie: cookies.get(dev) ?? "" }) };
      const answer = await ask(dev, method, path, body === undefined ? "" : JSON.stringify(body), headers);
      return `${answer.status} ${answer.body}`;
    }),
  );
  expect(answers[0], `${method} ${path} ${JSON.stringify(body)?.slice(0, 300)}`).toBe(answers[1]);
  return answers[0] ?? "";
}

const run = async (name: string, given: unknown, as?: "alice" | "nobody"): Promise<string> => {
  const text = await both("POST", "/run", { name, given }, as);
  expect(text).toMatch(/^200 /);
  return JSON.parse(text.slice(4)) as string;
};

const text = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 8 }),
  fc.constantFrom("", "$lone", "a/b", "..", "%2f", "?", "#"),
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom("$NaN", "$-0", 12.1, null, "5"),
);
const thing = fc.record(
  {
    n: number,
    text,
    list: fc.array(text, { maxLength: 3 }),
    big: fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((big) => `$big:${big}`),
      number,
    ),
    opt: number,
    nested: fc.array(fc.record({ a: fc.constantFrom(true, null, 1), b: number })),
    json: fc.jsonValue(),
    extra: text,
  },
  { requiredKeys: ["n", "text", "list", "big"] },
);

describe("a call of another package is the same in one process and between services", () => {
  test("whatever values it is given and answers", async () => {
    const cases = fc.oneof(
      fc.tuple(fc.constant("echo"), thing),
      fc.tuple(fc.constant("numbers"), fc.record({ values: fc.array(number, { maxLength: 4 }) })),
      fc.tuple(
        fc.constant("paths"),
        fc.record({
          id: text,
          n: number,
          q: fc.array(text, { maxLength: 2 }),
          flag: fc.constantFrom("$undefined", true, false, "no"),
        }),
      ),
      fc.tuple(
        fc.constant("forms"),
        fc.record({
          title: text,
          tags: fc.array(text, { maxLength: 2 }),
          file: fc.constantFrom("$undefined", "$file:text/plain", "$file:", "$file:odd"),
        }),
      ),
      fc.tuple(fc.constant("answer"), fc.record({ k: fc.integer({ min: 0, max: 15 }) })),
      fc.tuple(fc.constant("fails"), fc.record({ k: fc.integer({ min: 0, max: 7 }) })),
      fc.tuple(fc.constantFrom("who", "same", "gated", "never", "away", "chain"), fc.constant({})),
      fc.tuple(fc.constant("clerks"), fc.record({ n: number })),
    );
    await fc.assert(
      fc.asyncProperty(cases, fc.constantFrom("alice" as const, "nobody" as const), async ([name, given], as) => {
        await run(name, given, as);
      }),
      { numRuns: tries(60) },
    );
  });

  test("whatever other route fits the path that its values make", async () => {
    const words = ["new", "items", "paths", "who", "held", "_fw", "api", "session", "run", "\u00e9t\u00e9"];
    const word = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...words) },
      fc.constantFrom("", ".", "..", "new/x", "%6eew", "*", "{id}", "a.txt"),
      fc.string({ unit: codePoint, maxLength: 4 }),
    );
    const parameters = {
      any1: ["a"],
      any2: ["a", "b"],
      any3: ["a", "b", "c"],
      item: ["id"],
      newItem: [],
      itemPart: ["id", "part"],
      newPart: ["\u7a2e"],
      saveAny: ["id"],
      saveNew: [],
    };
    const cases = fc
      .constantFrom(...Object.entries(parameters))
      .chain(([name, names]) =>
        fc.tuple(fc.constant(name), fc.array(word, { minLength: names.length, maxLength: names.length })),
      );
    await fc.assert(
      fc.asyncProperty(cases, async ([name, values]) => {
        const names = parameters[name as keyof typeof parameters];
        const told = await run(name, Object.fromEntries(names.map((each, i) => [each, values[i]])));
        expect(told).toMatch(values.includes("") ? /^400 path .*is required/ : new RegExp(`^\\[ '${name}'`));
      }),
      {
        numRuns: tries(40),
        examples: [[["item", ["new"]]], [["any3", ["_fw", "api", "session"]]], [["saveAny", ["new"]]]],
      },
    );
  });

  test("answers of other types than declared, and every kind of error", async () => {
    const replies = [];
    for (let k = 0; k < 15; k++) replies.push(await run("answer", { k }));
    expect(replies[1]).not.toContain("extra");
    expect(replies[2]).toMatch(/returned a response that does not match its type$/);
    const failed = [];
    for (let k = 0; k < 8; k++) failed.push(await run("fails", { k }));
    expect(failed.slice(0, 4)).toEqual([
      expect.stringMatching(/failed$/),
      "404 not found true false",
      "422 too \u{1f600} odd false false",
      "403 no false true",
    ]);
  });

  test("copies instead of shares", async () => {
    expect(await both("POST", "/shares")).toContain("of the callee");
  });

  test("bodies as large as answers, and a sentence where a path is too long", async () => {
    const thing = { n: 1, list: [], big: "$big:1" };
    expect(await run("echo", { ...thing, text: `$long:${2 * 1024 * 1024}` })).toContain("xxx");
    expect(await run("echo", { ...thing, text: `$long:${33 * 1024 * 1024}` })).toMatch(
      /^413 body: larger than 33554432/,
    );
    expect(await run("paths", { id: "a", n: 1, q: [`$long:20000`] })).toBe("an opaque failure");
    expect(await run("paths", { id: "a", n: 1, q: [`$long:7000`] })).toContain("xxx");
  });

  test("a Blob is read once", async () => {
    expect(await both("GET", "/bytes")).toContain("bytes");
  });

  test("a route with maxAge is called by nobody, and a role that is revoked counts from the next call on", async () => {
    expect([await run("who", {}), await run("same", {}), await run("chain", {})]).toEqual([
      "'alice'",
      "'nobody'",
      "'alice'",
    ]);
    expect(await run("clerks", { n: 1 }, "nobody")).toBe("401 sign in to continue false false");
    expect(await both("POST", "/revokes")).toContain("403");
  });

  test.each(["at-nothing", "at-htmx", "at-the-target", "and-fails"])(
    "a page that calls what looks %s varies by what the call has looked at",
    async (how) => {
      const byHTMX: Readonly<Record<string, string>>[] = [{}, { "hx-request": "true", "hx-target": "list" }];
      for (const htmx of byHTMX) {
        const [here, there] = await Promise.all(
          [one, many].map(async (dev) => {
            const { status, body, headers } = await ask(dev, "GET", `/page/${how}`, "", htmx);
            return { status, body, vary: headers.vary };
          }),
        );
        expect(there).toEqual(here);
        expect(here?.vary?.includes("HX-Target")).toBe(how === "at-the-target" || how === "and-fails");
      }
    },
  );

  test("in a transaction it is no part of it", async () => {
    expect(await both("POST", "/begins/0")).toBe(`200 "'committed',0,1"`);
    // The callee's write persists even though the transaction is rolled back.
    expect(await both("POST", "/begins/1")).toContain(`,0,1"`);
    // A call inside the package does not see the transaction either.
    expect(await both("POST", "/begins/2")).toBe(`200 "'0',5,1"`);
  });
});

test("messages that a transaction sends are the same in one process and between services, and come when it commits", async () => {
  const expected = new Set<string>();
  await fc.assert(
    fc.asyncProperty(thing, fc.constantFrom(0, 1), async (given, how) => {
      const name = `m${expected.size}-${how}`;
      const outcome = await both("POST", `/post/${how}`, { given: { ...given, text: name } });
      if (outcome === "200 \"'sent'\"") expected.add(`mail${name}`).add(`news${name}`);
    }),
    { numRuns: tries(20), examples: [[{ n: 1, text: "", list: [], big: "$big:5" }, 0]] },
  );
  const cameTo = async (dev: Dev): Promise<object> =>
    JSON.parse((await ask(dev, "GET", "/came", "", {})).body) as object;
  for (const dev of [one, many])
    await expect.poll(async () => Object.keys(await cameTo(dev)).toSorted()).toEqual([...expected].toSorted());
  expect(await cameTo(many)).toEqual(await cameTo(one));
});

interface Exchange {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

function ask(dev: Dev, method: string, path: string, body: string, headers: Record<string, string>): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const sentHeaders = body === "" ? headers : { ...headers, "content-length": String(Buffer.byteLength(body)) };
    const outgoing = request(
      { port: dev.port, host: "127.0.0.1", method, path, headers: sentHeaders, agent: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }));
      },
    );
    outgoing.on("error", reject).end(body);
  });
}
