import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseSync } from "rolldown/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAppBench, type AppBench } from "../../analysis/testing/app-bench.ts";
import { printLine } from "../../cli/print/text.ts";
import { generateClient, type GeneratedClient } from "./client.ts";
import { catalogue, samples } from "./testing/catalogue.ts";

const golden = fileURLToPath(new URL("../../../test-data/generate/client", import.meta.url));
const modules = fileURLToPath(new URL("../../../../../node_modules", import.meta.url));
/** The TypeScript compilers to test with. FW_TSC adds others by path, such as `node_modules/typescript-6/bin/tsc`. */
const compilers = [
  join(modules, "typescript/bin/tsc"),
  ...(process.env["FW_TSC"] ?? "").split(",").filter((path) => path !== ""),
];

let bench: AppBench;
beforeAll(async () => {
  bench = await openAppBench(["zod"]);
});
afterAll(() => bench.close());

async function clientOf(app: string): Promise<GeneratedClient> {
  const { app: model, diagnostics } = await bench.analyze(app);
  expect(diagnostics).toEqual([]);
  return generateClient(model, await bench.descriptions());
}

async function textOf(app: string): Promise<string> {
  const made = await clientOf(app);
  if ("refusals" in made) throw new Error(made.refusals.map(printLine).join("\n"));
  return made.text;
}

