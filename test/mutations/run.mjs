// Changes one operator, condition, literal or statement of a source at a time and runs the tests of its area. A mutant
// that no test notices is a survivor: a missing test, or a change without an effect.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { areas } from "./areas.mjs";
import { mutantsOf } from "./mutants.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

const usage = `usage: node test/mutations/run.mjs <area>… [--sample 30] [--seed 1] [--file <path>] [--list] [--out <file>]
areas: ${Object.keys(areas).join(", ")}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
    file: { type: "string" },
    list: { type: "boolean", default: false },
    out: { type: "string" },
  },
});

const chosen = positionals.map((name) => areas[name]);
if (chosen.length === 0 || chosen.includes(undefined)) {
  console.error(usage);
  process.exit(2);
}

const mutants = chosen.flatMap(({ sources, tests }) =>
  sources
    .flatMap(filesIn)
    .filter((path) => values.file === undefined || path.endsWith(values.file))
    .flatMap((path) => mutantsOf(path, readFileSync(join(root, path), "utf8")).map((mutant) => ({ ...mutant, tests }))),
);
const sample = sampleOf(mutants, Number(values.sample), Number(values.seed));

if (values.list) {
  process.stdout.write(`${JSON.stringify(sample.map(report), undefined, 2)}\n`);
} else {
  process.exitCode = (await run()) ? 0 : 1;
}

/** The TypeScript sources of a file or folder, without tests and their support. */
function filesIn(path) {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
    .map((name) => `${path}/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.includes("/testing/"))
    .toSorted();
}

/** Draws mutants without repetition; equal seeds draw the same mutants. */
function sampleOf(all, count, seed) {
  const rest = [...all];
  let state = seed;
  const below = (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(below(rest.length), 1)[0]);
}

function report({ path, line, what, was, becomes }) {
  return { path, line, what, was, becomes };
}

/** Runs the sample in a copy of the working tree. Resolves to true if every mutant was noticed. */
async function run() {
  const copy = copyTree();
  try {
    for (const tests of new Set(sample.map((mutant) => mutant.tests))) {
      if (await isNoticed(copy, tests)) throw new Error(`tests fail without a mutant: ${tests.join(" ")}`);
    }
    const survivors = [];
    for (const [index, mutant] of sample.entries()) {
      const noticed = await isNoticed(copy, mutant.tests, mutant);
      if (!noticed) survivors.push(report(mutant));
      const { path, line, was, becomes } = mutant;
      console.error(
        `${index + 1}/${sample.length} ${noticed ? "noticed " : "SURVIVED"} ${path}:${line} ${was.split("\n")[0]} → ${becomes}`,
      );
    }
    const result = JSON.stringify(
      { mutants: mutants.length, sample: sample.length, seed: Number(values.seed), survivors },
      undefined,
      2,
    );
    if (values.out === undefined) process.stdout.write(`${result}\n`);
    else writeFileSync(values.out, `${result}\n`);
    return survivors.length === 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function copyTree() {
  const copy = mkdtempSync(join(tmpdir(), "fw-mutants-"));
  const skipped = /(?:^|\/)(?:node_modules|\.git|\.fw)$|^examples\/[^/]+\/build$/;
  cpSync(root, copy, { recursive: true, filter: (path) => !skipped.test(relative(root, path)) });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  writeFileSync(
    join(copy, "vitest.config.ts"),
    `export default { test: { isolate: false, testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 20_000 } },
      exclude: ["**/node_modules/**", "**/*{flood,crash,killed-store}.test.ts", "**/multipart.test.ts"],
      setupFiles: "test/setup/declaring.ts", maxWorkers: 2 } };\n`,
  );
  return copy;
}

/** True if a test fails, or does not end, with a mutant. */
async function isNoticed(copy, tests, mutant) {
  const path = mutant && join(copy, mutant.path);
  const text = path && readFileSync(path, "utf8");
  if (path) writeFileSync(path, text.slice(0, mutant.start) + mutant.becomes + text.slice(mutant.end));
  try {
    const child = spawn("npx", ["vitest", "run", "--bail", "1", "--reporter", "dot", ...tests], {
      cwd: copy,
      stdio: "ignore",
      detached: true,
    });
    const stuck = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), 300_000);
    const code = await new Promise((resolve) => child.once("exit", (exit) => resolve(exit)));
    clearTimeout(stuck);
    return code !== 0;
  } finally {
    if (path) writeFileSync(path, text);
  }
}
