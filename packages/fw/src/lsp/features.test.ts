import { describe, expect, test } from "vitest";
import { editorOn, useEditor } from "./testing/server.ts";

const site = `import { Page, Redirect, RedirectPermanent, Site } from "fw";
import type { Path } from "fw";
export const site = Site("./web", { redirects: { "/alt": "/notes/new" } });
export const home = Page("GET /", (ctx) => site.render(ctx, "home.html"));
export const note = Page("GET /notes/{id}", (ctx, { id }: { id: Path }) => site.fragment(ctx, "notes/one", { id }));
export const fresh = Page("GET /notes/new", () => RedirectPermanent(\`/about.html?from=new\`));
export const save = Page("POST /notes", (ctx) => Redirect(\`/notes/\${ctx.requestId}#top\`));
export const out = Page("GET /out", () => Redirect("https://example.com/"));
`;

const files = {
  "notes/site.ts": site,
  "notes/web/templates/layout.html": "<!doctype html>{{content}}",
  "notes/web/templates/home.html": "<p>{{> notes/_list}}</p>\n",
  "notes/web/templates/notes/_list.html": "<ul></ul>",
  "notes/web/templates/notes/one.html": "<p>{{id}}</p>",
  "notes/web/about.html": "<p>about</p>",
};

interface Location {
  readonly uri: string;
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
}

describe("what is named leads to where it stands", () => {
  const editorOf = useEditor(files);

  test("a template to its file, a redirect to its route or its file, and anything else to nothing", async () => {
    const { client } = editorOf();
    client.open("notes/site.ts");
    const leads = async (needle: string): Promise<readonly string[]> => {
      const location = (await client.at("textDocument/definition", "notes/site.ts", site, needle)) as Location[] | null;
      return (location ?? []).map(
        ({ uri, range: { start } }) => `${uri.slice(client.uri("").length + 1)}:${start.line}`,
      );
    };
    expect(await leads("home.html")).toEqual(["notes/web/templates/home.html:0"]);
    expect(await leads("notes/one")).toEqual(["notes/web/templates/notes/one.html:0"]);
    expect(await leads("about.html")).toEqual(["notes/web/about.html:0"]);
    expect(await leads('/notes/new" } })')).toEqual(["notes/site.ts:5"]);
    expect(await leads("notes/${")).toEqual(["notes/site.ts:4"]);
    expect(await leads("https://")).toEqual([]);
    expect(await leads("GET /out")).toEqual([]);
    expect(await leads('Redirect("https')).toEqual([]);
  });

  test("a partial to its file, as it is typed", async () => {
    const { client } = editorOf();
    const path = "notes/web/templates/home.html";
    client.open(path);
    const location = await client.at("textDocument/definition", path, files[path], "_list");
    expect(location).toMatchObject([{ uri: client.uri("notes/web/templates/notes/_list.html") }]);
    const text = "{{#if}} {{> notes/one id=1}}";
    client.edit(path, text);
    expect(await client.at("textDocument/definition", path, text, "one")).toMatchObject([
      { uri: client.uri("notes/web/templates/notes/one.html") },
    ]);
    expect(await client.at("textDocument/definition", path, text, "id=1")).toBeNull();
  });
});

