import { param, Reply, type Api, type Call, type Method, type Need } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { invalid, Refusal } from "../errors.ts";
import { Database, type Mutation, type ReadAt, type StoredEntity } from "./database.ts";
import type { Query, Row } from "./query.ts";
import { averageOf, numbersAt, sumOf } from "./aggregate.ts";
import type { Key, Value } from "./values.ts";

const host = "datastore.googleapis.com";

/** Permissions by method. A commit also needs the permissions of its mutations. */
const permissions = {
  lookup: ["datastore.entities.get"],
  runQuery: ["datastore.entities.get", "datastore.entities.list"],
  runAggregationQuery: ["datastore.entities.get", "datastore.entities.list"],
  beginTransaction: ["datastore.databases.get"],
  rollback: ["datastore.databases.get"],
  commit: ["datastore.databases.get"],
} as const;

type Operation = keyof typeof permissions;

const mutationPermissions: Readonly<Record<string, readonly string[]>> = {
  insert: ["datastore.entities.create"],
  update: ["datastore.entities.update"],
  upsert: ["datastore.entities.create", "datastore.entities.update"],
  delete: ["datastore.entities.delete"],
};

interface ReadOptions {
  readonly transaction?: string;
  readonly newTransaction?: { readonly readOnly?: unknown };
  readonly readTime?: string;
}

interface Body {
  readonly databaseId?: string;
  readonly keys?: readonly Key[];
  readonly readOptions?: ReadOptions;
  readonly partitionId?: { readonly namespaceId?: string; readonly databaseId?: string };
  readonly query?: Query;
  readonly aggregationQuery?: {
    readonly nestedQuery?: Query;
    readonly aggregations?: readonly {
      readonly alias?: string;
      readonly count?: { readonly upTo?: string | number };
      readonly sum?: { readonly property?: { readonly name?: string } };
      readonly avg?: { readonly property?: { readonly name?: string } };
    }[];
  };
  readonly transactionOptions?: { readonly readOnly?: unknown };
  readonly singleUseTransaction?: unknown;
  readonly mode?: string;
  readonly mutations?: readonly Mutation[];
  readonly transaction?: string;
}

/** The size limit of a lookup response in characters; the keys beyond it are deferred. */
const answerBytes = 2 * 1024 * 1024;

/**
 * Firestore in Datastore mode with optimistic transactions. With Google's emulator as a backend, only requests and
 * grants are checked here.
 */
export class Datastore {
  readonly api: Api;
  readonly #cloud: Cloud;
  readonly #emulator: string | undefined;
  readonly #databases = new Map<string, Database>();

  constructor(cloud: Cloud, emulator: string | undefined) {
    this.#cloud = cloud;
    this.#emulator = emulator;
    const methods = (Object.keys(permissions) as Operation[]).map((name): [string, Method] => [
      `datastore.projects.${name}`,
      { needs: (call) => this.#needs(call, permissions[name]), run: (call) => this.#answer(name, call) },
    ]);
    this.api = { host, denied: () => "Missing or insufficient permissions.", methods: Object.fromEntries(methods) };
  }

  #needs(call: Call, needed: readonly string[]): Need[] {
    const { mutations = [] } = call.body as Body;
    const resource = `//${host}/projects/${this.#cloud.project.id}/databases/${databaseOf(call.body as Body) || "(default)"}`;
    const ofMutations = mutations.flatMap((one) => Object.keys(one).flatMap((kind) => mutationPermissions[kind] ?? []));
    return [...new Set([...needed, ...ofMutations])].map((permission) => ({ permission, resource }));
  }

  #answer(name: Operation, call: Call): unknown {
    if (this.#emulator !== undefined)
      return forward(`${this.#emulator}/v1/projects/${param(call, "projectId")}:${name}`, call.body);
    const body = call.body as Body;
    const id = databaseOf(body);
    const database = this.#databases.get(id) ?? new Database(() => this.#cloud.clock.now());
    this.#databases.set(id, database);
    return this[name](database, body);
  }

