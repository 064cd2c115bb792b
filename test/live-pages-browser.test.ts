import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { tries } from "../packages/fw/src/lib/testing/tries.ts";
import { launchBrowser } from "./support/browser.ts";
import { build } from "./support/build.ts";
import { writeApplication, writeFiles } from "./support/dev-app.ts";
import { startServe, type Served } from "./support/served.ts";

// A board of tickets in a real browser. Its forms are half filled while the board changes.
const desk = String.raw`
-- desk/desk.ts --
import { API, Entity, flash, type Form, type ID, type Index, Page, Redirect, Site } from "fw";

export const site = Site("./public");
export interface Ticket { id: ID; order: Index<string>; title: string }
export const tickets = Entity<Ticket>("tickets");
export const board = Page("GET /", async (ctx) =>
  site.render(ctx, "board.html", { tickets: await tickets.query().orderBy("order").all(ctx) }), { live: true });
export const pick = Page("GET /pick", async (ctx) =>
  site.render(ctx, "pick.html", {
    tickets: await tickets.query().orderBy("order").all(ctx),
    isRenamed: (await tickets.find(ctx, "9"))?.title === "renamed",
  }), { live: true });
export const rename = Page("POST /rename", async (ctx, { id, title }: { id: Form; title: Form }) => {
  await tickets.update(ctx, id, (ticket) => ({ ...ticket, title }));
  flash(ctx, "Renamed");
  return Redirect("/");
});
export const put = API("POST /changes", async (ctx, ticket: { id: string; order: string; title: string }): Promise<void> =>
  void (await tickets.put(ctx, ticket)));
export const all = API("GET /all", async (ctx) => (await tickets.query().all(ctx)).map(({ id }) => id));
export const remove = API("POST /removals", (ctx, { id }: { id: string }) => tickets.delete(ctx, id));
-- desk/public/templates/layout.html --
<!doctype html><html><head><title>Desk</title></head>
<body>{{#if @flash}}<p role="status">{{@flash}}</p>{{/if}}{{content}}</body></html>
-- desk/public/templates/board.html --
{{#each tickets}}<form id="t-{{id}}" method="post" action="/rename">{{csrf}}<input type="hidden" name="id" value="{{id}}">
<b>{{title}}</b> <input name="title" value="{{title}}"> <textarea name="note"></textarea> <input type="checkbox" name="urgent">
<select name="level"><option>low</option><option>high</option></select> <details><summary>More</summary>of {{title}}</details>
<button>Rename</button></form>{{/each}}
-- desk/public/templates/pick.html --
<main>{{#each tickets}}<input type="checkbox" name="chosen" value="{{id}}">{{/each}}</main>
<nav>{{#each tickets}}<a href="/_fw/signin?next=/{{id}}">{{title}}</a>{{/each}}</nav>
{{#if isRenamed}}<u @note="yes">renamed</u>{{else}}<u>not renamed</u>{{/if}}
`;

let root: string;
// Outside the application, because each analysis would otherwise read the scripts of the release.
const place = mkdtempSync(join(tmpdir(), "fw-release-"));
let server: Served;
let browser: Browser;
let page: Page;
const at = (path: string): string => server.url + path;
const serve = (...args: readonly string[]): Promise<Served> =>
  startServe([join(place, "release"), "--data", join(place, "data"), ...args], { cwd: root });
/** Builds the application and moves the build to where it is served. */
const release = async (): Promise<void> => {
  await build(root);
  const [next, current] = [join(place, "release.new"), join(place, "release")];
  cpSync(join(root, ".fw/build"), next, { recursive: true });
  if (existsSync(current)) rmSync(current, { recursive: true });
  renameSync(next, current);
};

const post = async (path: string, body: object): Promise<void> => {
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  expect((await fetch(at(path), init)).ok).toBe(true);
};
const put = (id: string, order: string, title: string): Promise<void> => post("/changes", { id, order, title });
const shows = (titles: readonly string[]): Promise<void> =>
  expect.poll(() => page.locator("form b").allTextContents()).toEqual(titles);

