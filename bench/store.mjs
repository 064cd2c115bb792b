// The embedded store over 1,000,000 documents: get, write, indexed query, page, count.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLocal } from "../packages/fw/dist/platform/local/open.js";

const total = Number(process.argv[2] ?? 1_000_000);
const asc = (property) => ({ property, direction: "asc" });
const desc = (property) => ({ property, direction: "desc" });
const definitions = {
  kinds: [
    {
      kind: "order",
      properties: [{ name: "buyer" }, { name: "status" }, { name: "placed" }],
      composites: [{ properties: [asc("buyer"), desc("placed")] }, { properties: [asc("status"), desc("placed")] }],
    },
    { kind: "_fw_session", framework: true, properties: [], composites: [] },
  ],
};

const directory = await mkdtemp(join(tmpdir(), "fw-store-"));
const platform = await openLocal(directory, definitions);
const { entities } = platform;
try {
  await fill();
  await measure();
} finally {
  await platform.close();
  await rm(directory, { recursive: true });
}

async function fill() {
  const started = performance.now();
  for (let i = 0; i < total; i += 5000) await Promise.all(Array.from({ length: 5000 }, (_, k) => put(i + k)));
  await Promise.all(Array.from({ length: 10_000 }, (_, i) => putSession(i)));
  report(`write, 5,000 at once, 5 index entries each`, ((performance.now() - started) / total) * 1000);
}

async function measure() {
  const buyer = (i) => ({ property: "buyer", op: "==", value: `buyer-${(i * 7919) % (total / 20)}` });
  const open = { property: "status", op: "==", value: "open" };
  const query = (filters, orders = [], limit = 20) => ({ kind: "order", filters, orders, limit });
  await time("get of a 300-byte session", 100_000, (i) => entities.get(session((i * 7919) % 10_000)));
  await time("get of one of all documents", 20_000, (i) => entities.get(order((i * 7919) % total)));
  await time("query, one equality", 2000, (i) => entities.query(query([buyer(i)])));
  await time("query, equality and order", 2000, (i) => entities.query(query([buyer(i)], [desc("placed")])));
  await time("query, two composites merged", 2000, (i) => entities.query(query([buyer(i), open], [desc("placed")])));
  await time("query, two single indexes merged", 2000, (i) => entities.query(query([buyer(i), open])));
  await time("query, range and order", 2000, (i) => entities.query(query([after(i)], [desc("placed")])));
  await time("query, in of ten and order", 500, (i) => entities.query(query([among(i)], [desc("placed")])));
  const { next } = await entities.query(query([open], [desc("placed")]));
  await time("query, second page of a half", 2000, () =>
    entities.query({ ...query([open], [desc("placed")]), after: next }),
  );
  await time("count of a half", 3, () => entities.count(query([open])));
  await time("durable write, one at a time", 1000, (i) => put(i));
  await time("durable write of a session, one at a time", 1000, (i) => putSession(i));
}

function after(i) {
  return { property: "placed", op: "<", value: new Date(1e12 + ((i * 7919) % total) * 1000) };
}

function among(i) {
  return { property: "buyer", op: "in", value: Array.from({ length: 10 }, (_, k) => `buyer-${i * 10 + k}`) };
}

function order(i) {
  return { kind: "order", id: `order-${i}` };
}

function session(i) {
  return { kind: "_fw_session", id: i.toString(16).padStart(64, "0") };
}

function put(i) {
  const fields = {
    buyer: `buyer-${i % (total / 20)}`,
    status: i % 2 ? "open" : "paid",
    total: i,
    note: "n".repeat(100),
  };
  return entities.upsert(order(i), { ...fields, placed: new Date(1e12 + ((i * 31) % total) * 1000) });
}

function putSession(i) {
  return entities.upsert(session(i), { user: "u".repeat(28), csrf: "c".repeat(43), agent: "a".repeat(150), at: i });
}

/** Returns the median of seven rounds, in microseconds per call. */
async function time(name, count, work) {
  const rounds = [];
  for (let round = 0; round < 7; round++) {
    const started = performance.now();
    for (let i = 0; i < count; i++) await work(i + round * count);
    rounds.push(((performance.now() - started) / count) * 1000);
  }
  rounds.sort((a, b) => a - b);
  report(name, rounds[3], rounds[0]);
}

function report(name, median, best = median) {
  console.log(`${name.padEnd(46)} ${median.toFixed(1).padStart(9)} µs, best ${best.toFixed(1).padStart(9)}`);
}
