import type { Document, Key, Page, Query, Total } from "../../contract.ts";
import { openCursor, sealCursor } from "../../cursor.ts";
import { kindOf, outdatedProperty, unfitProperty, type Kind, type Kinds } from "../../definitions.ts";
import { encodeDocument, isStorableId, type EncodedDocument } from "../../document.ts";
import type { Encoder } from "../../pending-writes.ts";
import type { QueryResults, QueryArgs, QueryOperation } from "../../query-operations.ts";
import {
  checkLimit,
  checkUpTo,
  fillingError,
  needsCurrentDocuments,
  outdatedDocumentsQuery,
  planQuery,
  typedProperties,
  unfitDocumentsQuery,
  unfitError,
  type Plan,
} from "../../query-plan.ts";
import type { Datastore, Read, ReadOptions } from "./datastore.ts";
import { indexName } from "./index-names.ts";
import { mayHaveUnfit, unfilledIndexes, type IndexRegistry } from "./index-registry.ts";
import { datastoreQuery, findDocuments, type DocumentWithCursor } from "./query.ts";
import { documentOf, isExpired, type EntityResult } from "./stored-document.ts";
import { totalQuery } from "../../total.ts";
import type { Fields } from "../../values.ts";

/** A query and its translation, which is undefined if no document can match. */
interface PlannedQuery {
  readonly plan: Plan;
  readonly translated: ReturnType<typeof datastoreQuery>;
}

interface ReadParts {
  readonly datastore: Datastore;
  readonly kinds: Kinds;
  readonly indexes: IndexRegistry;
  readonly fill: (kind: string) => void;
  readonly cursorKey: () => Promise<Uint8Array>;
}

/** Reads documents in their current state, or in the snapshot that the options select. */
export class Reads implements Encoder {
  readonly #datastore: Datastore;
  readonly #kinds: Kinds;
  readonly #indexes: IndexRegistry;
  readonly #fill: ReadParts["fill"];
  readonly #cursorKey: () => Promise<Uint8Array>;
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

  constructor({ datastore, kinds, indexes, fill, cursorKey }: ReadParts) {
    this.#datastore = datastore;
    this.#kinds = kinds;
    this.#indexes = indexes;
    this.#fill = fill;
    this.#cursorKey = cursorKey;
  }

  /** Returns a kind. Throws a PlatformError `document` if the kind is not defined. */
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

  /** Returns a stored entity's document, unless it has expired. */
  documentOf(stored: EntityResult | undefined): Document | undefined {
    return stored === undefined || isExpired(stored, this.#datastore.now()) ? undefined : documentOf(stored);
  }

  /** Runs a query without checking for outdated or unfit documents, which its result may lack. */
  async findUnchecked(query: Query, options: ReadOptions): Promise<readonly Document[]> {
    const { translated } = await this.#plan(query);
    if (translated === undefined) return [];
    const matches = await findDocuments(this.#datastore, translated, query.limit, {
      after: undefined,
      readOptions: options,
    });
    return matches.documents.map(({ document }) => document);
  }

  async #query([query]: QueryArgs["query"], options: ReadOptions | undefined): Promise<Read<Page>> {
    checkLimit(query.limit);
    const { plan, translated } = await this.#plan(query);
    const after = query.after === undefined ? undefined : await this.#placeIn(query, query.after);
    if (translated === undefined) return { result: { documents: [] }, readTime: "" };
    const matches = await findDocuments(this.#datastore, translated, query.limit + 1, { after, readOptions: options });
    await this.#requireFitting(plan, query, matches, options);
    const documents = matches.documents.slice(0, query.limit).map(({ document }) => document);
    const last = matches.documents[query.limit - 1];
    if (matches.documents.length <= query.limit || last === undefined)
      return { result: { documents }, readTime: matches.readTime };
    const next = await this.#cursorAfter(query, last);
    return { result: { documents, next }, readTime: matches.readTime };
  }

