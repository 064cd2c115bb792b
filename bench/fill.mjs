// Latency of requests while a new index is filled: reads and writes of a store at a steady rate, without and with it.
// As in an application, each index has a type, and with it an index of the documents that do not fit the type.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openLocal } from "../packages/fw/dist/platform/local/open.js";

const total = Number(process.argv[2] ?? 100_000);
/** Requests in a second, of which one in ten writes. */
const rate = Number(process.argv[3] ?? 200);
const seconds = Number(process.argv[4] ?? 30);
const kind = (...properties) => ({ kinds: [{ kind: "order", properties, composites: [] }] });
const buyer = { name: "buyer", type: "string" };
const amount = { name: "total", type: "number" };

const directory = await mkdtemp(join(tmpdir(), "fw-fill-"));
const platform = await openLocal(directory, kind(buyer));
const { entities } = platform;
try {
  for (let i = 0; i < total; i += 5000) await Promise.all(Array.from({ length: 5000 }, (_, k) => put(i + k)));
  report("no fill", await measure(() => false));
  let isFilled = false;
  const started = performance.now();
  const filling = platform.prepare(kind(buyer, amount));
  void filling.then(() => (isFilled = true));
  report("during the fill", await measure(() => isFilled));
  await (await filling).commit();
  console.log(`filled ${total} documents in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  const filters = [{ property: "total", op: ">=", value: 0 }];
  const count = await entities.count({ kind: "order", filters, orders: [] });
  if (count !== total) throw new Error(`the index has ${count} documents`);
} finally {
  await platform.close();
  await rm(directory, { recursive: true });
}

function put(i) {
  const fields = { buyer: `buyer-${i % (total / 20)}`, total: i, text: "x".repeat(200) };
  return entities.upsert({ kind: "order", id: `o${i}` }, fields);
}

/** The latencies of requests at a steady rate, each from when it was due. */
async function measure(isDone) {
  const latencies = [];
  const pending = [];
  const started = performance.now();
  for (let i = 0; i < rate * seconds && !isDone(); i++) {
    const due = started + (i * 1000) / rate;
    if (due > performance.now()) await wait(due - performance.now());
    const work = i % 10 === 0 ? put((i * 7919) % total) : readOne(i);
    pending.push(work.then(() => void latencies.push(performance.now() - due)));
  }
  await Promise.all(pending);
  return latencies.toSorted((a, b) => a - b);
}

async function readOne(i) {
  const filters = [{ property: "buyer", op: "==", value: `buyer-${(i * 7919) % (total / 20)}` }];
  await entities.query({ kind: "order", filters, orders: [], limit: 20 });
}

function report(what, latencies) {
  const at = (share) => `${(latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(2)} ms`;
  console.log(`${what}: ${latencies.length} requests, p50 ${at(0.5)}, p99 ${at(0.99)}, p999 ${at(0.999)}`);
}
