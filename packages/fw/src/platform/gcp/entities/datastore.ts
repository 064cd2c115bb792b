import { systemClock } from "../../clock.ts";
import type { Clock, Key, Total } from "../../contract.ts";
import { PlatformError } from "../../errors.ts";
import type { Lifetime } from "../../lifetime.ts";
import type { CloudLocation } from "../cloud-location.ts";
import type { CloudClient } from "../rest/client.ts";
import { CloudError } from "../rest/cloud-error.ts";
import type { Endpoint } from "../rest/endpoints.ts";
import type {
  Aggregation,
  EntityResult,
  Key as DatastoreKey,
  Methods,
  Mutation,
  Query,
  QueryResultBatch,
} from "../rest/generated/datastore.ts";
import type { WithFields } from "../rest/with-fields.ts";
import { isLastAttempt, pauseAfter } from "./commit-retry.ts";
import type { Properties } from "./datastore-values.ts";

export type { Mutation };

/**
 * The snapshot that a read sees: at a point in time, or in an existing or a new transaction. Without options, a read
 * sees the latest state.
 */
export type ReadOptions =
  | { readonly readTime: string }
  | { readonly transaction: string }
  | { readonly newTransaction: { readonly readWrite: object } };

/** A read's result and the time of its snapshot; "" if no request was needed. */
export interface Read<T> {
  readonly result: T;
  readonly readTime: string;
}

export interface LookupResult {
  readonly results: readonly (EntityResult | undefined)[];
  readonly readTime: string;
  readonly transaction: string;
}

/** A commit's mutations, and the Datastore transaction of its reads, if any. */
export type CommitRequest = WithFields<Pick<Methods["commit"]["request"], "mutations" | "transaction">, "mutations">;

/** The maximum number of keys in a lookup. The longest possible keys take 9 MiB of JSON; a request may have 10 MiB. */
const lookupKeys = 1_000;

/** The clock skew, in milliseconds, beyond which this process follows the store's clock instead of its own. */
const trustedSkewMs = 2_000;

export interface StoreTime {
  /** Milliseconds that the store's clock is ahead of this machine's. */
  skew: number;
}

export interface DatastoreCloud {
  readonly client: Pick<CloudClient, "call">;
  readonly clock: Clock;
  readonly lifetime?: Lifetime;
  readonly endpointOf?: (api: "datastore") => Pick<Endpoint, "emulated">;
}

/** A Datastore API client for one database. */
export class Datastore {
  readonly #cloud: DatastoreCloud;
  readonly #place: Pick<CloudLocation, "project" | "database">;
  readonly #time: StoreTime;

  constructor(
    cloud: DatastoreCloud,
    place: Pick<CloudLocation, "project" | "database">,
    time: StoreTime = { skew: 0 },
  ) {
    this.#cloud = cloud;
    this.#place = place;
    this.#time = time;
  }

  get clock(): Clock {
    return this.#cloud.clock;
  }

  get lifetime(): Lifetime | undefined {
    return this.#cloud.lifetime;
  }

  /** Whether the client uses Google's emulator. */
  get isEmulated(): boolean {
    return this.#cloud.endpointOf?.("datastore").emulated === true;
  }

  /**
   * Returns the current time. Follows the store's clock if this machine's is off, so that all instances agree on
   * expiry.
   */
  now(): number {
    return this.#cloud.clock.now() + this.#time.skew;
  }

  keyOf({ kind, id }: Key): DatastoreKey {
    const { project: projectId, database: databaseId } = this.#place;
    return { partitionId: { projectId, databaseId }, path: [{ kind, name: id }] };
  }

