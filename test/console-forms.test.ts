import * as fc from "fast-check";
import { isDeepStrictEqual } from "node:util";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { decodeJson } from "../packages/fw/src/console/decode-json.ts";
import { schema, types, valueOf } from "../packages/fw/src/generate/testing/random-schemas.ts";
import { valueDecoder } from "../packages/fw/src/generate/value-decoder.ts";
import { tries } from "../packages/fw/src/lib/testing/tries.ts";
import { accessibilityProblems } from "./support/axe.ts";
import { launchBrowser } from "./support/browser.ts";
import { consoleOf } from "./support/console-api.ts";
import { launchDev, writeApplication, type Dev } from "./support/dev-app.ts";
import { patienceMs } from "./support/patience.ts";
import { expectWhole } from "./support/whole-page.ts";

/** A directory for screenshots of the forms. */
const pictures = process.env["FW_PICTURES"];

const application = (authorFields: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    filesOf(`
-- books/books.ts --
import { API, Auth, Entity, Tenant } from "fw";
import type { Form, Header, ID, Index, Int, Int64, Json, Max, MaxItems, MaxLength, Min, Path, Pattern, Query, Ref, Unique } from "fw";
export interface Author { id: ID; ${authorFields} }
export const authors = Entity<Author>("authors", { tenant: "shared" });
export type Contact = { kind: "mail"; address: string } | { kind: "phone"; number: string; extension?: Int };
export interface Book {
  id: ID;
  title: string & MaxLength<20>;
  blurb: string & MaxLength<2000>;
  isbn: Unique<string & Pattern<"\\\\d{3}-\\\\d+">>;
  price: number & Min<0>;
  pages: Int & Min<1> & Max<5000>;
  serial: Int64;
  inPrint: boolean;
  appears: Date;
  state: "draft" | "published" | "sold out";
  subtitle?: string;
  editor: string | null;
  tags: string[] & MaxItems<3>;
  author: Index<Ref<Author>>;
  reviewers: Index<Ref<Author>[]>;
  size?: { width: Int; height: Int & Min<1> };
  contact: Contact;
  prices: Record<string, number>;
  extra: Json;
}
export const books = Entity<Book>("books", { tenant: "shared", onDelete: { author: "refuse" } });
export const auth = Auth({ password: true });
export const members = Entity<{ id: ID }>("members", { tenant: "shared" });
export const firms = Tenant("firms", (ctx, user, { firm }: { firm: Path }) => members.find(ctx, firm + ":" + user.id));
export interface Room { id: ID; name: string }
export const rooms = Entity<Room>("rooms", { tenant: firms });
export const desks = Entity<{ id: ID; room: Index<Ref<Room>> }>("desks", { tenant: firms, onDelete: { room: "refuse" } });
export interface Order { count: Int & Max<9>; note?: string; address: { street: string & MaxLength<10> }; express: boolean }
export const order = API("POST /shops/{shop}/orders", (_ctx, input: Order & { shop: Path<Int>; pay?: Query<"card" | "cash">; limit?: Query<Int & Max<50>> }) => input);
export const greet = API("POST /greet", (_ctx, { name, trace }: { name: Form; trace?: Header<string, "X-Trace"> }) => name + (trace ?? ""));
`),
  );

const book = {
  title: "The Sea",
  blurb: "Two lines\nof text",
  isbn: "978-1",
  price: 12.5,
  pages: 300,
  serial: 7,
  inPrint: true,
  appears: "2026-01-31T12:00:00Z",
  state: "published",
  editor: null,
  tags: ["sea", "salt"],
  author: "ann",
  reviewers: ["bea"],
  contact: { kind: "phone", number: "044" },
  prices: { CHF: 14 },
  extra: { any: [1, null] },
};

let dev: Dev;
let url: string;
let browser: Browser;
let ask: Awaited<ReturnType<typeof consoleOf>>;

