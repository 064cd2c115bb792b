import { connect } from "node:net";
import { descriptors, pause, resident, startServer, until } from "../process.mjs";
import { ask, percentile } from "../wire.mjs";

const open = (port) => connect({ port, host: "127.0.0.1", noDelay: true });

export const clients = [
  {
    name: "500 slow clients: p95 of others",
    bound: "< 300 ms",
    run: async ({ slow }) => {
      const { p95, failed } = await slow.others;
      return { measured: `${p95.toFixed(0)} ms, ${failed} failed`, ok: p95 < 300 && failed === 0 };
    },
  },
  {
    name: "1,000 connections x 20 requests",
    bound: "0 errors",
    run: async ({ workspace }) => {
      const server = await startServer(workspace);
      const results = await Promise.all(Array.from({ length: 1000 }, () => twenty(server.port)));
      await server.kill();
      const answered = results.reduce((sum, each) => sum + each, 0);
      return { measured: `${20_000 - answered} errors`, ok: answered === 20_000 };
    },
  },
  {
    name: "10,000 idle connections: memory grows",
    bound: "< 150 MB",
    run: async ({ workspace }) => {
      const server = await startServer(workspace);
      await ask(server.port, "/office");
      const before = resident(server.pid) / 1e6;
      const sockets = await idle(server.port, 10_000);
      const all = resident(server.pid) / 1e6;
      const memory = all - before;
      const { status } = await ask(server.port, "/office");
      for (const socket of sockets) socket.destroy();
      await server.kill();
      const ok = memory < 150 && status === 200 && sockets.length === 10_000;
      return { measured: `${memory.toFixed(0)} MB to ${all.toFixed(0)} MB with ${sockets.length}`, ok };
    },
  },
  {
    name: "500 slow clients are cut",
    bound: "<= 65 s",
    last: true,
    run: async ({ slow }) => {
      const { longest, left } = await slow.cut;
      return { measured: `${(longest / 1000).toFixed(1)} s, ${left} left`, ok: longest <= 65_000 && left === 0 };
    },
  },
];

/** Sends twenty sequential requests over one connection; resolves to the number of 200 responses. */
function twenty(port) {
  return new Promise((resolve) => {
    let answered = 0;
    const socket = open(port);
    const send = () => socket.write("GET /office HTTP/1.1\r\nHost: a\r\n\r\n");
    socket.on("connect", send);
    socket.on("data", (chunk) => {
      const good = chunk.toString("latin1").startsWith("HTTP/1.1 200 ");
      if (!good || ++answered === 20) socket.destroy();
      else send();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(answered));
  });
}

/** Opens connections that stay silent after one response. */
async function idle(port, wanted) {
  const sockets = [];
  while (sockets.length < wanted) {
    const some = await Promise.all(
      Array.from(
        { length: Math.min(500, wanted - sockets.length) },
        () =>
          new Promise((resolve) => {
            const socket = open(port);
            socket.on("connect", () => socket.write("GET /office HTTP/1.1\r\nHost: a\r\n\r\n"));
            socket.once("data", () => resolve(socket));
            socket.on("error", () => resolve(undefined));
          }),
      ),
    );
    const connected = some.filter(Boolean);
    sockets.push(...connected);
    if (connected.length < some.length) return sockets;
  }
  return sockets;
}

const heads = [
  "GET /office HTTP/1.1\r\nHost: a\r\nX: ",
  "",
  "POST /ships HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n",
  "POST /ships HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n",
  "POST /manifests HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\n",
  "POST /photographs HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n--x",
  "POST /desk HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\n",
  "POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n",
  "GET /office HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n",
  "GET /tide HTTP/1.1\r\nHost: a\r\n\r\n",
];

/** Starts 500 clients that send one byte per second or never read, and sends other requests meanwhile. */
export async function beginSlowClients(workspace) {
  const server = await startServer(workspace);
  await ask(server.port, "/office");
  const before = descriptors(server.pid);
  const started = performance.now();
  const sockets = Array.from({ length: 500 }, (_, i) => slowClient(server.port, heads[i % heads.length]));
  await until(() => descriptors(server.pid) - before > 400, 10_000, "the slow clients to connect");
  const cut = (async () => {
    let left = 500;
    await until(() => (left = descriptors(server.pid) - before) <= 0, 80_000, "the slow clients to be cut").catch(
      () => {},
    );
    const longest = performance.now() - started;
    for (const socket of sockets) socket.destroy();
    await server.kill();
    return { longest, left: Math.max(0, left) };
  })();
  return { others: others(server.port), cut };
}

async function others(port) {
  const times = [];
  let failed = 0;
  for (let i = 0; i < 300; i++) {
    const started = performance.now();
    const { status } = await ask(port, "/office");
    if (status !== 200) failed++;
    times.push(performance.now() - started);
    await pause(10);
  }
  return { p95: percentile(times, 0.95), failed };
}

function slowClient(port, head) {
  const socket = open(port);
  const reads = !head.startsWith("GET /tide");
  socket.on("connect", () => socket.write(head));
  const trickle = setInterval(() => head !== "" && reads && socket.writable && socket.write("a"), 1000);
  if (reads) socket.resume();
  socket.on("error", () => {});
  socket.on("close", () => clearInterval(trickle));
  return socket;
}