test("two types of one name are numbered", async () => {
  const text = await textOf(`
-- a/a.ts --
import { API } from "fw";
export interface Item { a: string }
export const a = API("GET /a", (): Item[] => []);
-- b/b.ts --
import { API } from "fw";
export interface Item { b: string }
export const b = API("GET /b", (): Item[] => []);
`);
  expect(text).toMatch(/export interface Item \{\s+a: string;/);
  expect(text).toMatch(/export interface Item2 \{\s+b: string;/);
  expect(text).toContain("Promise<Item2[]>");
});

test("the client knows the type of errors that an error shape writes", async () => {
  const text = await textOf(`
-- a/a.ts --
import { API, ErrorShape, Errorf, reply } from "fw";
export const errors = ErrorShape(({ message }) => ({ title: message }));
export const add = API("GET /a", (_ctx, { n }: { n?: never }) => (n ? Errorf(410, "gone") : reply({ own: 1 }, { status: 409 })));
`);
  expect(text).toContain("export type ApiErrorBody = { title: string };");
  expect(text).toContain("409: { own: number } | { title: string };");
  expect(text).toContain("410: { title: string };");
});

test("the client has every type and every API of an application", async () => {
  await expect(await textOf(catalogue)).toMatchFileSnapshot(join(golden, "catalogue.ts.txt"));
});

/** The sources of functions that open WebSockets, with or without headers. */
const openers = {
  browser: "const webSocket = (url: string) => new WebSocket(url);",
  node: `import { WebSocket as Package } from "ws";
const webSocket = (url: string, headers: { readonly [name: string]: string }) => Math.random() > 1 ? new Package(url, { headers }) : new WebSocket(url);`,
};
const uses = `
import { ApiError, ApiSocketError, createClient, isRefusal, type ApiClient, type ApiSocket, type Filled, type Found, type Heard, type Said } from "./api.ts";
const client: ApiClient = createClient({ baseUrl: "https://app.example", headers: async () => ({ Authorization: "x" }), fetch: globalThis.fetch, webSocket });
export async function use(): Promise<void> {
  await client.echo();
  await client.move("a", 1, { to: "b" }, { dryRun: true }, { signal: AbortSignal.timeout(1) });
  const found: Found = await client.one("a", { headers: { "X-Any": 1 } });
  const { total }: { total: number } = await client.page(1);
  const nothing: void = await client.remove(found.id);
  const bytes: ArrayBuffer = await (await client.photo()).arrayBuffer();
  for await (const { id, event, data } of client.feed("a", { reconnect: false, headers: { "Last-Event-ID": 2 } })) {
    const [said, depth]: [string, number] = [id + event, data.depth];
    if (said === "") return void depth;
  }
  for await (const { data } of client.tell({ text: "x" }, { signal: AbortSignal.timeout(1) })) {
    if (typeof data === "object" && data !== null) data.wing.toUpperCase();
    // @ts-expect-error: a call with side effects is not repeated
    client.tell({ text: "x" }, { reconnect: true });
  }
  const yes: true | undefined = (await client.maybe({ yes: undefined }))?.yes;
  await client.hooked({ text: "x" }, { headers: { "X-Signature": "s", "X-Tries": 3, "Accept-Language": ["de"], other: "x" } });
  const label: { id: string } = await client.label("a", { text: "x" });
  try {
    await client.add({ depth: 1 });
  } catch (error) {
    if (isRefusal(error, "label", 422)) {
      const fields: string[] | undefined = error.body.fields["text"];
      return void [fields, label];
    }
    if (isRefusal(error, "rename", 409) && "details" in error.body) {
      const { taken, since }: { taken: string; since: string } = error.body.details;
      return void [taken, since];
    }
    // @ts-expect-error: fw itself may have refused it, without details
    if (isRefusal(error, "rename", 409)) error.body.details.toString();
    // @ts-expect-error: the API does not refuse with this status
    isRefusal(error, "label", 409);
    // @ts-expect-error: fw itself may have refused it
    if (isRefusal(error, "label", 400)) error.body.gone.toString();
  }
  const talk: ApiSocket<Said, Heard> = client.talk("a", { from: "ann" }, { signal: AbortSignal.timeout(1), buffer: 10 });
  const sent: boolean = await talk.send({ text: "hello", many: 2 });
  try {
    for await (const { at, said } of talk) if (sent && said.many === 2) return void at.slice(0, 10);
  } catch (error) {
    if (error instanceof ApiSocketError && error.code === 1001) return void error.reason;
  }
  const { code, reason }: { code: number; reason: string } = await talk.closed;
  talk.close(4000 + code, reason);
  const guarded: ApiSocket<never, string> = client.guarded({ headers: { "X-Token": "t" } });
  // @ts-expect-error: the message has another type
  await talk.send({ said: "hello" });
  // @ts-expect-error: this socket accepts no messages
  await guarded.send("hello");
  // @ts-expect-error: the path parameter is missing
  client.talk();
  // @ts-expect-error: the body is one object
  await client.move("a", 1, "b");
  // @ts-expect-error: the required query is missing
  await client.search();
  // @ts-expect-error: the header has another type
  await client.hooked({ text: "x" }, { headers: { "X-Tries": "three" } });
  // @ts-expect-error: a private API has no method
  await client.open();
  if (new ApiError(404, "gone").status === 404) console.log(total, nothing, bytes, yes);
}
export const values: Filled[] = [];
${samples.map(([field, value], i) => `const v${i}: Required<Filled>["${field}"] = ${JSON.stringify(value)};\nvalues.push({ ${field}: v${i} });`).join("\n")}
`;

describe.each(compilers)("to %s", (compiler) => {
  test.each([
    ["a browser", { lib: ["es2022", "dom"], types: [] }, openers.browser],
    ["Node", { lib: ["es2022"], types: ["node"] }, openers.node],
  ])("the client is correct in %s under every strict flag, and values have its types", async (_, where, opener) => {
    expect(await errorsOf(compiler, where, await textOf(catalogue), opener + uses)).toBe("");
  });
});

test("an application of sockets alone has a client of them alone", async () => {
  const text = await textOf(`
-- a/a.ts --
import { type Connection, Socket } from "fw";
export const ask = Socket("GET /ask", async (_ctx, _req, socket: Connection<string, Date>) => {
  for await (const _asked of socket) await socket.send(new Date());
});
`);
  expect(text).toContain("ask(options?: ApiSocketOptions): ApiSocket<string, string>;");
  const use =
    'import { createClient } from "./api.ts";\nexport const asking = createClient().ask();\nawait asking.send("x");';
  expect(await errorsOf(compilers[0] ?? "", { lib: ["es2022", "dom"], types: [] }, text, use)).toBe("");
});

test("docs/client.md uses the client of the application that it shows", async () => {
  const page = await readFile(new URL("../../../../../docs/client.md", import.meta.url), "utf8");
  const blocks = Array.from(page.matchAll(/^```ts\n(.*?)^```$/gms), ([, code]) => code ?? "");
  const [application = ""] = blocks;
  const uses = blocks.filter((code) => !code.includes('from "fw"'));
  const text = await textOf(`-- library/books.ts --\n${application}`);
  expect(await errorsOf(compilers[0] ?? "", { lib: ["es2022", "dom"], types: [] }, text, uses.join(""))).toBe("");
});

/** Compiles a client together with a module that imports it, and returns the errors. */
async function errorsOf(compiler: string, where: object, api: string, use: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "fw-client-"));
  try {
    await writeFile(join(dir, "api.ts"), api);
    await writeFile(join(dir, "use.ts"), use);
    await writeFile(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...strict, ...where } }));
    await mkdir(join(dir, "node_modules"));
    await symlink(join(modules, "@types"), join(dir, "node_modules/@types"));
    const run = promisify(execFile)(process.execPath, [compiler, "-p", dir]);
    return (await run.catch((error: { stdout: string }) => error)).stdout;
  } finally {
    await rm(dir, { recursive: true });
  }
}

const strict = {
  target: "es2022",
  module: "esnext",
  moduleResolution: "bundler",
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
};