  /** Handles the method `lookup`. `#answer` finds each handler by the name of its method. */
  protected lookup(database: Database, { keys = [], readOptions = {} }: Body): unknown {
    if (keys.length === 0 || keys.length > 1000) throw invalid("A lookup must have between 1 and 1000 keys.");
    const { at, opened } = reading(database, readOptions);
    const distinct = [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
    const foundEntities: unknown[] = [];
    const missing: unknown[] = [];
    const deferred: unknown[] = [];
    let bytes = 0;
    for (const key of distinct) {
      const stored = bytes < answerBytes ? database.read(key, at) : undefined;
      if (bytes >= answerBytes) deferred.push(key);
      else if (stored === undefined) missing.push({ entity: { key }, version: "1" });
      else bytes += JSON.stringify(foundEntities[foundEntities.push(this.#result(stored)) - 1]).length;
    }
    return {
      ...(foundEntities.length > 0 && { found: foundEntities }),
      ...(missing.length > 0 && { missing }),
      ...(deferred.length > 0 && { deferred }),
      readTime: timeOf(database.moment(at)),
      ...opened,
    };
  }

  protected runQuery(database: Database, { query, partitionId, readOptions = {} }: Body): unknown {
    if (!query) throw new Refusal("UNIMPLEMENTED", "The fake has no GQL.");
    const { at, opened } = reading(database, readOptions);
    const all = database.query(query, partitionId?.namespaceId ?? "", at);
    const { offset = 0, limit = 300 } = query;
    const rows = all.slice(offset, offset + limit);
    const last = rows.at(-1)?.cursor ?? all[offset - 1]?.cursor ?? query.startCursor ?? "";
    const isKeyOnly = query.projection?.length === 1 && query.projection[0]?.property?.name === "__key__";
    if (query.projection?.length && !isKeyOnly)
      throw new Refusal("UNIMPLEMENTED", "The fake has no projections but of the key.");
    const more = query.limit === undefined ? "NOT_FINISHED" : "MORE_RESULTS_AFTER_LIMIT";
    return {
      batch: {
        entityResultType: isKeyOnly ? "KEY_ONLY" : "FULL",
        ...(rows.length > 0 && {
          entityResults: rows.map((row) => ({ ...this.#result(row.stored, isKeyOnly), cursor: row.cursor })),
        }),
        ...(offset > 0 && { skippedResults: Math.min(offset, all.length) }),
        endCursor: last,
        moreResults: all.length > offset + limit ? more : "NO_MORE_RESULTS",
        readTime: timeOf(database.moment(at)),
      },
      ...opened,
    };
  }

  protected runAggregationQuery(
    database: Database,
    { aggregationQuery, partitionId, readOptions = {} }: Body,
  ): unknown {
    const { nestedQuery = {}, aggregations = [] } = aggregationQuery ?? {};
    if (aggregations.length === 0) throw invalid("Aggregation query must have at least one aggregation.");
    const { at, opened } = reading(database, readOptions);
    const { offset = 0, limit = Infinity } = nestedQuery;
    const rows: Row<StoredEntity>[] = database
      .query(nestedQuery, partitionId?.namespaceId ?? "", at)
      .slice(offset, offset + limit);
    const foundEntities = aggregations.map(({ alias, count, sum, avg }, at): [string, Value] => {
      const name = alias ?? `property_${at + 1}`;
      const added = (sum ?? avg)?.property?.name;
      if (added !== undefined) {
        const values = rows.flatMap(({ stored }) => numbersAt(stored.entity, added));
        return [name, sum ? sumOf(values) : averageOf(values)];
      }
      if (!count) throw invalid("An aggregation must have an operator.");
      const most = count.upTo === undefined ? Infinity : Number(count.upTo);
      return [name, { integerValue: String(Math.min(rows.length, most)) }];
    });
    const aggregateProperties = Object.fromEntries(foundEntities);
    return {
      batch: {
        aggregationResults: [{ aggregateProperties }],
        moreResults: "NO_MORE_RESULTS",
        readTime: timeOf(database.moment(at)),
      },
      ...opened,
    };
  }

  protected beginTransaction(database: Database, { transactionOptions }: Body): unknown {
    return { transaction: database.begin(transactionOptions?.readOnly !== undefined) };
  }

  protected rollback(database: Database, { transaction = "" }: Body): unknown {
    database.rollback(transaction);
    return {};
  }

  protected commit(database: Database, { mode, mutations = [], transaction, singleUseTransaction }: Body): unknown {
    if (mode === "NON_TRANSACTIONAL" && transaction !== undefined)
      throw invalid("Transaction must not be specified for a non-transactional commit.");
    if (mode === "TRANSACTIONAL" && transaction === undefined && singleUseTransaction === undefined) {
      throw invalid("A transactional commit must have a transaction.");
    }
    if (mutations.length > 500) throw invalid("cannot write more than 500 entities in a single call");
    const single = singleUseTransaction === undefined ? undefined : database.begin(false);
    const { results, time } = database.commit(mutations, transaction ?? single);
    return {
      ...(results.length > 0 && {
        mutationResults: results.map(({ version, conflict }) => ({
          version: String(version),
          ...(conflict && { conflictDetected: true }),
          updateTime: timeOf(version),
        })),
      }),
      indexUpdates: results.length,
      commitTime: timeOf(time),
    };
  }

  #result({ entity, version, created }: StoredEntity, keyOnly = false): object {
    return {
      entity: keyOnly ? { key: entity.key } : entity,
      version: String(version),
      createTime: timeOf(created),
      updateTime: timeOf(version),
    };
  }
}

/** Formats a time in microseconds for the API. */
function timeOf(microseconds: bigint): string {
  const milliseconds = new Date(Number(microseconds / 1000n)).toISOString().slice(0, -1);
  return `${milliseconds}${String(microseconds % 1000n).padStart(3, "0")}Z`;
}

function microsecondsOf(time: string): bigint {
  const fraction = /\.(\d+)Z$/.exec(time)?.[1] ?? "";
  return BigInt(Date.parse(time.replace(/\.\d+Z$/, "Z"))) * 1000n + BigInt(fraction.padEnd(6, "0").slice(0, 6));
}

function databaseOf({ databaseId, partitionId, keys, mutations }: Body): string {
  const [key] = keys ?? [];
  const [mutation] = mutations ?? [];
  const first = key ?? mutation?.delete ?? (mutation?.insert ?? mutation?.update ?? mutation?.upsert)?.key;
  return databaseId ?? partitionId?.databaseId ?? first?.partitionId?.databaseId ?? "";
}

/** Returns the state to read, and the new transaction for the response if the read starts one. */
function reading(
  database: Database,
  { transaction, newTransaction, readTime }: ReadOptions,
): { at: ReadAt; opened: object } {
  if (readTime !== undefined) return { at: { time: microsecondsOf(readTime) }, opened: {} };
  if (!newTransaction) return { at: transaction === undefined ? {} : { transaction }, opened: {} };
  const opened = database.begin(newTransaction.readOnly !== undefined);
  return { at: { transaction: opened }, opened: { transaction: opened } };
}

async function forward(url: string, body: unknown): Promise<Reply> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization: "Bearer owner", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const type = answer.headers.get("content-type") ?? "application/json";
  return new Reply(answer.status, { "content-type": type }, Buffer.from(await answer.arrayBuffer()));
}
