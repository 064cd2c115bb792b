// Changes one operator, condition, literal or statement of a source at a time, and runs the tests of its area that
// reach it. A mutant that no test notices is a survivor: a missing test, or a change without an effect (listed in
// `judged.json`, with reasons).
import { execFileSync, fork } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { areas } from "./areas.mjs";
import { mutantsOf, withProbes } from "./mutants.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

const usage = `usage: node test/mutations/run.mjs <area>… [--sample 30] [--seed 1] [--file <path>[:<lines>]] [--again <file>] [--list] [--out <file>]
areas: ${Object.keys(areas).join(", ")}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
    file: { type: "string" },
    again: { type: "string" },
    list: { type: "boolean", default: false },
    out: { type: "string" },
  },
});

const chosenAreas = positionals.map((name) => areas[name]);
if (chosenAreas.length === 0 || chosenAreas.includes(undefined)) {
  console.error(usage);
  process.exit(2);
}

const [onlyFile = "", onlyLines] = (values.file ?? "").split(":");
const mutants = chosenAreas.flatMap(({ sources, tests }) =>
  sources
    .flatMap(filesIn)
    .filter((path) => path.endsWith(onlyFile))
    .flatMap((path) => mutantsOf(path, readFileSync(join(root, path), "utf8")).map((mutant) => ({ ...mutant, tests })))
    .filter(({ line }) => onlyLines === undefined || onlyLines.split(",").includes(`${line}`)),
);
/** The survivors of an earlier run, which are run again. */
const survived =
  values.again === undefined ? undefined : new Set(JSON.parse(readFileSync(values.again, "utf8")).survivors.map(keyOf));
const judged = new Set(JSON.parse(readFileSync(join(root, "test/mutations/judged.json"), "utf8")).map(keyOf));
const sample = sampleOf(
  mutants.filter((mutant) => !judged.has(keyOf(mutant)) && survived?.has(keyOf(mutant)) !== false),
  Number(values.sample),
  Number(values.seed),
);

if (values.list) {
  process.stdout.write(`${JSON.stringify(sample.map(report), undefined, 2)}\n`);
} else {
  process.exitCode = (await run()) ? 0 : 1;
}

/** Returns the TypeScript sources of a file or folder, without tests and their support. */
function filesIn(path) {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
    .map((name) => `${path}/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.includes("/testing/"))
    .toSorted();
}

/** Draws distinct mutants; equal seeds draw the same mutants. */
function sampleOf(all, count, seed) {
  const rest = [...all];
  let state = seed;
  const below = (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(below(rest.length), 1)[0]);
}

/** Identifies a mutant even if lines move. */
function keyOf({ path, code, at, was, becomes }) {
  return JSON.stringify([path, code, at, was, becomes]);
}

function report({ path, line, what, code, at, was, becomes }) {
  return { path, line, what, code, at, was, becomes };
}

