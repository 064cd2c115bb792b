// Measures a built service from spawn to its first 200: elapsed time, CPU time of the main thread and resident memory.
// The servers take turns. Builds bench/cold/app for both platforms and the notes example with `fw build`, and bundles
// each other server, minified. A service for Google Cloud starts once with its location in the environment, then with a
// metadata server.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
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

const gcp = built("cold/app", "cold-app", "gcp");
const metadata = await openMetadata();
const located = { FW_PROJECT: "demo", FW_PROJECT_NUMBER: "123456789012", FW_REGION: "europe-west1" };

const servers = [
  { name: "raw", path: "/hello", dir: await bundled("raw") },
  { name: "fw", path: "/hello", dir: built("cold/app", "cold-app") },
  { name: "fw on Google Cloud", path: "/hello", dir: gcp, env: located },
  { name: "fw on Google Cloud, located by the metadata server", path: "/hello", dir: gcp, env: metadata.env },
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
  metadata.close();
  rmSync(data, { recursive: true });
}

console.log(`node ${options.node === "24" ? "24.21.0" : process.versions.node}, ${options.rounds} rounds; medians\n`);
console.log(
  "| server | kB loaded | kB in all | ms to the first 200 | to raw | main thread, ms | to raw | MB resident |\n|---|---|---|---|---|---|---|---|",
);
for (const { name, dir } of servers) {
  const own = samples.get(name);
  const ratio = (key) => median(own.map((sample, i) => sample[key] / samples.get("raw")[i][key])).toFixed(2);
  const cell = (key) => median(own.map((sample) => sample[key])).toFixed(0);
  const kilobytes = (files) => (files.reduce((sum, file) => sum + statSync(file).size, 0) / 1_000).toFixed(0);
  const sizes = `${kilobytes(loadedFiles(join(dir, "main.js")))} | ${kilobytes(codeFiles(dir))}`;
  console.log(
    `| ${name} | ${sizes} | ${cell("ms")} | ${ratio("ms")} | ${cell("main")} | ${ratio("main")} | ${cell("mb")} |`,
  );
}

/** Copies the directory of a service built by `fw build`, because the next build replaces it. */
function built(app, service, platform = "local") {
  const args = ["build", "--platform", platform, "-C", here(app)];
  execFileSync(process.execPath, [here("../packages/fw/bin/fw.js"), ...args], { stdio: "ignore" });
  const dir = here(`.fw/cold/${service}-${platform}`);
  cpSync(here(`${app}/.fw/build/services/${service}`), dir, { recursive: true });
  return dir;
}

/** Opens a metadata server like Google Cloud's, and returns the environment of services that query it. */
async function openMetadata() {
  const answers = {
    "instance/region": "projects/1/regions/europe-west1",
    "project/numeric-project-id": "123456789012",
  };
  const server = createServer((req, res) => {
    res.end(answers[req.url.replace("/computeMetadata/v1/", "")] ?? "demo");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { env: { GCE_METADATA_HOST: `127.0.0.1:${server.address().port}` }, close: () => server.close() };
}

/** Returns the directory of another server's bundle. */
async function bundled(name) {
  const dir = here(`.fw/cold/${name}`);
  const build = await rolldown({ input: { main: here(`cold/${name}.mjs`) }, platform: "node", logLevel: "silent" });
  await build.write({ dir, cleanDir: true, format: "esm", minify: true });
  return dir;
}

function codeFiles(dir) {
  const files = readdirSync(dir).filter((name) => name.endsWith(".js"));
  return files.map((name) => join(dir, name));
}

/** Returns the files of a module and its static imports, which exclude `import()`. */
function loadedFiles(main, files = new Set()) {
  if (files.has(main)) return files;
  files.add(main);
  const imports = readFileSync(main, "utf8").matchAll(/^(?:import|export)\b[^"'();]*"(\.\/[^"]+)";?$/gm);
  for (const [, specifier] of imports) loadedFiles(join(main, "..", specifier), files);
  return [...files];
}

async function start({ name, dir, path, env }, port) {
  const started = performance.now();
  const child = spawn(node, [join(dir, "main.js")], {
    env: { PORT: String(port), FW_DATA: join(data, "store"), NODE_ENV: "production", FW_ENV: "prod", ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  while (!(await answers(port, path))) if (child.exitCode !== null) throw new Error(`${name} ended`);
  const ms = performance.now() - started;
  const mb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
  // schedstat begins with the main thread's CPU time in nanoseconds.
  const main = Number(readFileSync(`/proc/${child.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  return { ms, mb, main };
}

/** Resolves to true if a request gets a 200; to false a millisecond after a failed connection. */
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
