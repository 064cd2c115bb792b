import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A file whose time is the start of the latest build, so that files saved during a build cause another one. */
const stamp = join(root, "packages/fw/dist/.built");

/** The inputs of a build, relative to the root. */
const inputs = ["packages", "docs", "tsconfig.base.json", "node_modules/.package-lock.json"];

const outputs = new Set(["dist", "node_modules", ".cache"]);

/**
 * Builds the packages if anything has changed since the latest build, because tests import their compiled modules and
 * start `fw` as a user would. `npm run types` reports type errors.
 */
export default function buildIfChanged() {
  if (isOutdated()) build();
}

function isOutdated() {
  return inputs.some((path) => isNewer(join(root, path), timeOf(stamp)));
}

/** Returns whether every step succeeded. Later steps can succeed despite type errors. */
function build() {
  // If a step created the directory, the package's own directory would look changed.
  for (const name of ["fw", "fake-cloud"]) mkdirSync(join(root, "packages", name, "dist"), { recursive: true });
  const started = new Date();
  rmSync(stamp, { force: true });
  const tsc = "node_modules/typescript/bin/tsc";
  const steps = [
    [tsc, "-p", "packages/fw"],
    [tsc, "-p", "packages/fake-cloud"],
    ["packages/fw/bundle.mjs"],
    ["packages/fw/docs.mjs"],
  ];
  const failures = steps.filter((step) => spawnSync(process.execPath, step, { cwd: root, stdio: "inherit" }).status);
  if (failures.length > 0) return false;
  writeFileSync(stamp, "");
  utimesSync(stamp, started, started);
  return true;
}

/** Whether a file, or anything in a directory, was changed, created or deleted at or after a time. */
function isNewer(path, time) {
  if (timeOf(path) >= time) return true;
  if (!statSync(path).isDirectory()) return false;
  const names = readdirSync(path).filter((name) => !outputs.has(name));
  return names.some((name) => isNewer(join(path, name), time));
}

/** Returns the time of the latest change in milliseconds; 0 if the file does not exist. */
function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isDone = process.argv.includes("--if-changed") && !isOutdated();
  process.exitCode = isDone || build() ? 0 : 1;
}
