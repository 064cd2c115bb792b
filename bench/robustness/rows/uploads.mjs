import { connect } from "node:net";
import { descriptors, pause, resident, startServer, until } from "../process.mjs";
import { ask } from "../wire.mjs";

const MiB = 1024 * 1024;
const size = 75 * MiB;
const head = (length) =>
  `POST /photographs HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=xyz\r\nContent-Length: ${length}\r\n\r\n`;
const opening =
  '--xyz\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n';
const ending = "\r\n--xyz--\r\n";
const block = Buffer.alloc(64 * 1024, 7);

export const uploads = [
  {
    name: "6 parallel 75 MiB uploads: memory grows",
    bound: "< 352 MB",
    run: async ({ workspace }) => {
      const server = await startServer(workspace);
      await ask(server.port, "/office");
      const before = resident(server.pid);
      let peak = before;
      const watch = setInterval(() => (peak = Math.max(peak, resident(server.pid))), 10);
      const answers = await Promise.all(Array.from({ length: 6 }, () => upload(server.port, size)));
      clearInterval(watch);
      const files = server.files();
      await server.kill();
      const grown = (peak - before) / 1e6;
      const right = answers.filter((text) => text.includes(`{"bytes":${size},"name":"a.png"}`)).length;
      return {
        measured: `${grown.toFixed(0)} MB, ${right} of 6 whole, ${files.length} files`,
        ok: grown < 352 && right === 6 && files.length === 0,
      };
    },
  },
  {
    name: "120 aborted uploads leave",
    bound: "no file, no descriptor",
    run: async ({ workspace }) => {
      const server = await startServer(workspace);
      await upload(server.port, 40 * MiB);
      await until(() => server.files().length === 0, 2000, "the first upload to go").catch(() => {});
      await pause(200);
      const before = descriptors(server.pid);
      const ways = [0, 1000, MiB, 33 * MiB, 36 * MiB, 40 * MiB];
      for (let round = 0; round < 5; round++)
        await Promise.all(
          ways.flatMap((bytes) => Array.from({ length: 4 }, (_, i) => abort(server.port, bytes, i % 2 === 0))),
        );
      let left = 0;
      await until(() => (left = descriptors(server.pid) - before) <= 0, 3000, "descriptors to go").catch(() => {});
      const files = server.files();
      const { status } = await ask(server.port, "/office");
      await server.kill();
      return {
        measured: `${files.length} files, ${Math.max(0, left)} descriptors`,
        ok: files.length === 0 && left <= 0 && status === 200,
      };
    },
  },
  {
    name: "kill -9 amid 6 uploads leaves",
    bound: "no file; next start serves",
    run: async ({ workspace }) => {
      const server = await startServer(workspace);
      const sent = Array.from({ length: 6 }, () => stall(server.port, 36 * MiB));
      await Promise.all(sent.map((each) => each.written));
      await server.kill("SIGKILL");
      const files = server.files().length;
      sent.forEach((each) => each.end());
      const next = await startServer(workspace);
      const { status } = await ask(next.port, "/office");
      await next.kill();
      return { measured: `${files} files, ${status}`, ok: files === 0 && status === 200 };
    },
  },
  {
    name: "a 4 GB announced body costs",
    bound: "< 1 MB, refused at once",
    run: async ({ server }) => {
      await server.tell("settled");
      const before = await server.tell("settled");
      const refusals = [];
      for (const type of ["application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
        for (const path of ["/ships", "/manifests", "/photographs", "/desk", "/office", "/nowhere", "/robots.txt"])
          refusals.push(announce(server.port, path, type));
      const answers = await Promise.all(refusals);
      const grown = ((await server.tell("settled")) - before) / 1e6;
      const slowest = Math.max(...answers.map((each) => each.ms));
      const accepted = answers.filter((each) => !/^HTTP\/1\.1 [245]\d\d /.test(each.text)).length;
      return {
        measured: `${Math.max(0, grown).toFixed(1)} MB, answered in ${slowest.toFixed(0)} ms, ${accepted} unanswered`,
        ok: grown < 1 && slowest < 1000 && accepted === 0,
      };
    },
  },
];

/** Sends an upload as fast as the server reads it; resolves to the response. */
function upload(port, bytes) {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect({ port, host: "127.0.0.1" }, async () => {
      socket.write(head(opening.length + bytes + ending.length) + opening);
      await pour(socket, bytes);
      socket.write(ending);
    });
    socket.on("data", (chunk) => (text += chunk));
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
}

/** Starts an upload that stops after `bytes`. */
function stall(port, bytes) {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => {});
  const written = (async () => {
    socket.write(head(opening.length + bytes + ending.length + 10) + opening);
    await pour(socket, bytes);
    await pause(30);
  })();
  return { written, socket, end: () => socket.destroy() };
}

async function abort(port, bytes, reset) {
  const { written, socket } = stall(port, bytes);
  await written;
  if (reset) socket.resetAndDestroy();
  else socket.destroy();
}

function announce(port, path, type) {
  return new Promise((resolve) => {
    const started = performance.now();
    const socket = connect({ port, host: "127.0.0.1" }, () =>
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: 4294967296\r\n\r\nsome`,
      ),
    );
    const done = (text) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, ms: performance.now() - started });
    };
    const timer = setTimeout(done, 2000, "");
    socket.once("data", (chunk) => done(chunk.toString("latin1")));
    socket.on("error", () => done(""));
  });
}

/** Writes as fast as the server reads, until the server closes the connection. */
async function pour(socket, bytes) {
  let go = () => {};
  socket.on("drain", () => go()).on("close", () => go());
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += block.length) {
    if (!socket.write(block)) await new Promise((resolve) => (go = resolve));
  }
}
