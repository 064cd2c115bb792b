import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { drainMs } from "../packages/fw/src/lib/limits.ts";
import { startDev, type Dev } from "./support/dev-app.ts";
import { allGone, descendants } from "./support/processes.ts";

// The loop blocks its thread without using the CPU, which the other tests need.
const app = (word: string): Record<string, string> => ({
  "app/hello.ts": `import { writeSync } from "node:fs"; import { API } from "fw";
export const hello = API("GET /", () => ({ word: "${word}", pid: process.pid }));
export const crash = API("GET /crash", () => { setImmediate(() => { throw new Error("a timer throws"); }); return {}; });
export const reject = API("GET /reject", () => { void Promise.reject(new Error("nobody catches")); return {}; });
export const exit = API("GET /exit", (): {} => process.exit(3));
export const loop = API("GET /loop", (): {} => { writeSync(1, "loops\\n"); for (;;) Atomics.wait(cell, 0, 0); });
const cell = new Int32Array(new SharedArrayBuffer(4));
export const slow = API("GET /slow", async () => { console.log("waits"); await new Promise((go) => setTimeout(go, 400)); return { done: true }; });
`,
});

/** Returns the ids of the application's process and the standby. */
const childrenOf = ({ process: { pid = 0 } }: Dev): number[] => descendants(pid, /dist\/running\/child\.js/);

const pidOf = async (dev: Dev): Promise<number> => (JSON.parse((await dev.get()).body) as { pid: number }).pid;

describe("one dev server, whatever becomes of its application", () => {
  let dev: Dev;
  let saves = 0;
  beforeAll(async () => {
    dev = await startDev(app("first"));
  });
  afterAll(() => dev?.[Symbol.asyncDispose]());

  /**
   * Saves a version and waits for it, regardless of the previous test's result. Returns its text, its process and the
   * current end of the output.
   */
  async function live(): Promise<{ readonly word: string; readonly pid: number; readonly from: number }> {
    const word = `good${++saves}`;
    dev.write(app(word));
    const { body } = await dev.eventually("/", (answer) => answer.body.includes(`"word":"${word}"`));
    return { word, pid: (JSON.parse(body) as { pid: number }).pid, from: dev.output().length };
  }

  test.each([
    ["an uncaught exception", "/crash", "a timer throws"],
    ["an unhandled rejection", "/reject", "nobody catches; nothing awaits this promise: write await before its call"],
    ["process.exit", "/exit", "exited with code 3"],
  ])("%s of the application is told and the application answers again", async (_what, path, sentence) => {
    const { word, pid, from } = await live();
    await dev.get(path).catch(() => undefined);
    await dev.says(sentence, from);
    await dev.eventually("/", ({ body }) => body.includes(`"word":"${word}"`) && !body.includes(`"pid":${pid}`));
    expect(dev.process.exitCode).toBeNull();
    if (path === "/crash") expect(dev.output().slice(from)).toContain("app/hello.ts:3:");
  });

  test("connections that come while a killed application starts again wait and are answered", async () => {
    const { pid, from } = await live();
    process.kill(pid, "SIGKILL");
    // A connection passed to the dying process returns, and moves to the next process.
    const answers = await Promise.all(Array.from({ length: 20 }, () => dev.get().catch((error: Error) => error)));
    const answered = answers.filter((answer) => !(answer instanceof Error));
    expect(answered.length).toBeGreaterThanOrEqual(19);
    expect(await pidOf(dev)).not.toBe(pid);
    await dev.says("was killed by SIGKILL", from);
  });

  test("a connection that is lost on its way to an application without descriptors is closed, and the next ones are answered", async () => {
    const { pid } = await live();
    const before = Number(/^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, "utf8"))?.[1]);
    limitDescriptors(pid, 3);
    const lost = await Promise.allSettled(Array.from({ length: 5 }, () => dev.get()));
    expect(new Set(lost.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    limitDescriptors(pid, before);
    expect(await dev.get()).toMatchObject({ status: 200 });
    expect(await pidOf(dev)).toBe(pid);
  });

  test("what has run for a while after a save and is killed is taken over by a standby that was there before", async () => {
    const { word, pid } = await live();
    await expect.poll(() => childrenOf(dev)).toHaveLength(2);
    const standby = childrenOf(dev).find((each) => each !== pid);
    process.kill(pid, "SIGKILL");
    await dev.eventually("/", ({ body }) => body === `{"word":"${word}","pid":${standby}}`);
  });

  test("a dev server all of whose processes are killed answers again, and goes on following files", async () => {
    const { word, pid } = await live();
    await expect.poll(() => childrenOf(dev)).toHaveLength(2);
    for (const child of descendants(dev.process.pid ?? 0)) process.kill(child, "SIGKILL");
    await dev.eventually("/", ({ body }) => body.includes(`"word":"${word}"`) && !body.includes(`"pid":${pid}`));
    dev.write(app("two"));
    await dev.eventually("/", ({ body }) => body.includes(`"word":"two"`));
  });

  test("an application that crashes at every start is left alone until a file is saved", async () => {
    const { from } = await live();
    dev.write({
      "app/late.ts": "",
      "app/hello.ts": `import { API } from "fw"; setTimeout(() => process.exit(7), 20); export const hello = API("GET /", () => ({}));`,
    });
    await dev.says("save a fix to restart it", from);
    const answer = await dev.get("/", { accept: "text/html" });
    expect(answer.status).toBe(503);
    expect(answer.body).toContain("exited with code 7");
    dev.write(app("fixed"));
    await dev.eventually("/", ({ body }) => body.includes("fixed"));
  });

  // The next two tests take as long as the dev server waits for code that may still respond.
  test("an application stuck in a loop is told, and a save starts it anew", async () => {
    const { from } = await live();
    void dev.get("/loop").catch(() => undefined);
    await dev.says("is there an endless loop?", from);
    dev.write(app("two"));
    await dev.eventually("/", ({ body }) => body.includes("two"));
  });

  test("modules that never finish evaluating are ended and told", async () => {
    const { from } = await live();
    dev.write({ "app/hello.ts": `import { API } from "fw"; for (;;); export const hello = API("GET /", () => ({}));` });
    await dev.says("did not finish evaluating", from);
    dev.write(app("two"));
    await dev.eventually("/", ({ body }) => body.includes("two"));
  });
});

