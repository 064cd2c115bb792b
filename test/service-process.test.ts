import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCallKeys } from "../packages/fw/src/platform/calls.ts";
import { build, startService } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { freePort } from "../packages/fw/src/lib/testing/free-port.ts";

/**
 * Three services: one throws values that resist inspection, leaves rejected promises unhandled and is slow, one stores
 * data, and one has forms.
 */
const files = {
  "odd/odd.ts": `import { API, type Int, type Path } from "fw";
const refuse = (): never => { throw new Error("nobody looks at this"); };
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
export const values: readonly (() => unknown)[] = [
  () => Object.assign(Object.create(null), { message: "odd" }),
  () => Object.defineProperty(new Error("kept"), "stack", { get: refuse }),
  () => new Proxy(new Error("behind a proxy"), { getPrototypeOf: refuse }),
  () => proxy,
  () => ({ toString: refuse }),
  () => new Error("caused", { cause: proxy }),
  () => Symbol("thrown"),
];
export const odd = API("GET /odd/{n}", (_ctx, { n }: { n: Path<Int> }): string => { throw values[n]?.(); });
export const forgotten = API("POST /forgotten/{n}", (_ctx, { n }: { n: Path<Int> }): string => {
  void Promise.reject(values[n]?.());
  // Work in flight finishes after the service has started to stop.
  setImmediate(() => release());
  return "answered";
});
let release = (): void => {};
export const slow = API("GET /slow", (ctx): Promise<string> => { ctx.log.info("waiting"); return new Promise((done) => { release = (): void => done("released"); }); });
const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;
export const say = API("GET /say", (ctx): string => {
  console.log('to %s\\n{"severity":"ERROR"}', "you", ctx, cycle);
  console.error("lost", new Error("kept", { cause: new Error("why", { cause: new Error("at first") }) }));
  console.log("x".repeat(1_000_000), proxy);
  console.table([{ a: 1 }]);
  return ctx.requestId;
});
export const log = API("GET /log", (ctx): string => { ctx.log.info("a line".repeat(1_000)); return "logged"; });
`,
  "kept/kept.ts": `import { API, Entity, type ID } from "fw";
export const notes = Entity<{ id: ID }>("notes");
export const list = API("GET /notes", (ctx): Promise<number> => notes.query().count(ctx));
`,
  "forms/pages/templates/form.html": "{{csrfToken}}",
  "forms/forms.ts": `import { Entity, Page, Redirect, Site, type ID } from "fw";
export const drafts = Entity<{ id: ID }>("drafts");
export const site = Site("./pages");
export const form = Page("GET /form", (ctx) => site.fragment(ctx, "form.html", {}));
export const send = Page("POST /form", async (ctx) => { await drafts.put(ctx, { id: "1" }); return Redirect("/form"); });
`,
};

let root: string;

