// Messages in the embedded store: durable sends, deliveries, both at once, and the latency of deliveries.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openLocal } from "../packages/fw/dist/platform/local/open.js";

const total = Number(process.argv[2] ?? 50_000);
const destination = { kind: "queue", name: "emails" };
const delivery = { maxAttempts: 10, minBackoff: 10_000, maxBackoff: 600_000, deadline: 600_000, concurrency: 16 };
const body = JSON.stringify({ to: "bob@example.com", subject: "s".repeat(40), text: "t".repeat(300) });

const directory = await mkdtemp(join(tmpdir(), "fw-messages-"));
const definitions = { kinds: [], consumers: [{ id: "mail-send", destination, delivery }] };
const platform = await openLocal(directory, definitions);
const { messages, dispatcher } = platform;
try {
  console.log(`Node ${process.version}`);
  await rate("durable sends, one at a time", 2000, () => sendAll(2000, 1));
  await rate("durable sends, 100 at once", total, () => sendAll(total, 100));
  const delivering = dispatcher.deliver(async () => {});
  await rate("deliveries of what waits", total + 2000, () => dispatcher.idle());
  await rate("durable sends, 100 at once, and deliveries", total, async () => {
    await sendAll(total, 100);
    await dispatcher.idle();
  });
  await delivering.stop();
  await pickUp(200);
  await pickUp(1000);
} finally {
  await platform.close();
  await rm(directory, { recursive: true });
}

async function sendAll(count, atOnce) {
  let left = count;
  const send = async () => {
    while (left-- > 0) await messages.send(destination, { body });
  };
  await Promise.all(Array.from({ length: atOnce }, send));
}

async function rate(name, count, work) {
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1000;
  console.log(
    `${name.padEnd(46)} ${Math.round(count / seconds)
      .toLocaleString("en")
      .padStart(9)} /s`,
  );
}

/** Measures the latency from `send` to the handler, at a given rate for five seconds. */
async function pickUp(perSecond) {
  const latencies = [];
  const delivering = dispatcher.deliver(async (each) => {
    latencies.push(performance.now() - Number(each.body));
  });
  const started = performance.now();
  for (let sent = 0; sent < perSecond * 5; await setTimeout(1)) {
    for (; sent < ((performance.now() - started) * perSecond) / 1000; sent++)
      void messages.send(destination, { body: `${performance.now()}` });
  }
  await dispatcher.idle();
  await delivering.stop();
  latencies.sort((a, b) => a - b);
  const at = (share) => `${latencies[Math.floor(latencies.length * share)].toFixed(1)} ms`;
  console.log(`pick-up at ${perSecond} a second`.padEnd(46), `p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(0.9999)}`);
}
