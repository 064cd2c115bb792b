import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { accessibilityProblems } from "./support/axe.ts";
import { launchBrowser } from "./support/browser.ts";
import { consoleOf } from "./support/console-api.ts";
import { launchDev, writeApplication, type Dev } from "./support/dev-app.ts";
import { patienceMs } from "./support/patience.ts";

/** A help desk whose tickets have fields of every kind; `fields` are the fields of customers. */
const application = (fields: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    filesOf(`
-- desk/desk.ts --
import { API, Auth, Cron, Entity, Job, Page, Queue, RequireRole, Role, Runner, Site, Worker } from "fw";
import type { ID, Index, Int, Int64, MaxLength, Min, Path, Ref, Unique } from "fw";
export const auth = Auth({ password: true });
export const site = Site("./web");
export const Clerk = Role("clerk");
export const clerks = RequireRole(Clerk);
export interface Customer { id: ID; ${fields} }
export const customers = Entity<Customer>("customers");
export const flags = Entity<{ key: ID; id: string }>("flags");
export const marks = Entity<{ id: ID }>("marks");
export type Contact = { kind: "mail"; address: string } | { kind: "phone"; number: string; extension?: Int };
export interface Ticket {
  id: ID;
  title: string & MaxLength<20>;
  status: Index<"open" | "closed">;
  customer: Index<Ref<Customer>>;
  watchers: Index<Ref<Customer>[]>;
  tags: Index<string[]>;
  priority: Index<Int>;
  code: Unique<string>;
  balance: Int64;
  opened: Index<Date>;
  contact: Contact;
  lines: { sku: string; count: Int }[];
  score: Int & Min<0>;
  body: string;
}
export const tickets = Entity<Ticket>("tickets", { onDelete: { customer: "refuse" } });
export const close = API("POST /tickets/{id}/close", (ctx, { id }: { id: Path }) => ({ id, by: ctx.user().email }), { allow: clerks });
export const me = Page("GET /me", (ctx) => site.fragment(ctx, "me.html", { email: ctx.user().email }), { signIn: true });
export interface Notice { to: string }
export const later = Queue<Notice>("later");
export const laterWorker = Worker(later, (ctx, { to }) => { ctx.log.info("told " + to); });
export const fill = API("POST /fill/{count}", async (ctx, { count }: { count: Path<Int> }) => {
  await Promise.all(Array.from({ length: count }, (_, i) => later.send(ctx, { to: "ann " + i }, { delay: "1h" })));
});
export const refused = Queue<Notice>("refused");
export const refuse = Worker(refused, (ctx, { to }) => {
  if (to === "house 129") ctx.log.info("asking the carriers", { error: { message: 7 } });
  throw new TypeError("no carrier goes to " + to);
}, { maxAttempts: 5, minBackoff: "1ms", maxBackoff: "1ms" });
export const die = API("POST /die/{count}", async (ctx, { count }: { count: Path<Int> }) => {
  for (let i = 0; i < count; i++) await refused.send(ctx, { to: "house " + i });
});
export const report = Cron("report", "30 7 1 1 *", () => { throw new Error("the report is broken"); });
export const rebuild = Job<{ from: Int; deep?: boolean }>("rebuild", { history: "30d" });
export const rebuilder = Runner(rebuild, () => { throw new Error("the disk is full"); }, { attempts: 3 });
-- desk/web/templates/me.html --
<p>You are {{email}}</p>
`),
  );

const customer = (id: string, fields: object): object => ({ kind: "customers", id, json: JSON.stringify(fields) });

const ticket = {
  title: "A fire",
  status: "open",
  customer: "ann",
  watchers: ["ann", "bea"],
  tags: ["printer"],
  priority: 3,
  code: "T-1",
  balance: 7,
  opened: "2026-01-31T12:00:00Z",
  contact: { kind: "phone", number: "044" },
  lines: [{ sku: "tea", count: 2 }],
  score: 3,
  body: "x".repeat(5_000),
};

let dev: Dev;
let url: string;
let browser: Browser;
let ask: Awaited<ReturnType<typeof consoleOf>>;

