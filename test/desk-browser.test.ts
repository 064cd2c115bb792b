import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "./support/browser.ts";
import { copyOfExample, startDev, type DevServer } from "./support/fw.ts";

let server: DevServer;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([
    copyOfExample("desk").then((directory) => startDev(directory)),
    launchBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

/** Signs in a user in a separate browser and opens a page of the desk. */
async function open(name: string, path: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${server.url}/_fw/signin?next=${path}`);
  await page.getByRole("button", { name: `Sign in as ${name}` }).click();
  await page.waitForURL(`${server.url}${path}`);
  return page;
}

test("agents of the desk see answers, colleagues and the board live, and a half-typed answer stays", async () => {
  const ticket = "/desks/zoo/tickets/example-0";
  const [alice, bob, admin] = await Promise.all([
    open("alice", ticket),
    open("bob", ticket),
    open("alice", "/desks/zoo/people"),
  ]);
  const board = await alice.context().newPage();
  await board.goto(`${server.url}/board/#zoo`);
  await board.getByText("Live", { exact: true }).waitFor();
  await alice.getByLabel("Your answer").fill("The penguins are");
  await bob.getByLabel("Your answer").fill("On **Monday** instead.");
  await bob.getByRole("button", { name: "Send" }).click();
  await bob.getByRole("status").getByText("Sent.").waitFor();
  await alice.locator("strong", { hasText: "Monday" }).waitFor();
  expect(await alice.getByLabel("Your answer").inputValue()).toBe("The penguins are");
  await board.getByText("Bob: Are the penguins fed in public? (answered)").waitFor();
  expect(await bob.getByLabel("Only agents see it").count()).toBe(0);
  await admin.locator("#member-bob").getByLabel("Role").selectOption("agent");
  await admin.locator("#member-bob").getByRole("button", { name: "Change" }).click();
  await bob.getByLabel("Only agents see it").waitFor();
  await bob.reload();
  await alice.getByText("Alice and Bob look at this ticket.").waitFor();
  await alice.getByLabel("Status").selectOption("closed");
  await alice.getByRole("button", { name: "Save" }).click();
  await bob.locator(".tag", { hasText: "closed" }).waitFor();
});
