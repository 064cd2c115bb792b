// From spawn to the first 200 of a service bundled into one file, and its resident memory then; servers in turn.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { rolldown } from "rolldown";
import { buildApp } from "./load/build-app.mjs";
import { median } from "./load/median.mjs";
import { node24 } from "./load/node-24.mjs";

const { values: options } = parseArgs({
  options: { node: { type: "string", default: "24" }, rounds: { type: "string", default: "15" } },
});
const node = options.node === "24" ? await node24() : process.execPath;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const names = ["raw", "fw", "hono", "fastify"];

await buildApp(here("cold/app"), here(".fw/cold"));
for (const name of names) await bundle(name);

const samples = Object.fromEntries(names.map((name) => [name, []]));
for (let round = -1; round < Number(options.rounds); round++) {
  for (const [i, name] of names.entries()) {
    const sample = await start(here(`.fw/cold/${name}.mjs`), 18_600 + i);
    if (round >= 0) samples[name].push(sample);
  }
}

console.log(`node ${options.node === "24" ? "24.21.0" : process.versions.node}, ${options.rounds} rounds; medians\n`);
console.log("| server | ms to the first 200 | to raw | MB resident |\n|---|---|---|---|");
for (const name of names) {
  const ratio = median(samples[name].map((sample, i) => sample.ms / samples.raw[i].ms));
  const cell = (key, digits) => median(samples[name].map((sample) => sample[key])).toFixed(digits);
  console.log(`| ${name} | ${cell("ms", 0)} | ${ratio.toFixed(2)} | ${cell("mb", 0)} |`);
}

async function bundle(name) {
  const build = await rolldown({ input: here(`cold/${name}.mjs`), platform: "node", logLevel: "silent" });
  await build.write({
    dir: here(".fw/cold"),
    entryFileNames: `${name}.mjs`,
    chunkFileNames: `${name}-[name].mjs`,
    format: "esm",
    minify: true,
  });
}

async function start(file, port) {
  const started = performance.now();
  const child = spawn(node, [file], {
    env: { PORT: String(port), NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  while (!(await answers(port))) if (child.exitCode !== null) throw new Error(`${file} ended`);
  const ms = performance.now() - started;
  const mb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  return { ms, mb };
}

/** True when a request is answered 200; a refused connection is asked again a millisecond later. */
function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    socket.once("data", (data) => {
      socket.destroy();
      resolve(data.latin1Slice(9, 12) === "200");
    });
    socket.once("error", () => setTimeout(resolve, 1, false));
  });
}
