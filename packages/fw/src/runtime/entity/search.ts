import { Fault, StatusError } from "../../declare/errors.ts";
import { searchedFields, unknownTerms } from "../../lib/derived-indexes.ts";
import { searchedTerms, wordsOf } from "../../lib/search-terms.ts";
import type { Document, EntityStore, Filter } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import type { BundledEntity } from "../bundle.ts";
import { messages } from "../error-messages.ts";

/** Limit: words of a text that a query searches for. */
const searchWords = 10;

/** Limit: terms of a text that a query searches for: in a language without spaces one for each character. */
const searchTerms = 50;

/** Limit: documents without terms that a search rewrites itself; if there are more, it responds with 503. */
const unknownDocuments = 200;

/**
 * The filters of a search, one for each term. Throws a 400 if there are too many words, because a client may have
 * written them.
 */
export function searchFilters(entity: BundledEntity, text: unknown): readonly Filter[] {
  const property = propertyOf(entity);
  if (typeof text !== "string") throw new Fault(`search() of "${entity.name}" takes a string, not ${typeof text}`);
  const words = wordsOf(text);
  // Matches nothing, because no document has an empty term.
  const terms = words.length === 0 ? [""] : searchedTerms(words);
  if (words.length > searchWords || terms.length > searchTerms)
    throw new StatusError(400, messages.searchWords(searchWords, searchTerms));
  return terms.map((term) => ({ property, op: "==", value: term }));
}

/** Rewrites documents that an older version without the function for terms wrote during an upgrade. */
export async function addUnknownTerms(entities: EntityStore, entity: BundledEntity): Promise<void> {
  const filters: readonly Filter[] = [{ property: propertyOf(entity), op: "==", value: unknownTerms }];
  const query = { kind: entity.name, filters, orders: [], limit: unknownDocuments };
  const { documents, next } = await entities.query(query);
  if (next !== undefined) throw new StatusError(503, messages.indexFilling);
  await Promise.all(documents.map((document) => writeAgain(entities, entity.name, document)));
}

/** Another request has written or deleted it, or no index can hold its words, so that no search finds it. */
const expected = ["conflict", "missing", "indexed", "too-large"] as const;

async function writeAgain(
  entities: EntityStore,
  kind: string,
  { id, fields, version, expires }: Document,
): Promise<void> {
  try {
    await entities.update({ kind, id }, fields, { version, ...(expires && { expires }) });
  } catch (error) {
    if (!expected.some((code) => isPlatformError(error, code))) throw error;
  }
}

function propertyOf({ name, indexed }: BundledEntity): string {
  const index = indexed.find((each) => searchedFields(each.name) !== undefined);
  if (index === undefined) throw new Fault(`search() of "${name}", which has no Search field`);
  return index.name;
}
