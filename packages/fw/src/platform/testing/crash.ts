import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Definitions } from "../contract.ts";
import { openLocal } from "../local/open.ts";
import type { LocalPlatform } from "../local/open.ts";
import { writeUntilKilled } from "./killed-writer.ts";

/** The results of a run of kills. */
export interface CrashReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** Acknowledged writes that were lost. */
  readonly lost: string[];
  /** Documents, pairs or index entries that are incomplete. */
  readonly torn: string[];
}

/** A transaction writes each document with a twin. `n` increases, and `check` repeats it, padded to a long text. */
const crashDefinitions: Definitions = {
  kinds: [
    {
      kind: "row",
      properties: [{ name: "n" }, { name: "group" }],
      composites: [
        {
          properties: [
            { property: "group", direction: "asc" },
            { property: "n", direction: "desc" },
          ],
        },
      ],
    },
  ],
};

const child: string = fileURLToPath(new URL("crash-child.mjs", import.meta.url));

/**
 * Repeatedly kills a writing process with SIGKILL, and after each kill verifies the writes that it had acknowledged.
 */
export async function crash(kills: number, platformModule: string): Promise<CrashReport> {
  const directory = await mkdtemp(join(tmpdir(), "fw-crash-"));
  const acknowledged = new Map<string, number>();
  const report = { kills, acknowledged: 0, lost: [] as string[], torn: [] as string[] };
  for (let kill = 0; kill < kills; kill++) {
    const args = [platformModule, directory, JSON.stringify(crashDefinitions)];
    const target = 20 + ((kill * 7) % 60);
    report.acknowledged += await writeUntilKilled({ module: child, args }, target, (message) => {
      const [id, n] = message as [string, number];
      acknowledged.set(id, Math.max(n, acknowledged.get(id) ?? 0));
    });
    const platform = await openLocal(directory, crashDefinitions);
    await inspect(platform, acknowledged, report);
    await platform.close();
  }
  await rm(directory, { recursive: true });
  return report;
}

async function inspect(
  { entities, accounts }: LocalPlatform,
  acknowledged: ReadonlyMap<string, number>,
  report: CrashReport,
): Promise<void> {
  for (const [id, n] of acknowledged) {
    const row = await entities.get({ kind: "row", id });
    const twin = await entities.get({ kind: "row", id: `${id}-twin` });
    const storedNumber = Number(row?.fields["n"] ?? -1);
    if (storedNumber < n) report.lost.push(`${id}: ${n} was acknowledged, ${storedNumber} is there`);
    if (row?.fields["check"] !== `${storedNumber}`.padEnd(3000, "."))
      report.torn.push(`${id}: its text is not of ${storedNumber}`);
    if (twin?.fields["n"] !== storedNumber)
      report.torn.push(`${id}: its twin is of ${JSON.stringify(twin?.fields["n"])}`);
    const account = await accounts.byEmail(`${id}.${n}@example.com`);
    if (account?.claims["n"] !== n) report.lost.push(`${id}: the account of ${n} was acknowledged and is not there`);
    const filters = [{ property: "group", op: "==", value: id } as const];
    const { documents } = await entities.query({
      kind: "row",
      filters,
      orders: [{ property: "n", direction: "desc" }],
      limit: 10,
    });
    if (documents.map((document) => document.id).toString() !== `${id}-twin,${id}`)
      report.torn.push(`${id}: the index has ${documents.length} of the pair`);
  }
}