  async #count([query, upTo]: QueryArgs["count"], options: ReadOptions | undefined): Promise<Read<number>> {
    checkUpTo(upTo);
    const { plan, translated } = await this.#plan(query);
    if (translated === undefined) return { result: 0, readTime: "" };
    const count = await this.#datastore.count(translated, upTo, options);
    await this.#requireFitting(plan, query, count, options);
    return count;
  }

  async #total([query, property]: QueryArgs["total"], options: ReadOptions | undefined): Promise<Read<Total>> {
    const summed = totalQuery(query, property);
    const { plan, translated } = await this.#plan(summed);
    if (translated === undefined) return { result: { sum: 0, average: undefined }, readTime: "" };
    const total = await this.#datastore.total(translated, property, options);
    await this.#requireFitting(plan, summed, total, options);
    return total;
  }

  /**
   * Plans a query. While an index that it uses lacks documents, starts to fill the index and throws a PlatformError
   * `filling`.
   */
  async #plan(query: Omit<Query, "limit" | "after">): Promise<PlannedQuery> {
    const plan = planQuery(this.kind(query.kind), query);
    const { kind } = plan;
    const names = indexesOf(plan);
    if (names.length > 0 && unfilledIndexes(await this.#indexes.current(), kind.kind, names).length > 0) {
      this.#fill(kind.kind);
      throw fillingError(kind);
    }
    return { plan, translated: datastoreQuery(this.#datastore, plan, query) };
  }

  /**
   * Throws a PlatformError `filling` if the result may lack documents that were outdated in its snapshot, and `unfit`
   * if a document does not fit a property's type.
   */
  async #requireFitting(
    plan: Plan,
    query: Pick<Query, "filters">,
    { readTime }: Pick<Read<unknown>, "readTime">,
    options: ReadOptions | undefined,
  ): Promise<void> {
    const moment = options ?? (readTime === "" ? undefined : { readTime });
    const translate = (asked: Omit<Query, "limit" | "after">) =>
      datastoreQuery(this.#datastore, planQuery(plan.kind, asked), asked);
    const outdated = needsCurrentDocuments(plan) ? translate(outdatedDocumentsQuery(plan.kind)) : undefined;
    if (outdated !== undefined && (await this.#datastore.count(outdated, 1, moment)).result > 0)
      throw fillingError(plan.kind);
    if (typedProperties(plan).length === 0) return;
    const registered = await this.#indexes.current();
    for (const property of typedProperties(plan)) {
      const index = plan.kind.indexed.get(unfitProperty(property));
      if (index === undefined || !mayHaveUnfit(registered, plan.kind.kind, indexName(index))) continue;
      const unfit = translate(unfitDocumentsQuery(plan.kind, property, query));
      if (unfit === undefined) continue;
      const found = await findDocuments(this.#datastore, unfit, 1, { after: undefined, readOptions: moment });
      for (const { document } of found.documents) throw unfitError(plan.kind, property, document.id);
    }
  }

  async #cursorAfter(query: Query, { document, cursor }: DocumentWithCursor): Promise<string> {
    return sealCursor(await this.#cursorKey(), query, { values: [cursor], id: document.id });
  }

  /** Extracts Datastore's cursor from one of fw's cursors. */
  async #placeIn(query: Query, cursor: string): Promise<string> {
    const [place] = openCursor(await this.#cursorKey(), query, cursor).values;
    return String(place);
  }
}

/** Returns the names of the indexes that a query uses. */
function indexesOf(plan: Plan): readonly string[] {
  const { kind, compared, orders } = plan;
  if (kind.framework) return [];
  const names = [...compared, ...orders.map(({ property }) => property)];
  const allNames = [
    ...names,
    ...typedProperties(plan).map(unfitProperty),
    ...(needsCurrentDocuments(plan) ? [outdatedProperty] : []),
  ];
  return allNames.flatMap((name) => {
    const property = kind.indexed.get(name);
    return property === undefined || property.key ? [] : [indexName(property)];
  });
}
