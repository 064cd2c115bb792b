import { expect, test } from "vitest";
import { writeTypedApp } from "../analysis/testing/typed-app.ts";
import { hintGaps, hintSites } from "../lib/testing/hint-sites.ts";
import { fw } from "./testing/run.ts";

interface Printed {
  readonly path: string;
  readonly message: string;
  readonly hint: string | null;
}

async function check(app: string): Promise<readonly Printed[]> {
  await using written = await writeTypedApp(app);
  const { out } = await fw(written.root, "check", "--json");
  return (JSON.parse(out) as { diagnostics: readonly Printed[] }).diagnostics;
}

/** The data of a page, its template and the name that the page renders. */
type PageSource = readonly [data: string, template: string, name?: string];

/** Refused pages, and the same pages corrected as the hints suggest. */
const pages: readonly (readonly [refused: PageSource, mended: PageSource])[] = [
  [
    ["{ note: load() }", "{{note.title}}"],
    ["{ note: await load() }", "{{note.title}}"],
  ],
  [
    ["{ list: loadAll() }", "{{#each list}}x{{/each}}"],
    ["{ list: await loadAll() }", "{{#each list}}x{{/each}}"],
  ],
  [
    ["{ count: 1 }", "{{#each count}}x{{/each}}"],
    ["{ count: [1] }", "{{#each count}}x{{/each}}"],
  ],
  [
    ["{ title: text }", "{{titel}}"],
    ["{ title: text }", "{{title}}"],
  ],
  [
    ["{ notes, count: 1 }", "{{#each notes}}{{count}}{{/each}}"],
    ["{ notes, count: 1 }", "{{#each notes}}{{../count}}{{/each}}"],
  ],
  [
    ["{ title: text }", "{{owner}}"],
    ["{ title: text, owner: text }", "{{owner}}"],
  ],
  [
    ["{ title: text }", "{{title}}{{owner}}"],
    ["{ title: text }", "{{title}}"],
  ],
  [
    ["{ title: text }", "{{title.short}}"],
    ["{ title: text }", "{{title}}"],
  ],
  [
    ["{}", "x", "p8.htm"],
    ["{}", "x", "p8.html"],
  ],
  [
    ["{}", "x", "elsewhere/other.html"],
    ["{}", "x", "elsewhere/other.html"],
  ],
  [
    ["{ title: text }", "{{errors}}"],
    ["{ errors: text }", "{{errors}}"],
  ],
];

function appOf(sources: readonly PageSource[], site: string): string {
  const lines = sources.map(
    ([data, , name], index) =>
      `export const p${index} = Page("GET /p${index}", async (ctx) => site.render(ctx, "${name ?? `p${index}.html`}", ${data}));`,
  );
  const templates = sources.map(([, template], index) => `-- web/templates/p${index}.html --\n${template}\n`);
  return `-- pages.ts --
import { Page, Site } from "fw";
interface Note { title: string }
declare const notes: Note[], text: string;
declare function load(): Promise<Note>;
declare function loadAll(): Promise<Note[]>;
export const used = [notes, text, load, loadAll];
export const site = ${site};
${lines.join("\n")}
${templates.join("")}`;
}

const other = "-- web/templates/elsewhere/other.html --\nx\n";
const german = `-- web/templates/messages/de.json --\n{ "hello": "Hallo" }\n`;
const layout = "-- web/templates/layout.html --\n{{content}}\n";
const plain: readonly PageSource[] = [["{}", "x"]];

/** Refused applications, and the same applications corrected as the hints suggest. */
const apps: readonly (readonly [refused: string, mended: string])[] = [
  [
    layout +
      appOf(
        pages.map(([refused]) => refused),
        'Site("./web", { notFound: "p1.htm" })',
      ),
    layout +
      other +
      appOf(
        pages.map(([, mended]) => mended),
        'Site("./web", { notFound: "p3.html" })',
      ),
  ],
  [
    appOf(plain, 'Site("./web", { notFound: "elsewhere.html" })'),
    appOf(plain, 'Site("./web")').replace("site.render", "site.fragment"),
  ],
  [
    german + layout + appOf(plain, 'Site("./web", { language: "fr" })'),
    german + layout + appOf(plain, 'Site("./web", { language: "de" })'),
  ],
  [
    layout + appOf(plain, 'Site("./web", { language: "en_US" })'),
    layout + appOf(plain, 'Site("./web", { language: "en-US" })'),
  ],
];

const sites = hintSites(
  ["../generate/template/data-problems.ts", "../generate/template-data.ts", "../workspace/site/templates.ts"].map(
    (path) => new URL(path, import.meta.url),
  ),
  [{ name: "problemAt", message: 2, hint: 3 }],
).filter(({ message }) => !/^(?:rendered here|and read here)/.test(message));

test("each hint about the data and the names of templates leads to an application that passes", async () => {
  const problems = (await Promise.all(apps.map(([refused]) => check(refused)))).flat();
  expect(problems).toHaveLength(pages.length + 1 + 2 + 1 + 1);
  expect(await Promise.all(apps.map(([, mended]) => check(mended)))).toEqual([[], [], [], []]);
  expect(hintGaps(sites, problems)).toEqual([]);
  expect(problems.filter(({ hint }) => hint?.includes('write {{errors "POST /join" "email"}};') === true)).toHaveLength(
    1,
  );
});
