import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn, type ChildProcess } from "node:child_process";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tries } from "../packages/fw/src/lib/testing/tries.ts";
import { bin, build } from "./support/build.ts";
import { launchDev, writeApplication, type Dev } from "./support/dev-app.ts";
import { allGone, endAtOnce, processesBelow } from "./support/processes.ts";
import { launchServe, startServe } from "./support/served.ts";

/** Milliseconds after which a stop counts as hanging. A start that is not interrupted would take twice as long. */
const ceilingMs = 30_000;

/** The module-level code of each version. */
const versions = {
  first: "",
  second: "",
  waits: "await new Promise((resolve) => setTimeout(resolve, 3_600_000));\n",
  throws: `if (process.pid > 0) throw new Error("broken");\n`,
  crashes: "setTimeout(() => process.exit(3), 20);\n",
} as const;

type Version = keyof typeof versions;

const names = Object.keys(versions) as Version[];

/** A start from one version, a change to another, and the time of the stop: after the start, or after the change. */
interface Life {
  readonly from: Version;
  readonly to: Version | undefined;
  readonly after: number;
  readonly signal: "SIGTERM" | "SIGINT";
}

const lives: fc.Arbitrary<Life> = fc.record({
  from: fc.constantFrom<Version>("first", "first", ...names),
  to: fc.constantFrom<Version | undefined>(undefined, ...names),
  after: fc.integer({ min: 0, max: 2_500 }),
  signal: fc.constantFrom("SIGTERM", "SIGINT"),
});

function hall(version: Version): Readonly<Record<string, string>> {
  return {
    "hall/hall.ts": `import { API, Auth, Queue, Worker } from "fw";
export const auth = Auth({ password: true });
${versions[version]}export const motto = API("GET /motto", () => "${version}");
export const letters = Queue<{ to: string }>("letters");
export const bring = Worker(letters, () => {});
`,
  };
}

/** Stops a command as a person or supervisor would; resolves with the milliseconds until all of its processes exit. */
async function stop(child: ChildProcess, directory: string, signal: NodeJS.Signals): Promise<number> {
  const started = performance.now();
  // Right after its start, Node has no signal handler yet, so the signal kills it.
  child.kill(signal);
  const deadline = started + ceilingMs;
  while (processesBelow(directory).length > 0 && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 10));
  const left = processesBelow(directory);
  endAtOnce(left);
  await allGone(left);
  expect(left).toEqual([]);
  return performance.now() - started;
}

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

const took: number[] = [];
afterAll(() => {
  if (process.env["FW_TRIES"] !== undefined)
    console.log(`${took.length} stops, the longest took ${Math.round(Math.max(...took))} ms`);
});

/**
 * Runs one scenario up to the stop: makes the change once the application serves, then waits for `after`. Without a
 * change, waits at once.
 */
async function live(
  { from, to, after }: Life,
  isServing: () => Promise<void>,
  change: (to: Version) => void,
): Promise<void> {
  if (to !== undefined && (from === "first" || from === "second")) {
    await isServing();
    change(to);
  }
  await wait(after);
}

test.each([[[]], [["--services"]]] as const)(
  "fw dev %j stopped at any moment of a start, a change and a crash loop ends, with every process",
  { timeout: 300_000 + tries(2) * 60_000 },
  async (args) => {
    await fc.assert(
      fc.asyncProperty(lives, async (life) => {
        const dev: Dev = launchDev(writeApplication(hall(life.from)), args);
        await live(
          life,
          () => dev.says("http://localhost:"),
          (to) => dev.write(hall(to)),
        );
        took.push(await stop(dev.process, dev.root, life.signal));
        await dev[Symbol.asyncDispose]();
      }),
      { numRuns: tries(2), endOnFailure: true },
    );
  },
);

let root: string;
beforeAll(async () => {
  root = writeApplication({ ...hall("first") });
  await build(root);
  for (const version of names) {
    const release = join(root, "releases", version);
    cpSync(join(root, ".fw/build"), release, { recursive: true });
    const main = join(release, "services/hall/main.js");
    writeFileSync(main, `${versions[version]}await import("./app.js");\n`);
    cpSync(join(root, ".fw/build/services/hall/main.js"), join(release, "services/hall/app.js"));
  }
});
afterAll(() => rmSync(root, { recursive: true }));

/** Points a symbolic link at a version. */
function use(link: string, version: Version): string {
  symlinkSync(join(root, "releases", version), `${link}.new`);
  renameSync(`${link}.new`, link);
  return link;
}

test(
  "fw serve stopped at any moment of a start, an upgrade and a crash loop ends, with every process",
  { timeout: 300_000 + tries(2) * 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(lives, fc.boolean(), async (life, isRepeated) => {
        const directory = mkdtempSync(join(tmpdir(), "fw-stops-"));
        const link = use(join(directory, "current"), life.from);
        const server = launchServe([link, "--data", join(directory, "data")], { cwd: directory });
        await live(
          life,
          () => server.printed('"message":"serving"'),
          (to) => {
            use(link, to);
            server.child.kill("SIGHUP");
            if (isRepeated) server.child.kill("SIGHUP");
          },
        );
        took.push(await stop(server.child, directory, life.signal));
        rmSync(directory, { recursive: true });
      }),
      { numRuns: tries(2), endOnFailure: true },
    );
  },
);

test(
  "a server and fw backup or fw restore stopped at any moment end, with every process",
  { timeout: 300_000 + tries(1) * 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 800 }), fc.integer({ min: 0, max: 800 }), async (first, second) => {
        const directory = mkdtempSync(join(tmpdir(), "fw-stops-"));
        const run = (...args: readonly string[]): ChildProcess =>
          spawn(process.execPath, [bin, ...args], { cwd: directory, stdio: "ignore" });
        const data = join(directory, "data");
        const server = await startServe([join(root, "releases/first"), "--data", data], { cwd: directory });
        run("backup", join(directory, "backup"), "--data", data);
        await wait(first);
        const backup = run("backup", join(directory, "other"), "--data", data);
        await wait(second);
        took.push(await stop(server.child, data, "SIGTERM"));
        took.push(await stop(backup, directory, "SIGTERM"));
        const restore = run("restore", join(directory, "backup"), "--data", join(directory, "restored"));
        await wait(second);
        took.push(await stop(restore, directory, "SIGTERM"));
        rmSync(directory, { recursive: true });
      }),
      { numRuns: tries(1), endOnFailure: true },
    );
  },
);
