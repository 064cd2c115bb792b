import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { fw } from "../packages/fw/src/cli/testing/run.ts";
import { ask, launchDev, startDev, writeApplication, type Dev } from "./support/dev-app.ts";

const town = `
-- clock/clock.ts --
import { API, Auth, Page, Site } from "fw";
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { motto } from "../hall/hall.ts";
export const auth = Auth({ password: true });
export const site = Site("./web");
export const version = "first";
export const now = API("GET /clock", () => ({ version, pid: process.pid }));
export const strike = API("GET /clock/strike", async () => {
  writeFileSync("struck", "");
  while (!existsSync("rope")) await setTimeout(5);
  return version;
});
export const snap = API("GET /clock/snap", () => void Promise.reject(new Error("the spring is gone")));
export const wall = API("GET /clock/wall", async (ctx) => \`\${version}: \${await motto.call(ctx, {})}\`);
export const face = Page("GET /face", (ctx) => site.render(ctx, "face.html"));
export const hand = Page("GET /hand", (ctx) => site.fragment(ctx, "hand.html"));
-- clock/web/templates/layout.html --
<!doctype html>
<html lang="en"><head><title>clock</title></head><body>{{content}}</body></html>
-- clock/web/templates/face.html --
<p>twelve</p>
-- clock/web/templates/hand.html --
<p>one</p>
-- hall/hall.ts --
import { API } from "fw";
export const motto = API("GET /hall/motto", () => \`mind the bell \${process.pid}\`);
-- post/post.ts --
import { API, Cron, Entity, Job, Queue, Runner, Worker, type ID, type Int } from "fw";
export const done = Entity<{ id: ID; what: string }>("done");
export const all = API("GET /done", async (ctx) => (await done.query().all(ctx)).map(({ what }) => what).sort());
export const letters = Queue<{ to: string }>("letters");
export const bring = Worker(letters, async (ctx, { to }, { id }) => {
  if (to === "nobody" && process.env["BELL"] === undefined) throw new Error("there is no such house");
  await done.put(ctx, { id, what: "letter to " + to });
}, { maxAttempts: 5, minBackoff: "1ms", maxBackoff: "1ms" });
export const send = API("POST /letters", async (ctx, { to }: { to: string }) => ({ id: await letters.send(ctx, { to }) }));
export const sweep = Cron("sweep", "0 4 * * *", (ctx) => done.create(ctx, { what: "swept" }).then(() => {}));
export const broken = Cron("broken", "0 5 * * *", () => { throw new Error("the broom is gone"); });
export const paint = Job<{ houses: Int }>("paint");
export const painter = Runner(paint, (ctx, { houses }) => done.create(ctx, { what: \`painted \${houses}\` }).then(() => {}));
`;

let dev: Dev;

beforeAll(async () => {
  dev = await startDev(Object.fromEntries(filesOf(town)), "--services");
});

afterAll(async () => dev?.[Symbol.asyncDispose]());

async function json<T>(path: string): Promise<T> {
  const { status, body } = await dev.get(path);
  expect([path, status]).toEqual([path, 200]);
  return JSON.parse(body) as T;
}

/** Writes a version of the clock and waits until it responds. */
async function save(version: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
  const clock = readFileSync(join(dev.root, "clock/clock.ts"), "utf8");
  dev.write({ "clock/clock.ts": clock.replace(/version = "[^"]*"/, `version = "${version}"`), ...more });
  await dev.eventually("/clock", ({ body }) => body.includes(version));
}

test("fw run cron triggers the service that has the cron", async () => {
  expect(await fw(dev.root, "run", "cron", "sweep")).toEqual({ code: 0, out: "the cron sweep ran\n", err: "" });
  expect(await json("/done")).toContain("swept");
  expect(await fw(dev.root, "run", "cron", "broken")).toMatchObject({
    code: 1,
    err: expect.stringContaining("failed"),
  });
  expect(dev.output()).toContain("the broom is gone");
});

test("fw run job starts the job in the service that runs it, which reads the arguments", async () => {
  expect(await fw(dev.root, "run", "job", "paint", `{ "houses": 3 }`)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^the run [\w-]+ of paint has started\n$/),
  });
  await dev.eventually("/done", ({ body }) => body.includes("painted 3"));
  expect(await fw(dev.root, "run", "job", "paint", `{ "houses": "many" }`)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`houses: "many" is not`),
  });
});

