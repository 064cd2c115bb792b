import { renameSync, rmSync, symlinkSync } from "node:fs";
import { Agent } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, launchDev, startDev, writeApplication, type Dev } from "./support/dev-app.ts";

/** Creates an agent that keeps connections alive until it is disposed. */
function keepAlive(): Agent & Disposable {
  const agent = new Agent({ keepAlive: true });
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() });
}

const api = (body: string, route = "GET /"): string =>
  `import { API } from "fw";\nexport const hello = API(${JSON.stringify(route)}, () => (${body}));\n`;

const hello = (word: string): Record<string, string> => ({ "app/hello.ts": api(`{ word: ${JSON.stringify(word)} }`) });

const says = (word: string) => (answer: { body: string }) => answer.body === `{"word":"${word}"}`;

test("a saved file is live at once, and so is a new one, a renamed one and a deleted one", async () => {
  await using dev = await startDev(hello("one"));
  expect(await dev.get()).toMatchObject({ status: 200, body: `{"word":"one"}` });
  dev.write(hello("two"));
  await dev.eventually("/", says("two"));
  dev.write({ "app/more.ts": api("1", "GET /more").replace("hello", "more") });
  await dev.eventually("/more", ({ body }) => body === "1");
  renameSync(join(dev.root, "app"), join(dev.root, "renamed"));
  dev.write({ "renamed/more.ts": api("2", "GET /more").replace("hello", "more") });
  await dev.eventually("/more", ({ body }) => body === "2");
  rmSync(join(dev.root, "renamed/more.ts"));
  await dev.eventually("/more", ({ status }) => status === 404);
});

test("a module that the declarations import is followed", async () => {
  const files = {
    "app/hello.ts": `import { API } from "fw"; import { word } from "../lib/word.ts"; export const hello = API("GET /", () => ({ word }));`,
    "lib/word.ts": `export const word = "one";`,
  };
  await using dev = await startDev(files);
  dev.write({ "lib/word.ts": `export const word = "two";` });
  await dev.eventually("/", says("two"));
});

test("what was saved while another file kept it from going live goes live with the fix", async () => {
  const more = (route: string): Record<string, string> => ({ "app/more.ts": api("1", route).replace("hello", "more") });
  await using dev = await startDev({ ...hello("one"), ...more("GET /taken") });
  dev.write({ "app/hello.ts": api(`{ word: "two" }`, "GET /taken") });
  await dev.says("route-conflict");
  expect(await dev.get()).toMatchObject({ status: 200, body: `{"word":"one"}` });
  dev.write(more("GET /more"));
  await dev.eventually("/taken", says("two"));
});

test("under constant load, reloads lose no request and none is answered by half a reload", async () => {
  const number = (n: number): Record<string, string> => ({ "app/n.ts": `export const n = ${n};` });
  await using dev = await startDev({
    ...number(0),
    "app/a.ts": `import { n } from "./n.ts"; export const a = n;`,
    "app/b.ts": `import { n } from "./n.ts"; export const b = n;`,
    "app/hello.ts": `import { API } from "fw"; import { a } from "./a.ts"; import { b } from "./b.ts"; export const hello = API("GET /", async () => { await null; return { a, b }; });`,
  });
  const wrong: string[] = [];
  const load = { answered: 0 };
  const done = new AbortController();
  async function client(agent: Agent | false): Promise<void> {
    while (!done.signal.aborted) {
      const { status, body } = await ask(dev.port, "/", {}, agent);
      const { a, b } = JSON.parse(body) as { a: number; b: number };
      load.answered++;
      if (status !== 200 || a !== b) wrong.push(body);
    }
  }
  using agent = keepAlive();
  const clients = [client(false), client(agent), client(agent)];
  try {
    for (let n = 1; n <= 10 || load.answered <= 50; n++) {
      dev.write(number(n));
      await dev.eventually("/", ({ body }) => body === `{"a":${n},"b":${n}}`);
    }
  } finally {
    done.abort();
  }
  await Promise.all(clients);
  expect(wrong).toEqual([]);
});