beforeAll(async () => {
  dev = launchDev(writeApplication(application("name: string; nickname?: string")), ["--services"]);
  browser = await launchBrowser();
  await dev.says("http://localhost:");
  url = `http://localhost:${dev.port}`;
  ask = await consoleOf(url);
  await vi.waitFor(async () => expect(JSON.stringify(await ask("model"))).toContain("tickets"), patienceMs);
  await ask("documents/create", customer("ann", { name: "Ann", nickname: "Annie" }));
  await ask("documents/create", customer("bea", { name: "Bea" }));
  for (const [code, priority] of [
    ["T-1", 3],
    ["T-2", 9],
  ])
    await ask("documents/create", { kind: "tickets", id: code, json: JSON.stringify({ ...ticket, code, priority }) });
});
afterAll(async () => {
  await browser.close();
  await dev[Symbol.asyncDispose]();
});

async function open(section: string, width = 1280): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, bypassCSP: true });
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto(`${url}/_fw/console#${section}`);
  return page;
}

/** Searches documents by a condition. Resolves with the sentence above the list, or the reason why there is no list. */
async function find(page: Page, field: string, comparison: string, value: string): Promise<string | null> {
  await page.getByLabel("Field", { exact: true }).selectOption(field);
  await page.getByLabel("Comparison").selectOption(comparison);
  await page.getByLabel("Value").fill(value);
  const answer = page.waitForResponse((response) => response.url().endsWith("/api/documents"));
  await page.getByRole("button", { name: "Find" }).click();
  await answer;
  return page.locator("main p").first().textContent();
}

test("conditions are read as the type of their field, and the address keeps them", async () => {
  const page = await open("data?entity=tickets");
  await page.getByRole("button", { name: "Add condition" }).click();
  const code = page.locator("main p code");
  for (const [field, comparison, value, count, text] of [
    ["tags", "==", "printer", "2 documents", '.where("tags", "contains", "printer")'],
    ["opened", ">", "2026-01-31", "", ""],
    [
      "opened",
      ">=",
      "2026-01-31T12:00:00Z",
      "2 documents",
      '.where("opened", ">=", new Date("2026-01-31T12:00:00.000Z"))',
    ],
    ["code", "==", "7", "0 documents", '.where("code", "==", "7")'],
    ["priority", ">", "5", "1 document", '.where("priority", ">", 5)'],
  ] as const) {
    if (count === "") {
      await find(page, field, comparison, value);
      await page.getByText(`${field}: "${value}" is not a date such as 2026-01-31T12:00:00Z`).waitFor();
      continue;
    }
    await find(page, field, comparison, value);
    await page.getByText(`${count}, using the index (${field})`).waitFor();
    expect(await code.textContent()).toContain(text);
  }
  await page.reload();
  await page.getByText("1 document, using the index (priority)").waitFor();
  expect(await page.getByLabel("Value").inputValue()).toBe("5");
  await page.getByText("(5,002 characters)").click();
  await page.getByText(`"${"x".repeat(5_000)}"`).waitFor();
  await page.context().close();
});

test.each(["7", "null", "{}", "[7]", "[["])("an address with the conditions %s lists all documents", async (where) => {
  const page = await open(`data?${new URLSearchParams({ entity: "customers", where }).toString()}`);
  await page.getByText("2 documents, ").waitFor();
  await page.context().close();
});

test("a document that is nested too deeply is refused with the reason", async () => {
  const json = `{ "title": ${"[".repeat(600)}${"]".repeat(600)} }`;
  await expect(ask("documents/create", { kind: "tickets", json })).rejects.toThrow(
    "400: nested deeper than 500 levels",
  );
});

/** Opens a document as JSON. Returns locators for the panel's text area, problems and conflict. */
async function edit(
  page: Page,
  id: string,
): Promise<{ readonly area: Locator; readonly problems: Locator; readonly conflict: Locator }> {
  await page.locator("main tbody tr", { hasText: id }).getByRole("button", { name: "Edit" }).click();
  const panel = page.getByRole("complementary", { name: "Document" });
  await panel.getByRole("button", { name: "JSON" }).click();
  return {
    area: panel.getByLabel(`Document ${id}`),
    problems: panel.getByRole("alert"),
    conflict: panel.getByRole("region", { name: "Conflict" }),
  };
}

