// The instructions that the server takes for a request over a socket, counted by Valgrind, with the console's recording
// or the dashboard's sampling as a share of those without it. Unlike times, they are the same on a machine that does
// other work. They leave out the kernel, which takes longer than the server, so shares of time are lower.
//
// Counts a short and a long run of a process, and divides the difference by that of their requests: it cancels the
// start. Both runs compile the same code in one thread.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { buildApp } from "./load/build-app.mjs";
import { scenarios } from "./load/scenarios.mjs";
import { sendOnConnections } from "./load/send-requests.mjs";
import { startServer } from "./load/server.mjs";

const { values: options } = parseArgs({
  options: {
    requests: { type: "string", default: "8000" },
    scenarios: { type: "string", default: "hello,1 KB JSON POST" },
    modes: { type: "string", default: "off,sampling,on" },
  },
});
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
execFileSync(process.execPath, [here("app/routes.mjs")]);
await buildApp(here("app"), here(".fw"));

const warmUp = 8_000;
const connectionCount = 16;
process.env.BENCH_SLOWDOWN = "50";
console.log("| scenario | mode | instructions | to the first |\n|---|---|---|---|");
for (const scenario of options.scenarios.split(",")) {
  let first;
  for (const mode of options.modes.split(",")) {
    const [short, long] = [await count(mode, scenario, 1), await count(mode, scenario, 1 + Number(options.requests))];
    const each = (long - short) / Number(options.requests);
    first ??= each;
    const share = (100 * (each / first - 1)).toFixed(2);
    console.log(`| ${scenario} | ${mode} | ${Math.round(each)} | ${share} % |`);
  }
}

async function count(mode, scenario, requests) {
  const log = join(tmpdir(), `fw-instructions-${process.pid}`);
  const valgrind = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", `--log-file=${log}`];
  const node = [process.execPath, "--single-threaded", "--hash-seed=1", "--random-seed=1"];
  process.env.BENCH_RECORDING = mode;
  process.env.BENCH_SERVER = "instructions";
  const flags = [...valgrind, "--smc-check=all-non-file", ...node];
  const server = await startServer("recorded.mjs", { node: "valgrind", pinned: false, flags });
  const send = (each) => sendOnConnections(connectionCount, server.port, scenarios[scenario], each);
  await send(warmUp / connectionCount);
  await send(Math.ceil(requests / connectionCount));
  await server.end();
  const [, refs] = /I\s+refs:\s+([\d,]+)/.exec(readFileSync(log, "utf8"));
  rmSync(log);
  return Number(refs.replaceAll(",", ""));
}
