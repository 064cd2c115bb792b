// Objects: durable writes of several sizes, reads, lists, and 200 MB through a signed URL to a separate process.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { openLocal } from "../packages/fw/dist/platform/local/open.js";
import { resident } from "./robustness/process.mjs";

const MB = 1024 * 1024;
const uploadMB = 200;
const directory = await mkdtemp(join(tmpdir(), "fw-objects-"));
try {
  await measureStore(join(directory, "store"));
  await measureUpload(join(directory, "upload"));
} finally {
  await rm(directory, { recursive: true });
}

async function measureStore(data) {
  const platform = await openLocal(data, { kinds: [], buckets: ["photos"] });
  const { objects } = platform;
  const put = (i, size) =>
    objects.put("photos", `key-${i}`, new Blob([new Uint8Array(size)]).stream(), { contentType: "image/png" });
  await time("durable write of 1 kB, one at a time", 300, 1, (i) => put(i, 1000));
  await time("durable write of 1 kB, 64 at once", 2000, 64, (i) => put(i, 1000));
  await time("durable write of 1 MB, one at a time", 100, 1, (i) => put(i, MB));
  await time("facts of an object", 20_000, 1, (i) => objects.find("photos", `key-${i % 2000}`));
  await time("open and read of 1 kB", 3000, 1, async (i) => {
    const object = await objects.open("photos", `key-${100 + (i % 1900)}`);
    return new Response(object.stream()).arrayBuffer();
  });
  await time("a page of 1,000 of a list", 100, 1, () => objects.list("photos", "key-", { limit: 1000 }));
  await platform.close();
}

/** Prints the mean of many calls, with a given number of them in flight. */
async function time(what, count, parallel, call) {
  const started = performance.now();
  let next = 0;
  const run = async () => {
    while (next < count) await call(next++);
  };
  await Promise.all(Array.from({ length: parallel }, run));
  const each = (performance.now() - started) / count;
  console.log(`${what.padEnd(40)} ${each.toFixed(3).padStart(9)} ms, ${Math.round(1000 / each)} a second`);
}

async function measureUpload(data) {
  const program = fileURLToPath(new URL("../packages/fw/src/runtime/testing/uploads.mjs", import.meta.url));
  const child = fork(program, [data]);
  const [{ put }] = await once(child, "message");
  const before = resident(child.pid);
  let peak = before;
  const look = setInterval(() => (peak = Math.max(peak, resident(child.pid))), 5);
  const started = performance.now();
  const upload = request(put, { method: "PUT", headers: { "Content-Length": uploadMB * MB } });
  const answered = once(upload, "response");
  await pipeline(Readable.from(chunks()), upload);
  const [{ statusCode }] = await answered;
  clearInterval(look);
  child.kill("SIGKILL");
  await once(child, "close");
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `${uploadMB} MB by signed URL: ${statusCode}, ${(uploadMB / seconds).toFixed(0)} MB/s, ` +
      `resident ${(before / MB).toFixed(0)} MB before, ${(peak / MB).toFixed(0)} MB at most`,
  );
}

function* chunks() {
  for (let i = 0; i < uploadMB; i++) yield Buffer.alloc(MB, i);
}
