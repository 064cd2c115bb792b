// Compresses hours of use into minutes and measures what remains: memory, descriptors, threads, handles, temporary
// files, the store's size.
import { parseArgs } from "node:util";
import { loads, run } from "./soak/loads.mjs";
import { targets } from "./soak/targets.mjs";
import { grown, settled, shown, vitalsOf } from "./soak/vitals.mjs";

const { values: options } = parseArgs({
  options: {
    target: { type: "string", default: Object.keys(targets).join(",") },
    only: { type: "string", default: "" },
    /** The share of the load to run: 0.1 is a tenth. */
    share: { type: "string", default: "1" },
  },
});

const rows = [];
for (const name of options.target.split(",")) {
  const target = await targets[name]();
  try {
    for (const load of loads.filter((each) => each.on.includes(name) && each.name.includes(options.only)))
      rows.push(await soak(name, target, load));
  } catch (error) {
    process.stderr.write(`${target.output()}\n`);
    throw error;
  } finally {
    await target.stop();
  }
}
print(rows);
process.exit(rows.every(({ grew }) => grew.length === 0) ? 0 : 1);

/** Warms the target up with a tenth of the load. Growth from there to the end of the load is a leak. */
async function soak(name, target, load) {
  const count = Math.ceil(load.count * Number(options.share));
  const started = performance.now();
  await run(load, target, Math.ceil(count / 10));
  const before = await vitalsOf(target);
  await run(load, target, count);
  const after = await settled(target, before);
  const row = { name, load, count: count * (load.each ?? 1), before, after, grew: grown(before, after) };
  const seconds = (performance.now() - started) / 1000;
  process.stderr.write(
    `${row.grew.length === 0 ? "ok  " : "MISS"} ${name}: ${load.name} ${row.grew.join(", ")} [${seconds.toFixed(0)} s]\n`,
  );
  return row;
}

function print(table) {
  const columns = ["heapMB", "rssMB", "descriptors", "threads", "handles", "processes", "temporary", "storeMB"];
  const titles = ["heap MB", "resident MB", "descriptors", "threads", "handles", "processes", "files", "store MB"];
  const line = (cells) => process.stdout.write(`| ${cells.join(" | ")} |\n`);
  process.stdout.write(`\nnode ${process.version}, before → after\n\n`);
  line(["target", "what", "times", ...titles, ""]);
  line(Array.from({ length: titles.length + 4 }, () => "---"));
  for (const { name, load, count, before, after, grew } of table) {
    const cells = columns.map((key) => `${shown(before[key])} → ${shown(after[key])}`);
    line([name, load.name, count.toLocaleString("en"), ...cells, grew.length === 0 ? "ok" : "GREW"]);
  }
}
