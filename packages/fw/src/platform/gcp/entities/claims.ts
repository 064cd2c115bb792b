import { takenError, type Claim } from "../../unique.ts";
import type { ReadOptions } from "./datastore.ts";
import type { Reads } from "./reads.ts";

/**
 * Throws a PlatformError `taken` if a document outside the commit has the value. Inside a transaction, this also
 * prevents other writes from taking the value before the commit.
 */
export async function refuseTaken(reads: Reads, claim: Claim, options: ReadOptions): Promise<void> {
  const { key, property, value, writtenIds } = claim;
  const filters = [{ property, op: "==", value }] as const;
  const query = { kind: key.kind, filters, orders: [], limit: writtenIds.size + 1 };
  const documents = await reads.findUnchecked(query, options);
  const other = documents.find(({ id }) => !writtenIds.has(id));
  if (other !== undefined) throw takenError(claim, other.id);
}
