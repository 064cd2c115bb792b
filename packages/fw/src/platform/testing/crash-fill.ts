import { fork } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Definitions } from "../contract.ts";
import { indexProblems } from "../local/check/indexes.ts";
import { openLocal } from "../local/open.ts";
import { openDatabase } from "../local/sqlite.ts";

const child = fileURLToPath(new URL("fill-child.mjs", import.meta.url));

const before: Definitions = { kinds: [{ kind: "row", properties: [], composites: [] }] };
const after: Definitions = { kinds: [{ kind: "row", properties: [{ name: "n" }], composites: [] }] };

/** Turns of the event loop after which a process kills itself: some batches. */
const turnsOfLife = 8;

interface FillReport {
  /** The ids up to which the index was filled after each kill. */
  readonly positions: readonly string[];
  /** Documents that the filled index has. */
  readonly count: number;
  readonly problems: readonly string[];
}

/** Kills a process with SIGKILL while it fills a new index of so many documents, and lets the last one end. */
export async function crashFill(kills: number, documents: number, module: string): Promise<FillReport> {
  const directory = mkdtempSync(join(tmpdir(), "fw-fill-"));
  try {
    await writeRows(directory, documents);
    const positions: string[] = [];
    for (let kill = 0; kill < kills; kill++) {
      await fillUntilKilled([module, directory, JSON.stringify(after), String(turnsOfLife)]);
      positions.push(positionIn(directory) ?? "");
    }
    const platform = await openLocal(directory, after);
    const count = await platform.entities.count({
      kind: "row",
      filters: [{ property: "n", op: ">=", value: 0 }],
      orders: [],
    });
    await platform.close();
    const database = openDatabase(join(directory, "store"));
    const problems = [...indexProblems(database)];
    database.close();
    return { positions, count, problems };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function writeRows(directory: string, documents: number): Promise<void> {
  const platform = await openLocal(directory, before, { temporary: true });
  const write = (n: number): Promise<unknown> =>
    platform.entities.insert({ kind: "row", id: String(n).padStart(8, "0") }, { n, text: "x".repeat(200) });
  for (let from = 0; from < documents; from += 1_000)
    await Promise.all(Array.from({ length: Math.min(1_000, documents - from) }, (_, i) => write(from + i)));
  await platform.close();
}

/** Resolves when the process has killed itself; rejects if its fill ended before. */
function fillUntilKilled(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const process = fork(child, [...args]);
    process.on("error", reject);
    process.on("close", (code, signal) =>
      signal === "SIGKILL" ? resolve() : reject(new Error(`the process ended with ${code}`)),
    );
  });
}

/**
 * The position of the fill as a start after a crash would read it; undefined without one. Reads a copy: closing a
 * database may delete its log, which a killed process leaves behind.
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