beforeAll(async () => {
  dev = launchDev(writeApplication(application("name: string; born?: Int")), []);
  browser = await launchBrowser();
  await dev.says("http://localhost:");
  url = `http://localhost:${dev.port}`;
  ask = await consoleOf(url);
  await vi.waitFor(async () => expect(JSON.stringify(await ask("model"))).toContain("books"), patienceMs);
  await create("authors", "ann", { name: "Ann of the Sea", born: 1970 });
  await create("authors", "bea", { name: "Bea" });
});
afterAll(async () => {
  await browser.close();
  await dev[Symbol.asyncDispose]();
});

async function create(kind: string, id: string, fields: object): Promise<void> {
  await ask("documents/create", { kind, id, json: JSON.stringify(fields) });
}

interface Documents {
  readonly documents: readonly { readonly version: string; readonly fields: Readonly<Record<string, unknown>> }[];
}

/** Returns a stored document, with dates and integers in the form of the console's protocol. */
async function documentOf(kind: string, id: string): Promise<Documents["documents"][number]> {
  const [document] = (await ask<Documents>("documents", { kind, id })).documents;
  if (document === undefined) throw new Error(`there is no ${id}`);
  return document;
}

async function open(section: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, timezoneId: "Asia/Tokyo", ...options });
  await page.goto(`${url}/_fw/console#${section}`);
  return page;
}

/** Opens a document in the form. */
async function edit(page: Page, id: string): Promise<Locator> {
  await page.getByRole("row", { name: id }).getByRole("button", { name: "Edit" }).click();
  return page.getByRole("complementary", { name: "Document" });
}

const field = (form: Locator, label: string): Locator => form.getByLabel(label, { exact: true });