/** Runs the sample in a copy of the working tree. Resolves to true if tests noticed every mutant. */
async function run() {
  // A few tests start processes from the build.
  execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const copy = copyTree();
  const tests = openTests(copy);
  try {
    for (const files of new Set(sample.map((mutant) => mutant.tests))) await reach(copy, files);
    const survivors = [];
    const controlled = new Set();
    for (const [index, mutant] of sample.entries()) {
      const [error, reason = error] = await errorsWith(copy, tests, mutant);
      if (error !== undefined && !controlled.has(mutant.tests)) {
        controlled.add(mutant.tests);
        await checkControl(tests, mutant);
      }
      if (error === undefined) survivors.push({ ...report(mutant), reached: mutant.reachedBy.length });
      const outcome = reason === undefined ? "SURVIVED" : "noticed ";
      console.error(
        `${index + 1}/${sample.length} ${outcome} ${textOf(mutant)}${reason ? `: ${firstLine(reason)}` : ""}`,
      );
      write(survivors, index + 1);
    }
    if (values.out === undefined) process.stdout.write(resultOf(survivors, sample.length));
    return survivors.length === 0;
  } finally {
    tests.close();
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Throws if the tests also fail without the mutant: they would then notice every mutant. */
async function checkControl(tests, { path, reachedBy }) {
  const errors = await tests.run(reachedBy, [path]);
  if (errors.length > 0) throw new Error(`tests fail without a mutant:\n${errors.join("\n")}`);
}

/** Shortens a reason. A timeout may be due to a busy machine rather than to the mutant. */
function firstLine(text) {
  return text.split("\n")[0].slice(0, 80);
}

function textOf({ path, line, column, was, becomes }) {
  return `${path}:${line}:${column} ${was.split("\n")[0]} → ${becomes}`;
}

/** Writes the results so far, in case the run is aborted. */
function write(survivors, done) {
  if (values.out !== undefined) writeFileSync(values.out, resultOf(survivors, done));
}

function resultOf(survivors, done) {
  const counts = { mutants: mutants.length, judged: judged.size, sample: done, seed: Number(values.seed) };
  return `${JSON.stringify({ ...counts, survivors }, undefined, 2)}\n`;
}

function copyTree() {
  const copy = mkdtempSync(join(tmpdir(), "fw-mutants-"));
  const skipped = /(?:^|\/)(?:node_modules|\.git|\.fw)$|^examples\/[^/]+\/build$/;
  cpSync(root, copy, { recursive: true, filter: (path) => !skipped.test(relative(root, path)) });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  writeFileSync(
    join(copy, "vitest.config.ts"),
    `export default { test: { isolate: process.env.FW_REACHED !== undefined, testTimeout: 60_000, hookTimeout: 60_000,
      expect: { poll: { timeout: 20_000 } },
      exclude: ["**/node_modules/**", "**/*{flood,crash,killed-store}.test.ts", "**/multipart.test.ts"],
      setupFiles: ["test/setup/declaring.ts", "test/mutations/reached.mjs"], maxWorkers: 2 } };\n`,
  );
  return copy;
}

/** Runs all tests of an area once, without a mutant, and records the files that reach each mutant, fastest first. */
async function reach(copy, files) {
  const folder = mkdtempSync(join(tmpdir(), "fw-reached-"));
  const own = sample.filter((mutant) => mutant.tests === files);
  const texts = new Map([...new Set(own.map(({ path }) => path))].map((path) => [path, readSource(copy, path)]));
  for (const [path, text] of texts) {
    const ofSource = own.filter((mutant) => mutant.path === path);
    const ids = ofSource.map((mutant) => own.indexOf(mutant));
    writeFileSync(join(copy, path), withProbes(text, ofSource, ids));
  }
  const tests = openTests(copy, { FW_REACHED: folder });
  try {
    const errors = await tests.run(files, [...texts.keys()], 1_800_000);
    if (errors.length > 0) throw new Error(`tests fail without a mutant:\n${errors.join("\n")}`);
  } finally {
    tests.close();
    for (const [path, text] of texts) writeFileSync(join(copy, path), text);
  }
  const runs = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
  rmSync(folder, { recursive: true });
  const byTime = runs.toSorted((a, b) => a.ms - b.ms);
  for (const [id, mutant] of own.entries()) {
    mutant.reachedBy = byTime.filter(({ reached }) => reached.includes(id)).map(({ file }) => file);
  }
}

function readSource(copy, path) {
  return readFileSync(join(copy, path), "utf8");
}

/** Returns the test errors caused by a mutant. Runs the fastest file first, and the others only if it passes. */
async function errorsWith(copy, tests, mutant) {
  const { path, start, end, becomes, reachedBy } = mutant;
  const text = readSource(copy, path);
  writeFileSync(join(copy, path), text.slice(0, start) + becomes + text.slice(end));
  try {
    for (const files of [reachedBy.slice(0, 1), reachedBy.slice(1)]) {
      const errors = files.length > 0 ? await tests.run(files, [path]) : [];
      if (errors.length > 0) return errors;
    }
    return [];
  } finally {
    writeFileSync(join(copy, path), text);
    tests.changed = path;
  }
}

/** Opens a process that runs tests. If it does not answer in time, kills it and starts a new one. */
function openTests(copy, env = {}) {
  let child;
  const start = async () => {
    child = fork(join(root, "test/mutations/tests.mjs"), [copy], {
      cwd: copy,
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      detached: true,
    });
    await answerOf(child, 300_000);
  };
  const end = () => {
    if (child?.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    child = undefined;
  };
  return {
    /** The source restored since the last run. */
    changed: undefined,
    /** Resolves to the errors of the tests, which must finish within the limit. */
    async run(files, paths, limitMs = 300_000) {
      if (child === undefined) await start();
      const changed = [...paths, ...(this.changed === undefined ? [] : [this.changed])].map((path) => join(copy, path));
      child.send({ files, changed });
      const answer = await answerOf(child, limitMs);
      if (answer === undefined) end();
      else if (answer.defect !== undefined) throw new Error(answer.defect);
      return answer?.errors ?? ["the tests did not end"];
    },
    close: end,
  };
}

/** Returns a process's next message; undefined if it exits, or sends none within the limit. */
function answerOf(child, limitMs) {
  return new Promise((resolve) => {
    const settle = (message) => {
      clearTimeout(stuck);
      child.off("message", settle).off("exit", ended);
      resolve(message);
    };
    const ended = () => settle(undefined);
    const stuck = setTimeout(ended, limitMs);
    child.once("message", settle).once("exit", ended);
  });
}