test("an edit is held to the constraints of the type, and each problem stands below the editor", async () => {
  const page = await open("data?entity=tickets&id=T-1");
  const { area, problems } = await edit(page, "T-1");
  const document = JSON.parse(await area.inputValue()) as typeof ticket;
  expect(document).toEqual({ ...ticket, opened: "2026-01-31T12:00:00.000Z" });
  const save = page.getByRole("button", { name: "Save" });
  for (const [change, sentences] of [
    [{ score: -1 }, ["score: must be at least 0"]],
    [{ title: "longer than twenty characters" }, ["title: must be at most 20 characters"]],
    [{ opened: "soon" }, ['opened: "soon" is not a date']],
    [{ titel: "A fire" }, ["titel: the type of tickets has no such field"]],
    [{ code: "T-2" }, [/^code: .*another document has its code/]],
    [{ customer: "nobody" }, ["there is no document with this customer"]],
    [
      { contact: { kind: "phone", number: 44 }, lines: [{ sku: "tea", count: "two" }] },
      ["contact.number: 44 is not a string", 'lines[0].count: "two" is not an int'],
    ],
  ] as const) {
    await area.fill(JSON.stringify({ ...document, ...change }, undefined, 2));
    await save.click();
    for (const sentence of sentences) await problems.getByText(sentence).last().waitFor();
  }
  await problems.getByRole("button", { name: "contact.number" }).click();
  const selected =
    "(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)";
  expect(await page.evaluate(selected)).toBe('"number"');
  await area.fill(JSON.stringify(document).replace('"balance":7', '"balance":9007199254740993'));
  await save.click();
  await page.getByText("9007199254740993", { exact: true }).waitFor();
  await page.context().close();
});

test("a second edit of the same version is refused, and keeps its text", async () => {
  const [first, second] = [await open("data?entity=customers&id=bea"), await open("data?entity=customers&id=bea")];
  const [one, other] = [await edit(first, "bea"), await edit(second, "bea")];
  await one.area.fill('{ "name": "Bea One" }');
  await first.getByRole("button", { name: "Save" }).click();
  await first.getByText("Bea One").waitFor();
  await other.area.fill('{ "name": "Bea Two" }');
  await second.getByRole("button", { name: "Save" }).click();
  await other.conflict.getByText("The document has changed since you opened it").waitFor();
  await other.conflict.getByRole("cell", { name: '"Bea One"' }).waitFor();
  expect(await other.area.inputValue()).toBe('{ "name": "Bea Two" }');
  await Promise.all([first.context().close(), second.context().close()]);
});

test("documents with few and short values are a table with a column for each field", async () => {
  const page = await open("data?entity=customers");
  const documents = page.getByRole("region", { name: "Documents of customers" });
  await documents.getByRole("columnheader", { name: "nickname" }).waitFor();
  const heads = await documents.getByRole("columnheader").allTextContents();
  expect(heads).toEqual(["Id", "name", "nickname", "Referred to by", "Actions"]);
  const row = documents.getByRole("row", { name: /^ann / });
  const { area } = await edit(page, "ann");
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(await area.isVisible()).toBe(false);
  await row.getByRole("cell", { name: '"Ann"', exact: true }).waitFor();
  await page.getByLabel("JSON").check();
  await documents.getByRole("columnheader", { name: "Document" }).waitFor();
  await page.context().close();
});

test("a field named id has its column, and a document without fields can be edited", async () => {
  await ask("documents/create", { kind: "flags", id: "f", json: '{ "id": "of the field" }' });
  await ask("documents/create", { kind: "marks", id: "m", json: "{}" });
  const page = await open("data?entity=flags");
  await page.getByRole("row", { name: /^f / }).getByRole("cell", { name: '"of the field"', exact: true }).waitFor();
  await page.goto(`${url}/_fw/console#data?entity=marks`);
  const { area } = await edit(page, "m");
  expect(await area.inputValue()).toBe("{}");
  await page.context().close();
});

test("references lead to their document and back, and a new document can be filled in with a sample", async () => {
  const page = await open("data?entity=tickets&id=T-1");
  await page.getByRole("link", { name: "ann", exact: true }).first().click();
  await page.getByText('"Ann"', { exact: true }).waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("alert").getByText("other documents refer to it: tickets").waitFor();
  await page.getByRole("link", { name: "tickets by watchers" }).click();
  await page.getByText("2 documents, using the index (watchers)").waitFor();
  await page.getByRole("button", { name: "New document" }).click();
  await page.getByRole("button", { name: "JSON" }).click();
  await page.getByRole("button", { name: "Fill in a sample" }).click();
  const area = page.getByLabel("New document");
  const sample = JSON.parse(await area.inputValue()) as object;
  expect(Object.keys(sample)).toEqual(Object.keys(ticket));
  await area.fill(JSON.stringify({ ...sample, customer: "ann", watchers: ["bea"] }));
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("1 document, read by its id").waitFor();
  await page.context().close();
});

