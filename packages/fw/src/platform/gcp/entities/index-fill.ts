import type { Lease } from "../../contract.ts";
import type { Kind, Property } from "../../definitions.ts";
import { searchedFields } from "../../../lib/derived-indexes.ts";
import { storedValues } from "../../document.ts";
import { isPlatformError } from "../../errors.ts";
import { CloudLeases } from "../leases.ts";
import type { Filter, Mutation as DatastoreMutation } from "../rest/generated/datastore.ts";
import type { DatastoreValue, Properties } from "./datastore-values.ts";
import type { Datastore } from "./datastore.ts";
import { isIndexedAt } from "./index-coverage.ts";
import { indexName, isOfProperty, registeredProperty, ruleOfIndex, unfitOfIndex } from "./index-names.ts";
import { changeRegistry, isFilled, settledMs, type IndexFilling, type RegisteredIndexes } from "./index-registry.ts";
import {
  documentOf,
  isInexact,
  markOf,
  markProperty,
  setIndexedValue,
  unfitIn,
  type EntityResult,
} from "./stored-document.ts";

/** The number of documents to read per batch in a program that does nothing else. */
const fastBatch = 100;

/** The maximum JSON size of one commit in bytes; Datastore accepts 10 MiB. */
const commitBytes = 8 * 1024 * 1024;

/** Interval at which the fill's position is recorded, in milliseconds. */
const recordMs = 5_000;

/** The duration of the lease in milliseconds: how long other processes wait if its holder dies. */
const leaseMs = 60_000;

/** Interval, in milliseconds, for checking whether another process has filled the indexes. */
const watchMs = 5_000;

export interface FillProgress {
  /** Documents read and written by this process. */
  readonly documentsRead: number;
  readonly documentsWritten: number;
}

export interface FillOptions {
  readonly signal?: AbortSignal;
  readonly batchDocuments?: number;
  readonly onProgress?: (progress: FillProgress) => void;
}

/**
 * Adds the documents of a kind to its registered indexes. Rewrites the documents that an index lacks, because Datastore
 * indexes a document only when it is written. Resumes an earlier fill. Only one process fills at a time.
 */
export async function fillIndexes(datastore: Datastore, kind: string, options: FillOptions = {}): Promise<void> {
  const { clock } = datastore;
  const leases = new CloudLeases(datastore);
  for (;;) {
    options.signal?.throwIfAborted();
    const pending = pendingIndexes(await changeRegistry(datastore, (same) => same), kind);
    if (pending.length === 0) return;
    const settled = Math.max(...pending.map(([, { since }]) => since)) + settledMs;
    if (settled > datastore.now()) {
      await clock.sleep(settled - datastore.now(), options.signal, { background: true });
      continue;
    }
    const lease = await leases.acquire(`fill ${kind}`, leaseMs);
    if (lease === undefined) {
      await clock.sleep(watchMs, options.signal, { background: true });
      continue;
    }
    try {
      await fillPending(datastore, kind, pending, { ...options, lease });
    } catch (error) {
      // Another process is continuing the fill.
      if (!isPlatformError(error, "lease")) throw error;
    } finally {
      await lease.release().catch(() => {});
    }
  }
}

type PendingIndex = readonly [name: string, filling: IndexFilling];

function pendingIndexes({ kinds }: RegisteredIndexes, kind: string): readonly PendingIndex[] {
  return Object.entries(kinds[kind]?.indexes ?? {}).flatMap(([name, state]) =>
    isFilled(state) ? [] : [[name, state]],
  );
}

async function fillPending(
  datastore: Datastore,
  kind: string,
  pending: readonly PendingIndex[],
  { signal, onProgress, batchDocuments = fastBatch, lease: acquired }: FillOptions & { readonly lease: Lease },
): Promise<void> {
  const { clock } = datastore;
  let lease = acquired;
  let after = pending.map(([, filling]) => filling.after).toSorted(byBytes)[0] ?? "";
  let [readCount, writeCount, recordTime] = [0, 0, clock.elapsed()];
  const missing = missingIndexes(
    kind,
    pending.map(([name]) => name),
  );
  for (;;) {
    signal?.throwIfAborted();
    const results = await documentsAfter(datastore, kind, after, batchDocuments);
    const mutations = results.flatMap((result) => mutationOf(result, missing));
    for (const batch of batches(mutations)) await datastore.rewrite(batch);
    readCount += results.length;
    writeCount += mutations.length;
    after = idOf(results.at(-1)) ?? after;
    onProgress?.({ documentsRead: readCount, documentsWritten: writeCount });
    if (results.length < batchDocuments) break;
    if (clock.elapsed() - recordTime < recordMs && signal?.aborted !== true) continue;
    recordTime = clock.elapsed();
    lease = await lease.renew(leaseMs);
    await record(datastore, kind, pending, after);
  }
  await record(datastore, kind, pending, undefined);
}

/**
 * Records the position of a fill, or its completion. An index that was registered again in the meantime starts over.
 */
