import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeApp, type WrittenApp } from "../analysis/testing/app.ts";

// Tests of the code that every command loads at its start.

const installed = fileURLToPath(new URL("../../", import.meta.url));

let app: WrittenApp;

beforeAll(async () => {
  app = await writeApp(`-- package.json --
{ "name": "shop", "type": "module" }
-- api.ts --
import { API } from "fw";
export const hello = API("GET /hello", () => "hi");
`);
  mkdirSync(join(app.root, "node_modules"));
  symlinkSync(installed, join(app.root, "node_modules/fw"));
});

afterAll(() => app[Symbol.asyncDispose]());

test("fw check loads TypeScript's client without its JSON-RPC library", () => {
  const code = loadedSources("check");
  expect(code.filter((source) => source.includes("getTypesAtPositions"))).not.toEqual([]);
  expect(code.filter((source) => source.includes("ConnectionStrategy"))).toEqual([]);
});

test("fw check without problems leaves out the engine's tables of languages and characters", () => {
  const refusals = `for (const name of Object.getOwnPropertyNames(Intl))
    if (/^[A-Z]/.test(name) && typeof Intl[name] === "function")
      Intl[name] = new Proxy(Intl[name], { construct() { throw new Error("Intl." + name); } });`;
  expect(run(refusals, "check")).toMatchObject({ status: 0, stderr: "" });
});

/** Runs a command and returns the source of each file of fw's command line that it loaded. */
function loadedSources(command: string): readonly string[] {
  const hooks = `import { writeSync } from "node:fs";
    export async function load(url, context, next) {
      const loaded = await next(url, context);
      if (url.includes("/dist/bundled/")) writeSync(2, JSON.stringify(new TextDecoder().decode(loaded.source)) + "\\n");
      return loaded;
    }`;
  const preload = `import { register } from "node:module"; register(${JSON.stringify(moduleOf(hooks))});`;
  const { status, stderr } = run(preload, command);
  expect(status).toBe(0);
  return stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as string);
}

/** Runs a command in a process that evaluates `preload` first. */
function run(preload: string, command: string) {
  const args = ["--import", moduleOf(preload), join(installed, "bin/fw.js"), command];
  return spawnSync(process.execPath, args, { cwd: app.root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
}

function moduleOf(text: string): string {
  return `data:text/javascript,${encodeURIComponent(text)}`;
}