test("waiting messages are shown in parts, and delivered before they are due", async () => {
  expect((await fetch(`${url}/fill/230`, { method: "POST" })).status).toBe(204);
  const page = await open("messages");
  const backlog = page.getByRole("region", { name: "Backlog" }).getByRole("row", { name: /queue:later/ });
  await backlog.getByRole("button", { name: "Show" }).click();
  await page.getByText("100 of 230 messages, the next due first").waitFor();
  await backlog.getByText(/^in (59|60) min$/).waitFor();
  for (const sentence of ["200 of 230 messages", "230 messages, the next"]) {
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByText(sentence).waitFor();
  }
  await page.getByRole("button", { name: "Deliver now" }).first().click();
  // The list follows the queue without a reload.
  await page.getByText("229 messages, the next due first").waitFor();
  await page.context().close();
});

test("the newest dead messages come first, with the stack of their error, and the focus stays", async () => {
  expect((await fetch(`${url}/die/130`, { method: "POST" })).status).toBe(204);
  const page = await open("messages");
  await page.getByText("The newest 100 of 130 messages.").waitFor();
  const rows = page.getByRole("region", { name: "Dead messages" }).locator("tbody tr");
  expect(await rows.count()).toBe(100);
  const newest = rows.filter({ hasText: '"house 129"' });
  await newest.getByText("no carrier goes to house 129 (5 attempts)").waitFor();
  await newest.getByText("Stack", { exact: true }).first().click();
  await newest.getByText("TypeError: no carrier goes to house 129", { exact: true }).waitFor();
  await newest
    .getByRole("link", { name: /^desk.*\.ts:\d+/ })
    .first()
    .waitFor();
  expect((await fetch(`${url}/fill/1`, { method: "POST" })).status).toBe(204);
  const show = page.getByRole("row", { name: /queue:later/ }).getByRole("button", { name: "Show" });
  await show.focus();
  for (let i = 0; i < 2; i++) await page.waitForResponse((response) => response.url().endsWith("/api/messages"));
  expect(await show.and(page.locator(":focus")).count()).toBe(1);
  await page.context().close();
});

test("crons and jobs say when they run next, why a run failed, and that one waits for its next attempt", async () => {
  const page = await open("schedules");
  await page.getByText("No run of these jobs is recorded yet.").waitFor();
  const report = page.getByRole("region", { name: "Crons" }).getByRole("row", { name: /report/ });
  await report.getByText(/^in \d+ days$/).waitFor();
  await report.getByText("none recorded").waitFor();
  await report.getByRole("button", { name: "Run now" }).click();
  await report.getByRole("group").getByText("the report is broken", { exact: true }).click();
  await report.getByText("Error: the report is broken", { exact: true }).waitFor();
  await report
    .getByRole("group")
    .getByRole("link", { name: /^desk.*\.ts:\d+/ })
    .first()
    .waitFor();
  await report.getByText(/^(now|\d.* ago)$/).waitFor();
  const rebuild = page.getByRole("region", { name: "Jobs", exact: true }).getByRole("row", { name: /rebuild/ });
  expect(JSON.parse(await rebuild.getByRole("textbox").inputValue())).toEqual({ from: 1, deep: true });
  await rebuild.getByRole("textbox").fill('{ "from": "here" }');
  await rebuild.getByRole("button", { name: "Start" }).click();
  await rebuild.getByRole("alert").getByText('"here" is not an int').waitFor();
  await rebuild.getByRole("textbox").fill('{ "from": 1 }');
  await rebuild.getByRole("button", { name: "Start" }).click();
  const run = page.getByRole("region", { name: "Recorded runs" }).getByRole("row", { name: /rebuild/ });
  await run.getByText("retrying").waitFor();
  await run.getByText("the disk is full").waitFor();
  await page.context().close();
});

