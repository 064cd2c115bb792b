import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { Client } from "../packages/fw/src/lsp/testing/client.ts";
import { writeApplication } from "./support/dev-app.ts";

const bin = fileURLToPath(new URL("../packages/fw/bin/fw.js", import.meta.url));

const route = (pattern: string): string =>
  `import { API } from "fw";\nexport const get = API("GET ${pattern}", (): { ok: boolean } => ({ ok: true }));\n`;

/** Starts `fw lsp` as an editor would. */
function startServer(root: string): {
  readonly client: Client;
  readonly exited: Promise<number | null>;
  readonly end: () => void;
} {
  const child = spawn(process.execPath, [bin, "lsp", "--stdio"], { cwd: "/", stdio: ["pipe", "pipe", "inherit"] });
  const client = new Client(root, (bytes) => void child.stdin.write(bytes));
  child.stdout.on("data", (chunk: Buffer) => client.take(chunk));
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  onTestFinished(async () => {
    child.kill();
    await exited;
    rmSync(root, { recursive: true, force: true });
  });
  return { client, exited, end: () => void child.stdin.end() };
}

test("an editor that starts fw lsp is told of unsaved texts and of declarations, and leaves in order", async () => {
  const root = writeApplication({ "shop/api.ts": route("/orders") });
  const { client, exited } = startServer(root);
  await client.start();
  client.open("shop/api.ts");
  client.edit("shop/api.ts", route("/_fw/orders"));
  await client.told("shop/api.ts", ["1:23 fw/reserved-prefix"]);
  client.edit("shop/api.ts", route("/orders"));
  const hover = await client.at("textDocument/hover", "shop/api.ts", route("/orders"), "get =");
  expect(hover).toMatchObject({ contents: { value: expect.stringContaining("API GET /orders") } });
  await client.told("shop/api.ts", []);
  expect(await client.request("shutdown")).toBeNull();
  client.notify("exit");
  expect(await exited).toBe(0);
});

test("fw lsp ends with its editor, and its own processes with it", async () => {
  const root = writeApplication({ "shop/api.ts": route("/orders") });
  const { client, exited, end } = startServer(root);
  await client.start();
  client.open("shop/api.ts");
  end();
  expect(await exited).toBe(1);
});
