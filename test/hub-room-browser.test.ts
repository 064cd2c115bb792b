import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { transformSync } from "rolldown/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fw } from "../packages/fw/src/cli/testing/run.ts";
import { launchBrowser } from "./support/browser.ts";
import { copyOfExample, startDev, type DevServer } from "./support/fw.ts";

let server: DevServer;
let browser: Browser;

beforeAll(async () => {
  const directory = await copyOfExample("hub");
  writeFileSync(join(directory, ".env"), "WEBHOOK_SECRET=of-the-test\n");
  expect((await fw(directory, "gen", "client", "ts")).code).toBe(0);
  server = await startDev(directory, "--services");
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.[Symbol.asyncDispose]();
});

/** Signs in a user in a separate browser and opens the room. */
async function enter(name: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${server.url}/_fw/signin?next=/rooms/builds`);
  await page.getByRole("button", { name: `Sign in as ${name}` }).click();
  await page.waitForURL(`${server.url}/rooms/builds`);
  await page.getByText("Connected", { exact: true }).waitFor();
  return page;
}

test("people in a room of the hub talk in their browsers, by its page and by the generated client", async () => {
  const [alice, bob] = await Promise.all([enter("alice"), enter("bob")]);
  await alice.getByLabel("Message").fill("it is <b>red</b>");
  await alice.getByRole("button", { name: "Send" }).click();
  await bob.getByText("Alice: it is <b>red</b>").waitFor();
  const api = readFileSync(join(server.directory, ".fw/gen/client/ts/api.ts"), "utf8");
  const body = transformSync("api.ts", api).code;
  await bob.route("**/api.js", (route) => route.fulfill({ contentType: "text/javascript", body }));
  const heard = await bob.evaluate(`(async () => {
    const { createClient } = await import("/api.js");
    const room = createClient().room("builds");
    await room.send({ text: "is it?" });
    for await (const { from, text } of room) return [from, text];
  })()`);
  expect(heard).toEqual(["Bob", "is it?"]);
  await alice.getByText("Bob: is it?").waitFor();
  const refusal = await bob.evaluate(`(async () => {
    const { createClient } = await import("/api.js");
    const room = createClient().room("builds");
    void room.send({ text: "" });
    try {
      for await (const _ of room);
    } catch (error) {
      return [error.name, error.code, error.message];
    }
  })()`);
  expect(refusal).toEqual(["ApiSocketError", 1007, "message text: must be at least 1 character"]);
});
