// Compares a cold analysis and `fw check` with `tsc --noEmit` of TypeScript 7 and 6, in alternation on the same tree.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { transformSync } from "rolldown/utils";
import { median } from "./load/median.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options } = parseArgs({
  options: { routes: { type: "string", default: "100,1000,3000" }, rounds: { type: "string", default: "5" } },
});

const commands = {
  analysis: (app) => [join(root, "bench/load/analyze.mjs"), app],
  "fw check": (app) => [join(root, "packages/fw/bin/fw.js"), "check", "--cwd", app],
  "tsc 7": (app) => [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", app],
  "tsc 6": (app) => [join(root, "node_modules/typescript-6/bin/tsc"), "--noEmit", "-p", app],
};

const { generateApp } = await generator();
console.log(`node ${process.versions.node}, ${options.rounds} rounds; medians; memory is the process tree's\n`);
console.log("| routes | command | ms | to tsc 7 | MB |\n|---|---|---|---|---|");
for (const routes of options.routes.split(",").map(Number)) {
  const app = writeApp(routes);
  try {
    const samples = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const [name, command] of Object.entries(commands)) samples[name].push(await run(command(app)));
    }
    for (const [name, list] of Object.entries(samples)) {
      const ratio = median(list.map((sample, i) => sample.ms / samples["tsc 7"][i].ms));
      const cell = (key) => Math.round(median(list.map((sample) => sample[key])));
      console.log(`| ${routes} | ${name} | ${cell("ms")} | ${ratio.toFixed(2)} | ${cell("mb")} |`);
    }
  } finally {
    rmSync(app, { recursive: true });
  }
}

/** Loads the generator of TypeScript code from fw's own tests. */
async function generator() {
  const path = join(root, "packages/fw/src/analysis/testing/generated-app.ts");
  const { code } = transformSync(path, readFileSync(path, "utf8"));
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

function writeApp(routes) {
  const app = mkdtempSync(join(tmpdir(), "fw-check-"));
  for (const [path, text] of generateApp({ routes }).files) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    writeFileSync(join(app, path), text);
  }
  mkdirSync(join(app, "node_modules"));
  symlinkSync(join(root, "packages/fw"), join(app, "node_modules/fw"));
  return app;
}

function run(args) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
    let mb = 0;
    const look = setInterval(() => {
      mb = Math.max(mb, treeMemory(child.pid));
    }, 20);
    child.once("exit", (code) => {
      clearInterval(look);
      if (code === 0) resolve({ ms: performance.now() - started, mb });
      else reject(new Error(`${args.join(" ")} ended with ${code}`));
    });
  });
}

/** Returns the resident memory of a process and its children, in megabytes. */
function treeMemory(pid) {
  try {
    const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean),
    );
    return children.reduce((sum, child) => sum + treeMemory(child), own);
  } catch {
    return 0;
  }
}