/** Limits the number of file descriptors that a process may open from now on. Linux only. */
function limitDescriptors(pid: number, most: number): void {
  execFileSync("prlimit", ["--pid", String(pid), `--nofile=${most}:`]);
}

test("Ctrl-C lets the request in flight finish and leaves no process behind", async () => {
  await using dev = await startDev(app("one"));
  const children = descendants(dev.process.pid ?? 0);
  expect(children.length).toBeGreaterThan(0);
  const slow = dev.get("/slow");
  await dev.says("waits");
  dev.process.kill("SIGINT");
  expect((await slow).body).toBe(`{"done":true}`);
  expect(await dev.exited).toBe(0);
  await allGone(children);
});

test("a stop that waits for requests says what it waits for, and for how long", async () => {
  await using dev = await startDev({
    "app/hello.ts": `import { API } from "fw"; export const never = API("GET /", async () => { console.log("begun"); await new Promise(() => {}); });`,
  });
  void dev.get().catch(() => undefined);
  await dev.says("begun");
  dev.process.kill("SIGINT");
  await dev.says("waiting for requests to finish, at most 7 seconds; press Ctrl-C again to stop now");
});

test("a second Ctrl-C ends everything at once", async () => {
  await using dev = await startDev(app("one"));
  const children = descendants(dev.process.pid ?? 0);
  const socket = connect(dev.port, "127.0.0.1", () => socket.write("GET /loop HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  socket.on("error", () => {});
  await dev.says("loops");
  dev.process.kill("SIGINT");
  const started = performance.now();
  await dev.says("press Ctrl-C again to stop now");
  dev.process.kill("SIGINT");
  expect(await dev.exited).toBe(0);
  expect(performance.now() - started).toBeLessThan(drainMs);
  await allGone(children);
});

test.each(["SIGKILL", "SIGTERM", "SIGHUP"] as const)(
  "after %s of the dev server no process is left, not even a busy one",
  async (signal) => {
    await using dev = await startDev(app("one"));
    const children = descendants(dev.process.pid ?? 0);
    const socket = connect(dev.port, "127.0.0.1", () => socket.write("GET /loop HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    socket.on("error", () => {});
    await dev.says("loops");
    dev.process.kill(signal);
    await dev.exited;
    await allGone(children);
  },
);