test("a document is created with a control for each field, and each problem is beside its field", async () => {
  const page = await open("data?entity=books");
  await page.getByRole("button", { name: "New document" }).click();
  const form = page.getByRole("complementary", { name: "Document" });
  await field(form, "Id").fill("sea");
  await field(form, "title").fill("longer than twenty characters");
  await field(form, "pages").fill("0");
  await field(form, "isbn").fill("978");
  await form.getByRole("button", { name: "Create" }).click();
  const problems = form.getByRole("alert");
  await problems.getByText("title: must be at most 20 characters").waitFor();
  // The focus is on the first field with a problem. Each field refers to its problems, so that screen readers read
  // them.
  expect(await page.evaluate("document.activeElement.labels[0].textContent")).toBe("title");
  const descriptionOf = async (label: string): Promise<string | null> =>
    field(form, label).evaluate((node) =>
      (node.getAttribute("aria-describedby") ?? "")
        .split(" ")
        .map((id: string) => node.ownerDocument.querySelector(`#${id}`)?.textContent)
        .join(" / "),
    );
  expect(await descriptionOf("title")).toBe("at most 20 characters / must be at most 20 characters");
  expect(await descriptionOf("pages")).toBe("a whole number, at least 1, at most 5000 / must be at least 1");
  expect(await descriptionOf("isbn")).toBe("must match \\d{3}-\\d+ / must match \\d{3}-\\d+");
  expect(await descriptionOf("price")).toBe("at least 0 / is required");
  expect(await descriptionOf("state")).toBe(" / is required");
  expect(await field(form, "title").getAttribute("aria-invalid")).toBe("true");
  expect(await field(form, "blurb").getAttribute("aria-invalid")).toBe("false");
  await problems.getByRole("button", { name: "price", exact: true }).click();
  expect(await page.evaluate("document.activeElement.labels[0].textContent")).toBe("price");

  await field(form, "title").fill("The Sea");
  await field(form, "blurb").fill("Two lines\nof text");
  await field(form, "isbn").fill("978-1");
  await field(form, "price").fill("12.5");
  await field(form, "pages").fill("300");
  await field(form, "serial").fill("9007199254740993");
  await field(form, "inPrint").check();
  await field(form, "appears").fill("2026-01-31T21:00");
  await form.getByText("time in Asia/Tokyo; stored as 2026-01-31T12:00:00.000Z").waitFor();
  await field(form, "state").selectOption("sold out");
  await field(form, "Kind of subtitle").selectOption("text");
  await field(form, "subtitle").fill("A story");
  await field(form, "Kind of editor").selectOption("null");
  for (const tag of ["salt", "sea"]) {
    await form.getByRole("button", { name: "Add to tags" }).click();
    await page.keyboard.type(tag);
  }
  await form.getByRole("button", { name: "Move tags 2 up" }).press("Enter");
  await form.getByText("Search authors").first().click();
  await form.getByLabel("Words in authors").first().fill("of the SEA");
  await form.getByRole("button", { name: "ann", exact: true }).click();
  expect(await field(form, "author").inputValue()).toBe("ann");
  expect(await form.getByRole("link", { name: "Open the authors document" }).first().getAttribute("href")).toBe(
    "#data?entity=authors&id=ann",
  );
  await form.getByRole("button", { name: "Add to reviewers" }).click();
  await field(form, "reviewers 1").fill("bea");
  await field(form, "Kind of size").selectOption("object");
  await field(form, "width").fill("3");
  await field(form, "height").fill("0");
  await field(form, "Kind of contact").selectOption("kind phone");
  await field(form, "number").fill("044");
  await form.getByRole("button", { name: "Add to prices" }).click();
  await field(form, "key").fill("CHF");
  await field(form, "value").fill("14");
  await field(form, "extra").fill('{ "any": [1, nul] }');
  await form.getByRole("button", { name: "Create" }).click();
  await problems.getByText(/^extra: .*JSON/).waitFor();
  await field(form, "extra").fill('{ "any": [1, null] }');
  await form.getByRole("button", { name: "Create" }).press("Enter");
  await problems.getByText("size.height: must be at least 1").waitFor();
  await field(form, "height").fill("4");
  await page.keyboard.press("Enter");
  await page.getByText("1 document, read by its id").waitFor();
  expect((await documentOf("books", "sea")).fields).toEqual({
    ...book,
    serial: { $int: "9007199254740993" },
    appears: { $date: Date.parse(book.appears) },
    state: "sold out",
    subtitle: "A story",
    tags: ["sea", "salt"],
    size: { width: 3, height: 4 },
  });
  // The focus is on the new document.
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Edit");
  await page.context().close();
});

test("the JSON view is in sync with the form, and neither changes a value that the user does not", async () => {
  // The clocks of Zurich show half past two twice in this night.
  await create("books", "salt", { ...book, isbn: "978-2", appears: "2026-10-25T01:30:00Z" });
  const before = await documentOf("books", "salt");
  const page = await open("data?entity=books&id=salt", { timezoneId: "Europe/Zurich" });
  const form = await edit(page, "salt");
  expect(await field(form, "appears").inputValue()).toBe("2026-10-25T02:30");
  expect(await field(form, "Kind of subtitle").inputValue()).toBe("0");
  await field(form, "title").fill("Salt");
  await form.getByRole("button", { name: "Remove tags 1" }).click();
  await form.getByRole("button", { name: "JSON" }).click();
  const area = field(form, "Document salt");
  const json = JSON.parse(await area.inputValue()) as typeof book;
  expect(json).toEqual({ ...book, isbn: "978-2", title: "Salt", tags: ["salt"], appears: "2026-10-25T01:30:00.000Z" });
  await area.fill(
    JSON.stringify({ ...json, pages: 7, subtitle: "Of water" }).replace('"serial":7', '"serial":9007199254740993'),
  );
  await form.getByRole("button", { name: "Form" }).click();
  expect(await field(form, "serial").inputValue()).toBe("9007199254740993");
  expect(await field(form, "subtitle").inputValue()).toBe("Of water");
  await form.getByRole("button", { name: "JSON" }).click();
  await area.fill("{ no JSON");
  await form.getByRole("button", { name: "Form" }).click();
  await form.getByRole("alert").getByText(/JSON/).waitFor();
  expect(await area.inputValue()).toBe("{ no JSON");
  // The form shows a value that does not match its type as JSON, with the reason.
  await area.fill(JSON.stringify({ ...json, pages: "many", titel: 1 }));
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByRole("alert").getByText('pages: "many" is not an int').waitFor();
  await form.getByRole("button", { name: "Form" }).click();
  expect(await field(form, "pages").inputValue()).toBe('"many"');
  await form.getByText("not a field of the type").waitFor();
  await form.getByRole("button", { name: "Remove titel" }).click();
  await field(form, "pages").fill("8");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  expect((await documentOf("books", "salt")).fields).toEqual({
    ...before.fields,
    title: "Salt",
    tags: ["salt"],
    pages: 8,
  });
  await page.context().close();
});

