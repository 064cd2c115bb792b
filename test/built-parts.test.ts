import { rmSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { fwIn } from "../packages/fw/src/cli/testing/run.ts";
import { tries, triesMore } from "../packages/fw/src/lib/testing/tries.ts";
import { randomApplication, secrets, type Cell, type RandomApplication } from "./parts/application.ts";
import { play, type Played } from "./parts/play.ts";
import { build } from "./support/build.ts";
import { deployer, startOnCloud } from "./support/cloud/on-cloud.ts";
import { launchDev, writeApplication } from "./support/dev-app.ts";
import { startServe } from "./support/served.ts";
import { Chance } from "./types/random.ts";

vi.setConfig({ testTimeout: 600_000 });

test("a built service has what the framework and other services need of it: signed URLs of a bucket that only others use, and a transaction of no data", async () => {
  const root = writeApplication({
    "store/store.ts": `import { API, Bucket } from "fw";
export const files = Bucket("files");
export const plain = API("GET /plain", (): string => "plain");
`,
    "desk/desk.ts": `import { API } from "fw";
import { files } from "../store/store.ts";
export const upload = API("POST /upload", (ctx) => files.signedPut(ctx, "a.txt", "10m"));
export const download = API("POST /download", (ctx) => files.signedGet(ctx, "a.txt", "10m"));
`,
    "calm/calm.ts": `import { API, transaction } from "fw";
export const calm = API("GET /calm", (ctx): Promise<number> => transaction(ctx, async () => 1));
`,
  });
  await build(root);
  await using server = await startServe(["--data", `${root}/data`], { cwd: root });
  const send = async (method: string, path: string, body?: string): Promise<string> => {
    const response = await fetch(new URL(path, server.url), { method, ...(body !== undefined && { body }) });
    return `${response.status} ${await response.text()}`;
  };
  const urlOf = (answer: string): string => (JSON.parse(answer.slice(4)) as { readonly url: string }).url;
  expect(await send("PUT", urlOf(await send("POST", "/upload")), "hello")).toBe("200 ");
  expect(await send("GET", urlOf(await send("POST", "/download")))).toBe("200 hello");
  expect(await send("GET", "/calm")).toBe("200 1");
  rmSync(root, { recursive: true });
});

test("random applications do the same in one process and as built services, whatever parts their services use", async () => {
  for (let round = 0; round < tries(1); round++) {
    const app = randomApplication(new Chance(seed + round), triesMore ? 18 : 10);
    const expected = await playOn(await startInOneProcess(app.files), app.cells);
    for (const start of [serveBuilt, ...(triesMore ? [startDeployed] : [])])
      expect(await playOn(await start(app.files), app.cells), `${start.name}, seed ${seed + round}`).toEqual(expected);
  }
});

const seed = Number(process.env["FW_SEED"] ?? 3771);

type Files = RandomApplication["files"];
type Started = Played & AsyncDisposable;

async function playOn(app: Started, cells: readonly Cell[]): Promise<readonly string[]> {
  await using running = app;
  return await play(running, cells);
}

/** Returns a function that runs a cron through `fw run cron`. */
function cronRunner(cwd: string, options: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return async (name: string): Promise<number> =>
    (await fwIn({ PATH: process.env["PATH"] ?? "", HOME: cwd, ...env }, [], cwd, "run", "cron", name, ...options)).code;
}

async function startInOneProcess(files: Files): Promise<Started> {
  const dev = launchDev(writeApplication(files), []);
  await dev.says("http://localhost:");
  return Object.assign(dev, { runCron: cronRunner(dev.root, []) });
}

async function serveBuilt(files: Files): Promise<Started> {
  const root = writeApplication(files);
  await build(root);
  const data = `${root}/data`;
  const server = await startServe(["--data", data], { cwd: root, env: secrets });
  return {
    port: Number(new URL(server.url).port),
    output: () => server.output(),
    runCron: cronRunner(root, ["--data", data]),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      rmSync(root, { recursive: true });
    },
  };
}

async function startDeployed(files: Files): Promise<Started> {
  const cloud = await startOnCloud(writeApplication(files), secrets);
  const { id, region } = cloud.fake.project;
  const options = ["--project", id, "--env", "test", "--region", region];
  return Object.assign(cloud, { runCron: cronRunner(cloud.directory, options, await cloud.fake.envOf(deployer)) });
}