describe("what a client cannot be made of is refused at its line, all of it at once", () => {
  test.each([
    [
      "two constants of one name",
      `
-- a/a.ts --
import { API } from "fw";
export const list = API("GET /a", () => 1);
-- b/b.ts --
import { API } from "fw";
export const list = API("GET /b", () => 1);
-- c/c.ts --
import { API } from "fw";
export const list = API("GET /c", () => 1, { private: true });
`,
      ['b/b.ts:2:14: the client would have two methods "list": for GET /a and for GET /b (client)'],
    ],
    [
      "a type that is called as one of the client's own",
      `
-- a/a.ts --
import { API } from "fw";
export interface Item { a: string }
export const a = API("GET /a", (): Item[] => []);
-- b/b.ts --
import { API } from "fw";
export interface Item { b: string }
export interface ApiError { c: Item }
export const b = API("POST /b", (_ctx, _req: { error: ApiError }) => 1);
`,
      ['b/b.ts:3:18: the client already has a type named "ApiError" (client)'],
    ],
    [
      "one type that is a value and binds fields of a request",
      `
-- a/a.ts --
import { API } from "fw";
import type { Path, Query } from "fw";
export interface Search { q: Query; page?: Query }
export interface Move { id: Path; to: string }
export const search = API("GET /search", (_ctx, req: Search): { again: Search } => ({ again: req }));
export const move = API("PUT /{id}", (_ctx, req: Move) => 1);
export const moves = API("GET /moves", (): Move[] => []);
`,
      [
        'a/a.ts:3:18: "Search" binds "q" to the query of GET /search, and is a value that GET /search carries (client)',
        'a/a.ts:4:18: "Move" binds "id" to the path of PUT /{id}, and is a value that GET /moves carries (client)',
      ],
    ],
  ])("%s", async (_, app, lines) => {
    const made = await clientOf(app);
    expect("refusals" in made ? made.refusals.map(printLine) : made.text).toEqual(lines);
  });
});

test("what a type extends is part of it, wherever it comes from, and generic types are named for their arguments", async () => {
  const text = await textOf(`
-- a/base.ts --
export interface Base { id: string }
export interface Page<T> { items: T[] }
-- a/a.ts --
import { API } from "fw";
import type { Base, Page } from "./base.ts";
interface Item extends Base { name: string }
export const a = API("GET /a", (): Page<Item> => ({ items: [] }));
export const b = API("GET /b", (): Page<{ x: "<,>" }> => ({ items: [] }));
`);
  expect(text).toContain("export interface Item {\n  name: string;\n  id: string;\n}");
  expect(text).toContain("export interface PageOfItem {\n  items: Item[];\n}");
  expect(text).toContain('export interface PageOfX {\n  items: { x: "<,>" }[];\n}');
});

test("events are typed as their handler says: Events of a type, or bytes; in what cannot travel they are refused", async () => {
  const head = `
-- a/a.ts --
import { API, events, type Blob, type Events, type Int64 } from "fw";
interface Item { id: string; many: Int64 }
declare const items: AsyncIterable<Item>;
declare const unknown: AsyncIterable<unknown>;
`;
  const text = await textOf(`${head}
export const typed = API("GET /typed", (): Events<Item> => events(items));
export const told = API("GET /told", () => events(items));
export const bytes = API("GET /bytes", (): Blob => events(unknown));
`);
  expect(text).toContain("typed(options?: ApiEventOptions): globalThis.AsyncIterable<ApiEvent<Item>>;");
  expect(text).toMatch(
    /told\(options\?: ApiEventOptions\): globalThis.AsyncIterable<ApiEvent<\{[^}]*many: number;?\s*\}>>;/,
  );
  expect(text).toContain("bytes(options?: ApiCallOptions): globalThis.Promise<globalThis.Response>;");
  const { diagnostics } = await bench.analyze(`${head}
export const any = API("GET /any", () => events(unknown));
`);
  expect(diagnostics.map(printLine)).toEqual(["a/a.ts:6:36: unknown cannot be sent as JSON (fw/wire-type)"]);
});

test("words of the source cannot end a comment or a line of the client", async () => {
  const text = await textOf(String.raw`
-- package.json --
{ "name": "ap*/p\n\u2028 x", "type": "module" }
-- a/a.ts --
import { API } from "fw";
import type { Path } from "fw";
/** Text \u2028 with // and \u202e. */
export const a = API("POST /a*/{body}", (_ctx, _req: { body: Path; "__proto__": "\u2028*/" }) => 1);
export const b = API("GET /b*/x", () => 1);
-- c/c.ts --
import { API } from "fw";
export const c = API("GET /c*/x", () => 1, { private: true });
`);
  expect(parseSync("api.ts", text).errors).toEqual([]);
  expect(text).not.toMatch(/\u2028|\u202e/);
});

test("doc comments of the client say constraints", async () => {
  const text = await textOf(`
-- a/a.ts --
import { API } from "fw";
import type { Email, Int, Max, MaxItems, MaxLength, Min, MinLength, Pattern, Query } from "fw";
export interface Row {
  slug: string & Pattern<"a*/[a-z]+">;
  limit?: Query<Int & Min<1> & Max<100>>;
  /** What it is called. */
  title: string & MinLength<1> & MaxLength<200>;
  mail: (string & Email) | null;
  tags: string[] & MaxItems<5>;
}
export const row = API("POST /rows", (_ctx, { title }: Row) => title);
`);
  for (const note of [
    "At least 1 and at most 100.",
    "At least 1 and at most 200 characters.",
    "An email address.",
    "At most 5 items.",
    "Of the pattern `a*\\/[a-z]+`.",
  ])
    expect(text).toContain(note);
});
