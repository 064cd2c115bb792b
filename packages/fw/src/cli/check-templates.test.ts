import { expect, test } from "vitest";
import { writeTypedApp } from "../analysis/testing/typed-app.ts";
import { fw } from "./testing/run.ts";

const layout = "<!doctype html>{{content}}";

/** Runs `fw check` on an application and returns its diagnostics, one per line, without code frames. */
async function check(text: string): Promise<string[]> {
  await using app = await writeTypedApp(`-- web/templates/layout.html --\n${layout}\n${text}`);
  const { out } = await fw(app.root, "check", "--json");
  const { diagnostics } = JSON.parse(out) as { diagnostics: readonly Printed[] };
  return diagnostics.map(({ code, path, line, column, message, hint, related }) => {
    const places = related.map((each) => `${each.path}:${each.line}:${each.column} ${each.message}`);
    const first = `${path}:${line}:${column} ${message} (${code})`;
    return [first, ...(hint === null ? [] : [hint]), ...places].join(" | ");
  });
}

interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

interface Printed extends Place {
  readonly code: string;
  readonly hint: string | null;
  readonly related: readonly Place[];
}

/** Returns the source of a page that renders `page.html` with data, after other declarations. */
function page(data: string, template: string, declarations = ""): string {
  return `-- pages.ts --
import { Page, Site } from "fw";
${declarations}
export const site = Site("./web");
export const page = Page("GET /", async (ctx) => site.render(ctx, "page.html", ${data}));
-- web/templates/page.html --
${template}`;
}

const notes = `interface Author { name: string; email?: string }
interface Note { title: string; author: Author; tags: string[]; at: Date; more: Record<string, number> }
declare const notes: Note[];
declare function load(): Promise<Note>;`;

test("a name that no render passes is reported in the template, with the call and what was meant", async () => {
  expect(await check(page(`{ title: "x", count: 1 }`, "<h1>{{titel}}</h1>"))).toEqual([
    "web/templates/page.html:1:7 the data has no titel (template) | did you mean title? | pages.ts:4:80 rendered here with title, count",
  ]);
});

/** Returns the diagnostics without hints and related locations. */
async function messages(text: string): Promise<string[]> {
  return (await check(text)).map((each) => each.split(" | ")[0] ?? "");
}

test("names inside of lists, objects and block parameters are followed by their types", async () => {
  const template = `{{#each notes}}{{titel}}{{/each}}
{{#each notes as |note|}}{{note.author.nmae}}{{/each}}
{{#with first}}{{author.mail}}{{#each tags}}{{this.name}}{{/each}}{{/with}}
{{@root.frist.title}}`;
  expect(await messages(page("{ notes, first: notes[0] }", template, notes))).toEqual([
    "web/templates/page.html:1:18 an item of notes has no titel (template)",
    "web/templates/page.html:2:28 author of an item of notes has no nmae (template)",
    "web/templates/page.html:3:18 first.author has no mail (template)",
    "web/templates/page.html:3:47 an item of first.tags is a string and has no name (template)",
    "web/templates/page.html:4:3 the data has no frist (template)",
  ]);
});

test("a name of the data around a loop is meant with ../", async () => {
  expect(await check(page(`{ notes, heading: "x" }`, "{{#each notes}}{{heading}}{{/each}}", notes))).toEqual([
    expect.stringMatching(
      /^web\/templates\/page.html:1:18 an item of notes has no heading .* did you mean \.\.\/heading\? /,
    ),
  ]);
});

test("a loop over a single value, and a value that was not awaited, are reported", async () => {
  const template = `{{#each count}}x{{/each}}\n{{note.title}}\n{{#if at.year}}y{{/if}}`;
  expect(await check(page("{ count: 3, note: load(), at: new Date(0) }", template, notes))).toMatchObject([
    expect.stringContaining("page.html:1:9 {{#each count}} has nothing to iterate over: count is a number (template)"),
    expect.stringMatching(/page.html:2:3 note is a Promise and has no title \(template\) \| await it before rendering/),
    expect.stringContaining("page.html:3:7 at is a Date and has no year (template)"),
  ]);
});

