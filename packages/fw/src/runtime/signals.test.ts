import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { drainMs } from "../lib/limits.ts";
import { request, until } from "./testing/server.ts";

interface Stopping extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly port: number;
  output(): string;
  /** Sends a signal; resolves to the exit code and the milliseconds until the process exited. */
  stop(signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }>;
}

async function run(options: object): Promise<Stopping> {
  const file = fileURLToPath(new URL("testing/stopping.mjs", import.meta.url));
  const child = spawn(process.execPath, [file, JSON.stringify(options)], { stdio: ["pipe", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  await until(() => output.includes("port "), "the process listens");
  return {
    child,
    port: Number(/port (\d+)/.exec(output)?.[1]),
    output: () => output,
    async stop(signal) {
      const started = performance.now();
      child.kill(signal);
      // All output has arrived by the close event.
      const [code] = (await once(child, "close")) as [number | null];
      return { code, ms: performance.now() - started };
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")) await once(child, "exit");
    },
  };
}

/** True if no process listens on the port. */
async function refuses(port: number): Promise<boolean> {
  const answer = await request(port, "/nowhere").catch((error: NodeJS.ErrnoException) => error.code);
  return answer === "ECONNREFUSED";
}

describe("Shutdown", () => {
  test.each(["SIGTERM", "SIGINT"] as const)("%s drains, flushes and ends with success", async (signal) => {
    await using process_ = await run({});
    const answer = request(process_.port, "/hang");
    await until(() => process_.output().includes("hanging"), "the request runs");
    const stopped = process_.stop(signal);
    await until(() => refuses(process_.port), "it stops listening");
    process_.child.stdin?.write("release");
    const { code } = await stopped;
    expect((await answer).body).toBe('"released"');
    expect(code).toBe(0);
    expect(process_.output()).toContain("flushed");
  });

  test("a second interrupt exits immediately", async () => {
    await using process_ = await run({});
    const answer = request(process_.port, "/hang").catch(() => undefined);
    await until(() => process_.output().includes("hanging"), "the request runs");
    process_.child.kill("SIGINT");
    await until(() => refuses(process_.port), "it stops listening");
    await new Promise((resolve) => setTimeout(resolve, 40));
    const { code } = await process_.stop("SIGINT");
    await answer;
    expect([code, process_.output().includes("flushing")]).toEqual([130, false]);
  });

  test("the drain has a ceiling, and the final flush keeps a floor after it", async () => {
    const options = { times: { drainMs: 200 }, stop: { shutdownMs: 700, flushMs: 100 }, flush: "slow" };
    await using process_ = await run(options);
    const answer = request(process_.port, "/hang").catch(() => undefined);
    await until(() => process_.output().includes("hanging"), "the request runs");
    const { code, ms } = await process_.stop("SIGTERM");
    await answer;
    expect(code).toBe(0);
    expect(process_.output()).toContain("flushing");
    expect(process_.output()).not.toContain("flushed");
    expect(ms).toBeGreaterThan(290);
    expect(ms).toBeLessThan(drainMs);
  });

  test("a flush that fails does not keep the process", async () => {
    await using process_ = await run({ flush: "failing" });
    expect((await process_.stop("SIGTERM")).code).toBe(0);
    expect(process_.output()).toContain("the last metrics and logs could not be sent: no network");
  });
});
