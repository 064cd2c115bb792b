import type { Document, Key, Page, Query, Total } from "../../contract.ts";
import { openCursor, sealCursor } from "../../cursor.ts";
import { kindOf, type Kind, type Kinds } from "../../definitions.ts";
import { encodeDocument, isStorableId, type EncodedDocument } from "../../document.ts";
import type { Encoder } from "../../pending-writes.ts";
import type { QueryResults, QueryArgs, QueryOperation } from "../../query-operations.ts";
import { checkLimit, checkUpTo, planQuery } from "../../query-plan.ts";
import type { Datastore, Read, ReadOptions } from "./datastore.ts";
import { datastoreQuery, findDocuments } from "./query.ts";
import { documentOf, isExpired, type EntityResult } from "./stored-document.ts";
import { totalQuery } from "../../total.ts";
import type { Fields } from "../../values.ts";

interface ReadParts {
  readonly datastore: Datastore;
  readonly kinds: Kinds;
  readonly cursorKey: () => Promise<Uint8Array>;
}

/** Reads documents in their current state, or in that of the moment or transaction in the options. */
export class Reads implements Encoder {
  readonly #datastore: Datastore;
  readonly #kinds: Kinds;
  readonly #cursorKey: () => Promise<Uint8Array>;
  /** The query operations. */
  readonly ask: {
    readonly [Name in QueryOperation]: (
      given: QueryArgs[Name],
      options?: ReadOptions,
    ) => Promise<Read<QueryResults[Name]>>;
  } = {
    query: (given, options) => this.#query(given, options),
    count: (given, options) => this.#count(given, options),
    total: (given, options) => this.#total(given, options),
  };

  constructor({ datastore, kinds, cursorKey }: ReadParts) {
    this.#datastore = datastore;
    this.#kinds = kinds;
    this.#cursorKey = cursorKey;
  }

  /** Fails with `document` if the kind is not defined. */
  kind(name: string): Kind {
    return kindOf(this.#kinds, name);
  }

  check(kind: string): void {
    this.kind(kind);
  }

  encode(key: Key, fields: Fields): EncodedDocument {
    return encodeDocument(this.kind(key.kind), key, fields);
  }

  /** Returns the stored entities, including expired ones. */
  async lookUp(keys: readonly Key[], options?: ReadOptions): Promise<Read<readonly (EntityResult | undefined)[]>> {
    for (const { kind } of keys) this.kind(kind);
    const storable = keys.filter(({ id }) => isStorableId(id));
    if (storable.length === 0) return { result: keys.map(() => undefined), readTime: "" };
    const { results, readTime } = await this.#datastore.lookup(storable, options);
    const byKey = new Map(storable.map((key, i) => [key, results[i]]));
    return { result: keys.map((key) => byKey.get(key)), readTime };
  }

  /** Returns the document of a stored entity, unless it has expired. */
  documentOf(stored: EntityResult | undefined): Document | undefined {
    return stored === undefined || isExpired(stored, this.#datastore.now()) ? undefined : documentOf(stored);
  }

  async #query([query]: QueryArgs["query"], options: ReadOptions | undefined): Promise<Read<Page>> {
    checkLimit(query.limit);
    const translated = this.#asked(query);
    const after = query.after === undefined ? undefined : await this.#placeIn(query, query.after);
    if (translated === undefined) return { result: { documents: [] }, readTime: "" };
    const matches = await findDocuments(this.#datastore, translated, query.limit + 1, { after, readOptions: options });
    const page = matches.documents.slice(0, query.limit);
    const documents = page.map(({ document }) => document);
    const last = page.at(-1);
    if (matches.documents.length <= query.limit || last === undefined)
      return { result: { documents }, readTime: matches.readTime };
    const position = { values: [last.cursor], id: last.document.id };
    const next = sealCursor(await this.#cursorKey(), query, position);
    return { result: { documents, next }, readTime: matches.readTime };
  }

  async #count([query, upTo]: QueryArgs["count"], options: ReadOptions | undefined): Promise<Read<number>> {
    checkUpTo(upTo);
    const translated = this.#asked(query);
    return translated ? this.#datastore.count(translated, upTo, options) : { result: 0, readTime: "" };
  }

  async #total([query, property]: QueryArgs["total"], options: ReadOptions | undefined): Promise<Read<Total>> {
    const translated = this.#asked(totalQuery(query, property));
    return translated
      ? this.#datastore.total(translated, property, options)
      : { result: { sum: 0, average: undefined }, readTime: "" };
  }

  #asked(query: Omit<Query, "limit" | "after">): ReturnType<typeof datastoreQuery> {
    return datastoreQuery(this.#datastore, planQuery(this.kind(query.kind), query), query);
  }

  /** Returns Datastore's cursor from one of ours. */
  async #placeIn(query: Query, cursor: string): Promise<string> {
    const [place] = openCursor(await this.#cursorKey(), query, cursor).values;
    return String(place);
  }
}