test("only commands of the same user operate the services", async () => {
  for (const path of ["/_fw/dev/operate/dead", "/_fw/api/cron/sweep", "/_fw/dev/operate/jobs/paint"]) {
    const response = await fetch(`http://127.0.0.1:${dev.port}${path}`, {
      method: "POST",
      headers: { authorization: "Bearer forged" },
    });
    // The responding service has crons; only services with jobs have the last path.
    expect([path, response.status]).toEqual([path, path.endsWith("sweep") ? 403 : 404]);
  }
  const foreign = await dev.get("/_fw/signin", { host: "evil.example.com" });
  expect(foreign).toMatchObject({ status: 403, body: expect.stringContaining("evil.example.com") });
});

test("the dev bar is in the documents of services, in no fragment, and in no bundle", async () => {
  const face = (await dev.get("/face")).body;
  expect(face).toContain(`<fw-dev-bar id="fw-dev-bar">`);
  const style = /href="(\/_fw\/dev\/bar[^"]+)"/.exec(face)?.[1] ?? "";
  expect(await dev.get(style)).toMatchObject({ status: 200, body: expect.stringContaining("#fw-dev-bar") });
  expect((await dev.get("/hand")).body).not.toContain("fw-dev-bar");
  const bundles = join(dev.root, ".fw/services");
  const files = readdirSync(bundles, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(10);
  for (const { parentPath, name } of files)
    expect(readFileSync(join(parentPath, name), "utf8")).not.toContain("fw-dev-bar");
});

test("a save starts the services anew that it changed, and drops no request", async () => {
  const before = await json<{ pid: number }>("/clock");
  const wall = await json<string>("/clock/wall");
  const struck = dev.get("/clock/strike");
  await expect.poll(() => existsSync(join(dev.root, "struck"))).toBe(true);
  const answers: number[] = [];
  const over = new AbortController();
  const asking = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) answers.push((await ask(dev.port, "/clock/wall")).status);
    }),
  );
  const from = dev.output().length;
  await save("second");
  // The previous process is still answering its requests.
  writeFileSync(join(dev.root, "rope"), "");
  expect(await struck).toMatchObject({ status: 200, body: `"first"` });
  await dev.says(`live in "clock"`, from);
  over.abort();
  await asking;
  expect(new Set(answers)).toEqual(new Set([200]));
  const after = await json<{ pid: number }>("/clock");
  expect(after.pid).not.toBe(before.pid);
  expect(await json("/clock/wall")).toBe(wall.replace("first", "second"));
});

test("a save that changes no service starts none anew", async () => {
  const { pid } = await json<{ pid: number }>("/clock");
  const from = dev.output().length;
  const hall = readFileSync(join(dev.root, "hall/hall.ts"), "utf8");
  dev.write({ "hall/hall.ts": `${hall}export interface Unused { bell: string }\n` });
  await dev.says("the saved files changed no service", from);
  expect(await json("/clock")).toMatchObject({ pid });
});

test("a peer that was started anew is found by those that were not", async () => {
  const { pid } = await json<{ pid: number }>("/clock");
  const hall = readFileSync(join(dev.root, "hall/hall.ts"), "utf8");
  dev.write({ "hall/hall.ts": hall.replace("mind the bell", "ring the bell") });
  await dev.eventually("/clock/wall", ({ status, body }) => status === 200 && body.includes("ring the bell"));
  expect(await json("/clock")).toMatchObject({ pid });
});

test("a service that does not start, or cannot be bundled, is reported, and the others keep running", async () => {
  const clock = readFileSync(join(dev.root, "clock/clock.ts"), "utf8");
  let from = dev.output().length;
  dev.write({
    "clock/clock.ts": `${clock}if (process.pid > 0) throw new Error("the spring broke");\nexport const spring = 1;\n`,
  });
  await dev.says(`"clock" did not start; the previous versions keep running`, from);
  expect(dev.output().slice(from)).toContain("the spring broke");
  expect(await dev.get("/clock")).toMatchObject({ status: 200 });
  from = dev.output().length;
  dev.write({
    "node_modules/torn/package.json": `{ "name": "torn", "type": "module", "exports": "./torn.js" }`,
    "node_modules/torn/torn.js": "export const torn = ;\n",
    "node_modules/torn/torn.d.ts": "export declare const torn: string;\n",
    "clock/clock.ts": `import { torn } from "torn";\n${clock.replace("=> ({ version,", "=> ({ torn, version,")}`,
  });
  await dev.says("cannot bundle the service clock", from);
  expect(await dev.get("/clock")).toMatchObject({ status: 200 });
  dev.write({ "clock/clock.ts": clock });
  await save("third");
});

