import type { Key, Page, Query, Total } from "../../contract.ts";
import { openCursor, sealCursor } from "../../cursor.ts";
import { kindOf, type Kind, type Kinds } from "../../definitions.ts";
import { isStorableId } from "../../document.ts";
import { checkLimit, checkUpTo, planQuery } from "../../query-plan.ts";
import type { Datastore, ReadOptions } from "./datastore.ts";
import { datastoreQuery, findDocuments } from "./query.ts";
import { documentOf, isExpired, type EntityResult } from "./stored-document.ts";
import type { Document } from "../../contract.ts";
import { totalQuery } from "../../total.ts";

/** Something that was read, and the moment whose state it shows; "" where nothing had to be asked. */
export interface Read<T> {
  readonly result: T;
  readonly readTime: string;
}

interface ReadParts {
  readonly datastore: Datastore;
  readonly kinds: Kinds;
  readonly cursorKey: () => Promise<Uint8Array>;
}

/** Reads documents as they are, or as they were at the moment or in the transaction that the options name. */
export class Reads {
  readonly #datastore: Datastore;
  readonly #kinds: Kinds;
  readonly #cursorKey: () => Promise<Uint8Array>;

  constructor({ datastore, kinds, cursorKey }: ReadParts) {
    this.#datastore = datastore;
    this.#kinds = kinds;
    this.#cursorKey = cursorKey;
  }

  /** Fails with `document` where there is no kind of the name. */
  kind(name: string): Kind {
    return kindOf(this.#kinds, name);
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

  async query(query: Query, options?: ReadOptions): Promise<Read<Page>> {
    checkLimit(query.limit);
    const plan = planQuery(this.kind(query.kind), query);
    const after = query.after === undefined ? undefined : await this.#placeIn(query, query.after);
    const asked = datastoreQuery(this.#datastore, plan, query);
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

  async count(
    query: Omit<Query, "limit" | "after">,
    upTo: number | undefined,
    options?: ReadOptions,
  ): Promise<Read<number>> {
    checkUpTo(upTo);
    const asked = datastoreQuery(this.#datastore, planQuery(this.kind(query.kind), query), query);
    if (asked === undefined) return { result: 0, readTime: "" };
    const { count, readTime } = await this.#datastore.count(asked, upTo, options);
    return { result: count, readTime };
  }

  async total(query: Omit<Query, "limit" | "after">, property: string, options?: ReadOptions): Promise<Read<Total>> {
    const sorted = totalQuery(query, property);
    const asked = datastoreQuery(this.#datastore, planQuery(this.kind(query.kind), sorted), sorted);
    if (asked === undefined) return { result: { sum: 0, average: undefined }, readTime: "" };
    return this.#datastore.total(asked, property, options);
  }

  /** Datastore's cursor in one of ours. */
  async #placeIn(query: Query, cursor: string): Promise<string> {
    const [place] = openCursor(await this.#cursorKey(), query, cursor).values;
    return String(place);
  }
}
