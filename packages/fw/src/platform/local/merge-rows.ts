import type { Document, Order } from "../contract.ts";
import { orderValues, type Plan } from "../query-plan.ts";
import { encodeScalar } from "./index-key.ts";

/**
 * Merges the documents of all combinations in the plan's order. Removes duplicates: an array can match several
 * combinations.
 */
export function mergeRows<Row>(
  plan: Plan,
  lists: readonly (readonly Row[])[],
  limit: number,
  documentIn: (row: Row) => Document,
): Document[] {
  const documents: Document[] = [];
  const headOf = (rows: readonly Row[], at: number): Head<Row>[] => {
    const row = rows[at];
    if (row === undefined) return [];
    const document = documentIn(row);
    return [{ rows, at, document, key: sortKey(plan, document), id: Buffer.from(document.id) }];
  };
  let heads = lists.flatMap((rows) => headOf(rows, 0));
  while (heads.length > 0 && documents.length < limit) {
    const first = heads.reduce((least, head) => (compareHeads(plan, head, least) < 0 ? head : least));
    if (documents.at(-1)?.id !== first.document.id) documents.push(first.document);
    heads = heads.flatMap((head) => (head === first ? headOf(head.rows, head.at + 1) : head));
  }
  return documents;
}

/** A combination's next row, decoded. Later rows are decoded only when needed. */
interface Head<Row> {
  readonly rows: readonly Row[];
  readonly at: number;
  readonly document: Document;
  /** Bytes that sort like the plan's orders. */
  readonly key: Buffer;
  readonly id: Buffer;
}

function compareHeads(plan: Plan, a: Head<unknown>, b: Head<unknown>): number {
  return Buffer.compare(a.key, b.key) || Buffer.compare(a.id, b.id) * (plan.direction === "desc" ? -1 : 1);
}

function sortKey(plan: Plan, document: Document): Buffer {
  return Buffer.concat(orderValues(plan, document).map((value, i) => encodeScalar(value, directionOf(plan, i))));
}

function directionOf(plan: Plan, i: number): Order["direction"] {
  return plan.orders[i]?.direction ?? "asc";
}