test("saves that come faster than they are read go live with the newest one, and none is said to fail", async () => {
  const route = (name: string): string => `export const ${name} = API("GET /${name}", () => ({ name: "${name}" }));`;
  const routes = Array.from({ length: 200 }, (_, i) => route(`r${i}`));
  const source = (last: string): string => [`import { API } from "fw";`, ...routes, route(last)].join("\n");
  await using dev = await startDev({ "app/many.ts": source("first") });
  for (let i = 0; i < 20; i++) {
    dev.write({ "app/many.ts": source(`v${i}`) });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await dev.eventually("/v19", ({ status }) => status === 200);
  expect(dev.output()).not.toContain("is not defined");
});

test("a save of a file that the application does not import changes no response, whatever ran before", async () => {
  await using dev = await startDev({
    "shop/orders.ts": `import { API, Cron, Entity, MCP, Queue, Topic, Worker, Subscribe, type ID, type Path } from "fw";
import { quote } from "../mail/quote.ts";
interface Note { id: ID; text: string }
export const notes = Entity<Note>("notes");
export const jobs = Queue<string>("jobs");
export const placed = Topic<string>("placed");
export const write = Worker(jobs, async (ctx, id) => { await notes.put(ctx, { id, text: await quote.call(ctx, {}) }); });
export const onPlaced = Subscribe(placed, async (ctx, id) => { await jobs.send(ctx, id); });
export const own = API("GET /own", (): string => "own");
export const place = API("GET /place/{id}", async (ctx, { id }: { id: Path<string> }): Promise<string> => {
  await placed.publish(ctx, id);
  return (await quote.call(ctx, {})) + (await own.call(ctx, {}));
});
export const read = API("GET /read/{id}", async (ctx, { id }: { id: Path<string> }): Promise<string> => (await notes.get(ctx, id)).text);
export const nightly = Cron("nightly", "every 24h", async (ctx) => void (await quote.call(ctx, {})));
export const server = MCP("/mcp", { tools: [own] });`,
    "mail/quote.ts": `import { API } from "fw";
export const quote = API("GET /quote", (): string => "42");`,
  });
  for (const [version, change] of ["a", "b", "c"].entries()) {
    expect(await dev.get("/quote")).toMatchObject({ status: 200, body: '"42"' });
    expect(await dev.get(`/place/${change}`)).toMatchObject({ status: 200, body: '"42own"' });
    expect(await dev.eventually(`/read/${change}`, ({ status }) => status !== 404)).toMatchObject({ body: '"42"' });
    const seen = dev.output().length;
    dev.write({ "mail/unused.ts": `export const version = ${version};` });
    await dev.says(" live in ", seen);
  }
  expect(dev.output()).not.toContain("ERROR");
});

test("a request that began before a reload ends on the code that it began with", async () => {
  const waiting = (word: string): Record<string, string> => ({
    "app/hello.ts": `import { API } from "fw";
const gates: (() => void)[] = ((globalThis as any).gates ??= []);
export const wait = API("GET /wait", async () => { await new Promise<void>((go) => gates.push(go)); return { word: "${word}" }; });
export const count = API("GET /count", () => ({ word: "${word}", gates: gates.length }));
export const open = API("GET /open", () => { for (const gate of gates) gate(); return {}; });`,
  });
  await using dev = await startDev(waiting("old"));
  const pending = dev.get("/wait");
  await dev.eventually("/count", ({ body }) => body === `{"word":"old","gates":1}`);
  dev.write(waiting("new"));
  await dev.eventually("/count", ({ body }) => body === `{"word":"new","gates":1}`);
  await dev.get("/open");
  expect((await pending).body).toBe(`{"word":"old"}`);
});

describe("one application, saved again and again", () => {
  let dev: Dev;
  let saves = 0;
  beforeAll(async () => {
    dev = await startDev(hello("first"));
  });
  afterAll(() => dev?.[Symbol.asyncDispose]());

  /**
   * Saves a working version after any result of the previous test. Returns its text and the current end of the output.
   */
  async function good(): Promise<{ readonly word: string; readonly from: number }> {
    const word = `good${++saves}`;
    dev.write(hello(word));
    await dev.eventually("/", says(word));
    return { word, from: dev.output().length };
  }

  test.each([
    ["a syntax error", `export const a = ;`, "Unexpected token"],
    ["a broken rule", api("1").replace('"GET /"', "`GET ${Math.random()}`"), "(fw/const-route)"],
    ["a throw at import", `${api("1")}\nthrow new Error("import goes wrong");`, "import goes wrong"],
    ["a missing module", `${api("1")}\nimport "./nowhere.ts";`, "./nowhere.ts"],
  ])("%s is shown while the last good version keeps answering, and a fix recovers", async (_what, broken, sentence) => {
    const { word, from } = await good();
    dev.write({ "app/hello.ts": broken });
    await dev.says(sentence, from);
    await dev.says("The last good version keeps running.", from);
    expect((await dev.get()).body).toBe(`{"word":"${word}"}`);
    dev.write(hello("two"));
    await dev.eventually("/", says("two"));
  });

  test("an error names the place in the source", async () => {
    const { from } = await good();
    dev.write({ "app/hello.ts": `interface Unused { a: string }\n\n${api("1")}\nthrow new Error("here");` });
    await dev.says("app/hello.ts:6:7: Error: here", from);
    await dev.says("The last good version keeps running.", from);
    const said = dev.output().slice(from);
    expect(said).toMatch(/at .*app\/hello\.ts:6:7\n/);
    expect(said).not.toMatch(/at .*(?:node:internal|dist\/dev)/);
  });

  test("package.json and tsconfig.json start the analysis anew", async () => {
    const { word, from } = await good();
    dev.write({ "package.json": `{ "name": "renamed", "type": "module" }` });
    await dev.says("package.json", from);
    await dev.eventually("/", says(word));
  });

  test("a package.json that is no JSON is named as such, and the last good version keeps answering", async () => {
    const { from } = await good();
    dev.write({ "package.json": `{ "name": "app",\n  nope }` });
    await dev.says("package.json:2:3: package.json is not valid JSON", from);
    await dev.says("The last good version keeps running.", from);
    dev.write({ "package.json": `{ "name": "app", "type": "module" }`, ...hello("two") });
    await dev.eventually("/", says("two"));
  });

  test("type errors are reported and keep nothing from answering", async () => {
    const { from } = await good();
    dev.write({ "app/hello.ts": `${hello("two")["app/hello.ts"]}\nexport const n: number = "text";` });
    await dev.eventually("/", says("two"));
    await dev.says("app/hello.ts:4:14", from);
    await dev.says("(ts2322)", from);
  });
});

test("with errors from the start every request is told, as HTML, JSON or text, and a fix starts the application", async () => {
  const root = writeApplication({
    "app/hello.ts": `${api("1")}\nexport const bad = "<script>" as const;\nthrow new Error("not <b>yet</b>");`,
  });
  await using dev = launchDev(root, []);
  await dev.says("Save a fix to start the application at http://localhost:");
  const { port } = dev;
  const html = await fetch(`http://127.0.0.1:${port}/any`, { headers: { accept: "text/html" } });
  expect(html.status).toBe(503);
  const page = await html.text();
  expect(page).toContain("not &lt;b&gt;yet&lt;/b&gt;");
  expect(page).not.toContain("<b>yet");
  const json = await fetch(`http://127.0.0.1:${port}/any`, { headers: { accept: "application/json" } });
  expect(await json.json()).toMatchObject({ error: "the application cannot start: it has errors" });
  const text = await fetch(`http://127.0.0.1:${port}/any`, { headers: { accept: "*/*" } });
  expect(text.headers.get("content-type")).toContain("text/plain");
  dev.write(hello("fixed"));
  await dev.says("ready in");
  await dev.eventually("/", says("fixed"));
});

test("what .env says is in the environment, and saving it restarts the application", async () => {
  await using dev = await startDev({
    ".env": "FW_TEST_WORD=one\n",
    "app/hello.ts": `import { API } from "fw"; const word = process.env["FW_TEST_WORD"]; export const hello = API("GET /", () => ({ word: word ?? "" }));`,
  });
  await dev.eventually("/", says("one"));
  dev.write({ ".env": "# changed\nFW_TEST_WORD='two'\n" });
  await dev.eventually("/", says("two"));
});

test("a tsconfig.json that is broken is told at its place, and the application runs on", async () => {
  const files = {
    "app/hello.ts": `import { API } from "fw"; import { word } from "./word.ts"; export const hello = API("GET /", () => ({ word }));`,
    "app/word.ts": `export const word = "one";`,
  };
  await using dev = await startDev(files);
  dev.write({ "tsconfig.json": `{ "compilerOptions": { "strict": true,, } }` });
  await dev.says("tsconfig.json:1:39: Property assignment expected");
  expect(dev.output()).not.toContain("cannot be found");
  dev.write({ "app/word.ts": `export const word = "two";` });
  await dev.eventually("/", says("two"));
});

test("a site lies beside the application's source, and one that holds it is refused", async () => {
  const page = (dir: string): string =>
    `import { Page, Site } from "fw"; export const site = Site("${dir}"); export const home = Page("GET /", (ctx) => site.fragment(ctx, "home.html"));`;
  await using dev = await startDev({
    "hello.ts": page("./web"),
    "web/templates/home.html": "<p>home</p>",
    "web/robots.txt": "none",
    ".env": "KEY=1",
  });
  expect((await dev.get("/")).body).toContain("<p>home</p>");
  expect((await dev.get("/robots.txt")).body).toBe("none");
  dev.write({ "hello.ts": page(".") });
  await dev.says("hello.ts:1:59: the site's directory is the application's own, where hello.ts lies");
  expect(await Promise.all(["/hello.ts", "/.env"].map(async (path) => (await dev.get(path)).status))).toEqual([
    404, 404,
  ]);
});

test("a site's template, file and build are followed, and the build does not run for what it wrote", async () => {
  await using dev = await startDev({
    "web/pages.ts": `import { Page, Site } from "fw";
export const site = Site("./public", { build: { command: "node build.mjs", out: "./public" } });
export const home = Page("GET /", (ctx) => site.render(ctx, "home.html", {}));`,
    "web/build.mjs": `import { appendFileSync, cpSync } from "node:fs"; appendFileSync("../runs.log", "run\\n"); cpSync("source", "public", { recursive: true });`,
    "web/source/templates/layout.html": `<!doctype html><html><body>{{content}}</body></html>`,
    "web/source/templates/home.html": `<p>one</p>`,
    "web/source/note.txt": `one`,
    "runs.log": "",
  });
  expect((await dev.get()).body).toContain("<p>one</p>");
  dev.write({ "web/source/templates/home.html": `<p>two</p>` });
  await dev.eventually("/", ({ body }) => body.includes("<p>two</p>"));
  dev.write({ "web/source/note.txt": "two" });
  await dev.eventually("/note.txt", ({ body }) => body === "two");
  const { readFileSync } = await import("node:fs");
  expect(readFileSync(join(dev.root, "runs.log"), "utf8")).toBe("run\n".repeat(3));
});

test("what a build writes goes live together when it is done, in one line", async () => {
  await using dev = await startDev({
    "web/pages.ts": `import { Page, Site } from "fw";
export const site = Site("./public", { build: { command: "node build.mjs", out: "./public" } });
export const home = Page("GET /", (ctx) => site.render(ctx, "home.html", {}));`,
    "web/build.mjs": `import { cpSync, rmSync } from "node:fs"; import { setTimeout } from "node:timers/promises";
rmSync("public", { recursive: true, force: true });
await setTimeout(150);
cpSync("source", "public", { recursive: true });`,
    "web/source/templates/layout.html": `<!doctype html><html><body>{{content}}</body></html>`,
    "web/source/templates/home.html": `<p>one</p>`,
    "web/source/a.txt": "1",
    "web/source/b.txt": "1",
  });
  const from = dev.output().length;
  dev.write({ "web/source/templates/home.html": `<p>two</p>`, "web/source/a.txt": "2", "web/source/b.txt": "2" });
  const bodies = new Set<string>();
  await dev.eventually("/", ({ body }) => {
    bodies.add(/<p>.*<\/p>/.exec(body)?.[0] ?? body);
    return body.includes("<p>two</p>");
  });
  expect([...bodies]).toEqual(["<p>one</p>", "<p>two</p>"]);
  await dev.says("web/public (built in ", from);
  expect(dev.output().slice(from).trim().split("\n")).toHaveLength(1);
});

test("a package with a build can be moved", async () => {
  await using dev = await startDev({
    "web/pages.ts": `import { API, Site } from "fw";
export const site = Site("./public", { build: { command: "node build.mjs", out: "./public" } });
export const home = API("GET /", () => ({ at: import.meta.url }));`,
    "web/build.mjs": `import { mkdirSync } from "node:fs"; mkdirSync("public", { recursive: true });`,
  });
  renameSync(join(dev.root, "web"), join(dev.root, "moved"));
  await dev.eventually("/", ({ body }) => body.includes("moved/pages.ts"));
  expect(dev.output()).not.toContain("failed");
});

test("a line of .env that says nothing is told at the start and at a save, and the application runs", async () => {
  await using dev = await startDev({ ...hello("one"), ".env": "WORD=one\nsecretsecret\n" });
  expect(dev.output()).toContain(".env:2: the line is not name=value");
  expect(dev.output()).not.toContain("secret");
  const from = dev.output().length;
  dev.write({ ".env": "WORD=one\nTWO=2\nother\n" });
  await dev.says(".env:3: the line is not name=value", from);
});

test("a build that fails is shown with what it wrote", async () => {
  await using dev = await startDev({
    "web/pages.ts": `import { API, Site } from "fw";
export const site = Site("./public", { build: { command: "node build.mjs", out: "./public" } });
export const home = API("GET /", () => ({}));`,
    "web/build.mjs": `console.error("no such colour"); process.exit(3);`,
    "web/public/x.txt": "",
  });
  expect(dev.output()).toContain("the site's build command failed (exit code 3)");
  expect(dev.output()).toContain("no such colour");
  dev.write({ "web/build.mjs": `` });
  await dev.says("the site's build command works again: node build.mjs");
});

test("routes that two packages share are reported at the start, and the first package in name order keeps them", async () => {
  await using dev = await startDev({
    "b/routes.ts": api(`"b"`, "GET /same/{id}").replace("() =>", "(_ctx, _req: { id: import('fw').Path }) =>"),
    "a/routes.ts": api(`"a"`, "GET /same/{id}").replace("() =>", "(_ctx, _req: { id: import('fw').Path }) =>"),
  });
  await dev.says(`a/routes.ts:2:14 keeps "GET /same/{id}" on this port; "GET /same/{id}" at b/routes.ts:2:14`);
  expect((await dev.get("/same/1")).body).toBe(`"a"`);
});

test("a taken port is refused with who has it and what to do", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await using dev = launchDev(writeApplication(hello("one")), ["--port", String(port)]);
  expect(await dev.exited).toBe(2);
  expect(dev.output()).toContain(`port ${port} is taken by process ${process.pid}`);
  expect(dev.output()).toContain(`--port ${port + 1}`);
  server.close();
});

