// Measures the time from saving a file to the first response of the new code, and the share of each stage. Reports
// medians at several sizes.
//
// Usage: node bench/dev-loop.mjs [--routes 100,1000] [--saves 30] [--pause 1500]
//
// Many saves with a short pause reveal leaks in the memory lines: --saves 300 --pause 100. On a busy machine, compare
// the stages' CPU times, which hardly depend on other processes.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const packageDir = fileURLToPath(new URL("../packages/fw", import.meta.url));
const { values } = parseArgs({
  options: {
    routes: { type: "string", default: "100,1000" },
    saves: { type: "string", default: "30" },
    pause: { type: "string", default: "1500" },
  },
});

/** Milliseconds between two saves: a person's pace, with enough time for the type check. */
const pause = Number(values.pause);
/**
 * The stages, in order: watcher reports the file; read and parse; analyse; generate modules; send them to the child;
 * receive; evaluate modules; swap the handler.
 */
const stageNames = ["watch", "read", "analyse", "generate", "send", "receive", "evaluate", "swap"];
/** Milliseconds between two polls. Polling without a pause would take CPU time from what it measures. */
const askEvery = 1;

console.log(`node ${process.versions.node}, ${cpus().length} x ${cpus()[0]?.model}`);
for (const routes of values.routes.split(",").map(Number)) {
  const { ready, times, memory, stages } = await measure(routes, Number(values.saves));
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1);
  console.log(
    `${routes} routes: start ${ready.toFixed(0)} ms; save to serving median ${at(0.5)} ms, p90 ${at(0.9)}, worst ${at(1)}` +
      ` over ${times.length} saves`,
  );
  for (const [name, { ms, cpu }] of stages)
    console.log(
      `  ${name.padEnd(12)} ${ms.toFixed(1).padStart(6)} ms, ${cpu.toFixed(1).padStart(6)} ms of processor time`,
    );
  for (const [name, sizes] of memory) console.log(`  ${name.padEnd(12)} ${sizes.join(" -> ")} MB`);
}

async function measure(routes, saveCount) {
  const root = writeApp(routes);
  const started = performance.now();
  const stagesFile = join(root, ".stages");
  writeFileSync(stagesFile, "");
  const dev = spawn(process.execPath, [join(packageDir, "bin/fw.js"), "dev", "--port", "0"], {
    cwd: root,
    env: {
      ...process.env,
      NODE_OPTIONS: `--import ${new URL("dev-stages.mjs", import.meta.url).href}`,
      FW_BENCH_STAGES: stagesFile,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const port = await portOf(dev);
    const ready = performance.now() - started;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const times = [];
    const saves = [];
    const memory = new Map();
    remember(memory, dev.pid);
    for (let version = 1; version <= saveCount; version++) {
      await after(pause);
      const saved = performance.now();
      saves.push(performance.timeOrigin + saved);
      writeFileSync(join(root, "p0/api0.ts"), moduleText(0, 0, version));
      while ((await get(port, "/p0/a0/version", agent)) !== String(version)) await after(askEvery);
      times.push(performance.now() - saved);
      if (version % Math.ceil(saveCount / 6) === 0) remember(memory, dev.pid);
    }
    agent.destroy();
    await after(500);
    const stages = stageTimes(saves, readFileSync(stagesFile, "utf8"));
    return { ready, times: times.toSorted((a, b) => a - b), memory, stages };
  } finally {
    dev.kill("SIGTERM");
    await new Promise((resolve) => dev.once("exit", resolve));
    rmSync(root, { recursive: true, force: true });
  }
}

/**
 * Returns the median elapsed and CPU time of each stage, in the process that runs the stage. The CPU time of a
 * process's first stage counts from the last sample before the save, so it excludes the type check of the previous one.
 */
function stageTimes(saves, text) {
  const usages = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  const stages = new Map(stageNames.map((name) => [name, []]));
  for (const [index, saved] of saves.entries()) {
    const own = usages.filter(({ stage, at }) => stage && at >= saved && at < (saves[index + 1] ?? Infinity));
    let before = saved;
    for (const { stage, at, pid, cpu } of own) {
      const last = usages.findLast((each) => each.pid === pid && each.at < at && (each.stage || each.at < saved));
      stages.get(stage).push({ ms: at - before, cpu: cpu - (last?.cpu ?? cpu) });
      before = at;
    }
  }
  const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
  return [...stages].map(([name, all]) => [
    name,
    { ms: median(all.map(({ ms }) => ms)), cpu: median(all.map(({ cpu }) => cpu)) },
  ]);
}

/** Writes packages with two modules of ten routes each. All other packages import the first one. */
function writeApp(routes) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "fw-bench-")));
  write(root, "package.json", `{ "name": "bench-app", "type": "module" }`);
  write(
    root,
    "tsconfig.json",
    `{ "compilerOptions": { "module": "nodenext", "strict": true, "noEmit": true, "allowImportingTsExtensions": true } }`,
  );
  mkdirSync(join(root, "node_modules"));
  symlinkSync(packageDir, join(root, "node_modules/fw"));
  for (let file = 0; file < routes / 10; file++) {
    const packageIndex = Math.floor(file / 2);
    write(root, `p${packageIndex}/model.ts`, modelText(packageIndex));
    write(root, `p${packageIndex}/api${file % 2}.ts`, moduleText(packageIndex, file % 2, 0));
  }
  return root;
}