beforeAll(async () => {
  root = writeApplication(Object.fromEntries(filesOf(desk)));
  await release();
  [server, browser] = await Promise.all([serve(), launchBrowser()]);
  await put("1", "m", "first");
  await put("2", "n", "second");
  page = await browser.newPage();
});
afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
  rmSync(place, { recursive: true, force: true });
  rmSync(root, { recursive: true, force: true });
});

/** Returns the state of a ticket's form. */
const typed = (id: string): Promise<unknown> =>
  page.evaluate(`(() => {
    const form = document.getElementById("t-${id}");
    const { title, note, urgent, level } = form.elements;
    const active = document.activeElement;
    return {
      title: title.value, note: note.value, urgent: urgent.checked, level: level.value, open: form.querySelector("details").open,
      focus: active === note, selection: [note.selectionStart, note.selectionEnd],
    };
  })()`);

const half = {
  title: "my own title",
  note: "half a sentence",
  urgent: true,
  level: "high",
  open: true,
  focus: true,
  selection: [5, 9],
};

test("a half filled form keeps every character, the focus and the selection while its page changes around it", async () => {
  await page.goto(at("/"));
  await shows(["first", "second"]);
  const form = page.locator("#t-1");
  await form.locator("[name=title]").fill(half.title);
  await form.locator("[name=urgent]").check();
  await form.locator("[name=level]").selectOption("high");
  await form.locator("summary").click();
  await form.locator("textarea").fill(half.note);
  await page.evaluate(`document.querySelector("#t-1 textarea").setSelectionRange(5, 9)`);
  await page.evaluate("window.isSame = true");
  expect(await typed("1")).toEqual(half);
  await put("0", "a", "new at the top");
  await shows(["new at the top", "first", "second"]);
  await put("1", "z", "first, moved to the end");
  await shows(["new at the top", "second", "first, moved to the end"]);
  await post("/removals", { id: "2" });
  await shows(["new at the top", "first, moved to the end"]);
  expect(await typed("1")).toEqual(half);
  expect(await page.evaluate("window.isSame")).toBe(true);
  // A field that the user has not edited shows the new value.
  await put("0", "a", "renamed at the top");
  await shows(["renamed at the top", "first, moved to the end"]);
  expect(await page.locator("#t-0 [name=title]").inputValue()).toBe("renamed at the top");
});

test("a restart of the service loses no character, and the page shows what changed in the meantime", async () => {
  const { port } = new URL(server.url);
  expect(await server.end()).toBe(0);
  server = await serve("--port", port);
  await put("3", "y", "after the restart");
  await shows(["renamed at the top", "after the restart", "first, moved to the end"]);
  expect(await typed("1")).toEqual(half);
  expect(await page.evaluate("window.isSame")).toBe(true);
  await page.locator("#t-1 button").click();
  await shows(["renamed at the top", "after the restart", half.title]);
  // The message remains until the page is closed.
  await put("3", "y", "changed again");
  await shows(["renamed at the top", "changed again", half.title]);
  expect(await page.getByRole("status").textContent()).toBe("Renamed");
});

test("a chosen box stays with its value, and images and links of fw's own addresses change like others", async () => {
  const links = page.locator("nav a");
  await page.goto(at("/pick"));
  await page.locator("[value='1']").check();
  await put("9", "0", "before all others");
  await expect.poll(() => links.first().textContent()).toBe("before all others");
  expect(await page.locator(":checked").evaluateAll((boxes) => boxes.map((box) => box.getAttribute("value")))).toEqual([
    "1",
  ]);
  await put("9", "0", "renamed");
  await expect.poll(() => page.locator("u").getAttribute("@note")).toBe("yes");
  await post("/removals", { id: "9" });
  await expect.poll(() => links.allTextContents()).not.toContain("renamed");
});