test("the page asks before it discards changes, and keeps them when the application is saved", async () => {
  await create("authors", "cleo", { name: "Cleo" });
  const page = await open("logs");
  await page.goto(`${url}/_fw/console#data?entity=authors`);
  const questions: string[] = [];
  let leaves = false;
  page.on("dialog", async (dialog) => {
    questions.push(dialog.type());
    await (leaves ? dialog.accept() : dialog.dismiss());
  });
  const form = await edit(page, "cleo");
  await field(form, "name").fill("Cleo Two");
  const isKept = async (): Promise<void> => expect(await field(form, "name").inputValue()).toBe("Cleo Two");
  await page.getByRole("link", { name: "Logs" }).click();
  await isKept();
  await page.evaluate("history.back()");
  await expect.poll(() => questions.length).toBe(2);
  await expect.poll(() => page.url()).toContain("#data?entity=authors");
  await form.getByRole("button", { name: "Cancel" }).click();
  await form.getByRole("button", { name: "Close" }).click();
  await field(form, "name").press("Escape");
  await page.getByLabel("Entity").selectOption("books");
  expect(await page.getByLabel("Entity").inputValue()).toBe("authors");
  await page.getByRole("button", { name: "New document" }).click();
  await page.evaluate("setTimeout(() => location.reload())");
  await expect.poll(() => questions).toEqual([...Array<string>(7).fill("confirm"), "beforeunload"]);
  await isKept();
  await page.locator("h1").click();
  dev.write(application("name: string; born?: Int; died?: Int"));
  await expect.poll(async () => JSON.stringify(await ask("form", { name: "document authors" }))).toContain("died");
  for (let i = 0; i < 2; i++) await page.waitForResponse((answer) => answer.url().endsWith("/api/model"));
  await isKept();
  leaves = true;
  await page.getByRole("link", { name: "Logs" }).click();
  await page.getByRole("heading", { name: "Logs" }).waitFor();
  expect((await documentOf("authors", "cleo")).fields).toEqual({ name: "Cleo" });
  await page.context().close();
});

