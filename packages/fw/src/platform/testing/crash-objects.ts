import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Definitions } from "../contract.ts";
import type { Objects } from "../objects.ts";
import { openLocal } from "../local/open.ts";
import { writeUntilKilled } from "./killed-writer.ts";

/** The results of a run of kills. */
export interface ObjectCrashReport {
  readonly acknowledged: number;
  /** Keys in a state that no acknowledged or in-flight operation explains. */
  readonly wrong: string[];
  /** Objects whose content mixes several writes. */
  readonly torn: string[];
  /** The number of files without an object that remained after opening the store. */
  readonly orphans: number;
}

const definitions: Definitions = { kinds: [], buckets: ["photos"] };
const keys = ["a", "b/c", "../d", "é"];
const child: string = fileURLToPath(new URL("crash-objects-child.mjs", import.meta.url));

/**
 * Repeatedly kills, with SIGKILL, a process that writes objects, and after each kill verifies the operations that it
 * had acknowledged.
 */
export async function crashObjects(kills: number, platformModule: string): Promise<ObjectCrashReport> {
  const directory = await mkdtemp(join(tmpdir(), "fw-crash-objects-"));
  const done = new Map(keys.map((key) => [key, 0]));
  const report = { acknowledged: 0, wrong: [] as string[], torn: [] as string[], orphans: 0 };
  for (let kill = 0; kill < kills; kill++) {
    const args = [platformModule, directory, JSON.stringify(definitions), JSON.stringify([...done])];
    const target = 8 + ((kill * 7) % 40);
    report.acknowledged += await writeUntilKilled({ module: child, args }, target, (message) => {
      const [key, n] = message as [string, number];
      done.set(key, n);
    });
    const platform = await openLocal(directory, definitions);
    for (const key of keys) await inspect(platform.objects, key, done.get(key) ?? 0, report);
    report.orphans += await orphans(platform.objects, join(directory, "objects"));
    await platform.close();
  }
  await rm(directory, { recursive: true });
  return report;
}

async function inspect(
  objects: Objects,
  key: string,
  done: number,
  report: Pick<ObjectCrashReport, "wrong" | "torn">,
): Promise<void> {
  const object = await objects.open("photos", key);
  const text = object === undefined ? "" : await new Response(object.stream()).text();
  const n = Number(text.slice(0, text.indexOf("\n")));
  if (object !== undefined && (text !== contentOf(n) || object.size !== text.length))
    report.torn.push(`${key}: ${text.length} bytes that begin with ${JSON.stringify(text.slice(0, 20))}`);
  const possible = [done, done + 1].map((act) => (act % 5 === 0 ? undefined : act));
  if (!possible.includes(object === undefined ? undefined : n))
    report.wrong.push(`${key}: ${done} was acknowledged, ${object === undefined ? "nothing" : n} is there`);
}

function contentOf(n: number): string {
  return `${n}\n`.repeat(1 + ((n * 7919) % 20_000));
}

/** Returns the number of files without an object, once the cleanup at startup has had time to finish. */
async function orphans(objects: Objects, directory: string): Promise<number> {
  const listedCount = (await objects.list("photos", "", { limit: 1000 })).objects.length;
  let surplus = (await readdir(directory)).length - listedCount;
  for (let look = 0; surplus > 0 && look < 6_000; look++) {
    await wait(10);
    surplus = (await readdir(directory)).length - listedCount;
  }
  return surplus;
}