test("partials are checked with what they are given, and a mistake in one is told once", async () => {
  const partials = `-- web/templates/_card.html --
<p>{{title}} {{wrong}} {{#if open}}{{open}}{{/if}} {{> _tags tags}}</p>
-- web/templates/_tags.html --
{{#each this}}{{name}}{{/each}}`;
  const template = `{{#each notes}}{{> _card}}{{/each}}{{#each notes as |note|}}{{> _card note open=true}}{{/each}}\n${partials}`;
  expect(await messages(page("{ notes }", template, notes))).toEqual([
    "web/templates/_card.html:1:16 an item of notes has no wrong (template)",
    "web/templates/_tags.html:1:17 an item of tags of an item of notes is a string and has no name (template)",
  ]);
});

test("a name that only some pages pass is normal in a layout, and one that none passes is not", async () => {
  const app = `-- pages.ts --
import { Page, Site } from "fw";
export const site = Site("./web");
export const one = Page("GET /one", async (ctx) => site.render(ctx, "one", { title: "x" }));
export const two = Page("GET /two", async (ctx) => site.render(ctx, "two.html"));
-- web/templates/layout.html --
<title>{{#if title}}{{title}}{{/if}}</title>{{content}}{{footer}}
-- web/templates/one.html --
one
-- web/templates/two.html --
two`;
  expect(await messages(app)).toEqual(["web/templates/layout.html:1:58 the data has no footer (template)"]);
});

test("a missing template is reported where it is named, with the templates/ location", async () => {
  const app = `-- site.ts --
import { Site } from "fw";
export default Site("./web");
-- shared/site.ts --
import * as fw from "fw";
export const site = fw.Site("../web");
-- pages.ts --
import { Page } from "fw";
import { site as pages } from "./shared/site.ts";
import * as shared from "./shared/site.ts";
const name = "hom.html";
export const one = Page("GET /one", async (ctx) => pages.render(ctx, name, {}));
export const two = Page("GET /two", async (ctx) => shared.site.fragment(ctx, ctx.isHTMX ? "home" : "part.html"));
-- web/templates/home.html --
home`;
  expect(await check(app)).toEqual([
    "pages.ts:5:70 there is no template hom.html in web/templates/ (template) | did you mean home.html?",
    "pages.ts:6:78 there is no template part.html in web/templates/ (template) | add web/templates/part.html",
    expect.stringContaining("site.ts:2:16 "),
  ]);
});

test("a template of a mail has a title, in itself or in a template that it includes", async () => {
  const app = `-- mails.ts --
import { Mail, type MailMessage, Page, Queue, Site, Worker } from "fw";
export const site = Site("./web");
export const queue = Queue<MailMessage>("mails");
export const send = Worker(queue, () => {});
export const plain = Mail("plain", (ctx) => site.fragment(ctx, "plain.html"), { queue });
export const included = Mail("included", (ctx) => site.fragment(ctx, "included.html"), { queue });
export const whole = Mail("whole", (ctx) => site.render(ctx, "plain.html"), { queue });
export const page = Page("GET /", (ctx) => site.fragment(ctx, "plain.html"));
export const empty = Mail("empty", (ctx) => site.fragment(ctx, "empty.html"), { queue });
export const component = Mail("component", (ctx) => site.fragment(ctx, "component.html"), { queue });
-- web/templates/layout.html --
<title>Shop</title>{{content}}
-- web/templates/empty.html --
<!-- <title>Old</title> {{> head}} -->{{!-- <title>Older</title> --}}<title> </title><p>Hello</p>
-- web/templates/component.html --
{{#> frame}}<p>Hello</p>{{/frame}}
-- web/templates/frame.html --
{{> head}}{{slot}}
-- web/templates/plain.html --
<p>Hello</p>
-- web/templates/included.html --
{{> head}}<p>Hello</p>
-- web/templates/head.html --
<title>Hello</title>`;
  expect(await check(app)).toEqual([
    "mails.ts:5:64 the template plain.html of a mail has no <title>, which is the subject (template) | add <title>…</title> to the <head> in web/templates/plain.html",
    "mails.ts:9:64 the template empty.html of a mail has no <title>, which is the subject (template) | add <title>…</title> to the <head> in web/templates/empty.html",
  ]);
});

test("a document needs a layout", async () => {
  await using app = await writeTypedApp(page("{}", "hello"));
  expect((await fw(app.root, "check")).out).toContain(
    "pages.ts:4:55: web/templates/ has no layout.html, which site.render fills (template)",
  );
});

test("a generator that has not run yet is not waited for", async () => {
  const app = `-- pages.ts --
import { Page, Site } from "fw";
export const site = Site("./out", { build: { command: "node make.mjs", out: "./out" } });
export const page = Page("GET /", async (ctx) => site.render(ctx, "page.html", {}));`;
  expect(await check(app)).toEqual([]);
});

