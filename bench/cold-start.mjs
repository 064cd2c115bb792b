// From spawn to the first 200 of a built service, its processor time and resident memory then; servers in turn. fw's are what
// `fw build` makes of bench/cold/app and of the notes example, the others one minified bundle each.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { rolldown } from "rolldown";
import { median } from "./load/median.mjs";
import { node24 } from "./load/node-24.mjs";

const { values: options } = parseArgs({
  options: { node: { type: "string", default: "24" }, rounds: { type: "string", default: "15" } },
});
const node = options.node === "24" ? await node24() : process.execPath;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Milliseconds of one tick of `/proc/<pid>/stat`. */
const tickMs = 10;

const servers = [
  { name: "raw", path: "/hello", dir: await bundled("raw") },
  { name: "fw", path: "/hello", dir: built("cold/app", "cold-app") },
  { name: "hono", path: "/hello", dir: await bundled("hono") },
  { name: "fastify", path: "/hello", dir: await bundled("fastify") },
  { name: "fw, the notes example", path: "/about", dir: built("../examples/notes", "notes") },
];

const data = mkdtempSync(join(tmpdir(), "fw-cold-"));
const samples = new Map(servers.map(({ name }) => [name, []]));
try {
  for (let round = -1; round < Number(options.rounds); round++) {
    for (const [i, server] of servers.entries()) {
      const sample = await start(server, 18_600 + i);
      if (round >= 0) samples.get(server.name).push(sample);
    }
  }
} finally {
  rmSync(data, { recursive: true });
}

console.log(`node ${options.node === "24" ? "24.21.0" : process.versions.node}, ${options.rounds} rounds; medians\n`);
console.log(
  "| server | kB of code | ms to the first 200 | to raw | ms of processor | MB resident |\n|---|---|---|---|---|---|",
);
for (const { name, dir } of servers) {
  const own = samples.get(name);
  const ratio = median(own.map((sample, i) => sample.ms / samples.get("raw")[i].ms));
  const cell = (key) => median(own.map((sample) => sample[key])).toFixed(0);
  const size = (codeBytes(dir) / 1_000).toFixed(0);
  console.log(`| ${name} | ${size} | ${cell("ms")} | ${ratio.toFixed(2)} | ${cell("cpu")} | ${cell("mb")} |`);
}

/** The directory of a service that `fw build` made. */
function built(app, service) {
  execFileSync(process.execPath, [here("../packages/fw/bin/fw.js"), "build", "-C", here(app)], { stdio: "ignore" });
  return here(`${app}/.fw/build/services/${service}`);
}

/** The directory of a bundle of one of the other servers. */
async function bundled(name) {
  const dir = here(`.fw/cold/${name}`);
  const build = await rolldown({ input: { main: here(`cold/${name}.mjs`) }, platform: "node", logLevel: "silent" });
  await build.write({ dir, cleanDir: true, format: "esm", minify: true });
  return dir;
}

function codeBytes(dir) {
  const files = readdirSync(dir).filter((name) => name.endsWith(".js"));
  return files.reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
}

async function start({ name, dir, path }, port) {
  const started = performance.now();
  const child = spawn(node, [join(dir, "main.js")], {
    env: { PORT: String(port), FW_DATA: join(data, "store"), NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  while (!(await answers(port, path))) if (child.exitCode !== null) throw new Error(`${name} ended`);
  const ms = performance.now() - started;
  const mb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
  const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const cpu = (Number(stat[11]) + Number(stat[12])) * tickMs;
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  return { ms, mb, cpu };
}

/** True when a request is answered 200; a refused connection is asked again a millisecond later. */
function answers(port, path) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`));
    socket.once("data", (data) => {
      socket.destroy();
      resolve(data.latin1Slice(9, 12) === "200");
    });
    socket.once("error", () => setTimeout(resolve, 1, false));
  });
}
