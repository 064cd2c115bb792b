import { spawn, spawnSync } from "node:child_process";

/**
 * The static checks: two lists that run concurrently, each in order. Steps of the first list use all processors, but
 * only in part; steps of the second use one.
 */
const checks = [
  ["types", "lint"],
  ["format:check", "unused", "package"],
];

/** Runs a script, and prints its output at the end so that outputs do not mix. Returns whether it passed. */
async function passes(name) {
  const child = spawn("npm", ["run", name], { stdio: ["ignore", "pipe", "pipe"], shell: process.platform === "win32" });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const code = await new Promise((resolve) => child.once("close", resolve));
  process.stdout.write(Buffer.concat(output));
  return code === 0;
}

/** Returns whether every script passed. Runs them in order, and stops at the first failure. */
async function allPass([name, ...rest]) {
  return name === undefined || ((await passes(name)) && allPass(rest));
}

function run(name) {
  return spawnSync("npm", ["run", name], { stdio: "inherit", shell: process.platform === "win32" }).status === 0;
}

if (!run("build")) process.exit(1);
const results = await Promise.all(checks.map(allPass));
process.exitCode = results.every(Boolean) && run("test") ? 0 : 1;