/** Data and templates of valid but unusual pages. */
const right: Readonly<Record<string, readonly [data: string, template: string]>> = {
  any: ["JSON.parse(text)", "{{a.b.c}}"],
  unknown: [`JSON.parse(text) as unknown`, "{{a}}{{#each b}}{{c}}{{/each}}"],
  "an assertion": ["notes as any", "{{a}}"],
  "a generic": ["identity({ title: text })", "{{title}}"],
  "an unconstrained parameter": ["{ value: make() }", "{{value.deep}}"],
  "optional names": ["{ note: maybe }", "{{note.title}}{{#if note.author}}{{note.author.email}}{{/if}}"],
  "a name of one variant": ["shape", "{{#if radius}}{{radius}}{{else}}{{width}}{{/if}}"],
  "variants of a part": ["{ shapes: [shape] }", "{{#each shapes}}{{radius}}{{width}}{{/each}}"],
  "a spread": ["{ ...note, extra: 1 }", "{{title}}{{author.name}}{{extra}}"],
  "a spread under a condition": [
    "{ ...(text && { hint: text }), ...(note ? { note } : {}) }",
    "{{hint}}{{note.title}}",
  ],
  "a spread of any": ["{ ...JSON.parse(text), a: 1 }", "{{b}}"],
  "a computed key": ["{ [text]: 1, a: 1 }", "{{b}}"],
  "a record": ["{ prices: table }", "{{prices.anything}}{{#each prices}}{{this}}{{@key}}{{/each}}"],
  "a map and a set": [
    "{ map: new Map([[text, note]]), set: new Set([note]) }",
    "{{map.size}}{{map.key.title}}{{#each map}}{{title}}{{/each}}{{set.size}}{{#each set}}{{title}}{{/each}}",
  ],
  "lengths and indexes": [
    "{ notes, text }",
    "{{notes.length}}{{notes.[0].title}}{{text.length}}{{#if notes.length}}x{{/if}}",
  ],
  "a tuple": ["{ pair: [note, 1] as const }", "{{pair.[0].title}}{{pair.[1]}}{{#each pair}}{{title}}{{/each}}"],
  entries: ["{ rows: Object.entries(table) }", "{{#each rows as |row|}}{{row.[0]}} {{row.[1]}}{{/each}}"],
  "an object gone through": ["{ note }", "{{#each note}}{{this}}{{name}}{{/each}}"],
  "a generator": ["{ rows: rows() }", "{{#each rows}}{{title}}{{/each}}"],
  "a class": ["{ page: new Pager(text) }", "{{page.size}}{{page.next}}{{page.total}}"],
  "an intersection": ["both", "{{title}}{{more}}"],
  "a utility type": ["{ note: partial, keyed }", "{{note.title}}{{keyed.a.title}}"],
  "an interface that extends": ["{ long }", "{{long.title}}{{long.body}}"],
  "an error": ["{ error: new TypeError(text) }", "{{error.message}}{{error.code}}"],
  html: ["{ side: site.fragment(ctx, 'side.html', {}) }", "{{side}}"],
  null: ["null", "hello"],
  "a value that is nothing here": ["{ user: null, list: [] }", "{{user.name}}{{#each list}}{{name}}{{/each}}"],
  helpers: [
    "{ notes, text, table }",
    "{{#if (and text (gt notes.length 1))}}{{lookup table text}}{{/if}}{{or text 'x'}}{{#each (or notes text)}}{{zzz}}{{/each}}{{markdown text}}",
  ],
  "names of helpers": [
    "{ csrf: 1, content: text, markdown: text }",
    "{{csrf}}{{csrfToken}}{{content}}{{this.csrf}}{{markdown}}",
  ],
  "block parameters that hide": [
    "{ notes, title: { deep: 1 } }",
    "{{#each notes as |title i|}}{{title.title}}{{i}}{{/each}}{{title.deep}}",
  ],
  "scopes around": [
    "{ notes, heading: text }",
    "{{#each notes}}{{#with author}}{{name}}{{../title}}{{../../heading}}{{@root.heading}}{{/with}}{{#if title}}{{../heading}}{{/if}}{{@index}}{{@first}}{{/each}}",
  ],
  "the branch for nothing": [
    "{ notes, empty: text }",
    "{{#each notes}}{{title}}{{else}}{{empty}}{{/each}}{{#with notes.[0]}}{{title}}{{else}}{{empty}}{{/with}}",
  ],
  "a template that uses itself": ["{ tree }", "{{> tree node=tree}}"],
  "a partial given names": ["{ note }", "{{> row note label=note.title}}{{> row title='x' at=note.at}}"],
  "a name with a dash": ["{ 'data-id': 1, 'a b': { c: 1 } }", "{{data-id}}{{[a b].c}}{{this.[data-id]}}"],
  "an awaited value": [
    "{ note: await load(), all: await Promise.all([load()]) }",
    "{{note.title}}{{#each all}}{{title}}{{/each}}",
  ],
  "a mapped list": [
    "{ cards: notes.map((each) => ({ ...each, at: text })) }",
    "{{#each cards}}{{title}}{{at}}{{author.name}}{{/each}}",
  ],
  literals: ["{ color: Color.Red, size: 'big' as const }", "{{color}}{{#if (eq size 'big')}}{{size.length}}{{/if}}"],
  "what the request says": ["{ ...request, slug: request.id }", "{{id}}{{slug}}{{#each tag}}{{this}}{{/each}}"],
  "a map and a list with more names": [
    "{ index: new Index(), many: new Many() }",
    "{{index.anything.title}}{{#each index}}{{title}}{{/each}}{{many.total}}{{many.length}}{{#each many}}{{title}}{{/each}}",
  ],
  getters: ["{ get now() { return note; }, make() { return note; } }", "{{now.title}}{{make}}"],
};

