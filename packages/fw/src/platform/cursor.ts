import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { decodeTagged, encodeTagged } from "../lib/tagged-json.ts";
import type { Document, Page, Query } from "./contract.ts";
import { PlatformError } from "./errors.ts";
import { orderValues, type Plan } from "./query-plan.ts";
import type { Scalar } from "./values.ts";

/** A document's position in a query's order. */
export interface Position {
  /** The document's values for the plan's orders. */
  readonly values: readonly Scalar[];
  readonly id: string;
}

const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a position for one query (AES-256-GCM), so that clients cannot read or alter it. */
export function sealCursor(key: Uint8Array, query: Query, position: Position): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(boundParts(query));
  const text = encodeTagged({ values: position.values, id: position.id });
  return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64url");
}

/** Builds a page from up to one more document than the page size. */
export function pageOfQuery(key: Uint8Array, query: Query, plan: Plan, documents: readonly Document[]): Page {
  const last = documents[query.limit - 1];
  if (documents.length <= query.limit || last === undefined) return { documents };
  const next = sealCursor(key, query, { values: orderValues(plan, last), id: last.id });
  return { documents: documents.slice(0, query.limit), next };
}

/** Decrypts a position; fails with `cursor` if it was altered or belongs to another query. */
export function openCursor(key: Uint8Array, query: Query, cursor: string): Position {
  const bytes = Buffer.from(cursor, "base64url");
  try {
    if (bytes.toString("base64url") !== cursor) throw new Error("not base64url");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
      .setAAD(boundParts(query))
      .setAuthTag(bytes.subarray(-tagBytes));
    const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
    return decodeTagged(Buffer.concat([text, decipher.final()]).toString()) as Position;
  } catch {
    throw new PlatformError("cursor", "the cursor was altered or belongs to another query; start from the first page");
  }
}

/** Encodes the parts of a query that a cursor is bound to: its kind, filters and orders. */
function boundParts(query: Query): Buffer {
  const filters = query.filters.map(({ property, op, value }) => [property, op, value]);
  const orders = query.orders.map(({ property, direction }) => [property, direction]);
  return Buffer.from(encodeTagged({ kind: query.kind, filters, orders }));
}