  /** Looks up any number of keys in one snapshot, at the first response's time or in its transaction. */
  async lookup(keys: readonly Key[], readOptions?: ReadOptions): Promise<LookupResult> {
    const byName = new Map<string, EntityResult>();
    let remaining: readonly DatastoreKey[] = keys.map((key) => this.keyOf(key));
    let options = readOptions;
    let first: Omit<LookupResult, "results"> | undefined;
    while (first === undefined || remaining.length > 0) {
      const batch = remaining.slice(0, lookupKeys);
      const body = { keys: batch, ...(options && { readOptions: options }) };
      const { deferred = [], ...answer } = await this.#call("lookup", body);
      if (deferred.length > 0 && deferred.length === batch.length)
        throw new PlatformError("unreachable", "Datastore has deferred all requested documents");
      for (const result of answer.found ?? []) byName.set(nameOf(result.entity?.key), result);
      first ??= { readTime: answer.readTime ?? "", transaction: answer.transaction ?? "" };
      const transaction = first.transaction || (options && "transaction" in options ? options.transaction : "");
      options = transaction === "" ? { readTime: first.readTime } : { transaction };
      remaining = [...deferred, ...remaining.slice(lookupKeys)];
    }
    this.#learn(first.readTime);
    return { results: keys.map((key) => byName.get(nameOf(this.keyOf(key)))), ...first };
  }

  async query(query: Query, readOptions?: ReadOptions): Promise<QueryResultBatch> {
    const body = { partitionId: this.#partition(), query, ...(readOptions && { readOptions }) };
    return (await this.#call("runQuery", body)).batch ?? {};
  }

  async count(query: Query, upTo: number | undefined, readOptions?: ReadOptions): Promise<Read<number>> {
    const count = upTo === undefined ? {} : { upTo: String(upTo) };
    const { result, readTime } = await this.#aggregate(query, [{ alias: "n", count }], readOptions);
    return { result: Number(result["n"]?.integerValue), readTime };
  }

  /** Returns the sum and average of the numbers in property `name` of the matching documents. */
  async total(query: Query, name: string, readOptions?: ReadOptions): Promise<Read<Total>> {
    const property = { name };
    const aggregations = [
      { alias: "sum", sum: { property } },
      { alias: "avg", avg: { property } },
    ];
    const { result, readTime } = await this.#aggregate(query, aggregations, readOptions);
    const { sum = {}, avg = {} } = result;
    const average = avg.doubleValue === undefined ? undefined : Number(avg.doubleValue);
    const integerSum = average !== undefined && sum.integerValue !== undefined ? BigInt(sum.integerValue) : undefined;
    return { result: { sum: integerSum ?? Number(sum.doubleValue ?? 0), average }, readTime };
  }

  async #aggregate(
    nestedQuery: Query,
    aggregations: readonly Aggregation[],
    readOptions: ReadOptions | undefined,
  ): Promise<Read<Properties>> {
    const aggregationQuery = { nestedQuery, aggregations };
    const body = { partitionId: this.#partition(), aggregationQuery, ...(readOptions && { readOptions }) };
    const { batch } = await this.#call("runAggregationQuery", body);
    return { result: batch?.aggregationResults?.[0]?.aggregateProperties ?? {}, readTime: batch?.readTime ?? "" };
  }

  /** Rejects with the CloudError, which only the caller can interpret. */
  async commit({ mutations, transaction }: CommitRequest): Promise<readonly string[]> {
    const single = { singleUseTransaction: { readWrite: {} } };
    const how =
      transaction === undefined && mutations.length === 1
        ? { mode: "NON_TRANSACTIONAL" as const }
        : { mode: "TRANSACTIONAL" as const, ...(transaction === undefined ? single : { transaction }) };
    const { mutationResults = [] } = await this.#ask("commit", { ...how, mutations }, false);
    return mutationResults.map(({ version = "" }) => version);
  }

  /** Writes documents unless their versions differ from the versions in the mutations. */
  async rewrite(mutations: readonly Mutation[]): Promise<void> {
    const how = mutations.length === 1 ? "NON_TRANSACTIONAL" : "TRANSACTIONAL";
    const single = how === "TRANSACTIONAL" && { singleUseTransaction: { readWrite: {} } };
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#ask("commit", { mode: how, ...single, mutations }, true);
        return;
      } catch (error) {
        const isContention = error instanceof CloudError && error.code === "ABORTED";
        if (!isContention || isLastAttempt(this, attempt)) throw platformError(error);
      }
      await pauseAfter(this, attempt);
    }
  }

