import { fork } from "node:child_process";
import type { Definitions, Platform } from "../contract.ts";

const before: Definitions = { kinds: [{ kind: "row", properties: [], composites: [] }] };
const after: Definitions = { kinds: [{ kind: "row", properties: [{ name: "n" }], composites: [] }] };

/** Data that one process after another opens. */
export interface FilledStore {
  open(definitions: Definitions): Promise<Platform>;
  /** A program that opens the data with its last argument, definitions as JSON, and kills itself during the fill. */
  readonly killed: { readonly script: string; readonly args: readonly string[] };
  /** Returns the id at which a fill resumes after a crash; undefined if none is recorded. */
  position(): string | undefined | Promise<string | undefined>;
}

interface FillReport {
  /** The recorded position after each kill; "" if there was none. */
  readonly positions: readonly string[];
  /** The number of documents in the filled index. */
  readonly count: number;
}

/**
 * Kills processes with SIGKILL while they fill a new index of this many documents, then completes the fill in this
 * process.
 */
export async function crashFill(store: FilledStore, kills: number, documents: number): Promise<FillReport> {
  await writeRows(await store.open(before), documents);
  const positions: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await fillUntilKilled(store.killed);
    positions.push((await store.position()) ?? "");
  }
  const platform = await store.open(after);
  const filters = [{ property: "n", op: ">=", value: 0 }] as const;
  const count = await platform.entities.count({ kind: "row", filters, orders: [] });
  await platform.close();
  return { positions, count };
}

async function writeRows(platform: Platform, documents: number): Promise<void> {
  const write = (n: number): Promise<unknown> =>
    platform.entities.insert({ kind: "row", id: String(n).padStart(8, "0") }, { n, text: "x".repeat(200) });
  for (let from = 0; from < documents; from += 1_000)
    await Promise.all(Array.from({ length: Math.min(1_000, documents - from) }, (_, i) => write(from + i)));
  await platform.close();
}

/** Resolves when the process has killed itself; rejects if its fill finished first. */
function fillUntilKilled({ script, args }: FilledStore["killed"]): Promise<void> {
  return new Promise((resolve, reject) => {
    const process = fork(script, [...args, JSON.stringify(after)]);
    process.on("error", reject);
    process.on("close", (code, signal) =>
      signal === "SIGKILL" ? resolve() : reject(new Error(`the process ended with ${code}`)),
    );
  });
}
