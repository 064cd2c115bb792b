// Compares fw on PostgreSQL, with Debian's default durability: queues with pg-boss and graphile-worker (messages per
// second, latency), and documents with the bare driver. Takes about two minutes.
// Usage: `node bench/postgres.mjs [messages]`; 0 measures only documents.
import { setTimeout as wait } from "node:timers/promises";
import { openDriver } from "./queues/driver.mjs";
import { openFw } from "./queues/fw.mjs";
import { openGraphileWorker } from "./queues/graphile-worker.mjs";
import { openPgBoss } from "./queues/pg-boss.mjs";
import { startPostgres } from "./queues/server.mjs";

const total = Number(process.argv[2] ?? 10_000);
const body = { to: "bob@example.com", subject: "s".repeat(40), text: "t".repeat(300) };

const server = await startPostgres();
try {
  console.log(`Node ${process.version}, ${server.version}`);
  for (const [name, open] of total === 0
    ? []
    : [
        ["fw", openFw],
        ["pg-boss", openPgBoss],
        ["graphile-worker", openGraphileWorker],
      ]) {
    const queue = await open(server.address(`bench_${name.replaceAll("-", "_")}`));
    await measureQueue(name, queue);
    await queue.close();
  }
  await measureDocuments();
} finally {
  server.stop();
}

async function measureQueue(name, queue) {
  await rate(`${name}: enqueue, 100 at once`, total, () => atOnce(100, total, () => queue.send(body)));
  let remaining = total;
  let done;
  const whenEmpty = new Promise((resolve) => (done = resolve));
  await rate(`${name}: deliveries of what waits`, total, async () => {
    await queue.work(async () => --remaining === 0 && done());
    await whenEmpty;
  });
  await queue.stop();
  remaining = total;
  const whenDone = new Promise((resolve) => (done = resolve));
  await rate(`${name}: enqueue and deliveries`, total, async () => {
    await queue.work(async () => --remaining === 0 && done());
    await atOnce(100, total, () => queue.send(body));
    await whenDone;
  });
  await queue.stop();
  await latency(name, queue, 200);
}

/** Measures the time from the call of `send` to the start of the handler, at a given rate for five seconds. */
async function latency(name, queue, perSecond) {
  const latencies = [];
  await queue.work(async ({ at }) => latencies.push(performance.now() - at));
  const start = performance.now();
  let number = 0;
  for (; number < perSecond * 5; await wait(1))
    for (; number < ((performance.now() - start) * perSecond) / 1000; number++)
      void queue.send({ at: performance.now() });
  while (latencies.length < number) await wait(10);
  await queue.stop();
  latencies.sort((a, b) => a - b);
  const at = (share) => `${latencies[Math.floor(latencies.length * share)].toFixed(1)} ms`;
  print(`${name}: from send to start, ${perSecond} a second`, `p50 ${at(0.5)}, p99 ${at(0.99)}`);
}

async function measureDocuments() {
  const [fw, driver] = [await openFw(server.address("documents")), await openDriver(server.address("raw"))];
  for (const store of [fw, driver]) await store.fill(10_000);
  for (const [name, count] of [
    ["get", 2_000],
    ["query", 500],
    ["put", 500],
    ["transaction", 500],
  ]) {
    for (const clients of [1, 16]) {
      // Rounds alternate, so that a busy moment of the machine affects both.
      const rounds = [[], []];
      for (let round = 0; round < 13; round++)
        for (const [i, store] of [fw, driver].entries())
          rounds[i].push(await costs(count, () => atOnce(clients, count, (n) => store[name]((n * 7919) % 10_000))));
      const texts = ["time", "process", "server", "both"].map((cost) => {
        const [own, raw] = rounds.map((each) => each.map((costs) => costs[cost]).toSorted((a, b) => a - b)[6]);
        return `${cost} ${own.toFixed(0)} / ${raw.toFixed(0)} µs: ${(own / raw).toFixed(2)} ×`;
      });
      print(`${name}, ${clients} at once, fw / driver`, texts.join(", "));
    }
  }
  await Promise.all([fw.close(), driver.close()]);
}

/** Returns the microseconds per operation: elapsed, and of CPU time in this process and in the server. */
async function costs(count, work) {
  const start = performance.now();
  const [cpu, serverCpu] = [process.cpuUsage(), server.cpuMicroseconds()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  const passed = (performance.now() - start) * 1000;
  const processCpu = user + system;
  const otherCpu = server.cpuMicroseconds() - serverCpu;
  const all = { time: passed, process: processCpu, server: otherCpu, both: processCpu + otherCpu };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value / count]));
}

async function atOnce(clients, count, work) {
  let next = 0;
  const client = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: clients }, client));
}

async function rate(name, count, work) {
  const start = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const perSecond = Math.round(count / seconds).toLocaleString("en");
  print(name, `${perSecond.padStart(7)} /s, ${((user + system) / count).toFixed(0)} µs of this process's CPU each`);
}

function print(name, text) {
  console.log(`${name.padEnd(50)} ${text}`);
}
