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

/** Reads documents as they are, or as they were at the moment or in the transaction that the options name. */
export class Reads implements Encoder {
  readonly #datastore: Datastore;
  readonly #kinds: Kinds;
  readonly #cursorKey: () => Promise<Uint8Array>;
  /** Asks questions. */
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

  /** Fails with `document` where there is no kind of the name. */
  kind(name: string): Kind {
    return kindOf(this.#kinds, name);
  }

  check(kind: string): void {
    this.kind(kind);
  }

  encode(key: Key, fields: Fields): EncodedDocument {
    return encodeDocument(this.kind(key.kind), key, fields);
  }

  /** What is stored under the keys, expired or not. */
  async stored(keys: readonly Key[], options?: ReadOptions): Promise<Read<readonly (EntityResult | undefined)[]>> {
    for (const { kind } of keys) this.kind(kind);
    const possible = keys.filter(({ id }) => isStorableId(id));
    if (possible.length === 0) return { result: keys.map(() => undefined), readTime: "" };
    const { found, readTime } = await this.#datastore.lookup(possible, options);
    const byKey = new Map(possible.map((key, i) => [key, found[i]]));
    return { result: keys.map((key) => byKey.get(key)), readTime };
  }

  /** The document of what is stored, unless it has expired. */
  documentOf(stored: EntityResult | undefined): Document | undefined {
    return stored === undefined || isExpired(stored, this.#datastore.now()) ? undefined : documentOf(stored);
  }

  async #query([query]: QueryArgs["query"], options: ReadOptions | undefined): Promise<Read<Page>> {
    checkLimit(query.limit);
    const asked = this.#asked(query);
    const after = query.after === undefined ? undefined : await this.#placeIn(query, query.after);
    if (asked === undefined) return { result: { documents: [] }, readTime: "" };
    const found = await findDocuments(this.#datastore, asked, query.limit + 1, { after, readOptions: options });
    const page = found.documents.slice(0, query.limit);
    const documents = page.map(({ document }) => document);
    const last = page.at(-1);
    if (found.documents.length <= query.limit || last === undefined)
      return { result: { documents }, readTime: found.readTime };
    const position = { values: [last.place], id: last.document.id };
    const next = sealCursor(await this.#cursorKey(), query, position);
    return { result: { documents, next }, readTime: found.readTime };
  }

  async #count([query, upTo]: QueryArgs["count"], options: ReadOptions | undefined): Promise<Read<number>> {
    checkUpTo(upTo);
    const asked = this.#asked(query);
    return asked ? this.#datastore.count(asked, upTo, options) : { result: 0, readTime: "" };
  }

  async #total([query, property]: QueryArgs["total"], options: ReadOptions | undefined): Promise<Read<Total>> {
    const asked = this.#asked(totalQuery(query, property));
    return asked
      ? this.#datastore.total(asked, property, options)
      : { result: { sum: 0, average: undefined }, readTime: "" };
  }

  #asked(query: Omit<Query, "limit" | "after">): ReturnType<typeof datastoreQuery> {
    return datastoreQuery(this.#datastore, planQuery(this.kind(query.kind), query), query);
  }

  /** Datastore's cursor in one of ours. */
  async #placeIn(query: Query, cursor: string): Promise<string> {
    const [place] = openCursor(await this.#cursorKey(), query, cursor).values;
    return String(place);
  }
}
