import { readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { expect, test } from "vitest";
import { newCallKeys } from "../packages/fw/src/platform/calls.ts";
import { AppProcess } from "../packages/fw/src/dev/app/process.ts";
import { deltaBetween, type Activation } from "../packages/fw/src/dev/protocol.ts";
import { emptySnapshot, type Snapshot } from "../packages/fw/src/workspace/snapshot.ts";
import { files } from "../packages/fw/src/workspace/testing/files.ts";
import { relativeImports, source } from "./support/source-imports.ts";
import { Workspace } from "../packages/fw/src/workspace/workspace.ts";

const moduleCount = 100;
const saveCount = 60;
/** The maximum memory that the engine's compilers may use at once. Optimizing the list of all routes uses 100 MB. */
const mostCompilerMemory = 16e6;

/** A module with ten routes. */
const moduleText = (index: number, version: number): string =>
  [
    `import { API } from "fw";`,
    ...Array.from(
      { length: 10 },
      (_, n) => `export const r${n} = API("GET /${index}/${n}", (): number => ${version});`,
    ),
  ].join("\n");

test("many saves in an application of 1,000 routes do not make the engine optimize the list of routes", async () => {
  using app = files({
    "package.json": `{ "name": "app", "type": "module" }`,
    "report.txt": "",
    ...Object.fromEntries(Array.from({ length: moduleCount }, (_, n) => [`app/m${n}.ts`, moduleText(n, 0)])),
  });
  const process = startProcess(app.root, app.path("report.txt"));
  const activation: Activation = {
    root: app.root,
    hosts: { listensOn: "127.0.0.1", allowedHosts: [] },
    data: { directory: app.path(".fw/data") },
    seeds: "never",
    env: {},
    csrfKey: Buffer.alloc(32).toString("base64"),
    callKey: newCallKeys().publicKey,
    inspect: undefined,
  };
  try {
    await process.activate(activation, false);
    const path = app.path("app/m0.ts");
    let before = emptySnapshot;
    const first = await snapshotOf(app.root);
    for (let version = 0; version < saveCount; version += 1) {
      const next = { ...first, sources: { ...first.sources, [path]: moduleText(0, version) } };
      const delta = deltaBetween(before, next, { changed: [path], pathsChanged: version === 0 });
      const options = { givesWay: new AbortController().signal, slow: undefined };
      expect(await process.load(delta, version, options)).toMatchObject({ kind: "loaded" });
      before = next;
    }
  } finally {
    process.kill();
    await process.exited;
  }
  const reported = readFileSync(app.path("report.txt"), "utf8").trim().split("\n").map(Number);
  expect(reported.length).toBeGreaterThan(saveCount);
  expect(Math.max(...reported)).toBeLessThan(mostCompilerMemory);
});

test("the parent of fw dev loads no server of requests while the application runs", () => {
  const loaded = new Set([join(source, "cli/dev/run.ts")]);
  for (const file of loaded)
    for (const { specifier, when } of relativeImports(file))
      if (when === "loaded") loaded.add(join(dirname(file), specifier));
  const names = [...loaded].map((file) => relative(source, file).split(sep).join("/"));
  expect(names).toContain("dev/port/listener.ts");
  expect(names.filter((name) => name.startsWith("runtime/"))).toEqual([]);
});

/** Starts a process that reports the memory of its compilers. */
function startProcess(root: string, report: string): AppProcess {
  const { NODE_OPTIONS } = process.env;
  const preload = new URL("support/report-heap.mjs", import.meta.url).href;
  Object.assign(process.env, { NODE_OPTIONS: `--import ${preload}`, FW_TEST_HEAP_REPORT: report });
  try {
    return new AppProcess(root);
  } finally {
    delete process.env["FW_TEST_HEAP_REPORT"];
    if (NODE_OPTIONS === undefined) delete process.env["NODE_OPTIONS"];
    else process.env["NODE_OPTIONS"] = NODE_OPTIONS;
  }
}

async function snapshotOf(root: string): Promise<Snapshot> {
  const workspace = new Workspace({ root, env: {} });
  const { diagnostics } = await workspace.read();
  const snapshot = workspace.snapshot();
  workspace.close();
  if (snapshot === undefined) throw new Error(JSON.stringify(diagnostics));
  return snapshot;
}