test("two changes of one document are shown side by side, and the user's own are applied to the stored version", async () => {
  await create("authors", "dan", { name: "Dan", born: 1 });
  const page = await open("data?entity=authors&id=dan");
  const form = await edit(page, "dan");
  await field(form, "name").fill("Dan of the page");
  const { version } = await documentOf("authors", "dan");
  await ask("documents/save", {
    kind: "authors",
    id: "dan",
    version,
    json: '{ "name": "Dan of a handler", "born": 2 }',
  });
  await form.getByRole("button", { name: "Save" }).click();
  const differences = form.getByRole("region", { name: "Differences between the versions" });
  const cells = async (): Promise<readonly string[]> => differences.locator("tbody td").allTextContents();
  await differences.waitFor();
  expect(await cells()).toEqual(["name", '"Dan"', '"Dan of a handler"', '"Dan of the page"', "born", "1", "2", "1"]);
  expect(await page.evaluate("document.activeElement.textContent")).toContain("has changed since you opened it");
  await form.getByRole("button", { name: "Apply my changes to the stored version" }).click();
  expect(await field(form, "born").inputValue()).toBe("2");
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  expect((await documentOf("authors", "dan")).fields).toEqual({ name: "Dan of the page", born: 2 });

  const again = await edit(page, "dan");
  await field(again, "name").fill("Dan again");
  await ask("documents/delete", { kind: "authors", id: "dan", version: (await documentOf("authors", "dan")).version });
  await again.getByRole("button", { name: "Save" }).click();
  await again.getByText("Another change has deleted the document.").waitFor();
  expect(await field(again, "name").inputValue()).toBe("Dan again");

  await create("authors", "fay", { name: "Fay" });
  const other = await open("data?entity=authors&id=fay");
  const panel = await edit(other, "fay");
  await field(panel, "name").fill("Fay of the page");
  const before = await documentOf("authors", "fay");
  const json = '{ "name": "Fay of a handler" }';
  await ask("documents/save", { kind: "authors", id: "fay", version: before.version, json });
  await panel.getByRole("button", { name: "Save" }).click();
  await panel.getByRole("button", { name: "Discard my changes" }).click();
  expect(await field(panel, "name").inputValue()).toBe("Fay of a handler");
  // No changes are left, so Cancel needs no confirmation.
  await panel.getByRole("button", { name: "Cancel" }).click();
  await panel.waitFor({ state: "hidden" });
  await other.context().close();
  await page.context().close();
});

test("a document of a tenant is created in it, and refers only to documents of the same tenant", async () => {
  for (const tenant of ["acme", "other"])
    await ask("documents/create", { kind: "rooms", id: "r1", tenant, json: JSON.stringify({ name: `of ${tenant}` }) });
  const page = await open("data?entity=desks&tenant=acme");
  await page.getByRole("button", { name: "New document" }).click();
  const form = page.getByRole("complementary", { name: "Document" });
  expect(await field(form, "Id in firms").inputValue()).toBe("acme");
  await form.getByText("Search rooms").click();
  await form.getByText("name: of acme").waitFor();
  expect(await form.getByText("name: of other").count()).toBe(0);
  await form.getByRole("button", { name: "r1", exact: true }).click();
  expect(await form.getByRole("link", { name: "Open the rooms document" }).getAttribute("href")).toBe(
    "#data?entity=rooms&id=acme%2Fr1",
  );
  await field(form, "Id").fill("d1");
  await form.getByRole("button", { name: "Create" }).click();
  await page.getByText("1 document, read by its id").waitFor();
  expect((await documentOf("desks", "acme/d1")).fields).toMatchObject({ room: "r1" });
  const again = await edit(page, "acme/d1");
  await field(again, "room").fill("r2");
  await again.getByRole("button", { name: "Save" }).click();
  await again.getByRole("alert").getByText("room: there is no document with this room").waitFor();
  expect(await page.evaluate("document.activeElement.labels[0].textContent")).toBe("room");
  await page.context().close();
});

