// Server CPU per request, and latencies. Servers alternate in each round, so that fluctuations of the machine affect
// all equally.
import { parseArgs } from "node:util";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildApp } from "./load/build-app.mjs";
import { load } from "./load/client.mjs";
import { node24 } from "./load/node-24.mjs";
import { scenarios } from "./load/scenarios.mjs";
import { median } from "./load/median.mjs";
import { startServer } from "./load/server.mjs";

const { values: options } = parseArgs({
  options: {
    node: { type: "string", default: "24" },
    rounds: { type: "string", default: "5" },
    ms: { type: "string", default: "1500" },
    servers: { type: "string", default: "raw,fw,fastify,hono,express,nest" },
    scenarios: { type: "string", default: Object.keys(scenarios).join(",") },
    connections: { type: "string", default: "64" },
  },
});
const names = options.servers.split(",");
if (names.includes("fw")) await buildBenchApp();
const node = options.node === "24" ? await node24() : process.execPath;

const table = {};
for (const scenario of options.scenarios.split(",")) table[scenario] = await measure(scenario);
print(table);

async function measure(scenario) {
  const servers = new Map();
  for (const name of names) servers.set(name, await startServer(`${name}.mjs`, { node }));
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (const server of servers.values()) await sample(server, scenario, 700);
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const name of rotate(names, round))
      samples[name].push(await sample(servers.get(name), scenario, Number(options.ms)));
  }
  for (const server of servers.values()) server.stop();
  return samples;
}

async function buildBenchApp() {
  const here = (path) => fileURLToPath(new URL(path, import.meta.url));
  execFileSync(process.execPath, [here("app/routes.mjs")]);
  await buildApp(here("app"), here(".fw"));
}

async function sample(server, scenario, ms) {
  const before = await server.usage();
  const result = await load({
    port: server.port,
    requests: scenarios[scenario],
    connections: Number(options.connections),
    ms,
  });
  const after = await server.usage();
  if (result.failed > 0) throw new Error(`${scenario}: ${result.failed} requests failed`);
  const cpu = (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / result.answered;
  return { cpu, p50: result.p50, p99: result.p99, rss: after.rss };
}

function rotate(list, by) {
  return list.map((_, i) => list[(i + by) % list.length]);
}

function print(table) {
  const version = options.node === "24" ? "24.21.0" : process.versions.node;
  console.log(
    `node ${version}, ${options.connections} connections, ${options.rounds} rounds of ${options.ms} ms; medians\n`,
  );
  console.log("| scenario | server | CPU µs/request | raw/server | p50 µs | p99 µs | MB resident |");
  console.log("|---|---|---|---|---|---|---|");
  const ratios = Object.fromEntries(names.map((name) => [name, []]));
  for (const [scenario, samples] of Object.entries(table)) {
    for (const name of names) {
      const ratio = median(samples[name].map((s, i) => samples[names[0]][i].cpu / s.cpu));
      ratios[name].push(ratio);
      const cell = (key) => Math.round(median(samples[name].map((s) => s[key])));
      console.log(
        `| ${scenario} | ${name} | ${median(samples[name].map((s) => s.cpu)).toFixed(1)} | ${ratio.toFixed(2)} | ${cell("p50")} | ${cell("p99")} | ${Math.round(cell("rss") / 2 ** 20)} |`,
      );
    }
  }
  console.log("\n| server | geometric mean of raw/server |\n|---|---|");
  for (const name of names)
    console.log(
      `| ${name} | ${Math.exp(ratios[name].reduce((sum, r) => sum + Math.log(r), 0) / ratios[name].length).toFixed(2)} |`,
    );
}
