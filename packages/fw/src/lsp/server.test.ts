import { renameSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { files } from "../workspace/testing/files.ts";
import { editorOn, useEditor } from "./testing/server.ts";

const route = (pattern: string, name = "get"): string =>
  `import { API } from "fw";\nexport const ${name} = API("GET ${pattern}", (): { ok: boolean } => ({ ok: true }));\n`;

const wrong = route("/_fw/orders");
const wrongAt = "1:23 fw/reserved-prefix";

describe("what is wrong", () => {
  const plain = useEditor({ "shop/api.ts": route("/orders"), "shop/other.ts": route("/others") });
  afterEach(() => plain().client.close("shop/api.ts"));

  test("is told of a text that is not saved, and gone when it is right again", async () => {
    const { client } = plain();
    client.open("shop/api.ts");
    client.edit("shop/api.ts", wrong);
    await client.told("shop/api.ts", [wrongAt]);
    client.edit("shop/api.ts", route("/orders"));
    await client.told("shop/api.ts", []);
  });

  test("is told of files that nobody opened, as of all of the application", async () => {
    const { client, app } = editorOn({ "shop/api.ts": wrong });
    await client.start();
    await client.told("shop/api.ts", [wrongAt]);
    app.write({ "shop/api.ts": route("/orders") });
    await client.told("shop/api.ts", []);
  });

  test("is told of the text that its version says, however fast the texts follow one another", async () => {
    const { client } = plain();
    client.open("shop/api.ts");
    const [versions, from] = [60, client.published.length];
    for (let version = 2; version <= versions; version += 1) {
      client.edit("shop/api.ts", "\n".repeat(version) + wrong);
      if (version % 7 === 0) await client.request("textDocument/hover", here(client.uri("shop/api.ts")));
    }
    await client.told("shop/api.ts", [`${versions + 1}:23 fw/reserved-prefix`]);
    const own = client.published
      .slice(from)
      .filter(({ uri, version }) => uri === client.uri("shop/api.ts") && version !== 1);
    const notified = own.filter(({ diagnostics }) => diagnostics.length > 0);
    expect(notified.map(({ diagnostics }) => diagnostics[0]?.range.start.line)).toEqual(
      notified.map(({ version = 0 }) => version + 1),
    );
    expect(own.map(({ version }) => version)).toEqual(
      own.map(({ version }) => version).toSorted((a = 0, b = 0) => a - b),
    );
  });

  test("is placed as an editor counts: UTF-16 units, CR LF, CR, and no line at a separator of Unicode", async () => {
    const before = `/* 😀\u2028 é */ import { API } from "fw";\r\nexport const a = 1;\r`;
    const { client } = plain();
    client.open("shop/api.ts", `${before}/*😀*/ export const get = API("GET /_fw/a", (): void => {});\n`);
    await client.told("shop/api.ts", ["2:30 fw/reserved-prefix"]);
    client.edit("shop/api.ts", "", { start: { line: 0, character: 0 }, end: { line: 0, character: 11 } });
    await client.told("shop/api.ts", ["2:30 fw/reserved-prefix"]);
    client.edit("shop/api.ts", "b", { start: { line: 2, character: 36 }, end: { line: 2, character: 39 } });
    await client.told("shop/api.ts", []);
  });

  test("is that of the disk again once a file is closed unsaved", async () => {
    const { client } = plain();
    client.open("shop/api.ts", wrong);
    await client.told("shop/api.ts", [wrongAt]);
    client.close("shop/api.ts");
    await client.told("shop/api.ts", []);
  });

  test("counts a file that is not written yet, also for those that import it", async () => {
    const { client } = editorOn({
      "shop/api.ts": `import { API } from "fw";\nimport { path } from "./path.ts";\nexport const get = API(path, () => ({ n: 1 }));\n`,
    });
    await client.start();
    await client.told("shop/api.ts", ["1:21 import"]);
    client.open("shop/path.ts", `export const path = "GET /_fw/x";\n`);
    await client.told("shop/api.ts", ["2:23 fw/reserved-prefix"]);
    client.edit("shop/path.ts", `export const path = "GET /x";\n`);
    await client.told("shop/api.ts", []);
    client.close("shop/path.ts");
    await client.told("shop/api.ts", ["1:21 import"]);
  });

  test("counts unsaved texts of files outside of an application that it imports", async () => {
    const { client } = editorOn({
      "shared/path.ts": `export const path = "GET /x";\n`,
      "app/package.json": `{ "name": "inner", "type": "module", "dependencies": { "fw": "*" } }`,
      "app/shop/api.ts": `import { API } from "fw";\nimport { path } from "../../shared/path.ts";\nexport const get = API(path, () => ({ n: 1 }));\n`,
    });
    await client.start(["app"]);
    client.open("app/shop/api.ts");
    await client.told("app/shop/api.ts", []);
    await client.request("textDocument/hover", here(client.uri("app/shop/api.ts")));
    client.open("shared/path.ts");
    client.edit("shared/path.ts", `export const path = "GET /_fw/x";\n`);
    await client.told("app/shop/api.ts", ["2:23 fw/reserved-prefix"]);
    client.close("shared/path.ts");
    await client.told("app/shop/api.ts", []);
  });

  test("follows files that are renamed, deleted and made on disk", async () => {
    const { client, app } = editorOn({ "shop/api.ts": wrong });
    await client.start();
    await client.told("shop/api.ts", [wrongAt]);
    renameSync(app.path("shop/api.ts"), app.path("shop/routes.ts"));
    await client.told("shop/api.ts", []);
    await client.told("shop/routes.ts", [wrongAt]);
    app.remove("shop/routes.ts");
    await client.told("shop/routes.ts", []);
    app.write({ "shop/new.ts": wrong });
    await client.told("shop/new.ts", [wrongAt]);
  });

  test("of types that the source does not spell out is what TypeScript infers of the unsaved texts", async () => {
    const handler = (value: string): string => `export const value = () => (${value});\n`;
    const { client } = editorOn({
      "shop/api.ts": `import { API } from "fw";\nimport { value } from "./value.ts";\nexport const get = API("GET /x", () => ({ v: value() }));\n`,
      "shop/value.ts": handler("1"),
    });
    await client.start();
    client.open("shop/value.ts");
    client.edit("shop/value.ts", handler("new Map<string, string>()"));
    await client.told("shop/api.ts", ["2:13 fw/wire-type"]);
    client.edit("shop/value.ts", handler("2"));
    await client.told("shop/api.ts", []);
  });

  test("of templates is told while they are typed: their syntax, and what they are given", async () => {
    const page = (name: string): string =>
      `import { Page, Site } from "fw";\nexport const site = Site("./web");\nexport const home = Page("GET /", (ctx) => site.fragment(ctx, "home.html", { ${name}: "a" }));\n`;
    const { client } = editorOn({
      "web/site.ts": page("title"),
      "web/web/templates/home.html": "<p>{{title}}</p>",
    });
    await client.start();
    client.open("web/web/templates/home.html");
    client.edit("web/web/templates/home.html", "<p>{{#if title}}</p>");
    await client.told("web/web/templates/home.html", ["0:3 template"]);
    client.edit("web/web/templates/home.html", "<p>{{titel}}</p>");
    await client.told("web/web/templates/home.html", ["0:5 template"]);
    client.open("web/site.ts");
    client.edit("web/site.ts", page("titel"));
    await client.told("web/web/templates/home.html", []);
  });

  test("with a file that does not parse is told where it does not, and nothing that only follows from it", async () => {
    const { client } = editorOn({ "shop/api.ts": route("/orders"), "shop/other.ts": wrong });
    await client.start();
    await client.told("shop/other.ts", [wrongAt]);
    client.open("shop/api.ts");
    client.edit("shop/api.ts", `${route("/orders")}export const b = API("GET /b", () => {`);
    await expect.poll(() => client.problems("shop/api.ts")).toHaveLength(1);
    expect(client.problems("shop/api.ts")[0]).toMatch(/ syntax$/);
  });

  test("counts settings of the application as they were saved, also while they are typed", async () => {
    const { client, app } = editorOn({ "shop/api.ts": wrong });
    await client.start();
    await client.told("shop/api.ts", [wrongAt]);
    client.open("package.json");
    client.edit("package.json", "{");
    expect(await client.request("textDocument/hover", here(client.uri("package.json")))).toBeNull();
    expect(client.published.filter(({ uri }) => uri === client.uri("package.json"))).toEqual([]);
    app.write({ "package.json": "{" });
    await expect.poll(() => client.problems("package.json")).toHaveLength(1);
  });

  test("is told of every folder that is an application, until it is closed", async () => {
    const { client } = editorOn({
      "one/package.json": `{ "name": "one", "type": "module", "dependencies": { "fw": "*" } }`,
      "one/shop/api.ts": wrong,
      "two/package.json": `{ "name": "two", "type": "module", "devDependencies": { "fw": "*" } }`,
      "two/shop/api.ts": wrong,
      "other/package.json": `{ "name": "other", "type": "module" }`,
      "other/api.ts": "import 'nowhere';",
    });
    await client.start(["one", "other"]);
    await client.told("one/shop/api.ts", [wrongAt]);
    const folder = (name: string): object => ({ uri: client.uri(name), name });
    client.notify("workspace/didChangeWorkspaceFolders", {
      event: { added: [folder("two")], removed: [folder("one")] },
    });
    await client.told("one/shop/api.ts", []);
    await client.told("two/shop/api.ts", [wrongAt]);
    expect(client.published.filter(({ uri }) => uri.startsWith(client.uri("other")))).toEqual([]);
  });

  test("is not told of files outside of any application, nor of texts that are no file", async () => {
    using elsewhere = files({ "api.ts": wrong });
    const { client } = editorOn({ "shop/api.ts": route("/orders") });
    await client.start();
    const uris = [
      `file://${elsewhere.path("api.ts")}`,
      "untitled:Untitled-1",
      "git:/a.ts?ref",
      "file://elsewhere/a.ts",
      ":",
    ];
    for (const uri of uris) {
      client.notify("textDocument/didOpen", { textDocument: { uri, version: 1, text: wrong } });
      client.notify("textDocument/didChange", { textDocument: { uri, version: 2 }, contentChanges: [{ text: wrong }] });
      expect(await client.request("textDocument/hover", here(uri))).toBeNull();
      client.notify("textDocument/didClose", { textDocument: { uri } });
    }
    expect(client.published.filter(({ uri }) => uris.includes(uri))).toEqual([]);
  });

  test("of TypeScript is told where a client asks for it, and else left to its own support of TypeScript", async () => {
    const text = `export const n: number = "text";\n`;
    const own = editorOn({ "shop/n.ts": text, "shop/api.ts": wrong });
    await own.client.start([""], { types: true });
    await own.client.told("shop/n.ts", ["0:13 ts2322"]);
    const without = editorOn({ "shop/n.ts": text, "shop/api.ts": wrong });
    await without.client.start();
    await without.client.told("shop/api.ts", [wrongAt]);
    expect(without.client.problems("shop/n.ts")).toEqual([]);
  });
});

test("a request that is cancelled is answered so, and the next one as ever", async () => {
  const { client } = editorOn({ "shop/api.ts": route("/orders") });
  await client.start();
  client.open("shop/api.ts");
  const id = client.begin("textDocument/hover", here(client.uri("shop/api.ts")));
  const answer = client.answer(id);
  client.notify("$/cancelRequest", { id });
  expect(await answer).toMatchObject({ id, error: { code: -32_800 } });
  expect(await client.request("textDocument/hover", here(client.uri("shop/api.ts")))).toBeNull();
});

function here(uri: string): object {
  return { textDocument: { uri }, position: { line: 0, character: 0 } };
}
