// Requests per second of a whole machine: `fw serve` with its processes and Fastify in cluster mode, on one core and on
// all. The load runs on the same machine, so the relevant measure is CPU time per request, over all processes of a
// server; requests per second depend on the cores that the load leaves.
import { fork, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { load } from "./load/client.mjs";
import { median } from "./load/median.mjs";
import { node24 } from "./load/node-24.mjs";
import { scenarios } from "./load/scenarios.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    ms: { type: "string", default: "2000" },
    scenarios: { type: "string", default: "hello,HTML page" },
    connections: { type: "string", default: "64" },
  },
});
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const fw = here("../packages/fw/bin/fw.js");
/** Clock ticks of /proc per second. */
const ticks = 100;
const node = await node24();
const data = mkdtempSync(join(tmpdir(), "fw-machine-"));
const all = availableParallelism();
const servers = {
  "fw, 1 core": () => startFw(1),
  "Fastify, 1 core": () => startFastify(1),
  [`fw, ${all} cores`]: () => startFw(all),
  [`Fastify, ${all} cores`]: () => startFastify(all),
};

try {
  await ended(spawn(process.execPath, [fw, "build", "-C", here("app")], { stdio: "ignore" }));
  console.log("| scenario | server | requests/s | CPU µs/request | p50 µs | p99 µs |\n|---|---|---|---|---|---|");
  for (const scenario of options.scenarios.split(",")) await measure(scenario);
} finally {
  rmSync(data, { recursive: true });
}

async function measure(scenario) {
  const samples = Object.fromEntries(Object.keys(servers).map((name) => [name, []]));
  for (let round = 0; round < Number(options.rounds); round++)
    for (const [name, start] of Object.entries(servers)) samples[name].push(await sample(await start(), scenario));
  for (const [name, all] of Object.entries(samples)) {
    const cells = ["perSecond", "cpu", "p50", "p99"].map((key) => Math.round(median(all.map((each) => each[key]))));
    console.log(`| ${scenario} | ${name} | ${cells.join(" | ")} |`);
  }
}

async function sample({ child, port }, scenario) {
  const work = { port, requests: scenarios[scenario], connections: Number(options.connections) };
  await load({ ...work, ms: 1000 });
  const before = cpuOf(child.pid);
  const { answered, failed, p50, p99 } = await load({ ...work, ms: Number(options.ms) });
  const cpu = ((cpuOf(child.pid) - before) * (1_000_000 / ticks)) / answered;
  if (failed > 0) throw new Error(`${scenario}: ${failed} requests failed`);
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("close", resolve));
  return { perSecond: (answered * 1000) / Number(options.ms), cpu, p50, p99 };
}

/** Returns the arguments that pin a server to its first cores. */
function pinned(cores) {
  return ["-c", `0-${cores - 1}`, node];
}

async function startFw(cores) {
  const directory = mkdtempSync(join(data, "fw-"));
  const flags = ["--port", "0", "--data", directory, "--processes", String(cores)];
  const args = [...pinned(cores), fw, "serve", here("app/.fw/build"), ...flags];
  const child = spawn("/usr/bin/taskset", args, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface(child.stdout)) {
    const port = /"port":(\d+)/.exec(line)?.[1];
    if (port === undefined) continue;
    child.stdout.resume();
    return { child, port: Number(port) };
  }
  throw new Error("fw serve ended");
}

function startFastify(cores) {
  const child = fork(here("servers/cluster.mjs"), [String(cores)], {
    execPath: "/usr/bin/taskset",
    execArgv: pinned(cores),
    env: { ...process.env, NODE_ENV: "production" },
  });
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`Fastify ended with ${code}`)));
    child.once("message", ({ port }) => resolve({ child, port }));
  });
}

/** Returns the CPU time of a process and its descendants, in clock ticks. */
function cpuOf(pid) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean),
  );
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return Number(fields[11]) + Number(fields[12]) + children.reduce((sum, child) => sum + cpuOf(Number(child)), 0);
}

async function ended(child) {
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`fw build ended with ${code}`);
}
