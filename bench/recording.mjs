// The cost of the console's recording: CPU per request without it, with its events, with headers and bodies, and with
// both, in turn, each in its own process.
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { buildApp } from "./load/build-app.mjs";
import { median } from "./load/median.mjs";
import { startServer } from "./load/server.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    requests: { type: "string", default: "20000" },
    scenarios: { type: "string", default: "hello,path and query,1 KB JSON POST,HTML page" },
    modes: { type: "string", default: "off,events,exchanges,on" },
  },
});
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
execFileSync(process.execPath, [here("app/routes.mjs")]);
await buildApp(here("app"), here(".fw"));

const modes = options.modes.split(",");
const servers = new Map();
for (const mode of modes) {
  process.env.BENCH_RECORDING = mode;
  servers.set(mode, await startServer("recorded.mjs", { pinned: false }));
}
console.log(`| CPU µs/request | ${modes.join(" | ")} |\n|---|${modes.map(() => "---|").join("")}`);
for (const scenario of options.scenarios.split(",")) {
  const samples = await measure(scenario);
  console.log(`| ${scenario} | ${modes.map((mode) => median(samples[mode]).toFixed(1)).join(" | ")} |`);
}
for (const server of servers.values()) server.stop();

async function measure(scenario) {
  const samples = Object.fromEntries(modes.map((mode) => [mode, []]));
  for (const mode of modes) await sample(mode, scenario);
  for (let round = 0; round < Number(options.rounds); round++)
    for (const mode of round % 2 === 0 ? modes : modes.toReversed()) samples[mode].push(await sample(mode, scenario));
  return samples;
}

async function sample(mode, scenario) {
  const { micros } = await servers.get(mode).tell({ scenario, requests: Number(options.requests) });
  return micros;
}
