import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { Definitions } from "../contract.ts";
import type { Consumer } from "../messages.ts";
import { checkRetried } from "../testing/retried-messages.ts";
import { soak } from "../testing/soak.ts";
import { openLocal } from "./open.ts";

/** Set `FW_SOAK_MESSAGES=100000 FW_SOAK_KILLS=20` for a long run. */
const messages = Number(process.env["FW_SOAK_MESSAGES"] ?? 3000);
const kills = Number(process.env["FW_SOAK_KILLS"] ?? 5);

const built = fileURLToPath(new URL("../../../dist/platform/local/open.js", import.meta.url));

test(
  "messages are delivered at least once over kills, and few of them twice",
  { timeout: 300_000 + messages * 10 },
  async () => {
    const report = await soak(messages, kills, built);
    if (process.env["FW_SOAK_MESSAGES"] !== undefined) process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report.sent).toBeGreaterThanOrEqual(messages);
    expect(report.lost).toBe(0);
    expect(report.dead).toBe(0);
    expect(report.duplicates).toBeLessThanOrEqual(messages * 0.005 + 64 * kills);
  },
);

test("a message that ends the process as soon as it is delivered is dead after its last attempt", async () => {
  const directory = await mkdtemp(join(tmpdir(), "fw-poison-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const destination = { kind: "queue", name: "emails" } as const;
  const delivery = { maxAttempts: 5, minBackoff: 1000, maxBackoff: 1000, deadline: 1000, concurrency: 16 };
  const consumers: Consumer[] = [{ id: "mail-send", destination, delivery }];
  const platform = await openLocal(directory, { kinds: [], consumers });
  const id = await platform.messages.send(destination, { body: "1" });
  await platform.close();
  const code = `const { openLocal } = await import(${JSON.stringify(built)});
    const { dispatcher } = await openLocal(process.argv[1], ${JSON.stringify({ kinds: [], consumers })});
    dispatcher.deliver(() => process.kill(process.pid, "SIGKILL"));
    await dispatcher.idle({ all: true });`;
  const ends: (NodeJS.Signals | null)[] = [];
  while (ends.at(-1) !== null) ends.push(await run(code, directory));
  expect(ends).toEqual([...Array.from({ length: 5 }, () => "SIGKILL"), null]);
  const again = await openLocal(directory, { kinds: [], consumers });
  const [dead] = await again.dispatcher.dead();
  expect(dead).toMatchObject({ id, attempts: 5, reason: "the process ended during the last delivery" });
  await again.close();
});

test("a message counts as retried once its first delivery has failed or its process has died", async () => {
  const directory = await mkdtemp(join(tmpdir(), "fw-retried-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const open = (definitions: Definitions) => openLocal(directory, definitions);
  await checkRetried({ open, killed: [built, "openLocal", directory] });
});

/** Runs this code in a process; resolves with the signal that ended it, or null. */
function run(code: string, directory: string): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", code, directory], { stdio: "ignore" });
  return new Promise((resolve) => child.on("close", (_, signal) => resolve(signal)));
}
