// The cost of the console's recording: CPU per request with no recording, with events, with headers and bodies, with
// both, or with the sampling of `fw serve --dashboard`, in turn, each in its own process. Uses connections in memory
// and counts the bytes that a request allocates, or real ones with --sockets, where the share of the recording is that
// of a dev server. Other work on the machine only adds time and changes every second, so rounds are short, and the
// share is the median of each round's share, also computed from the fastest quarter of the rounds. Equal processes
// differ by up to 3 %, so several of each take turns.
import { connect } from "node:net";
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { buildApp } from "./load/build-app.mjs";
import { median } from "./load/median.mjs";
import { scenarios } from "./load/scenarios.mjs";
import { startServer } from "./load/server.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "150" },
    requests: { type: "string", default: "2000" },
    scenarios: { type: "string", default: "hello,path and query,1 KB JSON POST,HTML page" },
    modes: { type: "string", default: "off,events,exchanges,on" },
    processes: { type: "string", default: "4" },
    sockets: { type: "boolean", default: false },
  },
});
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
execFileSync(process.execPath, [here("app/routes.mjs")]);
await buildApp(here("app"), here(".fw"));

const modes = options.modes.split(",");
const connectionCount = 16;
const servers = new Map();
for (const mode of modes) {
  process.env.BENCH_RECORDING = mode;
  const starts = Array.from({ length: Number(options.processes) }, (_, i) => {
    process.env.BENCH_SERVER = `${mode}-${i}`;
    return startServer("recorded.mjs", { pinned: false });
  });
  servers.set(mode, await Promise.all(starts));
}
console.log(
  `| CPU µs/request | ${modes.join(" | ")} | share of the last | of the fastest quarter | bytes/request |
|---|${modes.map(() => "---|").join("")}---|---|---|`,
);
for (const scenario of options.scenarios.split(",")) {
  const samples = await measure(scenario);
  const times = modes.map((mode) => samples[mode].map(({ micros }) => micros));
  const medians = times.map(median);
  const cells = [
    ...medians.map((micros) => micros.toFixed(1)),
    percent(median(times.at(-1).map((micros, round) => micros / times[0][round]))),
    shareOf(times.map(fastestQuarter)),
    modes.map((mode) => Math.round(median(samples[mode].map(({ bytes = 0 }) => bytes)))).join(", "),
  ];
  console.log(`| ${scenario} | ${cells.join(" | ")} |`);
}
for (const server of [...servers.values()].flat()) server.stop();

function fastestQuarter(micros) {
  const fastest = micros.toSorted((a, b) => a - b).slice(0, Math.ceil(micros.length / 4));
  return fastest.reduce((sum, each) => sum + each, 0) / fastest.length;
}

function shareOf(micros) {
  return percent(micros.at(-1) / micros[0]);
}

function percent(ratio) {
  return `${(100 * (ratio - 1)).toFixed(1)} %`;
}

async function measure(scenario) {
  const samples = Object.fromEntries(modes.map((mode) => [mode, []]));
  for (const server of [...servers.values()].flat()) await sample(server, scenario, 10_000);
  for (let round = 0; round < Number(options.rounds); round++) {
    const turn = Math.floor(round / 2) % Number(options.processes);
    for (const mode of round % 2 === 0 ? modes : modes.toReversed())
      samples[mode].push(await sample(servers.get(mode)[turn], scenario));
  }
  return samples;
}

async function sample(server, scenario, requests = Number(options.requests)) {
  if (!options.sockets) return server.tell({ scenario, requests });
  await server.tell({ phase: "begin" });
  const each = Math.ceil(requests / connectionCount);
  await Promise.all(Array.from({ length: connectionCount }, () => send(server.port, scenarios[scenario], each)));
  return server.tell({ phase: "end", requests: each * connectionCount });
}

/** Sends requests on one connection, each as soon as the response to the previous one starts to arrive. */
function send(port, requests, count) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let remaining = count;
    const next = () => socket.write(requests[remaining % requests.length], "latin1");
    socket.on("connect", next).on("error", reject);
    socket.on("data", (chunk) => {
      const begin = chunk.toString("latin1", 0, 12);
      if (!begin.startsWith("HTTP/1.1")) return;
      if (begin !== "HTTP/1.1 200") return reject(new Error(chunk.toString()));
      remaining -= 1;
      if (remaining > 0) return next();
      socket.destroy();
      resolve();
    });
  });
}