test("fw dead lists and replays what the services gave up, and the environment of a save is theirs", async () => {
  await fetch(`http://127.0.0.1:${dev.port}/letters`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: `{ "to": "nobody" }`,
  });
  await expect
    .poll(async () => (await fw(dev.root, "dead", "list")).out)
    .toMatch(/^\S+  post-bring  \S+  after 5 attempts: there is no such house\n$/);
  const from = dev.output().length;
  dev.write({ ".env": "BELL=1\n" });
  await dev.says(`"post-bring"`, from);
  expect(await fw(dev.root, "dead", "replay", "--all")).toMatchObject({ code: 0, out: "1 message was resent\n" });
  await dev.eventually("/done", ({ body }) => body.includes("letter to nobody"));
});

test("while the services run, another server says who has the data, and leaves what they run from", async () => {
  const placed = readdirSync(join(dev.root, ".fw/services/clock"));
  expect(await fw(dev.root, "dev", "--services", "--port", "0")).toMatchObject({
    code: 2,
    err: expect.stringContaining(`fw: the dev server on port ${dev.port} is using this data; stop it first\n`),
  });
  expect(readdirSync(join(dev.root, ".fw/services/clock"))).toEqual(placed);
});

test("a service that does not start is told once, and a save starts it", async () => {
  const phase = `import { API } from "fw";\nconst phase = process.env["MOON_PHASE"];\nif (phase === undefined) throw new Error("no moon");\n`;
  await using moon = await startDev(
    { "moon/moon.ts": `${phase}export const light = API("GET /light", (): string => phase);\n` },
    "--services",
  );
  await moon.says("the service moon does not start: it ended with 1");
  expect(moon.output().match(/Error: no moon/g)).toHaveLength(1);
  expect(await moon.get("/light")).toMatchObject({
    status: 503,
    body: expect.stringContaining("the service moon is not running"),
  });
  moon.write({ ".env": "MOON_PHASE=full\n" });
  await moon.eventually("/light", ({ status, body }) => status === 200 && body === `"full"`);
});

test("no service starts while a declared secret is not set, whoever reads it, and all start when .env is saved", async () => {
  const names = ["FW_TEST_MOON_KEY", "FW_TEST_SUN_KEY"];
  const files = {
    "moon/moon.ts": `import { API, Secret } from "fw";
export const key = Secret("FW_TEST_MOON_KEY");
export const unread = Secret("FW_TEST_SUN_KEY");
export const light = API("GET /light", (): string => key.value());`,
    "sun/sun.ts": `import { API } from "fw";\nexport const shine = API("GET /shine", (): string => "bright");`,
  };
  await using dev = launchDev(writeApplication(files), ["--services"]);
  await dev.says("Save a fix and the services start.");
  for (const name of names) expect(dev.output()).toContain(`secret ${name} is not set`);
  expect(dev.output()).not.toContain("http://localhost:");
  dev.write({ ".env": names.map((name) => `${name}=full\n`).join("") });
  await dev.says("http://localhost:");
  await dev.eventually("/light", ({ body }) => body === '"full"');
  expect(await dev.get("/shine")).toMatchObject({ status: 200 });
});

test("a debugger is asked for where there is one process to debug", async () => {
  expect(await fw(dev.root, "dev", "--services", "--inspect")).toMatchObject({
    code: 2,
    err: expect.stringContaining("remove them to debug"),
  });
});

test("a problem at the start is shown, and the services start when it is mended", async () => {
  const hello = (route: string): string =>
    `import { API } from "fw";\nexport const hello = API("GET ${route}", () => "hello");\n`;
  await using own = launchDev(writeApplication({ "greeter/hello.ts": hello("/_fw/hello") }), ["--services"]);
  await own.says("(fw/reserved-prefix)");
  await own.says("Save a fix and the services start.");
  own.write({ "greeter/hello.ts": hello("/hello") });
  await own.says("http://localhost:");
  expect(await own.get("/hello")).toMatchObject({ status: 200, body: `"hello"` });
  const from = own.output().length;
  own.write({ "greeter/hello.ts": hello("/_fw/hello") });
  await own.says("The last good version keeps running.", from);
  expect(await own.get("/hello")).toMatchObject({ status: 200 });
});