function modelText(index) {
  return `export interface Item${index} { id: string; title: string; tags: string[]; state: "open" | "closed"; at: Date; count: number }
export const base${index} = "/p${index}";
`;
}

function moduleText(index, half, version) {
  const item = `Item${index}`;
  const others = index > 0 ? `import { version as first } from "../p0/api0.ts";\n` : "";
  const routes = Array.from(
    { length: half === 0 && index === 0 ? 9 : 10 },
    (_, n) => `
export interface Req${n} { id: Path; limit?: Query<Int>; title: string; note?: string; kind: { type: "a"; n: number } | { type: "b"; s: string } }
export const r${n} = API(\`POST \${base${index}}/a${half}/r${n}/{id}\`, async (_ctx, req: Req${n}): Promise<Pick<${item}, "id" | "title" | "count">> => ({ id: req.id, title: req.title, count: ${n} }));`,
  );
  const own =
    index === 0 && half === 0
      ? `
export const version = ${version};
export const versionRoute = API("GET /p0/a0/version", () => version);`
      : "";
  const use = others === "" ? "" : "\nexport const seen = first;";
  return `import { API } from "fw";
import type { Int, Path, Query } from "fw";
${others}import { base${index}, type ${item} } from "./model.ts";
${routes.join("\n")}${own}${use}
`;
}

function after(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function write(root, name, text) {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

function portOf(dev) {
  return new Promise((resolve, reject) => {
    let output = "";
    dev.stdout.on("data", (chunk) => {
      output += chunk;
      const port = /http:\/\/localhost:(\d+)/.exec(output)?.[1];
      if (port) resolve(Number(port));
    });
    dev.once("exit", () => reject(new Error(output)));
  });
}

/** Adds the resident memory of the dev server and of each process below it, in megabytes. */
function remember(memory, server) {
  const processes = execFileSync("ps", ["-eo", "pid=,ppid=,rss=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line)?.slice(1) ?? []);
  const below = processes.filter(([, parent]) => Number(parent) === server).toSorted(([a], [b]) => a - b);
  const own = processes.find(([pid]) => Number(pid) === server);
  // The oldest child is the standby that became the application's process.
  const nodes = below.filter(([, , , args]) => args.includes("running/child"));
  const typescript = below.find((each) => !nodes.includes(each));
  const named = { server: own, application: nodes[0], standby: nodes[1], typescript };
  for (const [name, process] of Object.entries(named)) {
    const sizes = memory.get(name) ?? [];
    memory.set(name, [...sizes, process === undefined ? "none" : Math.round((Number(process[2]) * 1024) / 1e6)]);
  }
}

function get(port, path, agent) {
  return new Promise((resolve, reject) => {
    request({ port, host: "127.0.0.1", path, agent }, (response) => {
      let body = "";
      response.on("data", (chunk) => (body += chunk)).on("end", () => resolve(body));
    })
      .on("error", reject)
      .end();
  });
}