async function record(
  datastore: Datastore,
  kind: string,
  pending: readonly PendingIndex[],
  after: string | undefined,
): Promise<void> {
  await changeRegistry(datastore, (registered) => {
    const registeredKind = registered.kinds[kind];
    const indexes = Object.entries(registeredKind?.indexes ?? {}).map(([name, state]) => {
      const filling = pending.find(([pendingName]) => pendingName === name)?.[1];
      if (isFilled(state) || filling === undefined || filling.since !== state.since) return [name, state] as const;
      return [name, after === undefined ? true : { since: state.since, after }] as const;
    });
    return { kinds: { ...registered.kinds, [kind]: { ...registeredKind, indexes: Object.fromEntries(indexes) } } };
  });
}

interface MissingIndexes {
  readonly kind: Kind;
  readonly rules: readonly string[];
  readonly unfit: readonly Property[];
}

function missingIndexes(kind: string, names: readonly string[]): MissingIndexes {
  const properties = names.filter(isOfProperty).map(registeredProperty);
  const indexed = new Map(properties.map((property) => [property.name, property]));
  return {
    kind: { kind, properties: [], composites: [], indexed, unique: [] },
    rules: names.flatMap((name) => ruleOfIndex(name) ?? []),
    unfit: names.flatMap((name) => unfitOfIndex(name) ?? []),
  };
}

/**
 * Returns the mutation that adds a document to the indexes that lack it, if any do. It applies only to the version that
 * was read, because later writes maintain the indexes themselves.
 */
function mutationOf(result: EntityResult, missing: MissingIndexes): readonly DatastoreMutation[] {
  const { entity, version } = result;
  const properties = reindexed(result, missing);
  return properties === undefined ? [] : [{ update: { ...entity, properties }, baseVersion: version ?? "" }];
}

function reindexed(result: EntityResult, { kind, rules, unfit }: MissingIndexes): Properties | undefined {
  const { id, fields } = documentOf(result);
  let properties: Properties = result.entity?.properties ?? {};
  const before = properties;
  for (const [name, values] of storedValues(kind, id, fields)) {
    const path = name.split(".");
    if (isIndexedAt(properties, path)) continue;
    const isDerived = isInexact(result) || searchedFields(name) !== undefined;
    properties = isDerived ? setIndexedValue(properties, path, values) : withIndex(properties, path);
  }
  const missingRules = rules.filter((rule) => !markOf(result, "outdated").includes(rule));
  if (missingRules.length > 0)
    properties = { ...properties, ...markProperty("outdated", [...markOf(result, "outdated"), ...missingRules]) };
  const marks = markOf(result, "unfit");
  const missingMarks = unfitIn(unfit, fields)
    .map(indexName)
    .filter((name) => !marks.includes(name));
  if (missingMarks.length > 0) properties = { ...properties, ...markProperty("unfit", [...marks, ...missingMarks]) };
  return properties === before ? undefined : properties;
}

/** Returns the properties with the value at a path marked as indexed. */
function withIndex(properties: Properties, [name = "", ...rest]: readonly string[]): Properties {
  const value = properties[name];
  if (value === undefined) return properties;
  const indexed = withoutExclusion(value);
  return { ...properties, [name]: rest.length > 0 ? withIndexBelow(indexed, rest) : withIndexedElements(indexed) };
}

function withIndexBelow(value: DatastoreValue, path: readonly string[]): DatastoreValue {
  return {
    ...value,
    entityValue: { ...value.entityValue, properties: withIndex(value.entityValue?.properties ?? {}, path) },
  };
}

function withIndexedElements(value: DatastoreValue): DatastoreValue {
  const { values } = value.arrayValue ?? {};
  return values === undefined ? value : { ...value, arrayValue: { values: values.map(withoutExclusion) } };
}

function withoutExclusion(value: DatastoreValue): DatastoreValue {
  const { excludeFromIndexes: _, ...indexed } = value;
  return indexed;
}

async function documentsAfter(
  datastore: Datastore,
  kind: string,
  after: string,
  limit: number,
): Promise<readonly EntityResult[]> {
  const results: EntityResult[] = [];
  for (let last = after; results.length < limit;) {
    const batch = await datastore.query({
      kind: [{ name: kind }],
      ...(last !== "" && { filter: keysAfter(datastore, kind, last) }),
      order: [{ property: { name: "__key__" }, direction: "ASCENDING" }],
      limit: limit - results.length,
    });
    const { entityResults = [], moreResults } = batch;
    results.push(...entityResults);
    last = idOf(entityResults.at(-1)) ?? last;
    if (entityResults.length === 0 || moreResults === "NO_MORE_RESULTS") break;
  }
  return results;
}

/** Returns the filter for documents after an id, in the order of a fill. */
export function keysAfter(datastore: Datastore, kind: string, id: string): Filter {
  const value = { keyValue: datastore.keyOf({ kind, id }) };
  return { propertyFilter: { property: { name: "__key__" }, op: "GREATER_THAN", value } };
}

function* batches(mutations: readonly DatastoreMutation[]): Generator<readonly DatastoreMutation[]> {
  let batch: DatastoreMutation[] = [];
  let bytes = 0;
  for (const mutation of mutations) {
    const size = Buffer.byteLength(JSON.stringify(mutation));
    if (bytes + size > commitBytes && batch.length > 0) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(mutation);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

function idOf(result: EntityResult | undefined): string | undefined {
  return result?.entity?.key?.path?.[0]?.name;
}

export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
