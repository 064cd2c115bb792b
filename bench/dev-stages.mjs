// Preloaded into the processes of `fw dev` by bench/dev-loop.mjs. Appends a line for each stage of the dev loop to the
// file named by FW_BENCH_STAGES, with the time and the CPU time of the process. Lines without a stage are samples: they
// show how much CPU time the process had used when a file was saved.
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";

const file = process.env.FW_BENCH_STAGES;

/** Milliseconds before lines are written: writing between two stages would distort the measurement. */
const writeAfter = 200;

/**
 * Milliseconds between two samples, and the number in memory. They cover more time than passes between a save and its
 * first stage.
 */
const sampleEvery = 25;
const sampleCount = 200;

const samples = [];
let lines = [];

setInterval(() => {
  samples.push(usage());
  if (samples.length > sampleCount) samples.shift();
}, sampleEvery).unref();

subscribe("fw:dev-stage", (stage) => {
  if (lines.length === 0) setTimeout(write, writeAfter);
  lines.push(...samples.splice(0), { ...usage(), stage });
});

function usage() {
  const { user, system } = process.cpuUsage();
  return { at: performance.timeOrigin + performance.now(), pid: process.pid, cpu: (user + system) / 1_000 };
}

function write() {
  appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  lines = [];
}
