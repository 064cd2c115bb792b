// Measures the CPU time and the memory of a request with the console's recording, compared to a request without it.
// Modes: without it (off), with events, with headers and bodies (exchanges), with both (on), with both for every
// request instead of a limited number per second (all), or with the sampling of `fw serve --dashboard`. The first mode
// is the base; a second `off` shows the measurement error.
//
// With --sockets, requests use real connections, and the share is relative to a whole server's cost. Without it,
// connections are in memory, where no system call hides the recording.
//
// Other work on the machine adds varying time, and equal processes differ by up to 3 %, because each compiles its code
// in another order. Therefore a group of processes, one for each mode, takes short turns. The order is reversed each
// round, and several groups follow each other. With --one-process, the modes of a group are handlers of one process:
// the interval is narrower, but the modes share compiled code. Modes with headers and bodies need their own process.
// Each group creates its handlers in another order, because the order affects compilation. The share of a group is the
// median of its rounds' ratios; the result is the mean of the groups, with its 95 % interval.
//
// A turn is long enough for a scavenge, so the garbage of the recording counts. The young generation has the size that
// V8 gives it under load. One thread compiles and collects, because V8 otherwise does both at different times in equal
// processes. Nothing forces a garbage collection between turns: V8 would shrink the young generation and drop compiled
// code, and the turns would measure the recovery. "old" is the growth of the old generation, which costs the most.
import { connect } from "node:net";
import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { buildApp } from "./load/build-app.mjs";
import { median } from "./load/median.mjs";
import { scenarios } from "./load/scenarios.mjs";
import { startServer } from "./load/server.mjs";

const { values: options } = parseArgs({
  options: {
    groups: { type: "string", default: "8" },
    rounds: { type: "string", default: "20" },
    requests: { type: "string", default: "5000" },
    scenarios: { type: "string", default: "hello,1 KB JSON POST" },
    modes: { type: "string", default: "off,off,on,all,sampling" },
    sockets: { type: "boolean", default: false },
    "one-process": { type: "boolean", default: false },
  },
});
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
execFileSync(process.execPath, [here("app/routes.mjs")]);
await buildApp(here("app"), here(".fw"));

/** Requests before the first turn: after half as many, times still fall. */
const warmUp = 30_000;
const flags = ["--single-threaded", "--min-semi-space-size=16", "--max-semi-space-size=16"];
const connectionCount = 16;
const modes = options.modes.split(",");
console.log(`load ${loadavg()[0].toFixed(1)}, Node ${process.version}, ${options.groups} groups
| scenario | mode | CPU µs | to ${modes[0]} | GC µs | bytes | old |
|---|---|---|---|---|---|---|`);
for (const scenario of options.scenarios.split(",")) {
  const groups = [];
  for (let i = 0; i < Number(options.groups); i++) groups.push(await measureGroup(scenario, i));
  for (const [i, mode] of modes.entries()) {
    const cells = groups.map((group) => group[i]);
    const micros = median(cells.map((cell) => cell.micros));
    const gc = median(cells.map((cell) => cell.gc));
    const [bytes, old] = ["bytes", "old"].map((name) => Math.round(median(cells.map((cell) => cell[name]))));
    const share = i === 0 ? "" : interval(cells.map((cell) => 100 * (cell.ratio - 1)));
    console.log(`| ${scenario} | ${mode} | ${micros.toFixed(1)} | ${share} | ${gc.toFixed(2)} | ${bytes} | ${old} |`);
  }
}

async function measureGroup(scenario, group) {
  const order = modes.map((_, i) => (i + group) % modes.length);
  const servers = await startServers(order);
  for (const i of order) await sample(servers[i], scenario, warmUp);
  const samples = modes.map(() => []);
  for (let round = 0; round < Number(options.rounds); round++)
    for (const i of round % 2 === 0 ? order : order.toReversed()) samples[i].push(await sample(servers[i], scenario));
  const results = [];
  for (const [i, { server, handler }] of servers.entries()) {
    const { bytes } = await server.tell({ scenario, phase: "bytes", handler });
    results.push({
      micros: median(samples[i].map(({ micros }) => micros)),
      gc: samples[i].reduce((sum, { gc }) => sum + gc, 0) / samples[i].length,
      ratio: median(samples[i].map(({ micros }, round) => micros / samples[0][round].micros)),
      old: median(samples[i].map(({ old }) => old)),
      bytes,
    });
  }
  for (const server of new Set(servers.map((each) => each.server))) server.stop();
  return results;
}

/** Starts a server per mode or, with --one-process, one that creates all handlers in `order`. */
async function startServers(order) {
  const modeLists = options["one-process"] ? [order] : modes.map((_, i) => [i]);
  const servers = [];
  for (const [i, each] of modeLists.entries()) {
    process.env.BENCH_RECORDING = each.map((mode) => modes[mode]).join();
    process.env.BENCH_SERVER = `recording-${i}`;
    const server = await startServer("recorded.mjs", { pinned: false, flags });
    for (const [handler, mode] of each.entries()) servers[mode] = { server, handler };
  }
  return servers;
}

/** Formats the mean of a few values, with about half the width of its 95 % interval. */
function interval(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const error = Math.sqrt(squares / (values.length - 1) / values.length);
  return `${mean.toFixed(1)} ± ${(studentQuantile(values.length - 1) * error).toFixed(1)} %`;
}

/** Approximates the quantile of Student's t for a 95 % interval, within 3 % from 3 degrees of freedom. */
function studentQuantile(degrees) {
  return 1.96 + 2.4 / degrees + 3.2 / degrees ** 2;
}

async function sample({ server, handler }, scenario, requests = Number(options.requests)) {
  await server.tell({ phase: "begin", handler });
  const each = Math.ceil(requests / connectionCount);
  if (options.sockets)
    await Promise.all(Array.from({ length: connectionCount }, () => send(server.port, scenarios[scenario], each)));
  else await server.tell({ scenario, phase: "send", each });
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
