// Preloaded into every process of a target. Collects garbage and records its state at the start and on SIGUSR2.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

const directory = process.env["FW_SOAK_PROBE"];
if (isMainThread && directory !== undefined) {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc");
  let asked = 0;
  const write = () => {
    gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    const resources = Object.groupBy?.(process.getActiveResourcesInfo(), String) ?? {};
    const vitals = {
      asked: asked++,
      what: process.argv.slice(1).join(" "),
      heap: heapUsed + external,
      rss,
      handles: process.getActiveResourcesInfo().length,
      resources: Object.fromEntries(Object.entries(resources).map(([name, list]) => [name, list.length])),
    };
    const file = join(directory, String(process.pid));
    writeFileSync(`${file}.new`, JSON.stringify(vitals));
    renameSync(`${file}.new`, file);
  };
  // Collects twice, because finalizers release memory that only the next collection frees.
  process.on("SIGUSR2", () => setImmediate(() => (gc(), setImmediate(write))));
  write();
}
