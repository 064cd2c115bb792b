import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runInThisContext } from "node:vm";
import { createRequire } from "node:module";
import { expect, onTestFinished, test } from "vitest";
import { Client } from "../packages/fw/src/lsp/testing/client.ts";
import { writeApplication } from "./support/dev-app.ts";

const folder = fileURLToPath(new URL("../editors/vscode/", import.meta.url));
const manifest = JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as {
  readonly main: string;
  readonly activationEvents: readonly string[];
  readonly dependencies: object;
};

interface Server {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Activates the extension with stubs for VS Code and its client library. Returns the servers that it starts, and a
 * function that stops them.
 */
async function activated(
  roots: readonly string[],
): Promise<{ readonly started: Server[]; readonly stop: () => unknown }> {
  const started: Server[] = [];
  const stopped: string[] = [];
  class LanguageClient {
    readonly id: string;
    readonly server: Server;
    constructor(id: string, _name: string, server: Server, options: { readonly documentSelector: readonly object[] }) {
      this.id = id;
      this.server = server;
      expect(options.documentSelector).toContainEqual({ scheme: "file", language: "typescript" });
    }
    async start(): Promise<void> {
      started.push(this.server);
    }
    stop(): void {
      stopped.push(this.id);
    }
  }
  const configuration: Readonly<Record<string, unknown>> = {
    vscode: { workspace: { workspaceFolders: roots.map((root) => ({ uri: { fsPath: root } })) } },
    "vscode-languageclient/node": { LanguageClient },
  };
  const require = createRequire(`${folder}package.json`);
  const exported: { activate?: () => Promise<void>; deactivate?: () => unknown } = {};
  const run = runInThisContext(`(require, exports) => {${readFileSync(`${folder}${manifest.main}`, "utf8")}\n}`) as (
    load: (name: string) => unknown,
    exports: object,
  ) => void;
  run((name) => configuration[name] ?? (require(name) as unknown), exported);
  await exported.activate?.();
  return { started, stop: () => exported.deactivate?.() };
}

test("the extension of VS Code starts the fw that the workspace has installed, which answers", async () => {
  const root = writeApplication({
    "shop/api.ts": `import { API } from "fw";\nexport const get = API("GET /x", (): void => {});\n`,
  });
  const { started, stop } = await activated(["/nowhere", root]);
  expect(started).toEqual([{ command: "node", args: [expect.stringContaining(root), "lsp"] }]);
  const child = spawn(process.execPath, started[0]?.args ?? [], { stdio: ["pipe", "pipe", "inherit"] });
  const client = new Client(root, (bytes) => void child.stdin.write(bytes));
  child.stdout.on("data", (chunk: Buffer) => client.take(chunk));
  const exited = new Promise((resolve) => child.once("close", resolve));
  onTestFinished(async () => {
    child.kill();
    await exited;
    rmSync(root, { recursive: true, force: true });
  });
  expect(await client.start()).toMatchObject({ serverInfo: { name: "fw" } });
  await client.request("shutdown");
  client.notify("exit");
  expect(await exited).toBe(0);
  await stop();
});

test("where no fw is installed the extension starts nothing, and stops nothing", async () => {
  const { started, stop } = await activated(["/nowhere"]);
  expect(started).toEqual([]);
  expect(stop()).toBeUndefined();
});

test("the extension needs no build: what it names is there, and it depends on its client library alone", () => {
  expect(manifest.main).toBe("./extension.js");
  expect(Object.keys(manifest.dependencies)).toEqual(["vscode-languageclient"]);
  expect(manifest.activationEvents).toContain("onLanguage:typescript");
});
