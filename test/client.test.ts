import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "rolldown/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { fw } from "../packages/fw/src/cli/testing/run.ts";
import { catalogue, samples } from "../packages/fw/src/generate/client/testing/catalogue.ts";
import { launchBrowser } from "./support/browser.ts";
import { launchDev, writeApplication, type Dev } from "./support/dev-app.ts";
import { copyOfExample, startDev } from "./support/fw.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const place = ".fw/gen/client/ts/api.ts";

/** The members of the generated catalogue client that these tests call. Its types are checked where it is generated. */
interface Client {
  echo(body?: object): Promise<Record<string, unknown>>;
  move(hall: string, seat: number, body: object, query?: object): Promise<{ all: string }>;
  find(query?: object): Promise<unknown>;
  one(id: string): Promise<unknown>;
  search(query: object): Promise<string[]>;
  remove(id: string): Promise<void>;
  maybe(query?: object): Promise<unknown>;
  count(): Promise<number>;
  photo(): Promise<Response>;
  hooked(body: object, options?: object): Promise<unknown>;
  root(): Promise<unknown>;
  feed(listen: string, options?: object): AsyncIterable<{ id: string; event: string; data: { depth: number } }>;
  tell(body: object): AsyncIterable<{ id: string; event: string; data: unknown }>;
  talk(hall: string, query?: object, options?: object): Talk;
  guarded(options?: object): Talk;
}

