// Counts the instructions of a request with Valgrind: with the console's events, the dashboard's sampling, or neither.
// Other work on the machine does not affect the counts. They leave out Node's HTTP server and sockets, so compare the
// absolute difference to the first mode, not its share.
//
// Divides the difference in instructions between a long and a short run by the difference in requests. This cancels the
// start and the compilation, which both runs contain.
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