test("a request is sent with a control for each field, and the problems of its response are beside the fields", async () => {
  const page = await open("routes?route=POST /shops/{shop}/orders");
  const details = page.getByRole("complementary", { name: "Route details" });
  await details.getByRole("button", { name: "Send" }).click();
  await details.getByText("is required", { exact: true }).waitFor();
  await details.getByLabel("shop (path").fill("3");
  await details.getByLabel("pay (query").selectOption("cash");
  await details.getByLabel("limit (query").fill("70");
  await field(details, "count").fill("12");
  await field(details, "Kind of note").selectOption("absent");
  await field(details, "street").fill("a very long street");
  await details.getByRole("button", { name: "Send" }).click();
  await details.getByText("must be at most 50", { exact: true }).waitFor();
  expect(await details.getByLabel("limit (query").getAttribute("aria-invalid")).toBe("true");
  await details.getByRole("alert").getByText("address.street: must be at most 10 characters").waitFor();
  expect(await field(details, "count").getAttribute("aria-invalid")).toBe("true");
  await details.getByLabel("limit (query").fill("5");
  await field(details, "count").fill("2");
  await field(details, "street").fill("Seaside");
  await field(details, "express").uncheck();
  await details.getByRole("button", { name: "Send" }).click();
  await details.getByRole("heading", { name: "Response: 200" }).waitFor();
  const response = JSON.parse((await details.locator("pre").first().textContent()) ?? "") as object;
  expect(response).toEqual({
    shop: 3,
    pay: "cash",
    limit: 5,
    count: 2,
    address: { street: "Seaside" },
    express: false,
  });
  expect(await details.getByText("must be at most 50", { exact: true }).count()).toBe(0);
  // An invalid body can be sent, too: the JSON view checks nothing.
  await details.getByRole("button", { name: "JSON" }).click();
  await field(details, "Body").fill("{");
  await details.getByRole("button", { name: "Send" }).click();
  await details.getByRole("heading", { name: "Response: 400" }).waitFor();
  await page.context().close();
});