test("a site's build command runs at the start and at a save of what it reads, and its failure is shown", async () => {
  const page = (word: string): string =>
    `import { mkdirSync, writeFileSync } from "node:fs";
       mkdirSync("public", { recursive: true });
       writeFileSync("public/page.txt", "${word}");\n`;
  await using own = await startDev(
    {
      "web/site.ts": `import { Site } from "fw";
export const site = Site("./public", { build: { command: "node build.mjs", out: "./public" } });`,
      "web/build.mjs": page("one"),
    },
    "--services",
  );
  expect(await own.get("/page.txt")).toMatchObject({ status: 200, body: "one" });
  own.write({ "web/build.mjs": page("two") });
  await own.eventually("/page.txt", ({ body }) => body === "two");
  const from = own.output().length;
  own.write({ "web/build.mjs": `console.error("no such colour"); process.exit(3);` });
  await own.says("the site's build command failed (exit code 3)", from);
  await own.says("no such colour", from);
  expect(await own.get("/page.txt")).toMatchObject({ status: 200, body: "two" });
  // A file created by hand in the directory is an asset of the site, even if a command generates the rest.
  own.write({ "web/public/hand.txt": "by hand" });
  await own.eventually("/hand.txt", ({ status }) => status === 200);
});

test("what comes while an error stops a service waits for the next process, however long the one before drains", async () => {
  for (const name of ["struck", "rope"]) rmSync(join(dev.root, name), { force: true });
  const { pid } = await json<{ pid: number }>("/clock");
  const struck = dev.get("/clock/strike").catch(() => "cut");
  await expect.poll(() => existsSync(join(dev.root, "struck"))).toBe(true);
  await dev.get("/clock/snap");
  await dev.says("the spring is gone");
  expect((await json<{ pid: number }>("/clock")).pid).not.toBe(pid);
  writeFileSync(join(dev.root, "rope"), "");
  await struck;
});

test("a second interrupt ends the services at once", async () => {
  for (const name of ["struck", "rope"]) rmSync(join(dev.root, name), { force: true });
  const struck = dev.get("/clock/strike").catch(() => "cut");
  await expect.poll(() => existsSync(join(dev.root, "struck"))).toBe(true);
  dev.process.kill("SIGINT");
  await dev.says("waiting for requests to finish");
  const asked = performance.now();
  dev.process.kill("SIGINT");
  expect(await dev.exited).toBe(0);
  expect(performance.now() - asked).toBeLessThan(5_000);
  expect(await struck).toBe("cut");
});

/** A mill whose worker of version one works until its signal aborts. */
const mill = (version: string): Record<string, string> => ({
  "mill/mill.ts": `
import { API, Entity, type ID, type Int, Queue, Worker } from "fw";
export const grain = Queue<{ sack: Int }>("grain");
export const sacks = Entity<{ id: ID; text: string }>("sacks");
export const grind = Worker(grain, async (ctx, { sack }, { attempt }) => {
  const version: string = "${version}";
  await sacks.create(ctx, { text: [version, sack, attempt].join(" ") });
  if (version === "two") return;
  await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
  console.log("aborted:", String(ctx.signal.reason));
  throw ctx.signal.reason;
});
export const send = API("POST /sacks", async (ctx) => {
  for (let sack = 0; sack < 12; sack++) await grain.send(ctx, { sack });
});
export const list = API("GET /sacks", async (ctx) => (await sacks.query().all(ctx)).map(({ text }) => text));
`,
});

test("a save aborts work that lasts, and the next process gets its messages with the same attempt", async () => {
  await using own = await startDev(mill("one"), "--services");
  const texts = (version: string): string[] => Array.from({ length: 12 }, (_, sack) => `${version} ${sack} 1`);
  const hasAll = (version: string) => (answer: { readonly body: string }) =>
    texts(version).every((text) => answer.body.includes(`"${text}"`));
  await own.eventually("/sacks", ({ status }) => status === 200);
  await fetch(`http://127.0.0.1:${own.port}/sacks`, { method: "POST" });
  await own.eventually("/sacks", hasAll("one"));
  own.write(mill("two"));
  await own.eventually("/sacks", hasAll("two"));
  const { body } = await own.get("/sacks");
  expect((JSON.parse(body) as string[]).toSorted()).toEqual([...texts("one"), ...texts("two")].toSorted());
  expect(own.output()).toContain("aborted: Error: the service is stopping");
  // Each delivery adds a listener for the end of its process.
  expect(own.output()).not.toContain("MaxListenersExceeded");
});
