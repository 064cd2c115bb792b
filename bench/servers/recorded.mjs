// The benchmark application as the dev server runs it, with or without the console's recording, or with the sampling of
// the operators' dashboard. Answers requests over connections in memory, so that the time of system calls does not hide
// that of the recording, or over sockets to another process, whose time is not counted.
import { createServer } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Duplex } from "node:stream";
import { bundle, createHandler, definitionsOf, MetricStore, serveHanded, settings } from "../.fw/app.mjs";
import { EventHub } from "../../packages/fw/dist/console/event-hub.js";
import { recordExchanges } from "../../packages/fw/dist/console/recording/record-exchanges.js";
import { failSafeWatcher } from "../../packages/fw/dist/console/sampling/fail-safe-watcher.js";
import { TraceSampler } from "../../packages/fw/dist/console/sampling/trace-sampler.js";
import { openLocal } from "../../packages/fw/dist/platform/local/open.js";
import { scenarios } from "../load/scenarios.mjs";
import { dataDirectory } from "./sessions.mjs";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");
const mode = process.env.BENCH_RECORDING;
const platform = await openLocal(dataDirectory(), definitionsOf(bundle));
const hub = new EventHub();
if (mode === "on" || mode === "exchanges") recordExchanges(hub.addExchange);
const sampler = failSafeWatcher(new TraceSampler({ share: 0.05, slow: 500 }), fail);
const watchers = { on: { watcher: hub }, events: { watcher: hub }, sampling: { watcher: sampler } };
const options = { settings: settings.dev, metrics: new MetricStore(), platform, ...watchers[mode] };
const server = serveHanded(createHandler(bundle, options));
const connections = Array.from({ length: 16 }, connect);
const listener = createServer((socket) => server.accept(socket)).listen(0, "127.0.0.1");

let firstUsage;
process.on("message", async ({ scenario, requests, phase }) => {
  if (phase === "begin") {
    firstUsage = process.cpuUsage();
    return process.send({});
  }
  if (phase === "end") {
    const { user, system } = process.cpuUsage(firstUsage);
    return process.send({ micros: (user + system) / requests });
  }
  const wire = scenarios[scenario].map((request) => Buffer.from(request, "latin1"));
  const each = Math.ceil(requests / connections.length);
  const before = process.cpuUsage();
  await Promise.all(connections.map((connection) => connection.send(wire, each)));
  const { user, system } = process.cpuUsage(before);
  process.send({ micros: (user + system) / (each * connections.length), bytes: await allocatedBytes(wire) });
});
process.on("disconnect", () => process.exit());
listener.once("listening", () => process.send({ port: listener.address().port }));

function fail(error) {
  throw error;
}

/** Measures the bytes that a request allocates, over too few requests to trigger garbage collection. */
async function allocatedBytes(wire) {
  const each = 20;
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  await Promise.all(connections.map((connection) => connection.send(wire, each)));
  return (process.memoryUsage().heapUsed - before) / (each * connections.length);
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