test.each([
  { width: 1280, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
  { width: 390, colorScheme: "light" },
] as const)("forms are accessible and whole at $width pixels, $colorScheme", async ({ width, colorScheme }) => {
  const size = { viewport: { width, height: 900 }, colorScheme, bypassCSP: true };
  const page = await open("data?entity=books", size);
  await page.getByRole("button", { name: "New document" }).click();
  const form = page.getByRole("complementary", { name: "Document" });
  await form.getByRole("button", { name: "Fill in a sample" }).click();
  await field(form, "pages").fill("0");
  await form.getByText("Search authors").first().click();
  await form.getByRole("button", { name: "bea", exact: true }).waitFor();
  await form.getByRole("button", { name: "Create" }).click();
  await form.getByRole("alert").getByText("pages: must be at least 1").waitFor();
  await expectWhole(page, "the form", width);
  expect(await accessibilityProblems(page)).toEqual([]);
  await capture(page, `form-${width}-${colorScheme}`);
  await page.context().close();

  await create("authors", `eva-${width}-${colorScheme}`, { name: "Eva of the long and winding road" });
  const other = await open(`data?entity=authors&id=eva-${width}-${colorScheme}`, size);
  const author = await edit(other, "eva");
  await field(author, "name").fill("Eva of the page");
  const { version } = await documentOf("authors", `eva-${width}-${colorScheme}`);
  const json = '{ "name": "Eva of another page" }';
  await ask("documents/save", { kind: "authors", id: `eva-${width}-${colorScheme}`, version, json });
  await author.getByRole("button", { name: "Save" }).click();
  await author.getByRole("region", { name: "Differences between the versions" }).waitFor();
  await expectWhole(other, "the conflict", width);
  expect(await accessibilityProblems(other)).toEqual([]);
  await capture(other, `conflict-${width}-${colorScheme}`);
  await other.context().close();

  const call = await open("routes?route=POST /shops/{shop}/orders", size);
  const details = call.getByRole("complementary", { name: "Route details" });
  await details.getByLabel("shop (path").fill("3");
  await details.getByLabel("limit (query").fill("70");
  await field(details, "count").fill("12");
  await details.getByRole("button", { name: "Send" }).click();
  await details.getByRole("heading", { name: "Response: 400" }).waitFor();
  await expectWhole(call, "the request", width);
  expect(await accessibilityProblems(call)).toEqual([]);
  await capture(call, `request-${width}-${colorScheme}`);
  await call.context().close();
});

/** Saves a screenshot of the whole page if screenshots are requested. */
async function capture(page: Page, name: string): Promise<void> {
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
}

/** Shows values in editors, and returns what the form and the JSON view make of each. */
const throughForms = `(async (cases) => {
  const { valueEditor } = await import("/_fw/console/form/editor.js");
  const { parseJson } = await import("/_fw/console/parts/json.js");
  const main = document.querySelector("main");
  return cases.map(({ form, values }) => values.map(({ json, problems }) => {
    const editor = valueEditor({ form, json, label: "value" });
    main.replaceChildren(editor.node);
    const [asForm, asJson] = editor.node.querySelectorAll(".views button");
    const texts = [editor.read()];
    const isChanged = editor.isChanged();
    asJson.click();
    texts.push(editor.node.querySelector("textarea").value);
    asForm.click();
    texts.push(editor.read());
    editor.showProblems(problems);
    const visible = [...editor.node.querySelectorAll(".problem")].filter((each) => each.checkVisibility());
    const focused = document.activeElement.closest(".value");
    return {
      texts,
      isChanged: isChanged || editor.isChanged(),
      problemTexts: visible.map((each) => each.textContent),
      problemTextsOfJson: visible.filter((each) => each.closest(".value").querySelector(":scope > div > [placeholder=JSON]")).map((each) => each.textContent),
      isFocusOnProblem: focused !== null && focused.querySelector(".problem") !== null,
    };
  }));
})`;

interface ShownForm {
  readonly texts: readonly string[];
  readonly isChanged: boolean;
  readonly problemTexts: readonly string[];
  /** The problems of values that the form shows as JSON; some of them are about a member of the value. */
  readonly problemTextsOfJson: readonly string[];
  readonly isFocusOnProblem: boolean;
}

test("of random types, every valid document is unchanged by the form, and of every other each problem is beside its field", async () => {
  const randomTypes = fc.sample(
    schema.chain((type) =>
      fc.tuple(
        fc.constant(type),
        fc.array(fc.oneof(valueOf(type, 5), valueOf(type, 5, true)), { minLength: 6, maxLength: 6 }),
      ),
    ),
    { numRuns: tries(120), seed: Number(process.env["FW_SEED"] ?? 31) },
  );
  const cases = randomTypes.map(([type, values]) => {
    const decoder = valueDecoder(type, types);
    return {
      form: { schema: type, types },
      values: values.map((value) => {
        const json = JSON.stringify(value);
        const result = decodeJson(decoder, json);
        return { json, problems: "problems" in result ? result.problems : [] };
      }),
    };
  });
  const page = await open("routes");
  await page.locator("h1").waitFor();
  const results = await page.evaluate<readonly (readonly ShownForm[])[]>(`${throughForms}(${JSON.stringify(cases)})`);
  const counts = { valid: 0, besideField: 0, besideParent: 0 };
  for (const [i, { form, values }] of cases.entries())
    for (const [j, { json, problems }] of values.entries()) {
      const result = results[i]?.[j];
      const label = `${JSON.stringify(form.schema)} of ${json}: ${JSON.stringify(result)}`;
      for (const text of result?.texts ?? [])
        expect(isDeepStrictEqual(JSON.parse(text), JSON.parse(json)), label).toBe(true);
      expect(result?.texts.length, label).toBe(3);
      expect(result?.isChanged, label).toBe(false);
      expect(result?.problemTexts.length, label).toBe(problems.length);
      expect(result?.isFocusOnProblem, label).toBe(problems.length > 0);
      for (const { at, problem } of problems) {
        const isBeside = result?.problemTexts.includes(problem) === true;
        if (!isBeside) expect(result?.problemTextsOfJson, label).toContain(`${at}: ${problem}`);
        counts[isBeside ? "besideField" : "besideParent"]++;
      }
      if (problems.length === 0) counts.valid++;
    }
  expect(counts.valid).toBeGreaterThan(tries(50));
  expect(counts.besideField).toBeGreaterThan(tries(200));
  expect(counts.besideParent).toBeGreaterThan(tries(100));
  await page.context().close();
});
