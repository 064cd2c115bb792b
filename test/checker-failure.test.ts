import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { bin } from "./support/build.ts";
import { launchDev, writeApplication } from "./support/dev-app.ts";
import { descendants, endAtOnce } from "./support/processes.ts";

const files = { "a/a.ts": `import { API } from "fw";\nexport const hello = API("GET /", (): string => "hello");\n` };
const sentence =
  "types cannot be checked: the TypeScript server stopped twice while checking this application; it may need more memory than this machine has";

/**
 * Kills every TypeScript server that a process starts, like a kernel that is out of memory, until `done` returns true.
 */
async function killServers(pid: number, done: () => boolean): Promise<void> {
  while (!done()) {
    endAtOnce(descendants(pid, /--api/));
    await setTimeout(1);
  }
}

test("fw check says in a sentence that TypeScript died, and exits with 1", async () => {
  const root = writeApplication(files);
  try {
    const child = spawn(process.execPath, [bin, "check"], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    const ended = once(child, "close") as Promise<[number | null]>;
    await killServers(child.pid ?? 0, () => child.exitCode !== null);
    const [code] = await ended;
    expect([code, output]).toEqual([1, `fw: ${sentence}\n`]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test("fw dev says so, too, and the application keeps answering", async () => {
  await using dev = launchDev(writeApplication(files), []);
  await killServers(dev.process.pid ?? 0, () => dev.output().includes(sentence));
  await dev.says("The application keeps running; save a file to try again.");
  expect(await dev.get("/")).toMatchObject({ status: 200, body: '"hello"' });
  expect(dev.output()).not.toContain("internal error");
});
