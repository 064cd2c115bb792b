import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { build } from "./support/build.ts";
import { launchDev, startDev, writeApplication, type Dev } from "./support/dev-app.ts";
import { allGone, descendants } from "./support/processes.ts";
import { launchServe, startServe } from "./support/served.ts";

/** An application whose module may wait forever at its top level. */
function hall(motto: string, { waits = false } = {}): Readonly<Record<string, string>> {
  const wait = waits ? "await new Promise((resolve) => setTimeout(resolve, 3_600_000));\n" : "";
  return {
    "hall/hall.ts": `import { API } from "fw";
${wait}export const motto = API("GET /motto", () => "${motto}");
`,
  };
}

const ways: readonly { readonly name: string; readonly args: readonly string[]; readonly says: string }[] = [
  { name: "fw dev", args: [], says: "have not finished evaluating" },
  { name: "fw dev --services", args: ["--services"], says: "the service hall has not started to listen" },
];

/** Sends Ctrl-C and waits until the command and all processes that it started have exited. */
async function expectToStop(dev: Dev): Promise<void> {
  const pids = descendants(dev.process.pid ?? 0);
  dev.process.kill("SIGINT");
  expect(await dev.exited).toBe(0);
  await allGone(pids);
}

test.each(ways)(
  "$name: a save goes live although the modules of the one before never finish loading",
  async ({ args, says }) => {
    await using dev = await startDev(hall("first"), ...args);
    dev.write(hall("second", { waits: true }));
    await dev.says(says);
    expect((await dev.get("/motto")).body).toBe(`"first"`);
    dev.write(hall("third"));
    await dev.eventually("/motto", ({ body }) => body === `"third"`);
    dev.write(hall("fourth"));
    await dev.eventually("/motto", ({ body }) => body === `"fourth"`);
    await expectToStop(dev);
  },
);

test.each(ways)(
  "$name: a start whose modules never finish loading gives way to a save, and to Ctrl-C",
  async ({ args, says }) => {
    await using dev = launchDev(writeApplication(hall("first", { waits: true })), args);
    await dev.says(says);
    dev.write(hall("second"));
    await dev.says("http://localhost:");
    expect((await dev.get("/motto")).body).toBe(`"second"`);
    dev.write(hall("third", { waits: true }));
    await dev.says(says, dev.output().length);
    await expectToStop(dev);
  },
);

/** Builds the application. `use` puts a changed copy of the build at `path`, for a server to start or upgrade. */
async function newRelease(): Promise<{ path: string; data: string; use: (change: (main: string) => string) => void }> {
  const root = writeApplication(hall("first"));
  const data = mkdtempSync(join(tmpdir(), "fw-hanging-"));
  onTestFinished(() => [root, data].forEach((directory) => rmSync(directory, { recursive: true })));
  await build(root);
  const path = join(root, "release");
  const use = (change: (main: string) => string): void => {
    cpSync(join(root, ".fw/build"), `${path}.new`, { recursive: true });
    const main = join(`${path}.new`, "services/hall/main.js");
    writeFileSync(main, change(readFileSync(main, "utf8")));
    rmSync(path, { recursive: true, force: true });
    renameSync(`${path}.new`, path);
  };
  return { path, data, use };
}

const waiting = (main: string): string => `await new Promise((resolve) => setTimeout(resolve, 3_600_000));\n${main}`;

test("fw serve: a build that never finishes loading is named, and gives way to a newer one and to a stop", async () => {
  const { path, data, use } = await newRelease();
  use((main) => main);
  await using server = await startServe([path, "--data", data], { cwd: tmpdir() });
  const motto = async (): Promise<unknown> => (await fetch(`${server.url}/motto`)).json();
  use(waiting);
  server.child.kill("SIGHUP");
  await server.printed("the service hall has not started to listen after 5 seconds");
  expect(await motto()).toBe("first");
  use((main) => main.replace('"first"', '"second"'));
  server.child.kill("SIGHUP");
  await server.printed("an unfinished upgrade was cancelled: a newer one goes first");
  await server.printed('"message":"upgraded"');
  expect(await motto()).toBe("second");
  use(waiting);
  server.child.kill("SIGHUP");
  await expect.poll(() => descendants(server.child.pid ?? 0).length).toBe(2);
  const pids = descendants(server.child.pid ?? 0);
  expect(await server.end()).toBe(0);
  await allGone(pids);
});

test("fw serve: a start that never finishes takes a stop, and a SIGHUP before it serves is carried out then", async () => {
  const { path, data, use } = await newRelease();
  use(waiting);
  const stopped = launchServe([path, "--data", data], { cwd: tmpdir() });
  await stopped.printed("the service hall has not started to listen after 5 seconds");
  const pids = descendants(stopped.child.pid ?? 0);
  expect(await stopped.end()).toBe(0);
  await allGone(pids);

  use(
    (main) => `import { existsSync } from "node:fs";
while (!existsSync(${JSON.stringify(join(dirname(path), "go"))})) await new Promise((resolve) => setTimeout(resolve, 5));
${main}`,
  );
  const args = [path, "--data", data, "--allow", `read=${dirname(path)}`];
  await using early = launchServe(args, { cwd: tmpdir() });
  await expect.poll(() => descendants(early.child.pid ?? 0).length).toBe(1);
  use((main) => main.replace('"first"', '"second"'));
  early.child.kill("SIGHUP");
  writeFileSync(join(dirname(path), "go"), "");
  await early.printed('"message":"upgraded"');
});
