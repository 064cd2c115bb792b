import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeApp } from "../../analysis/testing/app.ts";
import { recordStart } from "../../workspace/last-start.ts";
import { Workspace } from "../../workspace/workspace.ts";
import { palette } from "./colour.ts";
import { changesText, startLines } from "./start-lines.ts";

const shop = `
-- package.json --
{ "name": "app", "type": "module", "scripts": { "test": "fw test" } }
-- shop/shop.ts --
import { API, Queue } from "fw";
export const mails = Queue<string>("mails");
export const hello = API("GET /hello", () => "hello");
`;

test("a start prints the console's address, the tests' command and nothing about changes that are not there", async () => {
  await using app = await writeApp(shop);
  const started = await startedApp(app.root);
  const lines = ["  console  http://localhost:8080/_fw/console", "  tests    npm test"];
  expect(startLines(started, "http://localhost:8080", palette(false))).toEqual(lines);
  expect(startLines(started, "http://localhost:8080", palette(false))).toEqual(lines);
});

test("a start names the modules and declarations that changed since the one before", async () => {
  await using app = await writeApp(shop);
  recordStart(await startedApp(app.root), 0);
  await writeFile(
    join(app.root, "shop/shop.ts"),
    `import { API } from "fw";\nexport const bye = API("GET /bye", () => "bye");\n`,
  );
  const changes = recordStart(await startedApp(app.root), 2 * 3_600_000);
  expect(changes && changesText(changes)).toBe(
    "1 module (shop/shop.ts); new: GET /bye; removed: queue mails, GET /hello, since the start 2 hours ago",
  );
});

async function startedApp(root: string) {
  const workspace = new Workspace({ root, env: {}, builds: { failed: () => {}, recovered: () => {} } });
  const { app } = await workspace.read();
  const { sources } = workspace;
  workspace.close();
  return { root, app, sources };
}
