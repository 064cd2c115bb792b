// Compares the latency of requests while a new index is filled and while the fill is paused. The two phases alternate
// on one store, so its size, its caches and other work on the machine are the same. As in an application, each index
// has a type and thus a second index for documents that do not match it.
import { on } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { FillPace } from "../packages/fw/dist/platform/fill-pace.js";
import { openLocal } from "../packages/fw/dist/platform/local/open.js";

const total = Number(process.argv[2] ?? 100_000);
/** Requests per second. One in ten is a write. */
const rate = Number(process.argv[3] ?? 200);
/** The seconds to measure each phase. */
const seconds = Number(process.argv[4] ?? 30);
const rounds = Math.max(1, Math.round(seconds / 2));
/** Milliseconds at the start of a phase that are not measured, because earlier work still has effects. */
const settleMs = 300;
const kind = (...properties) => ({ kinds: [{ kind: "order", properties, composites: [] }] });
const buyer = { name: "buyer", type: "string" };
const amount = { name: "total", type: "number" };

const directory = await mkdtemp(join(tmpdir(), "fw-fill-"));
const platform = await openLocal(directory, kind(buyer));
const { entities } = platform;
const fill = holdFills();
/** Shared with the worker: 1 while requests arrive. */
const state = new Int32Array(new SharedArrayBuffer(4));
const client = new Worker(new URL("load/arrivals.mjs", import.meta.url), { workerData: { rate, state } });
try {
  for (let i = 0; i < total; i += 5000) await Promise.all(Array.from({ length: 5000 }, (_, k) => put(i + k)));
  await measure(Math.min(5, seconds), []);
  const filling = platform.prepare(kind(buyer, amount));
  const [idle, busy] = [[], []];
  let [documents, fillMs] = [0, 0];
  for (let round = 0; round < rounds; round++)
    for (const isFilling of round % 2 === 0 ? [false, true] : [true, false]) {
      if (isFilling) fill.release();
      await measure(settleMs / 1000, []);
      const [before, started] = [await filledDocuments(), performance.now()];
      await measure(seconds / rounds, isFilling ? busy : idle);
      const after = await filledDocuments();
      if (isFilling && after === undefined)
        throw new Error(`the fill ended in round ${round + 1}: ask for fewer seconds`);
      if (!isFilling) continue;
      [documents, fillMs] = [documents + after - before, fillMs + performance.now() - started];
      fill.hold();
    }
  report("fill held", idle);
  report("fill running", busy);
  const change = (quantile(busy, 0.99) / quantile(idle, 0.99) - 1) * 100;
  console.log(`p99 ${change.toFixed(0)} %, at ${Math.round((documents * 1000) / fillMs)} documents a second`);
  fill.release();
  const [rest, started] = [total - (await filledDocuments()), performance.now()];
  await (await filling).commit();
  console.log(
    `the other ${rest} documents took ${((performance.now() - started) / 1000).toFixed(1)} s without requests`,
  );
  const filters = [{ property: "total", op: ">=", value: 0 }];
  const count = await entities.count({ kind: "order", filters, orders: [] });
  if (count !== total) throw new Error(`the index has ${count} documents`);
} finally {
  await client.terminate();
  await platform.close();
  await rm(directory, { recursive: true });
}

/** Pauses each fill in this process before its next step. */
function holdFills() {
  let release = () => {};
  let released;
  const hold = () => {
    released = new Promise((resolve) => (release = resolve));
  };
  hold();
  const pause = Reflect.get(FillPace.prototype, "pause");
  FillPace.prototype.pause = async function (...given) {
    await pause.apply(this, given);
    await released;
  };
  return { hold, release: () => release() };
}

/** Counts the documents in the new index; undefined if the fill has ended. */
async function filledDocuments() {
  return (await platform.fills())[0]?.done;
}

/** Writes an order. Amounts are unrelated to ids, so that neighbors in the index are not neighbors in the table. */
function put(i) {
  const fields = { buyer: `buyer-${i % (total / 20)}`, total: (i * 7919) % total, text: "x".repeat(200) };
  return entities.upsert({ kind: "order", id: `o${i}` }, fields);
}

async function readOne(i) {
  const filters = [{ property: "buyer", op: "==", value: `buyer-${(i * 7919) % (total / 20)}` }];
  await entities.query({ kind: "order", filters, orders: [], limit: 20 });
}

/** Appends the latencies of requests that arrive at random times, each measured from its arrival. */
async function measure(seconds, latencies) {
  const pending = [];
  setState(1);
  setTimeout(() => setState(0), seconds * 1000);
  for await (const [message] of on(client, "message")) {
    if (message === "stopped") break;
    const { i, due } = message;
    const work = i % 10 === 0 ? put((i * 7919) % total) : readOne(i);
    pending.push(work.then(() => void latencies.push(Number(process.hrtime.bigint()) / 1e6 - due)));
  }
  await Promise.all(pending);
}

function setState(value) {
  Atomics.store(state, 0, value);
  Atomics.notify(state, 0);
}

function quantile(latencies, share) {
  return latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * share)] ?? Number.NaN;
}

function report(what, latencies) {
  const at = (share) => `${quantile(latencies, share).toFixed(2)} ms`;
  console.log(`${what}: ${latencies.length} requests, p50 ${at(0.5)}, p99 ${at(0.99)}, p999 ${at(0.999)}`);
}
