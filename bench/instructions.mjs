// The instructions that fw takes for a request, counted by Valgrind, with the console's events or the dashboard's
// sampling, and without them. Other work on the machine does not change them. They leave out Node's HTTP server and
// sockets, so the difference to the first mode counts, not its share.
//
// Counts a short and a long run of a process, and divides the difference by that of their requests: it cancels the
// start and the compilation, which happens in the short run.
import { execFileSync, spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { buildApp } from "./load/build-app.mjs";

const { values: options } = parseArgs({
  options: {
    requests: { type: "string", default: "100000" },
    scenarios: { type: "string", default: "hello,1 KB JSON POST" },
    modes: { type: "string", default: "off,sampling,events" },
  },
});
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
execFileSync(process.execPath, [here("app/routes.mjs")]);
await buildApp(here("app"), here(".fw"));

const node = ["--single-threaded", "--hash-seed=1", "--random-seed=1", "--min-semi-space-size=16"];
const valgrind = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--smc-check=all-non-file"];
console.log("| scenario | mode | instructions | to the first |\n|---|---|---|---|");
for (const scenario of options.scenarios.split(",")) {
  let first;
  for (const mode of options.modes.split(",")) {
    const requests = Number(options.requests);
    const each = (count(mode, scenario, 2 * requests) - count(mode, scenario, requests)) / requests;
    first ??= each;
    console.log(`| ${scenario} | ${mode} | ${Math.round(each)} | ${Math.round(each - first)} |`);
  }
}

function count(mode, scenario, requests) {
  const script = [process.execPath, ...node, here("servers/handled.mjs"), mode, scenario, String(requests)];
  const { stderr, status, error } = spawnSync("valgrind", [...valgrind, ...script], { encoding: "utf8" });
  const refs = /I\s+refs:\s+([\d,]+)/.exec(stderr)?.[1];
  if (status !== 0 || refs === undefined) throw error ?? new Error(stderr);
  return Number(refs.replaceAll(",", ""));
}
