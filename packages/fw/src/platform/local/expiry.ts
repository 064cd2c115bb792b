import type { Clock } from "../contract.ts";
import type { Documents } from "./documents.ts";
import type { Database } from "./sqlite.ts";
import type { WriteQueue } from "./write-queue.ts";

/** Documents that are deleted with one commit. */
const chunk = 500;

/** Deletes the documents that have expired, also of kinds that are not declared any more; resolves with their number. */
export async function deleteExpired(
  database: Database,
  documents: Documents,
  queue: WriteQueue,
  clock: Clock,
): Promise<number> {
  const next = database.prepare("SELECT kind, id FROM documents WHERE expires <= ? ORDER BY expires LIMIT ?");
  const deleteSome = (): number => {
    const rows = next.all(clock.now(), chunk);
    for (const [kind, id] of rows)
      documents.write({ key: { kind: String(kind), id: String(id) }, document: undefined, expires: undefined });
    return rows.length;
  };
  let total = 0;
  for (let count = chunk; count === chunk; total += count) count = await queue.write(deleteSome);
  return total;
}
