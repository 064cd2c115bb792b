// Runs the application of the benchmarks like the dev server, with a handler for each mode in BENCH_RECORDING: with the
// console's recording, with the operators' dashboard's sampling, or without both. Answers requests over connections in
// memory, so that system calls do not hide the time of the recording, or over sockets of another process, whose time is
// not counted.
import { createServer } from "node:net";
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Duplex } from "node:stream";
import { bundle, createHandler, definitionsOf, MetricStore, serveHanded, settings } from "../.fw/app.mjs";
import { EventHub } from "../../packages/fw/dist/console/event-hub.js";
import { recordExchanges } from "../../packages/fw/dist/console/recording/record-exchanges.js";
import { FailSafeWatcher } from "../../packages/fw/dist/console/sampling/fail-safe-watcher.js";
import { withOwnRows } from "../../packages/fw/dist/dev/child/own-rows.js";
import { TraceSampler } from "../../packages/fw/dist/console/sampling/trace-sampler.js";
import { outgoingRecorder } from "../../packages/fw/dist/runtime/observe/outgoing/record-outgoing.js";
import { openLocal } from "../../packages/fw/dist/platform/local/open.js";
import { median } from "../load/median.mjs";
import { scenarios } from "../load/scenarios.mjs";
import { dataDirectory } from "./sessions.mjs";

let collectedMs = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) collectedMs += duration;
}).observe({ entryTypes: ["gc"] });
const modes = process.env.BENCH_RECORDING.split(",");
const recordsExchanges = modes.some((mode) => ["on", "all", "exchanges"].includes(mode));
if (recordsExchanges && modes.length > 1) throw new Error("a mode with headers and bodies needs its own process");
observeSeconds();
const platform = await openLocal(dataDirectory(), definitionsOf(bundle));
const hub = new EventHub();
if (recordsExchanges) recordExchanges(hub.addExchange);
const sampler = new FailSafeWatcher(new TraceSampler({ share: 0.05, slow: 500 }), fail);
const observers = { watcher: hub, follow: outgoingRecorder() };
const watchers = {
  on: observers,
  all: observers,
  events: observers,
  sampling: { watcher: sampler, follow: outgoingRecorder({ isLazy: true }) },
};
const handlers = modes.map((mode) =>
  createHandler(withOwnRows(bundle), {
    settings: settings.dev,
    metrics: new MetricStore(),
    platform,
    ...watchers[mode],
  }),
);
let [handle] = handlers;
const server = serveHanded((exchange) => handle(exchange));
const connections = Array.from({ length: 16 }, connect);
const listener = createServer((socket) => server.accept(socket)).listen(0, "127.0.0.1");

let firstUsage;
let firstOld;
process.on("message", async ({ phase, scenario, each, requests, handler }) => {
  if (handler !== undefined) handle = handlers[handler];
  if (phase === "begin") {
    collectedMs = 0;
    firstOld = oldBytes();
    firstUsage = process.cpuUsage();
    return process.send({});
  }
  if (phase === "end") {
    const { user, system } = process.cpuUsage(firstUsage);
    const old = (oldBytes() - firstOld) / requests;
    return process.send({ micros: (user + system) / requests, gc: (1000 * collectedMs) / requests, old });
  }
  const wire = scenarios[scenario].map((request) => Buffer.from(request, "latin1"));
  if (phase === "bytes") return process.send({ bytes: await allocatedBytes(wire) });
  await sendAll(wire, each);
  process.send({});
});
process.on("disconnect", () => process.exit());
listener.once("listening", () => process.send({ port: listener.address().port }));

/**
 * Measures the recording's one-second windows in CPU time of this process, because it works only in its turns and other
 * work shares the machine. Several handlers share that time equally. In mode "all", each second ends at once, so that
 * nothing is left out.
 */
function observeSeconds() {
  const { setTimeout: schedule } = globalThis;
  const endings = new Set();
  const cpuMs = () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;
  globalThis.setTimeout = (callback, ms, ...values) => {
    if (ms !== 1_000) return schedule(callback, ms, ...values);
    if (modes[0] === "all") setImmediate(() => callback());
    else endings.add({ callback, at: cpuMs() + ms * modes.length });
    return { unref() {} };
  };
  setInterval(() => {
    for (const ending of endings) if (ending.at <= cpuMs() && endings.delete(ending)) ending.callback();
  }, 10).unref();
}

function fail(error) {
  throw error;
}

function oldBytes() {
  return getHeapSpaceStatistics().find((space) => space.space_name === "old_space").space_used_size;
}

function sendAll(wire, each) {
  return Promise.all(connections.map((connection) => connection.send(wire, each)));
}

/**
 * Returns the bytes that a request allocates, measured over so few requests that the collector does not run. This must
 * be the last phase, because it slows down later requests.
 */
async function allocatedBytes(wire) {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc");
  const each = 60;
  const samples = [];
  for (let i = 0; i < 9; i++) {
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    await sendAll(wire, each);
    samples.push((process.memoryUsage().heapUsed - before) / (each * connections.length));
  }
  return median(samples);
}

/** Opens a connection for a client that sends the next request once it has the response. */
function connect() {
  let onAnswer = () => {};
  const socket = new Duplex({
    read() {},
    write: (chunk, _encoding, done) => (done(), onAnswer(chunk)),
    writev: (chunks, done) => (done(), onAnswer(chunks[0].chunk)),
  });
  Object.assign(socket, { setNoDelay() {}, setTimeout() {}, remoteAddress: "127.0.0.1" });
  server.accept(socket);
  const send = (wire, count) =>
    new Promise((resolve, reject) => {
      let remaining = count;
      const next = () => (remaining === 0 ? resolve() : socket.push(wire[remaining % wire.length]));
      onAnswer = (chunk) => {
        if (chunk.toString("latin1", 0, 12) !== "HTTP/1.1 200") return reject(new Error(chunk.toString()));
        remaining -= 1;
        setImmediate(next);
      };
      next();
    });
  return { send };
}