test("a page that code has put in the place of a live one stays as it is", async () => {
  await page.goto(at("/pick"));
  const other = await browser.newPage();
  await other.goto(at("/pick"));
  await page.evaluate(`document.body.innerHTML = "<main>Another page</main>"`);
  await put("8", "0", "changed meanwhile");
  await expect.poll(() => other.locator("nav a").first().textContent()).toBe("changed meanwhile");
  expect(await page.locator("body").textContent()).toBe("Another page");
});

/** The number of forms per page in the test of a deploy. */
const formsOfPage = 25;
/** The number of pages with such forms; `FW_TRIES=40` makes 1,000 forms. */
const formPages = tries(1);

interface TypedForm {
  readonly title: string;
  readonly note: string;
}

const characters = [..."abcdefgh äö€😀<&\"'"];
const randomText = (): string =>
  Array.from({ length: 1 + Math.floor(Math.random() * 40) }, () => characters[Math.floor(Math.random() * 16)]).join("");

/** Opens a page in a separate browser session and types into each of its forms. */
const openTyped = async (): Promise<{ readonly tab: Page; readonly forms: TypedForm[] }> => {
  const tab = await browser.newPage();
  await tab.goto(at("/"));
  const forms = Array.from({ length: formsOfPage }, () => ({ title: randomText(), note: randomText() }));
  for (const [i, { title, note }] of forms.entries()) {
    await tab.locator(`#t-f${i} [name=title]`).fill(title);
    await tab.locator(`#t-f${i} [name=note]`).fill(note);
  }
  return { tab, forms };
};

const shownForms = (tab: Page): Promise<readonly TypedForm[]> =>
  tab.evaluate(`[...document.querySelectorAll("form")].map(({ elements: { title, note } }) =>
    ({ title: title.value, note: note.value }))`);

/** Counts the typed characters that are not where the user typed them. */
const lostOf = (typedText: string, shown = ""): number => {
  const now = [...shown];
  return [...typedText].filter((character, i) => now[i] !== character).length;
};

test("half filled forms lose no character over a deploy of another template", { timeout: 1_800_000 }, async () => {
  const ids = (await (await fetch(at("/all"))).json()) as readonly string[];
  for (const id of ids) await post("/removals", { id });
  for (let i = 0; i < formsOfPage; i++) await put(`f${i}`, `f${String(i).padStart(2, "0")}`, `ticket ${i}`);
  const writer = await openTyped();
  const tabs = [writer];
  while (tabs.length < formPages) tabs.push(await openTyped());
  writeFiles(root, { "desk/public/templates/board.html": nextBoard });
  await release();
  server.child.kill("SIGHUP");
  // A user continues to type while the version changes.
  const more = ", and more during the deploy";
  const field = writer.tab.locator("#t-f0 [name=note]");
  await field.press("Control+End");
  await field.pressSequentially(more, { delay: 20 });
  writer.forms[0] = { title: writer.forms[0]?.title ?? "", note: `${writer.forms[0]?.note}${more}` };
  await server.printed('"message":"upgraded"');
  await put("f1", "f01", "changed by the next version");
  let lostCount = 0;
  for (const { tab, forms } of tabs) {
    await expect.poll(() => tab.locator("h1").allTextContents()).toEqual(["The next version"]);
    await expect.poll(() => tab.locator("#t-f1 b").textContent()).toBe("changed by the next version");
    const shown = await shownForms(tab);
    for (const [i, { title, note }] of forms.entries())
      lostCount += lostOf(title, shown[i]?.title) + lostOf(note, shown[i]?.note);
    await tab.close();
  }
  expect(lostCount).toBe(0);
});

/** The board of the next version, with a heading, another field, and another element around the title of a ticket. */
const nextBoard = `<h1>The next version</h1>
{{#each tickets}}<form id="t-{{id}}" class="next" method="post" action="/rename">{{csrf}}<input type="hidden" name="id" value="{{id}}">
<p><b>{{title}}</b></p> <label>Due <input name="due"></label> <input name="title" value="{{title}}" class="next">
<textarea name="note" rows="5"></textarea> <input type="checkbox" name="urgent">
<select name="level"><option>low</option><option>high</option></select> <button>Rename it</button></form>{{/each}}`;
