import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Definitions, EntityStore } from "../contract.ts";
import { isPlatformError } from "../errors.ts";
import { openLocal } from "../local/open.ts";
import { writeUntilKilled } from "./killed-writer.ts";

/** The results of a run of kills. */
export interface UniqueCrashReport {
  /** The number of acknowledged writes. */
  made: number;
  /** The number of writes refused because another document had the value. */
  taken: number;
  /** The numbers of values in use, and of free values, after kills. */
  held: number;
  free: number;
  /** Values that several documents have, or that a document has although the index does not say so. */
  readonly wrong: string[];
  /** Values that no document had but none could claim, or that one document had but another could claim. */
  readonly misjudged: string[];
}

const definitions: Definitions = {
  kinds: [{ kind: "person", properties: [{ name: "email", unique: true }], composites: [] }],
};
const documents = ["a", "b", "c", "d"];
const emails = ["1@x", "2@x", "3@x", "4@x", "5@x", "6@x"];
const child: string = fileURLToPath(new URL("crash-uniques-child.mjs", import.meta.url));

/**
 * Repeatedly kills a process whose documents compete for unique values. After each kill, checks which document has
 * which value.
 */
export async function crashUniques(kills: number, platformModule: string): Promise<UniqueCrashReport> {
  const directory = await mkdtemp(join(tmpdir(), "fw-crash-uniques-"));
  const report: UniqueCrashReport = { made: 0, taken: 0, held: 0, free: 0, wrong: [], misjudged: [] };
  for (let kill = 0; kill < kills; kill++) {
    const args = [platformModule, directory, ...[definitions, documents, emails].map((each) => JSON.stringify(each))];
    await writeUntilKilled({ module: child, args }, 30 + ((kill * 7) % 60), (outcome) => {
      report[outcome as "made" | "taken"]++;
    });
    const platform = await openLocal(directory, definitions);
    for (const email of emails) await inspect(platform.entities, email, report);
    await platform.close();
  }
  await rm(directory, { recursive: true });
  return report;
}

async function inspect(entities: EntityStore, email: string, report: UniqueCrashReport): Promise<void> {
  const storedDocuments = await Promise.all(documents.map((id) => entities.get({ kind: "person", id })));
  const holders = documents.filter((_, i) => storedDocuments[i]?.fields["email"] === email);
  const filters = [{ property: "email", op: "==", value: email } as const];
  const matches = await entities.query({ kind: "person", filters, orders: [], limit: 10 });
  const indexed = matches.documents.map(({ id }) => id);
  if (holders.length > 1 || indexed.toString() !== holders.toString())
    report.wrong.push(`${email}: ${holders.join()} have it, and its index says ${indexed.join()}`);
  const free = holders.length === 0;
  report[free ? "free" : "held"]++;
  if ((await canBeHad(entities, email)) !== free)
    report.misjudged.push(`${email}: ${holders.join()} have it, and a further document ${free ? "cannot" : "can"}`);
}

/** True if another document can claim a value, which is then released again. */
async function canBeHad(entities: EntityStore, email: string): Promise<boolean> {
  const key = { kind: "person", id: "further" };
  try {
    await entities.insert(key, { email });
  } catch (error) {
    if (isPlatformError(error, "taken")) return false;
    throw error;
  }
  await entities.delete(key);
  return true;
}
