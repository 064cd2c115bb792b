import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { crashObjects } from "../testing/crash-objects.ts";
import { crashUniques } from "../testing/crash-uniques.ts";
import { crashFill } from "../testing/crash-fill.ts";
import { crash } from "../testing/crash.ts";

/** `FW_KILLS=200` for the long run. */
const kills = Number(process.env["FW_KILLS"] ?? 10);
const built = fileURLToPath(new URL("../../../dist/platform/local/open.js", import.meta.url));

test(
  "a server killed while it writes has every acknowledged write, and no half of one",
  { timeout: 300_000 + kills * 3000 },
  async () => {
    const report = await crash(kills, built);
    expect(report.acknowledged).toBeGreaterThan(kills * 20);
    expect(report.lost).toEqual([]);
    expect(report.torn).toEqual([]);
  },
);

test(
  "a server killed while it writes objects has every acknowledged object whole, and no file of one that was not",
  { timeout: 300_000 + kills * 3000 },
  async () => {
    const report = await crashObjects(Math.ceil(kills / 2), built);
    expect(report.acknowledged).toBeGreaterThan(kills * 4);
    expect(report.wrong).toEqual([]);
    expect(report.torn).toEqual([]);
    expect(report.orphans).toBe(0);
  },
);

test(
  "a server killed while documents want each other's values leaves each value to one document or to anybody",
  { timeout: 300_000 + kills * 3000 },
  async () => {
    const report = await crashUniques(Math.ceil(kills / 2), built);
    expect(report.wrong).toEqual([]);
    expect(report.misjudged).toEqual([]);
    for (const count of [report.made, report.taken, report.held, report.free]) expect(count).toBeGreaterThan(0);
  },
);

test(
  "a fill of an index that is killed continues where it was, and misses no document",
  { timeout: 300_000 + kills * 3000 },
  async () => {
    const killed = Math.ceil(kills / 5);
    const documents = killed * 4_500;
    const report = await crashFill(killed, documents, built);
    expect(report.positions).not.toContain("");
    expect(new Set(report.positions).size).toBe(killed);
    expect(report.positions).toEqual(report.positions.toSorted());
    expect(report.count).toBe(documents);
    expect(report.problems).toEqual([]);
  },
);