beforeAll(async () => {
  root = writeApplication(files);
  await build(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("a form of a visitor who is not signed in outlives a restart with the same key, and another key refuses it in words", async () => {
  const formsDirectory = mkdtempSync(join(root, "forms-"));
  const key = Buffer.alloc(32, 7).toString("base64");
  const ownKey = { NODE_PATH: fileURLToPath(new URL("../node_modules", import.meta.url)), FW_DATA: formsDirectory };
  const givenKey = { ...ownKey, FW_CSRF_KEY: key };
  const get = async (env: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> => {
    await using service = await startService(root, "forms", { env });
    const page = await fetch(`${service.url}/form`);
    const [cookie = ""] = page.headers.get("set-cookie")?.split(";") ?? [];
    return { cookie, "x-csrf-token": await page.text() };
  };
  const submit = async (
    env: Readonly<Record<string, string>>,
    ...forms: readonly Readonly<Record<string, string>>[]
  ) => {
    await using service = await startService(root, "forms", { env });
    const answers = forms.map(async (headers) => {
      const answer = await fetch(`${service.url}/form`, { method: "POST", headers, redirect: "manual" });
      return [answer.status, await answer.text()] as const;
    });
    return await Promise.all(answers);
  };
  const csrfRefusal = [403, "CSRF token missing or invalid — forms need {{ csrf }}"];
  const [own, given] = [await get(ownKey), await get(givenKey)];
  const [ofOwn, ofGiven] = await submit(ownKey, own, given);
  expect([ofOwn?.[0], ofGiven]).toEqual([303, csrfRefusal]);
  const [stillOfOwn, stillOfGiven] = await submit(givenKey, own, given);
  expect([stillOfOwn, stillOfGiven?.[0]]).toEqual([csrfRefusal, 303]);
});

const main = (name: string): string => join(root, ".fw/build/services", name, "main.js");

test("whatever a handler of a built service throws is a 500 with a line in the log, and the service goes on", async () => {
  await using service = await startService(root, "odd");
  for (let n = 0; n < 7; n++) {
    const answer = await fetch(`${service.url}/odd/${n}`);
    expect([n, answer.status, await answer.text()]).toEqual([n, 500, `{"error":"internal error"}`]);
  }
  await expect.poll(() => service.output().match(/"severity":"ERROR"/g)?.length).toBe(7);
  for (const line of service.output().trim().split("\n")) expect(() => void JSON.parse(line)).not.toThrow();
  expect(service.output()).toContain(`"message":"odd"`);
});

test.each([0, 1, 2, 3, 6])(
  "an unhandled rejection (%i) is a line in the log; requests under way are answered, and the service ends with 1",
  async (n) => {
    await using service = await startService(root, "odd");
    const slow = fetch(`${service.url}/slow`);
    await expect.poll(() => service.output()).toContain("waiting");
    const forgotten = await fetch(`${service.url}/forgotten/${n}`, { method: "POST" });
    expect(await forgotten.text()).toBe(`"answered"`);
    expect(await (await slow).text()).toBe(`"released"`);
    expect(await service.exited).toBe(1);
    const lines = service.output().trim().split("\n");
    const told = lines.map((line) => JSON.parse(line) as { severity: string; message: string });
    expect(told.filter(({ severity }) => severity === "ERROR").map(({ message }) => message)).toEqual([
      "the service stops after an unhandled error",
    ]);
  },
);

test("a service whose standard output was closed answers as before", async () => {
  const port = await freePort();
  const child = spawn(process.execPath, [main("odd")], {
    env: { PATH: process.env["PATH"], PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    await once(child.stdout, "data");
    child.stdout.destroy();
    for (let asked = 0; asked < 20; asked++)
      expect(await (await fetch(`http://127.0.0.1:${port}/log`)).text()).toBe(`"logged"`);
    expect(child.exitCode).toBe(null);
  } finally {
    child.kill("SIGKILL");
  }
});

test("SIGUSR1 opens no debugger", async () => {
  await using service = await startService(root, "odd");
  process.kill(service.pid, "SIGUSR1");
  expect((await fetch(`${service.url}/log`)).status).toBe(200);
  expect(service.output()).not.toContain("Debugger listening");
});

test("data that cannot be where FW_DATA says is one sentence", async () => {
  const directory = mkdtempSync(join(root, "data-"));
  const file = join(directory, "file");
  writeFileSync(file, "");
  const socketPath = join(directory, "taken");
  mkdirSync(join(socketPath, "store"), { recursive: true });
  const started = async (data: string): Promise<string> => {
    const failed: unknown = await startService(root, "kept", { env: { FW_DATA: data } }).catch(
      (error: unknown) => error,
    );
    return (failed as Error).message;
  };
  expect(await started(file)).toBe(`ended with 1: ${file} is a file; the data needs a directory\n`);
  expect(await started(socketPath)).toBe(
    `ended with 1: ${socketPath}/store is a directory, but fw needs a file of that name; use another data directory\n`,
  );
  expect(await started(join(file, "below"))).toMatch(/^ended with 1: cannot store data in .*ENOTDIR.*\n$/);
});

test("a service that an earlier fw runs, without the module for requests of the front, is one sentence", async () => {
  const child = spawn(process.execPath, [main("odd")], {
    env: { PATH: process.env["PATH"], PORT: "0", FW_PEERS: "stdin", FW_SERVED: "true" },
    stdio: ["pipe", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const config = { platform: "", key: newCallKeys().privateKey, callers: {}, services: {} };
  child.stdin.write(`${JSON.stringify(config)}\n`);
  const [code] = (await once(child, "close")) as [number | null];
  expect([code, output]).toEqual([
    1,
    "an earlier version of fw runs this service: run it with the version that built it\n",
  ]);
});

test("what code of a built service writes to the console is a line of the log each, with the request's tags where it gives its ctx", async () => {
  await using service = await startService(root, "odd");
  const id = (await (await fetch(`${service.url}/say`)).json()) as string;
  const lines = (): readonly Record<string, unknown>[] =>
    service
      .output()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  await expect.poll(() => lines().at(-1)?.["message"]).toContain("│");
  const [firstLine, secondLine, long] = lines().filter(({ message }) => message !== "listening");
  expect(firstLine).toMatchObject({ severity: "INFO", req: id });
  expect(firstLine?.["message"]).toMatch(/^to you\n\{"severity":"ERROR"\} <ref \*1> \{ self: \[Circular \*1\] \}$/);
  expect(secondLine).toMatchObject({ severity: "ERROR", message: "lost kept" });
  expect(JSON.stringify(secondLine?.["fields"])).toMatch(
    /"stack":"Error: kept\\n.*\\ncaused by Error: why\\n.*\\ncaused by Error: at first\\n/,
  );
  expect(secondLine).not.toHaveProperty("req");
  expect(String(long?.["message"]).length).toBeLessThan(200_000);
});