/** By kind of data: an expression, a template with a name that the data lacks, and the expected message. */
const wrong: Readonly<Record<string, readonly [data: string, template: string, missing: string]>> = {
  "a generic": ["identity({ title: text })", "{{titel}}", "the data has no titel"],
  "optional names": ["{ note: maybe }", "{{note.author.mail}}", "note.author has no mail"],
  variants: ["shape", "{{height}}", "the data has no height"],
  "a spread": ["{ ...note, extra: 1 }", "{{author.nam}}", "author has no nam"],
  "a spread under a condition": ["{ ...(text && { hint: text }), a: 1 }", "{{hind}}", "the data has no hind"],
  "a nested literal": ["{ a: { b: { c: note } } }", "{{a.b.c.tags}}{{a.b.d}}", "a.b has no d"],
  "a record's values": ["{ notes: { x: note } as Record<string, Note> }", "{{notes.x.foo}}", "notes.x has no foo"],
  "a map": ["{ map: new Map([[text, note]]) }", "{{#each map}}{{foo}}{{/each}}", "an item of map has no foo"],
  "a set": ["{ set: new Set([note]) }", "{{#each set}}{{foo}}{{/each}}", "an item of set has no foo"],
  "a tuple": ["{ pair: [note, note] as const }", "{{pair.[1].foo}}", "pair.1 has no foo"],
  "a class": ["{ page: new Pager(text) }", "{{page.sizes}}", "page has no sizes"],
  "an intersection": ["both", "{{most}}", "the data has no most"],
  "a utility type": ["{ keyed }", "{{keyed.a.at}}", "keyed.a has no at"],
  "a type that is defined as itself": ["{ tree }", "{{> branch tree}}", "an item of tree.children has no name"],
  "an awaited value": ["{ note: await load() }", "{{note.foo}}", "note has no foo"],
  "an awaited argument": ["await load()", "{{foo}}", "the data has no foo"],
  "a mapped list": [
    "{ cards: notes.map((each) => ({ ...each, b: 1 })) }",
    "{{#each cards}}{{c}}{{/each}}",
    "an item of cards has no c",
  ],
  "what the request says": ["request", "{{slug}}", "the data has no slug"],
  "no data": ["undefined", "{{title}}", "the data has no title"],
  "a branch": ["{ a: 1 }", "{{#if a}}{{else}}{{b}}{{/if}}", "the data has no b"],
  "an argument of a helper": ["{ a: 1 }", "{{#if (eq a (concat b 'x'))}}y{{/if}}", "the data has no b"],
};