interface Talk extends AsyncIterable<unknown> {
  send(message: unknown): Promise<boolean>;
  close(code?: number, reason?: string): void;
  readonly closed: Promise<{ code: number; reason: string }>;
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

interface Generated {
  createClient(options?: object): Client;
  readonly ApiError: new (status: number, message: string, body?: unknown) => Error;
  problemsOf(error: unknown): readonly { readonly at: string; readonly problem: string }[];
  readonly ApiSocketError: new () => Error;
}

/** The members of another generator's client that these tests call. */
type OtherClient = Record<"echo" | "one", (options: object) => Promise<object>>;

interface OtherSettings {
  readonly client: { setConfig(settings: object): void };
}

describe("the client of an application", () => {
  let dev: Dev;
  let api: Generated;
  let client: Client;

  beforeAll(async () => {
    const app = writeApplication(Object.fromEntries(filesOf(catalogue)));
    symlinkSync(join(root, "node_modules/zod"), join(app, "node_modules/zod"));
    expect(await fw(app, "gen", "client", "ts")).toEqual({ code: 0, err: "", out: `${place} written\n` });
    dev = launchDev(app, []);
    await dev.says("ready in");
    api = (await import(join(app, place))) as Generated;
    client = api.createClient({ baseUrl: `http://localhost:${dev.port}/` });
  });
  afterAll(() => dev?.[Symbol.asyncDispose]());

  test.each(samples)("sends and gets a value of its type: %s: %j", async (field, value) => {
    expect(await client.echo({ [field]: value })).toEqual({ [field]: value });
  });

  test("writes paths and queries so that the application reads what was given", async () => {
    const odd = "a/b ?&=%ü";
    expect(
      await client.find({ side: "west", tag: [odd, "c"], limit: 2, big: 7, price: 1e21, floor: undefined }),
    ).toEqual({
      side: "west",
      tag: [odd, "c"],
      limit: 2,
      big: 7,
      price: 1e21,
    });
    expect(await client.one(odd)).toEqual({ id: odd, added: "1970-01-01T00:00:00.000Z", depth: 1.5 });
    for (const step of ["", ".", ".."]) await expect(client.one(step)).rejects.toThrow("cannot be a segment of a path");
    expect(await client.root()).toBe(null);
    await expect(client.move("h", 1, { to: "x" }, { dryRun: true })).rejects.toMatchObject({ status: 401 });
  });

  test("an answer without a body is undefined, a Blob is a Response, an Int64 a number", async () => {
    expect(await client.remove("1")).toBeUndefined();
    expect([await client.maybe(), await client.maybe({ yes: true })]).toEqual([undefined, { yes: true }]);
    const photo = await client.photo();
    expect([photo.headers.get("content-type"), await photo.text()]).toEqual(["image/png", "pixels"]);
    expect(await client.count()).toBe(2 ** 60);
  });

  test("events come typed, and who is cut off comes back behind the latest", async () => {
    const heard: unknown[] = [];
    for await (const { id, event, data } of client.feed("all")) {
      heard.push([id, event, data.depth]);
      if (heard.length === 5) break;
    }
    expect(heard).toEqual([1, 2, 3, 4, 5].map((depth) => [String(depth), "found", depth]));
    const rest = await all(client.feed("all", { reconnect: false, headers: { "Last-Event-ID": 7 } }));
    expect(rest.map(({ id }) => id)).toEqual(["8", "9"]);
    const told = await all(client.tell({ text: "ü\n" }));
    expect(told).toEqual(["ü\n", null, 2 ** 60, { wing: "north" }].map((data) => ({ id: "", event: "message", data })));
  });

  test("events end with their signal, also in the wait, and with a refusal", async () => {
    const stop = new AbortController();
    const listening = async (): Promise<void> => {
      for await (const { id } of client.feed("all", { signal: stop.signal }))
        if (id === "4") stop.abort(new Error("enough"));
    };
    await expect(listening()).rejects.toThrow("enough");
    const first = "retry: 1\n\nid: 1\ndata: 1\n\nid: 2\nda";
    const answers = [new Response(first, { headers: { "Content-Type": "text/event-stream" } })];
    const acceptHeaders: (string | null)[] = [];
    const fetch = async (_url: string, { headers }: { headers: Headers }): Promise<Response> => {
      acceptHeaders.push(headers.get("Last-Event-ID"));
      return answers.pop() ?? Response.json({ error: "gone" }, { status: acceptHeaders.length === 2 ? 503 : 410 });
    };
    const heard: string[] = [];
    const refused = async (): Promise<void> => {
      for await (const { id } of api.createClient({ fetch }).feed("all")) heard.push(id);
    };
    await expect(refused()).rejects.toMatchObject({ status: 410, message: "gone" });
    expect([heard, acceptHeaders]).toEqual([["1"], [null, "1", "1"]]);
    await expect(all(api.createClient({ fetch }).feed("all"))).rejects.toMatchObject({ status: 410 });
  });

  describe("sockets", () => {
    /** Opens sockets as a program would on any Node version. */
    const webSocket = (url: string, headers: Record<string, string>): WebSocket => new WebSocket(url, { headers });
    let own: Client;
    beforeAll(() => (own = api.createClient({ baseUrl: `http://localhost:${dev.port}/`, webSocket })));

    test("send and get messages of their types, with the path and the query of an API", async () => {
      const talk = own.talk("a/b ü", { from: "ann & ben" });
      const sentItem = { text: "ü\n", of: { id: "a", added: "2024-02-29T12:30:00.000Z", depth: 1.5 } };
      expect([await talk.send(sentItem), await talk.send({ text: "leave" })]).toEqual([true, true]);
      expect(await all(talk)).toEqual([
        { from: "ann & ben", hall: "a/b ü", at: "1970-01-01T00:00:00.000Z", said: sentItem },
      ]);
      expect(await talk.closed).toEqual({ code: 1000, reason: "" });
      expect(await talk.send(sentItem)).toBe(false);
      for (const step of ["", ".", ".."]) expect(() => own.talk(step)).toThrow("cannot be a segment of a path");
    });

    test("end with an error that has the code and the reason, unless all is well", async () => {
      for (const [text, code, message] of [
        ["own", 4001, "as you like"],
        ["refuse", 4403, "not that"],
        [7, 1007, "message text: 7 is not a string"],
      ] as const) {
        const talk = own.talk("a");
        void talk.send({ text });
        const error: unknown = await all(talk).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(api.ApiSocketError);
        expect(error).toMatchObject({ code, reason: message, message });
      }
      const nowhere = api.createClient({ baseUrl: "http://localhost:1", webSocket }).talk("a");
      await expect(all(nowhere)).rejects.toMatchObject({ code: 1006, reason: "" });
      expect([await nowhere.closed, await nowhere.send({ text: "x" })]).toEqual([{ code: 1006, reason: "" }, false]);
    });

    test("end for the application with what ends them here: close, the loop, the signal", async () => {
      const closing = own.talk("a");
      await closing.send({ text: "x" });
      closing.close(4002, "enough");
      expect(await closing.closed).toEqual({ code: 4002, reason: "enough" });
      await all(closing);
      const looped = own.talk("a");
      await looped.send({ text: "x", many: 2 });
      for await (const _heard of looped) break;
      expect(await looped.closed).toEqual({ code: 1000, reason: "" });
      const stop = new AbortController();
      const heard = all(own.talk("a", {}, { signal: stop.signal }));
      stop.abort(new Error("no more"));
      await expect(heard).rejects.toThrow("no more");
      await expect(all(own.talk("a", {}, { signal: stop.signal }))).rejects.toThrow("no more");
    });

    test("keep only so many messages for who does not read, or sends without waiting", async () => {
      const unread = own.talk("a", {}, { buffer: 10 });
      await unread.send({ text: "x", many: 100 });
      expect(await unread.closed).toEqual({ code: 4000, reason: "too many unread messages" });
      const heard: unknown[] = [];
      const reading = async (): Promise<void> => {
        for await (const message of unread) heard.push(message);
      };
      await expect(reading()).rejects.toBeInstanceOf(api.ApiSocketError);
      expect(heard).toHaveLength(10);
      const hasty = own.talk("a", {}, { buffer: 10 });
      for (let i = 0; i <= 10; i++) void hasty.send({ text: "x" });
      expect((await hasty.closed).reason).toBe("too many unsent messages");
    });

    test("have the headers of every call where what opens them sends some, and are refused where it does not", async () => {
      const baseUrl = `http://localhost:${dev.port}`;
      const signed = api.createClient({ baseUrl, webSocket, headers: () => ({ "X-Token": "of every call" }) });
      expect(await all(signed.guarded())).toEqual(["of every call"]);
      expect(await all(signed.guarded({ headers: { "X-Token": "own" } }))).toEqual(["own"]);
      const plain = api.createClient({ baseUrl });
      await expect(all(plain.guarded({ headers: { "X-Token": "own" } }))).rejects.toThrow(
        "the global WebSocket cannot send the header x-token",
      );
    });
  });

  test("a refusal is an ApiError with its status and message", async () => {
    const failures = [client.one("none"), client.one("bad"), client.search({ q: "x" }), client.find({ limit: "many" })];
    const errors = await Promise.all(failures.map((each) => each.catch((error: unknown) => error)));
    expect(errors.every((error) => error instanceof api.ApiError)).toBe(true);
    expect(errors.map((error) => [(error as { status: number }).status, (error as Error).message])).toEqual([
      [404, "not found"],
      [422, "bad */ id"],
      [401, "sign in to continue"],
      [400, "query limit: many is not an int"],
    ]);
  });

  test("an answer that the application did not send is an ApiError, for calls without a result, too", async () => {
    const answering = (body: string, type: string, status = 200): Client =>
      api.createClient({
        baseUrl: "https://app.example",
        fetch: async () => new Response(body, { status, headers: { "Content-Type": type, "Retry-After": "7" } }),
      });
    const page = answering("<!doctype html>", "text/html; charset=utf-8");
    const calls = [page.remove("x"), page.count(), page.maybe(), answering("", "application/json").count()];
    calls.push(answering("{", "application/json").count(), answering("1", "text/plain").count());
    const errors = await Promise.all(calls.map((each) => each.catch((error: unknown) => error)));
    for (const error of errors) expect(error).toBeInstanceOf(api.ApiError);
    expect(errors[0]).toMatchObject({
      status: 200,
      method: "DELETE",
      url: expect.stringContaining("https://app.example/"),
    });
    await expect(all(page.feed("all"))).rejects.toMatchObject({ status: 200, method: "GET" });
    expect(await answering("", "", 200).remove("x")).toBeUndefined();
    expect(await answering("1", "application/vnd.count+json").count()).toBe(1);
    const busy = await answering('{"error":"busy"}', "application/json", 503)
      .count()
      .catch((error: unknown) => error);
    expect(busy).toMatchObject({ status: 503, message: "busy" });
    expect((busy as { headers: Headers }).headers.get("retry-after")).toBe("7");
  });

  test("a 400 lists every problem, and every error names its call", async () => {
    const error = await client.find({ limit: "many" }).catch((failure: unknown) => failure);
    const problems = [{ at: "body title", problem: "is required" }];
    const body = { error: "body title: is required", details: { problems } };
    expect(api.problemsOf(new api.ApiError(400, body.error, body))).toEqual(problems);
    expect(api.problemsOf(error)).toEqual([{ at: "query limit", problem: "many is not an int" }]);
    expect(api.problemsOf(new api.ApiError(400, "not today", { error: "not today" }))).toEqual([]);
    expect(api.problemsOf(new Error("none"))).toEqual([]);
    const { method, url, headers } = error as { method: string; url: string; headers: Headers };
    expect([method, url, headers.get("x-request-id")]).toEqual([
      "GET",
      expect.stringMatching(/limit=many$/),
      expect.stringMatching(/^[0-9a-f]{16}$/),
    ]);
  });

  test("headers ride every call, and those that an API reads are options of its call", async () => {
    const baseUrl = `http://localhost:${dev.port}`;
    const signed = api.createClient({ baseUrl, headers: async () => ({ "X-Signature": "s=1", "X-Tries": 3 }) });
    const headers = { "Accept-Language": ["de", "fr;q=0.5"], "X-Tries": undefined };
    expect(await signed.hooked({ text: "hi" }, { headers })).toEqual({
      signature: "s=1",
      tries: 3,
      langs: ["de", "fr;q=0.5"],
      text: "hi",
    });
    await expect(client.hooked({ text: "hi" })).rejects.toThrow("header X-Signature: is required");
  });

  test("a fetch of one's own carries the calls, with the credentials of the page", async () => {
    const acceptHeaders: unknown[] = [];
    const own = async (url: string, init: RequestInit): Promise<Response> => {
      acceptHeaders.push([url, init.method, init.credentials, init.body]);
      return Response.json({});
    };
    await api.createClient({ fetch: own }).echo({ text: "x" });
    expect(acceptHeaders).toEqual([["/echo", "POST", "include", '{"text":"x"}']]);
  });

  /** Bun and Deno are installed from the registry on request. */
  test.runIf(process.env["FW_RUNTIMES"] !== undefined)("runs in Bun and in Deno as it is", async () => {
    const tools = mkdtempSync(join(tmpdir(), "fw-runtimes-"));
    const program = join(dev.root, "program.ts");
    writeFileSync(
      program,
      `import { ApiError, createClient } from "./${place}";
const client = createClient({ baseUrl: "http://localhost:${dev.port}" });
const missed = await client.one("none").catch((error: unknown) => error);
const talk = client.talk("a", { from: "here" });
void talk.send({ text: "x" });
let from = "";
for await (const heard of talk) {
  from = heard.from;
  break;
}
console.log(JSON.stringify([await client.one("a b"), await client.count(), await (await client.photo()).text(),
  missed instanceof ApiError && missed.status, from]));
`,
    );
    try {
      const packages = ["--prefix", tools, "bun@1.4.5", "deno@2.9.6"];
      execFileSync("npm", ["install", "--no-audit", "--no-fund", "--silent", ...packages], { cwd: tools });
      for (const [runtime, ...args] of [
        ["bun", "run"],
        ["deno", "run", "--allow-net=localhost"],
      ] as const) {
        const printed = execFileSync(join(tools, "node_modules/.bin", runtime), [...args, program], {
          encoding: "utf8",
        });
        const item = { id: "a b", added: "1970-01-01T00:00:00.000Z", depth: 1.5 };
        expect([runtime, JSON.parse(printed)]).toEqual([runtime, [item, 2 ** 60, "pixels", 404, "here"]]);
      }
    } finally {
      rmSync(tools, { recursive: true });
    }
  });

  test.runIf(process.env["FW_RUNTIMES"] !== undefined)(
    "a client that another generator makes of the OpenAPI document sends and gets the same values",
    async () => {
      const tools = mkdtempSync(join(tmpdir(), "fw-generators-"));
      const run = (program: string, ...args: string[]): string =>
        execFileSync(program, args, { cwd: tools, encoding: "utf8" });
      try {
        const { code, out } = await fw(dev.root, "gen", "openapi");
        expect(code).toBe(0);
        writeFileSync(join(tools, "openapi.json"), out);
        const packages = ["@hey-api/openapi-ts@0.95.0", "typescript@5.9.3"];
        run("npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", tools, ...packages);
        run(join(tools, "node_modules/.bin/openapi-ts"), "-i", "openapi.json", "-o", "client");
        const acceptHeaders = [
          "--noEmit",
          "--strict",
          "--target",
          "es2022",
          "--module",
          "esnext",
          "--moduleResolution",
          "bundler",
        ];
        run(join(tools, "node_modules/.bin/tsc"), ...acceptHeaders, "client/index.ts");
        const generated = (await import(join(tools, "client/index.ts"))) as OtherClient;
        const { client: other } = (await import(join(tools, "client/client.gen.ts"))) as OtherSettings;
        other.setConfig({ baseUrl: `http://localhost:${dev.port}` });
        for (const [field, value] of samples)
          expect(await generated.echo({ body: { [field]: value } })).toMatchObject({ data: { [field]: value } });
        expect(await generated.one({ path: { id: "none" } })).toMatchObject({ error: { error: "not found" } });
      } finally {
        rmSync(tools, { recursive: true });
      }
    },
  );

  test("fw dev keeps it current, and says why it cannot", async () => {
    const file = join(dev.root, place);
    const openApi = await dev.eventually("/_fw/z/openapi.json", ({ status }) => status === 200);
    expect(Object.keys((JSON.parse(openApi.body) as { paths: object }).paths)).toContain("/finds/{id}");
    dev.write({
      "later/later.ts":
        'import { API } from "fw";\n/** Came later. */\nexport const later = API("GET /later", () => 1);',
    });
    await expect.poll(() => readFileSync(file, "utf8")).toContain("/**\n   * Came later.");
    dev.write({ "later/later.ts": 'import { API } from "fw";\nexport const echo = API("GET /later", () => 1);' });
    await dev.says('later/later.ts:2:14: the client would have two methods "echo"');
    expect(readFileSync(file, "utf8")).toContain("Came later.");
  });
});

test("the notes are read and written through their client in a browser, with the session and the page's token", async () => {
  const directory = await copyOfExample("notes");
  expect((await fw(directory, "gen", "client", "ts")).code).toBe(0);
  const text = readFileSync(join(directory, place), "utf8");
  const body = transformSync("api.ts", text).code;
  await using server = await startDev(directory, "--services");
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.route("**/api.js", (route) => route.fulfill({ contentType: "text/javascript", body }));
    const inPage = <T>(code: string): Promise<T> =>
      page.evaluate(`(async () => {
        const { createClient, ApiError } = await import("/api.js");
        const client = createClient();
        const failure = (call) => call.then(() => "done", (error) => [error instanceof ApiError, error.status ?? error.name, error.message]);
        ${code}
      })()`);
    await page.goto(server.url);
    const draft = '{ title: "Rye", body: "Flour." }';
    expect(await inPage(`return failure(client.createNote(${draft}))`)).toEqual([true, 401, "sign in to continue"]);

    await page.goto(`${server.url}/_fw/signin`);
    await page.getByRole("button", { name: "Sign in as alice" }).click();
    await page.waitForURL(`${server.url}/`);
    const posting = page.waitForRequest((request) => request.method() === "POST");
    const note = await inPage<{ slug: string }>(`return client.createNote(${draft})`);
    expect(note).toMatchObject({ title: "Rye", private: false });
    const token = await page.locator('meta[name="csrf-token"]').getAttribute("content");
    expect((await posting).headers()["x-csrf-token"]).toBe(token);

    const slug = JSON.stringify(note.slug);
    expect(await inPage(`return (await client.getMarkdown(${slug})).text()`)).toBe("# Rye\n\nFlour.\n");
    expect(
      await inPage(`return (await client.listNotes({ q: "flour", mine: true })).notes.map(({ slug }) => slug)`),
    ).toEqual([note.slug]);
    expect(await inPage(`return failure(client.updateNote(${slug}, { title: " ", body: "" }))`)).toEqual([
      true,
      422,
      "a note needs a title",
    ]);

    await page.route("**/api/notes/slow", async (route) => {
      await page.evaluate("window.giveUp.abort()");
      await route.abort();
    });
    const abortable = `window.giveUp = new AbortController(); return failure(client.getNote("slow", { signal: window.giveUp.signal }))`;
    expect((await inPage<unknown[]>(abortable)).slice(0, 2)).toEqual([false, "AbortError"]);

    expect(await inPage(`return failure(client.deleteNote(${slug}))`)).toBe("done");
    expect(await inPage(`return failure(client.getNote(${slug}))`)).toEqual([true, 404, "not found"]);

    const document = (await (await fetch(`${server.url}/_fw/z/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(document.paths)).toContain("/api/notes/{slug}");
    const api = join(directory, "notes/api.ts");
    writeFileSync(api, readFileSync(api, "utf8").replace("export const getNote", "/** Reads one. */\n$&"));
    await expect.poll(() => readFileSync(join(directory, place), "utf8")).toContain("Reads one.");
  } finally {
    await browser.close();
  }
});
