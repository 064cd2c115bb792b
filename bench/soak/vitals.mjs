import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { descendants, descriptors, until } from "../robustness/process.mjs";

const MB = 1024 * 1024;

/**
 * The permitted growth between the warm-up and the end of a load, over all processes of a target. The limit for RSS is
 * loose, because V8 and the allocator retain the memory of the peak.
 */
const bounds = {
  heapMB: 6,
  rssMB: 120,
  descriptors: 4,
  threads: 2,
  handles: 4,
  processes: 0,
  temporary: 0,
  storeMB: 12,
};

/** Reads the state of a target after its processes have collected garbage. */
export async function vitalsOf({ pid, probes, temporary, data }) {
  const pids = [pid, ...descendants(pid)].filter((each) => readdirSync(probes).includes(String(each)));
  const each = await Promise.all(pids.map((id) => ask(id, join(probes, String(id)))));
  const sum = (of) => each.reduce((total, one) => total + of(one), 0);
  return {
    heapMB: sum(({ heap }) => heap) / MB,
    rssMB: sum(({ rss }) => rss) / MB,
    descriptors: sum(({ descriptors: count }) => count),
    threads: sum(({ threads }) => threads),
    handles: sum(({ handles }) => handles),
    processes: each.length,
    temporary: filesBelow(temporary).length,
    storeMB: filesBelow(data).reduce((total, file) => total + statSync(file).size, 0) / MB,
  };
}

/** Describes the vitals that grew beyond their limit, as `name before → after`; empty if there is no leak. */
export function grown(before, after) {
  return Object.entries(bounds)
    .filter(([name, bound]) => after[name] - before[name] > bound)
    .map(([name]) => `${name} ${shown(before[name])} → ${shown(after[name])}`);
}

/** Waits until the target's processes have released the resources of a load, up to a time limit. */
export async function settled(target, before, ms = 20_000) {
  let after = await vitalsOf(target);
  await until(async () => grown(before, (after = await vitalsOf(target))).length === 0, ms, "the target").catch(
    () => {},
  );
  return after;
}

export function shown(value) {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

async function ask(pid, file) {
  const { asked } = JSON.parse(readFileSync(file, "utf8"));
  process.kill(pid, "SIGUSR2");
  let vitals;
  await until(
    () => (vitals = JSON.parse(readFileSync(file, "utf8"))).asked > asked,
    20_000,
    `process ${pid} to tell how it does`,
  );
  const threads = Number(/Threads:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  return { ...vitals, threads, descriptors: descriptors(pid) };
}

function filesBelow(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