function manyPages(cases: readonly (readonly [data: string, template: string, ...unknown[]])[]): string {
  const pages = cases.map(
    ([data], index) =>
      `export const page${index} = Page("GET /p${index}/{id}", async (ctx, request: Req) => site.render(ctx, "p${index}.html", ${data}));`,
  );
  const templates = cases.map(([, template], index) => `-- web/templates/p${index}.html --\n${template}\n`);
  return `-- types.ts --
import type { Path, Query } from "fw";
export interface Author { name: string; email?: string }
export interface Note { title: string; author: Author; tags: string[]; at: Date }
export interface Long extends Note { body: string }
export type Shape = { kind: "circle"; radius: number } | { kind: "box"; width: number };
export interface Tree { label: string; children: Tree[] }
export interface Req { id: Path; tag?: Query<string[]> }
export const Color = { Red: "red", Blue: "blue" } as const;
export class Index extends Map<string, Note> { made = 1 }
export class Many extends Array<Note> { total = 1 }
export class Pager {
  #hidden = 1;
  size = this.#hidden;
  readonly total: number;
  constructor(text: string) { this.total = text.length; }
  get next(): number { return this.size + 1; }
}
-- pages.ts --
import { Page, Site } from "fw";
import { Color, Index, Many, Pager, type Long, type Note, type Req, type Shape, type Tree } from "./types.ts";
declare const notes: Note[], note: Note, maybe: Note | undefined, text: string, shape: Shape, tree: Tree, long: Long;
declare const table: Record<string, number>, both: Note & { more: number }, partial: Partial<Note>, keyed: { [K in "a" | "b"]: Pick<Note, "title"> };
declare function load(): Promise<Note>;
declare function make<T>(): T;
function identity<T extends object>(value: T): T { return value; }
function* rows(): Iterable<Note> { yield note; }
export const used = [Color, Index, Many, long, table, both, partial, keyed, make, rows];
export const site = Site("./web");
${pages.join("\n")}
-- web/templates/tree.html --
{{#with node}}{{label}}{{#each children}}{{> tree node=this}}{{/each}}{{/with}}
-- web/templates/branch.html --
{{label}}{{#each children}}{{name}}{{> branch}}{{/each}}
-- web/templates/row.html --
{{title}}{{label}}{{#if at}}{{at}}{{/if}}
-- web/templates/side.html --
side
${templates.join("")}`;
}

test("odd but right code is left alone", async () => {
  const names = Object.keys(right);
  expect(names.length).toBeGreaterThan(30);
  const found = await messages(manyPages([...Object.values(right), ["{ a: 1 }", "{{here}}"]]));
  const named = found.map((each) => each.replace(/p(\d+)\.html/, (_, n) => names[Number(n)] ?? "the wrong page"));
  expect(named).toEqual(["web/templates/the wrong page:1:3 the data has no here (template)"]);
});

test("the same kinds of data tell what is not there", async () => {
  const diagnostics = (await messages(manyPages(Object.values(wrong)))).map(
    (each) => / (.*) \(template\)$/.exec(each)?.[1],
  );
  expect(diagnostics.toSorted()).toEqual(
    Object.values(wrong)
      .map(([, , missing]) => missing)
      .toSorted(),
  );
});

test("a site that is handed on, or rendered by a name that cannot be read, is not judged by what it is passed here", async () => {
  const handedOn = page(`{ title: "x" }`, "{{other}}", "function use(any: unknown) { return any; }");
  expect(
    await messages(
      `${handedOn}\n-- more.ts --\nimport { site } from "./pages.ts";\nconst [first] = [site];\nexport const used = first;`,
    ),
  ).toEqual([]);
  const named = `-- more.ts --\nimport type { Context } from "fw";\nimport { site } from "./pages.ts";
export const show = (ctx: Context, name: string, data: object) => site.render(ctx, name, data);`;
  expect(await messages(`${page(`{ title: "x" }`, "{{other}}")}\n${named}`)).toEqual([]);
});

test("a name whose type is one of a few is read from the type", async () => {
  const more = `-- more.ts --\nimport type { Context } from "fw";\nimport { site } from "./pages.ts";
export const show = (ctx: Context, name: "page.html" | "gone.html") => site.fragment(ctx, name, { title: "x" });`;
  expect(await messages(`${page(`{ title: "x" }`, "{{other}}")}\n${more}`)).toEqual([
    "more.ts:3:91 there is no template gone.html in web/templates/ (template)",
    "web/templates/page.html:1:3 the data has no other (template)",
  ]);
});

test("a form field of a refused type is reported at its declaration only", async () => {
  const template = `<form method="post">{{csrf}}{{field "POST /book" "start" label="Start"}}</form>`;
  const booking = `import type { Form } from "fw";
export const book = Page("POST /book", (_ctx, { start }: { start: Form<Date> }) => site.render(_ctx, "page.html", { start }));`;
  expect(await messages(page("{}", template, booking))).toEqual([
    expect.stringMatching(/^pages\.ts:.* has a type that a form cannot carry: Date \(fw\/bind-type\)$/),
  ]);
});
