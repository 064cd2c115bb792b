// Preloaded into the processes of `fw dev` by bench/dev-loop.mjs: appends a line for each stage of the dev loop to the
// file that FW_BENCH_STAGES names, with the time and the processor time of the process.
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";

const file = process.env.FW_BENCH_STAGES;

/** Milliseconds after which lines are written: writing them between two stages would be part of what is measured. */
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
