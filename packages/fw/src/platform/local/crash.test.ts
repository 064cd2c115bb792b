import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { Definitions } from "../contract.ts";
import { crashObjects } from "../testing/crash-objects.ts";
import { crashUniques } from "../testing/crash-uniques.ts";
import { crashFill } from "../testing/crash-fill.ts";
import { crash } from "../testing/crash.ts";
import { indexProblems } from "./check/indexes.ts";
import { openLocal } from "./open.ts";
import { openDatabase } from "./sqlite.ts";

/** Set `FW_KILLS=200` for a long run. */
const kills = Number(process.env["FW_KILLS"] ?? 10);
/** Set `FW_FILL_DOCUMENTS=1000000` to fill an index of at least that many documents. */
const fillDocuments = Number(process.env["FW_FILL_DOCUMENTS"] ?? 0);
const built = fileURLToPath(new URL("../../../dist/platform/local/open.js", import.meta.url));
const fillChild = fileURLToPath(new URL("../testing/fill-child.mjs", import.meta.url));

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
    expect(report.acknowledged).toBeGreaterThanOrEqual(kills * 2);
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
  { timeout: 300_000 + kills * 3000 + fillDocuments },
  async () => {
    const killed = Math.ceil(kills / 5);
    const documents = Math.max(killed * 4_500, fillDocuments);
    const directory = mkdtempSync(join(tmpdir(), "fw-fill-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const child = { script: fillChild, args: [built, directory, String(Math.floor((documents / killed) * 0.8))] };
    const store = {
      open: (definitions: Definitions) => openLocal(directory, definitions),
      killed: child,
      position: () => positionIn(directory),
    };
    const { positions, count } = await crashFill(store, killed, documents);
    expect(positions).not.toContain("");
    expect(new Set(positions).size).toBe(killed);
    expect(positions).toEqual(positions.toSorted());
    expect(count).toBe(documents);
    const database = openDatabase(join(directory, "store"));
    expect([...indexProblems(database)]).toEqual([]);
    database.close();
  },
);

/**
 * Returns how far a fill has come. Reads from a copy, because closing a database may delete the log that a killed
 * process left behind.
 */
function positionIn(directory: string): string | undefined {
  const copy = mkdtempSync(join(tmpdir(), "fw-fill-copy-"));
  cpSync(directory, copy, { recursive: true });
  const database = openDatabase(join(copy, "store"));
  try {
    const [ready] = database.prepare("SELECT ready FROM indexes WHERE typeof(ready) = 'text'").get() ?? [];
    return ready === undefined ? undefined : String(ready);
  } finally {
    database.close();
    rmSync(copy, { recursive: true });
  }
}
