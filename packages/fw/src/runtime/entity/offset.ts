import { StatusError } from "../../declare/errors.ts";
import type { QueryPlan } from "../../declare/entity-query.ts";
import { pageDocuments } from "../../lib/limits.ts";
import { messages } from "../error-messages.ts";
import type { QueryRequest } from "./query.ts";

/** Limit: documents that a query with an offset skips. */
const skippedDocuments = 1000;

/**
 * Returns a reader whose first page begins after the documents that a query skips. Every platform reads and drops them,
 * as Datastore bills them anyway. Later pages continue at a cursor, so writes in between repeat or skip no document.
 */
export function afterSkipped(reader: QueryRequest["reader"], { offset }: QueryPlan): QueryRequest["reader"] {
  if (offset === undefined) return reader;
  return {
    count: (query, upTo) => reader.count(query, upTo),
    total: (query, property) => reader.total(query, property),
    async query(query) {
      // A client may have chosen the offset.
      if (!Number.isInteger(offset) || offset < 0 || offset > skippedDocuments)
        throw new StatusError(400, messages.queryOffset(skippedDocuments));
      if (query.after !== undefined || offset === 0) return reader.query(query);
      if (offset + query.limit <= pageDocuments) {
        const page = await reader.query({ ...query, limit: offset + query.limit });
        return { ...page, documents: page.documents.slice(offset) };
      }
      const { next } = await reader.query({ ...query, limit: offset });
      return next === undefined ? { documents: [] } : reader.query({ ...query, after: next });
    },
  };
}
