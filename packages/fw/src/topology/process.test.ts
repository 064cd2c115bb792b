import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { PeerConfig } from "../service/local/peer-config.ts";
import { ServiceProcess } from "./process.ts";
import { slowStartMs, startMs } from "../lib/watch-start.ts";

/** Starts a service that listens on its first start. Later starts run `otherwise` until `allow()` is called. */
function service(otherwise: string) {
  const directory = mkdtempSync(join(tmpdir(), "fw-process-"));
  const entry = join(directory, "main.mjs");
  const [before, may] = [join(directory, "before"), join(directory, "may")];
  writeFileSync(
    entry,
    `import { existsSync, writeFileSync } from "node:fs";
const listens = !existsSync(${JSON.stringify(before)}) || existsSync(${JSON.stringify(may)});
writeFileSync(${JSON.stringify(before)}, "");
if (listens) console.log(JSON.stringify({ message: "listening", service: "shop", port: 1, relayPort: 1 }));
if (!listens) { ${otherwise} }
process.stdin.resume();
`,
  );
  const lines: string[] = [];
  const process = new ServiceProcess({
    name: "shop",
    entry,
    env: {},
    events: {
      listens: () => void lines.push("listens"),
      line: (_, line) => void lines.push(line),
      metrics: () => {},
      slow: (_, seconds) => void lines.push(`slow: ${seconds}`),
      exited: (_, how) => void lines.push(how),
      failed: (_, how) => void lines.push(`failed: ${how}`),
    },
  });
  onTestFinished(async () => {
    await process.stop();
    rmSync(directory, { recursive: true });
  });
  process.start({} as PeerConfig);
  return { process, told: lines, allow: () => writeFileSync(may, "") };
}

test("a service that somebody kills as often as it starts is started again all the same", async () => {
  const { process: started, told, allow } = service(`console.log("starts");`);
  await started.ready;
  const killed = new Set<number>();
  for (let kills = 0; kills < 7; kills++) {
    await expect.poll(() => told.filter((line) => line === "starts").length).toBe(kills);
    const { pid = 0 } = started;
    expect(killed.has(pid)).toBe(false);
    killed.add(pid);
    process.kill(pid, "SIGKILL");
  }
  allow();
  await started.ready;
  expect([started.hasFailed, told.at(-1)]).toEqual([false, "listens"]);
});

test("a service that ends by itself as often as it starts is given up", async () => {
  const { process: started, told } = service("process.exit(3);");
  await started.ready;
  process.kill(started.pid ?? 0, "SIGKILL");
  await expect.poll(() => started.hasFailed).toBe(true);
  expect(told.at(-1)).toBe("failed: it ended with 3");
  await started.ready;
});

test("a service that never listens is reported, and ended when its time is used up", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const directory = mkdtempSync(join(tmpdir(), "fw-process-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const entry = join(directory, "main.mjs");
  writeFileSync(entry, "await new Promise((resolve) => setTimeout(resolve, 3_600_000));");
  const events: string[] = [];
  const hanging = new ServiceProcess({
    name: "shop",
    entry,
    env: {},
    events: {
      listens: () => {},
      line: () => {},
      metrics: () => {},
      slow: (_, seconds) => void events.push(`slow ${seconds}`),
      exited: () => {},
      failed: (_, how) => void events.push(how),
    },
  });
  hanging.start({} as PeerConfig);
  vi.advanceTimersByTime(slowStartMs);
  expect(events).toEqual(["slow 5"]);
  vi.advanceTimersByTime(startMs - slowStartMs);
  expect(await hanging.started()).toBe(false);
  expect(events.at(-1)).toBe("it did not start listening");
});