  /** Deletes a document. Its key must never be reused, so that retries are idempotent. */
  async delete(key: Key): Promise<void> {
    const mutations = [{ delete: this.keyOf(key) }];
    await this.#ask("commit", { mode: "NON_TRANSACTIONAL", mutations }, true, ({ code }) => code === "ABORTED");
  }

  async begin(): Promise<string> {
    const options = { transactionOptions: { readWrite: {} } };
    const { transaction = "" } = await this.#call("beginTransaction", options);
    return transaction;
  }

  /** Releases a transaction's locks. Ignores errors, because Datastore ends an abandoned transaction itself. */
  async rollback(transaction: string): Promise<void> {
    await this.#ask("rollback", { transaction }, true).catch(() => {});
  }

  #partition(): NonNullable<DatastoreKey["partitionId"]> {
    return { projectId: this.#place.project, databaseId: this.#place.database };
  }

  /** Sends a request that is safe to repeat. Rejects with a PlatformError. */
  async #call<Name extends keyof Methods>(
    method: Name,
    body: Methods[Name]["request"],
  ): Promise<Methods[Name]["answer"]> {
    try {
      return await this.#ask(method, body, true);
    } catch (error) {
      throw platformError(error);
    }
  }

  #ask<Name extends keyof Methods>(
    method: Name,
    body: Methods[Name]["request"],
    repeatable: boolean,
    alsoRetry?: (error: CloudError) => boolean,
  ): Promise<Methods[Name]["answer"]> {
    const path = `/v1/projects/${this.#place.project}:${method}`;
    const { database: databaseId } = this.#place;
    return this.#cloud.client.call({
      api: "datastore",
      method: "POST",
      path,
      body: { databaseId, ...body },
      repeatable,
      ...(alsoRetry && { alsoRetry }),
    });
  }

  /** Updates the clock skew from the time of a snapshot. Has no effect with a test's clock. */
  #learn(readTime: string): void {
    if (this.clock !== systemClock) return;
    const skew = Date.parse(readTime) - Date.now();
    this.#time.skew = Math.abs(skew) > trustedSkewMs ? skew : 0;
  }
}

/**
 * Converts a Datastore error to a platform error; other errors pass through. `subject` names the document or query of a
 * conflict.
 */
export function platformError(error: unknown, subject?: string): unknown {
  if (!(error instanceof CloudError)) return error;
  const { code, message } = error;
  if (code === "ABORTED") return new PlatformError("conflict", `a concurrent write conflicts (${message})`, subject);
  if (code === "PERMISSION_DENIED" || code === "UNAUTHENTICATED") return new PlatformError("denied", message);
  if (code === "FAILED_PRECONDITION")
    return new PlatformError("index", `${message}; building an index takes some minutes`);
  if (code === "RESOURCE_EXHAUSTED") return new PlatformError("busy", message);
  if (code === "INVALID_ARGUMENT")
    return new PlatformError(
      /maximum entity size|too big|too large/i.test(message) ? "too-large" : "document",
      message,
    );
  return new PlatformError("unreachable", message);
}

function nameOf({ path }: DatastoreKey = {}): string {
  return JSON.stringify([path?.[0]?.kind, path?.[0]?.name]);
}

/** Makes a write conditional on this version (compare-and-set). */
export function onlyOver(baseVersion = ""): Pick<Mutation, "baseVersion" | "conflictResolutionStrategy"> {
  return { baseVersion, conflictResolutionStrategy: "FAIL" };
}