describe("what may stand there is offered", () => {
  const editorOf = useEditor(files);

  const offered = (answer: unknown): readonly string[] =>
    ((answer as { items: { textEdit: { newText: string } }[] } | null)?.items ?? []).map(
      ({ textEdit }) => textEdit.newText,
    );

  test("names of templates where one is rendered, also while the source does not parse", async () => {
    const { client } = editorOf();
    client.open("notes/site.ts");
    // Waits until the server has read the state before the user types.
    await client.at("textDocument/hover", "notes/site.ts", site, "home");
    const text = `${site}export const more = Page("GET /more", (ctx) => site.render(ctx, "no`;
    client.edit("notes/site.ts", text);
    const location = await client.at("textDocument/completion", "notes/site.ts", `${text}|`, "|");
    expect(offered(location)).toEqual(["home.html", "layout.html", "notes/_list.html", "notes/one.html"]);
    expect(location).toMatchObject({
      items: [{ textEdit: { range: { start: { line: 8, character: 65 } } } }, {}, {}, {}],
    });
  });

  test("in the place of the whole name that is pointed at, which may be used already", async () => {
    const { client } = editorOf();
    client.open("notes/site.ts");
    const location = await client.at("textDocument/completion", "notes/site.ts", site, "me.html");
    const range = { start: { line: 3, character: 61 }, end: { line: 3, character: 70 } };
    expect(location).toMatchObject({ items: [{ label: "home.html", textEdit: { range } }, {}, {}, {}] });
    client.close("notes/site.ts");
  });

  test("names of partials in a template", async () => {
    const { client } = editorOf();
    const path = "notes/web/templates/home.html";
    client.open(path);
    client.edit(path, "<p>{{> not");
    const location = await client.at("textDocument/completion", path, "<p>{{> not|", "|");
    expect(offered(location)).toEqual(["notes/_list.html", "notes/one.html"]);
    client.edit(path, "<p>{{no");
    expect(await client.at("textDocument/completion", path, "<p>{{no|", "|")).toBeNull();
  });

  test("parameters in a route that its request has and it has not yet", async () => {
    const { client } = editorOf();
    client.open("notes/api.ts", "");
    const typed = (route: string): string =>
      `import { API } from "fw";\nimport type { Path } from "fw";\nexport const one = API("GET ${route}", (_ctx, req: { id: Path; part: Path; other: Path<string, "rest"> }) => ({ ok: req.id }));\n`;
    const complete = async (route: string): Promise<readonly string[]> => {
      const text = typed(route);
      client.edit("notes/api.ts", text.replace("|", ""));
      return offered(await client.at("textDocument/completion", "notes/api.ts", text, "|"));
    };
    expect(await complete("/a/{|")).toEqual(["id}", "part}", "rest}"]);
    expect(await complete("/a/{id}/{p|}")).toEqual(["part", "rest"]);
    expect(await complete("/a/|")).toEqual([]);
  });
});

describe("a fix", () => {
  const wrong = `import { Role, RequireRole } from "fw";\r\nconst Editor = Role("editor"); /* 😀 */ export const can = RequireRole(Editor);\r\n`;

  test("is offered where the problem is, and its edits put it right", async () => {
    const { client } = editorOn({ "team/roles.ts": wrong });
    await client.start();
    client.open("team/roles.ts");
    await client.told("team/roles.ts", ["1:6 fw/unexported-role"]);
    const ask = (line: number, context: object = { diagnostics: [] }): Promise<unknown> =>
      client.request("textDocument/codeAction", {
        textDocument: { uri: client.uri("team/roles.ts") },
        range: { start: { line, character: 8 }, end: { line, character: 8 } },
        context,
      });
    const insert = { range: { start: { line: 1, character: 0 }, end: { line: 1, character: 0 } }, newText: "export " };
    expect(await ask(1)).toMatchObject([
      {
        title: "Add export",
        kind: "quickfix",
        diagnostics: [{ code: "fw/unexported-role" }],
        edit: { changes: { [client.uri("team/roles.ts")]: [insert] } },
      },
    ]);
    expect(await ask(0)).toEqual([]);
    expect(await ask(1, { diagnostics: [], only: ["refactor"] })).toEqual([]);
    client.edit("team/roles.ts", insert.newText, insert.range);
    await client.told("team/roles.ts", []);
    expect(await ask(1)).toEqual([]);
  });

  test("is offered for an error that TypeScript's own server shows", async () => {
    const { client } = editorOn({
      "shop/label.ts": `import type { Query } from "fw";
const LABELS = { open: "Open", paid: "Paid" };
export const label = (req: { status: Query<"open" | "paid"> }): string => LABELS[req.status];
`,
    });
    await client.start();
    client.open("shop/label.ts");
    const key = { start: { line: 2, character: 81 }, end: { line: 2, character: 91 } };
    const ask = (code: number): Promise<unknown> =>
      client.request("textDocument/codeAction", {
        textDocument: { uri: client.uri("shop/label.ts") },
        range: key,
        context: { diagnostics: [{ range: key, message: "", source: "ts", code }] },
      });
    const edit = { range: key, newText: 'req.status as "open" | "paid"' };
    expect(await ask(7053)).toMatchObject([
      { title: 'Convert the key to "open" | "paid"', edit: { changes: { [client.uri("shop/label.ts")]: [edit] } } },
    ]);
    expect(await ask(2322)).toEqual([]);
  });
});
