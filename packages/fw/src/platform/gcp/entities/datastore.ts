import { systemClock } from "../../clock.ts";
import type { Clock, Key, Total } from "../../contract.ts";
import { PlatformError } from "../../errors.ts";
import type { Lifetime } from "../../lifetime.ts";
import type { Cloud } from "../cloud.ts";
import type { Place } from "../place.ts";
import { CloudError } from "../rest/cloud-error.ts";
import type {
  Aggregation,
  EntityResult,
  Key as DatastoreKey,
  Methods,
  Mutation,
  Query,
  QueryResultBatch,
} from "../rest/generated/datastore.ts";
import type { Given } from "../rest/given.ts";
import type { Properties } from "./datastore-values.ts";

export type { Mutation };

/** What a read sees: the newest state, that of a moment, or that of a transaction. */
export type ReadOptions =
  | { readonly readTime: string }
  | { readonly transaction: string }
  | { readonly newTransaction: { readonly readWrite: object } };

/** Something that was read, and the moment whose state it shows; "" where nothing had to be asked. */
export interface Read<T> {
  readonly result: T;
  readonly readTime: string;
}

/** Documents by key, as they were at a moment. */
export interface Looked {
  readonly found: readonly (EntityResult | undefined)[];
  readonly readTime: string;
  readonly transaction: string;
}

/** What is committed: in a transaction that has read, or by itself. */
export type CommitRequest = Given<Pick<Methods["commit"]["request"], "mutations" | "transaction">, "mutations">;

/** Keys of one lookup, at most. The longest of them are 9 MiB of JSON, within the 10 MiB of a request. */
const lookupKeys = 1_000;

/** Milliseconds by which the clock of this machine may be off before that of the store counts. */
const trustedSkewMs = 2_000;

/** What is known of the store's clock. */
export interface StoreTime {
  /** Milliseconds by which it is ahead of this machine's. */
  skew: number;
}

/** The methods of the Datastore API that fw calls, for one database. */
export class Datastore {
  readonly #cloud: Cloud;
  readonly #place: Place;
  readonly #time: StoreTime;

