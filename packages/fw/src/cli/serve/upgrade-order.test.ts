import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { LocalPlatform } from "../../platform/local/open.ts";
import { openLocal } from "../../platform/local/open.ts";
import { SteppedClock } from "../../platform/stepped-clock.ts";
import { upgradeInOrder } from "./upgrade-order.ts";

async function machine(): Promise<{ readonly clock: SteppedClock; readonly platform: LocalPlatform }> {
  const directory = mkdtempSync(join(tmpdir(), "fw-upgrade-"));
  const clock = new SteppedClock();
  const platform = await openLocal(directory, { kinds: [] }, { temporary: true, clock });
  onTestFinished(async () => {
    await platform.close();
    rmSync(directory, { recursive: true });
  });
  return { clock, platform };
}

test("of two machines that upgrade at once, the second compares its build after the first has switched", async () => {
  const { clock, platform } = await machine();
  const warnings: string[] = [];
  const signal = new AbortController().signal;
  const work = { platform, warn: (sentence: string) => void warnings.push(sentence), signal };
  const events: string[] = [];
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const upgrades = [
    upgradeInOrder(work, async () => {
      events.push("first compares");
      await finished;
      events.push("first has switched");
    }),
    upgradeInOrder(work, async () => void events.push("second compares")),
  ];
  // Longer than a lease lasts without renewal.
  for (let second = 0; second < 90; second++) await clock.advance(1_000);
  expect(events).toEqual(["first compares"]);
  expect(warnings).toEqual([
    "another machine on the database is being upgraded: this upgrade waits until that has ended",
  ]);
  finish();
  await upgrades[0];
  for (let turn = 0; turn < 5; turn++) await clock.advance(1_000);
  await upgrades[1];
  expect(events).toEqual(["first compares", "first has switched", "second compares"]);
});

test("an upgrade that fails lets the next machine upgrade at once, and one that is given up does not wait", async () => {
  const { platform } = await machine();
  const giveUp = new AbortController();
  const work = { platform, warn: () => giveUp.abort(new Error("given up")), signal: giveUp.signal };
  await expect(upgradeInOrder(work, () => Promise.reject(new Error("does not fit")))).rejects.toThrow("does not fit");
  const blocked = upgradeInOrder(work, () => upgradeInOrder(work, async () => 1));
  await expect(blocked).rejects.toThrow("given up");
  expect(await upgradeInOrder(work, async () => 2)).toBe(2);
});