test("a directory without declarations is refused", async () => {
  await using dev = launchDev(writeApplication({ "a.ts": "export const a = 1;" }), []);
  expect(await dev.exited).toBe(2);
  expect(dev.output()).toContain("nothing is declared below");
});

test("one instance of fw serves applications that bring their own link to it", async () => {
  await using dev = await startDev({
    "app/hello.ts": `import { API, NotFound } from "fw"; export const hello = API("GET /", (): { n: number } => { throw NotFound(); });`,
  });
  symlinkSync(join(dev.root, "node_modules/fw"), join(dev.root, "node_modules/other"));
  expect(await dev.get()).toMatchObject({ status: 404, body: `{"error":"not found"}` });
});

test("what is answered has the fields of the JSON and the JavaScript that it comes from, as they were saved last", async () => {
  await using dev = await startDev({
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        module: "nodenext",
        allowJs: true,
        strict: true,
        noEmit: true,
        allowImportingTsExtensions: true,
      },
    }),
    "shop/prices.json": `{ "tea": 3 }`,
    "shop/table.js": `import { legs } from "./legs.js";\nexport const table = { legs };`,
    "shop/legs.js": `export const legs = 4;`,
    "shop/shop.ts": `import { API } from "fw";
import prices from "./prices.json" with { type: "json" };
import { table } from "./table.js";
export const all = API("GET /all", () => ({ ...prices, table }));`,
  });
  expect(await dev.get("/all")).toMatchObject({ body: `{"tea":3,"table":{"legs":4}}` });
  dev.write({ "shop/prices.json": `{ "tea": 3, "milk": "fresh" }` });
  await dev.eventually("/all", ({ body }) => body === `{"tea":3,"milk":"fresh","table":{"legs":4}}`);
  dev.write({ "shop/legs.js": `export const legs = { front: 2, back: 2 };` });
  await dev.eventually("/all", ({ body }) => body === `{"tea":3,"milk":"fresh","table":{"legs":{"front":2,"back":2}}}`);
});