  constructor(cloud: Cloud, place: Place, time: StoreTime = { skew: 0 }) {
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

  /** Whether an emulator of Google's stands in for it. */
  get isEmulated(): boolean {
    return this.#cloud.endpointOf("datastore").emulated;
  }

  /** The time, by the store's clock where this machine's is wrong: what ends for one instance has ended for all. */
  now(): number {
    return this.#cloud.clock.now() + this.#time.skew;
  }

  keyOf({ kind, id }: Key): DatastoreKey {
    const { project: projectId, database: databaseId } = this.#place;
    return { partitionId: { projectId, databaseId }, path: [{ kind, name: id }] };
  }

  /** Of as many keys as it takes, all as of one moment: as that of the first answer, or in its transaction. */
  async lookup(keys: readonly Key[], readOptions?: ReadOptions): Promise<Looked> {
    const found = new Map<string, EntityResult>();
    let wanted: readonly DatastoreKey[] = keys.map((key) => this.keyOf(key));
    let options = readOptions;
    let first: Omit<Looked, "found"> | undefined;
    while (first === undefined || wanted.length > 0) {
      const asked = wanted.slice(0, lookupKeys);
      const body = { keys: asked, ...(options && { readOptions: options }) };
      const { deferred = [], ...answer } = await this.#call("lookup", body, true);
      if (deferred.length > 0 && deferred.length === asked.length)
        throw new PlatformError("unreachable", "Datastore has put off all documents that were asked for");
      for (const result of answer.found ?? []) found.set(nameOf(result.entity?.key), result);
      first ??= { readTime: answer.readTime ?? "", transaction: answer.transaction ?? "" };
      const transaction = first.transaction || (options && "transaction" in options ? options.transaction : "");
      options = transaction === "" ? { readTime: first.readTime } : { transaction };
      wanted = [...deferred, ...wanted.slice(lookupKeys)];
    }
    this.#learn(first.readTime);
    return { found: keys.map((key) => found.get(nameOf(this.keyOf(key)))), ...first };
  }

  async query(query: Query, readOptions?: ReadOptions): Promise<QueryResultBatch> {
    const body = { partitionId: this.#partition(), query, ...(readOptions && { readOptions }) };
    return (await this.#call("runQuery", body, true)).batch ?? {};
  }

  async count(query: Query, upTo: number | undefined, readOptions?: ReadOptions): Promise<Read<number>> {
    const count = upTo === undefined ? {} : { upTo: String(upTo) };
    const { result, readTime } = await this.#aggregate(query, [{ alias: "n", count }], readOptions);
    return { result: Number(result["n"]?.integerValue), readTime };
  }

  /** The sum and the average of the numbers that a property has. */
  async total(query: Query, name: string, readOptions?: ReadOptions): Promise<Read<Total>> {
    const property = { name };
    const asked = [
      { alias: "sum", sum: { property } },
      { alias: "avg", avg: { property } },
    ];
    const { result, readTime } = await this.#aggregate(query, asked, readOptions);
    const { sum = {}, avg = {} } = result;
    const average = avg.doubleValue === undefined ? undefined : Number(avg.doubleValue);
    const whole = average !== undefined && sum.integerValue !== undefined ? BigInt(sum.integerValue) : undefined;
    return { result: { sum: whole ?? Number(sum.doubleValue ?? 0), average }, readTime };
  }

  async #aggregate(
    nestedQuery: Query,
    aggregations: readonly Aggregation[],
    readOptions: ReadOptions | undefined,
  ): Promise<Read<Properties>> {
    const aggregationQuery = { nestedQuery, aggregations };
    const body = { partitionId: this.#partition(), aggregationQuery, ...(readOptions && { readOptions }) };
    const { batch } = await this.#call("runAggregationQuery", body, true);
    return { result: batch?.aggregationResults?.[0]?.aggregateProperties ?? {}, readTime: batch?.readTime ?? "" };
  }

  /** Rejects with the CloudError: whoever commits knows what it means. */
  async commit({ mutations, transaction }: CommitRequest): Promise<readonly string[]> {
    const single = { singleUseTransaction: { readWrite: {} } };
    const how =
      transaction === undefined && mutations.length === 1
        ? { mode: "NON_TRANSACTIONAL" as const }
        : { mode: "TRANSACTIONAL" as const, ...(transaction === undefined ? single : { transaction }) };
    const { mutationResults = [] } = await this.#ask("commit", { ...how, mutations }, false);
    return mutationResults.map(({ version = "" }) => version);
  }

  /** Deletes a document whose key is used once, so that a repeated delete has no further effect. */
  async delete(key: Key): Promise<void> {
    const mutations = [{ delete: this.keyOf(key) }];
    await this.#ask("commit", { mode: "NON_TRANSACTIONAL", mutations }, true, ({ code }) => code === "ABORTED");
  }

  async begin(): Promise<string> {
    const options = { transactionOptions: { readWrite: {} } };
    const { transaction = "" } = await this.#call("beginTransaction", options, true);
    return transaction;
  }

  /** Lets a transaction's locks go; one that has ended has none. */
  async rollback(transaction: string): Promise<void> {
    await this.#ask("rollback", { transaction }, true).catch(() => {});
  }

  #partition(): NonNullable<DatastoreKey["partitionId"]> {
    return { projectId: this.#place.project, databaseId: this.#place.database };
  }

  async #call<Name extends keyof Methods>(
    method: Name,
    body: Methods[Name]["request"],
    repeatable: boolean,
  ): Promise<Methods[Name]["answer"]> {
    try {
      return await this.#ask(method, body, repeatable);
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

  /** A clock that was given, as tests do, is believed. */
  #learn(readTime: string): void {
    if (this.clock !== systemClock) return;
    const skew = Date.parse(readTime) - Date.now();
    this.#time.skew = Math.abs(skew) > trustedSkewMs ? skew : 0;
  }
}

/** What a refusal of Datastore means, for whoever asked the platform. `subject` is what a conflict is about. */
export function platformError(error: unknown, subject?: string): unknown {
  if (!(error instanceof CloudError)) return error;
  const { code, message } = error;
  if (code === "ABORTED") return new PlatformError("conflict", `others write at the same time (${message})`, subject);
  if (code === "PERMISSION_DENIED" || code === "UNAUTHENTICATED") return new PlatformError("denied", message);
  if (code === "FAILED_PRECONDITION")
    return new PlatformError("index", `${message}; an index is built for some minutes`);
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

/** A write that is made only where this version is the newest. */
export function onlyOver(baseVersion = ""): Pick<Mutation, "baseVersion" | "conflictResolutionStrategy"> {
  return { baseVersion, conflictResolutionStrategy: "FAIL" };
}
