// The cost of metrics: CPU per request over 1,000 routes with and without aggregation, in alternation in one process,
// and with node:http in another; and the memory in the course of a million requests.
import { parseArgs } from "node:util";
import { load } from "./load/client.mjs";
import { median } from "./load/median.mjs";
import { startServer } from "./load/server.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    ms: { type: "string", default: "1000" },
    requests: { type: "string", default: "1000000" },
  },
});
const kinds = ["raw", "off", "on"];
const requests = Array.from({ length: 1_000 }, (_, i) => `GET /r${i}/7 HTTP/1.1\r\nHost: localhost\r\n\r\n`);

const servers = new Map();
for (const kind of ["raw", "fw"]) {
  process.env.BENCH_METRICS = kind;
  servers.set(kind, await startServer("thousand.mjs"));
}
for (const kind of kinds) await sample(kind, 1_500);
const samples = Object.fromEntries(kinds.map((kind) => [kind, []]));
for (let round = 0; round < Number(options.rounds); round++) {
  const turns = round % 2 === 0 ? kinds : kinds.toReversed();
  for (const kind of turns) {
    samples[kind].push((await sample(kind, Number(options.ms))).cpu);
  }
}
const ratios = Object.fromEntries(
  kinds.map((kind) => [kind, median(samples[kind].map((cpu, round) => samples.raw[round] / cpu))]),
);
console.log("| server | CPU µs/request | raw/server |\n|---|---|---|");
for (const kind of kinds) console.log(`| ${kind} | ${median(samples[kind]).toFixed(2)} | ${ratios[kind].toFixed(3)} |`);
const paired = median(samples.on.map((cpu, round) => samples.off[round] / cpu));
console.log(`\nadded up against measured only, paired: ${paired.toFixed(3)}`);

let answered = 0;
const memory = [];
while (answered < Number(options.requests)) {
  const result = await sample("on", 2_000);
  answered += result.answered;
  memory.push([answered, Math.round(result.rss / 2 ** 20)]);
}
console.log(`\n| requests | MB resident |\n|---|---|`);
const step = Math.max(1, Math.floor(memory.length / 10));
for (const [at, [count, mb]] of memory.entries())
  if (at % step === 0 || at === memory.length - 1) console.log(`| ${count} | ${mb} |`);
for (const server of servers.values()) server.stop();

async function sample(kind, ms) {
  const server = servers.get(kind === "raw" ? "raw" : "fw");
  if (kind !== "raw") await server.tell(kind);
  const before = await server.usage();
  const result = await load({ port: server.port, requests, connections: 64, ms });
  const after = await server.usage();
  if (result.failed > 0) throw new Error(`${kind}: ${result.failed} requests failed`);
  const cpu = (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / result.answered;
  return { cpu, rss: after.rss, answered: result.answered };
}