test("an account is created with a role, gets and loses another, and is deleted after a question", async () => {
  const page = await open("users", 390);
  await page.getByText("New account").click();
  await page.getByLabel("Email address", { exact: true }).fill("max@example.com");
  await page.getByLabel("Name", { exact: true }).fill("Max");
  await page.getByRole("combobox", { name: "Role" }).selectOption("clerk");
  await page.getByRole("button", { name: "Create" }).click();
  const row = page.getByRole("region", { name: "Accounts" }).locator("tbody tr", { hasText: "max@example.com" });
  const role = row.getByRole("checkbox", { name: "clerk for max@example.com" });
  expect(await role.isChecked()).toBe(true);
  await role.uncheck();
  await page.getByText("Changed.").waitFor();
  const rolesOf = async (): Promise<unknown> =>
    (await ask<{ accounts: readonly { readonly email: string; readonly claims: object }[] }>("accounts")).accounts.find(
      ({ email }) => email === "max@example.com",
    )?.claims;
  expect(await rolesOf()).toEqual({ roles: [] });
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByLabel("Email address", { exact: true }).fill("max@example.com");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("alert").getByText("an account with that address already exists").waitFor();
  await row.getByRole("button", { name: "Delete" }).click();
  await row.waitFor({ state: "detached" });
  expect(await rolesOf()).toBeUndefined();
  await page.context().close();
});

test("an account is found by its address; disabled, it can neither sign in nor call", async () => {
  for (const name of ["kim", "lou"]) await ask("accounts/create", { email: `${name}@example.com`, role: "clerk" });
  const page = await open("users");
  await page.getByLabel("Find by email address").fill("nobody@example.com");
  await page.getByRole("button", { name: "Find" }).click();
  await page.getByText("No account has the address nobody@example.com.").waitFor();
  await page.getByLabel("Find by email address").fill("kim@example.com");
  await page.getByRole("button", { name: "Find" }).click();
  const row = page.getByRole("region", { name: "Accounts" }).locator("tbody tr");
  await expect.poll(() => row.allTextContents()).toEqual([expect.stringContaining("kim@example.com")]);
  const [application] = await Promise.all([
    page.context().waitForEvent("page"),
    row.getByRole("button", { name: "Sign in as" }).click(),
  ]);
  await application.goto(`${url}/me`);
  await application.getByText("You are kim@example.com").waitFor();
  const other = await browser.newPage();
  expect((await other.goto(`${url}/me`))?.status()).toBe(401);
  await row.getByRole("button", { name: "Disable" }).click();
  await row.getByRole("button", { name: "Enable" }).waitFor();
  expect(await row.getByRole("button", { name: "Sign in as" }).isDisabled()).toBe(true);
  expect((await application.goto(`${url}/me`))?.status()).toBe(401);
  await page.goto(`${url}/_fw/console#routes?route=POST /tickets/{id}/close`);
  const details = page.getByRole("complementary", { name: "Route details" });
  await details.getByLabel(/^id/).fill("T-1");
  await details.getByLabel(/^Email/).fill("kim@example.com");
  await details.getByRole("checkbox", { name: "clerk" }).check();
  await details.getByRole("button", { name: "Send" }).click();
  await details.getByRole("alert").getByText("the account of kim@example.com is disabled").waitFor();
  await details.getByLabel(/^Email/).fill("lou@example.com");
  await details.getByRole("button", { name: "Send" }).click();
  await details.getByText('"by": "lou@example.com"').waitFor();
  await details.getByRole("link", { name: "Show the steps of this request" }).click();
  const request = page.getByRole("complementary", { name: "Request details" });
  await request.getByRole("heading", { name: "POST /tickets/T-1/close" }).waitFor();
  await Promise.all([page.context().close(), other.context().close()]);
});

test("a field that the type has no more survives an edit, until its line is deleted", async () => {
  dev.write(application("name: string"));
  await expect.poll(async () => JSON.stringify(await ask("model"))).not.toContain("nickname");
  const page = await open("data?entity=customers&id=ann");
  const { area } = await edit(page, "ann");
  await area.fill('{ "name": "Ann Two", "nickname": "Annie" }');
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Ann Two").waitFor();
  await page.getByText('"Annie"').waitFor();
  const again = await edit(page, "ann");
  await again.area.fill('{ "name": "Ann Three" }');
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Ann Three").waitFor();
  expect(await page.getByText("nickname").count()).toBe(0);
  await page.context().close();
});
