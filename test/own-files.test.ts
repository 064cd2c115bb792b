import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bin, build } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { descendants } from "./support/processes.ts";
import { launchServe, startServe, type Served } from "./support/served.ts";

/** More services than the number of listeners per signal that Node allows. */
const services = 12;

const files = Object.fromEntries(
  Array.from({ length: services }, (_, i) => [
    `hall${i}/hall.ts`,
    `import { API } from "fw";
export const motto = API("GET /motto/${i}", () => { process.emitWarning("the well is dry"); return ${i}; });
`,
  ]),
);

let root: string;
let data: string;
let server: Served;

beforeAll(async () => {
  root = writeApplication(files);
  data = mkdtempSync(join(tmpdir(), "fw-own-files-"));
  await build(root);
  const env = { FW_METRICS: "prometheus", FW_METRICS_TOKEN: "scraping-is-allowed" };
  server = await startServe([join(root, ".fw/build"), "--data", join(data, "data")], { cwd: data, env });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  for (const directory of [root, data]) rmSync(directory, { recursive: true });
});

function fw(...args: string[]): Promise<{ readonly code: number; readonly err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { cwd: data }, (error, _out, err) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, err }),
    );
  });
}

async function answers(): Promise<boolean> {
  return (await fetch(`${server.url}/motto/0`)).ok;
}

describe("fw serve with twelve services", () => {
  test("writes Node's warnings as lines of JSON, and has none about listeners of its own", async () => {
    expect(await answers()).toBe(true);
    const headers = { authorization: "Bearer scraping-is-allowed" };
    for (let scrapes = 0; scrapes < 3; scrapes++)
      expect((await fetch(`${server.url}/_fw/z/metrics`, { headers })).ok).toBe(true);
    await server.printed("the well is dry");
    expect(server.lines("the well is dry")[0]).toMatchObject({
      service: "hall0",
      severity: "WARNING",
      message: "Warning: the well is dry",
    });
    expect(server.output()).not.toContain("MaxListenersExceeded");
    expect(
      server
        .output()
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("{")),
    ).toEqual([]);
  });

  test("is not ended by SIGUSR2, nor are its services", async () => {
    const pid = server.child.pid ?? 0;
    const pids = descendants(pid);
    for (const each of [pid, ...pids]) process.kill(each, "SIGUSR2");
    expect(await answers()).toBe(true);
    expect(descendants(pid).toSorted()).toEqual(pids.toSorted());
  });

  test("goes on when the build that it is sent is damaged", async () => {
    const app = join(root, ".fw/build/app.json");
    cpSync(app, `${app}.whole`);
    for (const text of ["null", "[]", "{"]) {
      const from = server.output().length;
      writeFileSync(app, text);
      server.child.kill("SIGHUP");
      await server.printed("app.json is damaged", from);
      expect(await answers()).toBe(true);
    }
    const refused = launchServe([join(root, ".fw/build"), "--data", join(data, "other")], { cwd: data });
    await expect(refused.printed("nothing that it prints")).rejects.toThrow(
      /ended with 2:\nfw: .*app\.json is damaged/,
    );
    cpSync(`${app}.whole`, app);
  });
});

test("a backup without its store or with a damaged record is refused in a sentence, and leaves no data", async () => {
  const backup = join(data, "backup");
  expect(await fw("backup", backup, "--data", join(data, "data"))).toMatchObject({ code: 0 });
  const restored = join(data, "restored");
  rmSync(join(backup, "store"));
  const withoutStore = await fw("restore", backup, "--data", restored);
  expect(withoutStore).toEqual({ code: 2, err: `fw: ${join(backup, "store")} is missing\n` });
  writeFileSync(join(backup, "backup.json"), `{ "version": 1, "store": null }`);
  expect(await fw("restore", backup, "--data", restored)).toMatchObject({
    code: 2,
    err: expect.stringContaining("backup.json is damaged: its JSON.app is not a string"),
  });
});
