// Preloaded into the processes of `fw dev` by bench/dev-loop.mjs. Appends a line for each stage of the dev loop to the
// file named by FW_BENCH_STAGES, with the time and the CPU time of the process.
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";

const file = process.env.FW_BENCH_STAGES;

/** Milliseconds before lines are written: writing between two stages would distort the measurement. */
const writeAfter = 200;

let lines = "";

subscribe("fw:dev-stage", (stage) => {
  const at = performance.timeOrigin + performance.now();
  const { user, system } = process.cpuUsage();
  if (lines === "") setTimeout(write, writeAfter);
  lines += `${JSON.stringify({ stage, at, pid: process.pid, cpu: (user + system) / 1_000 })}\n`;
});

function write() {
  appendFileSync(file, lines);
  lines = "";
}
