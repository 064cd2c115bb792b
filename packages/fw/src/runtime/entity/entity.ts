import type { Context } from "../../declare/context.ts";
import type { EntityOperations, QueryPlan, ValueCount } from "../../declare/entity-query.ts";
import type { EntityDeclaration } from "../../declare/entity.ts";
import { Fault, NotFound, StatusError, takenError } from "../../declare/errors.ts";
import { documentBytes, documentDepth, pageDocuments } from "../../lib/limits.ts";
import { newId } from "../../lib/new-id.ts";
import { fieldOfUnique } from "../../lib/tenant-fields.ts";
import type { Document, EntityStore, Key, Platform, Transaction, TransactionOptions } from "../../platform/contract.ts";
import { transact } from "../../platform/transact.ts";
import { type Application, platformOf } from "../application.ts";
import { BackgroundContext } from "../background/context.ts";
import type { BundledEntity } from "../bundle.ts";
import { outsideTransaction } from "../calls/origin.ts";
import { usesCountBy, usesLive, usesOffset, usesReferenceRules, usesRefs, usesTenants } from "../capabilities.ts";
import { lifetimeIn, portsOf } from "../context-ports.ts";
import { ScopedContext } from "../context.ts";
import { messages } from "../error-messages.ts";
import { recordQuery } from "../live/reads.ts";
import { conflicts, type Refusals, refusing } from "../response/refusing.ts";
import { confinedIn, type DocumentStore } from "../tenant/confined-store.ts";
import { documentOf, idOf, indexedValueError, storedFields } from "./document.ts";
import {
  limitOf,
  queryRefusals,
  type QueryRequest,
  readAll,
  readCount,
  readEach,
  readPage,
  readTotal,
} from "./query.ts";
import { followReferenceRules, recordWrites } from "./reference-rules.ts";
import { type ReadMany, type Refer, referring } from "./references.ts";
import { TransactionContext } from "./transaction-context.ts";

/** Limit: documents that a query with an offset skips. */
const skippedDocuments = 1000;

/** Completes the message of the Fault that is thrown if there is no platform. */
const purpose = "store entities on";

/** Implements entities and their queries on the application's platform. */
export function entityOperations(application: () => Application): EntityOperations {
  const requireEntity = (declaration: EntityDeclaration): BundledEntity => {
    const entity = application().entities.get(declaration);
    if (entity === undefined) throw new Fault(`the entity "${declaration.name}" is not part of this application`);
    return entity;
  };
  const entities = (ctx: Context): EntityStore => portsOf(application(), ctx, purpose).entities;
  const store = (ctx: Context, entity: BundledEntity): DocumentStore => {
    const transaction = transactionOf(ctx);
    const whole = (usesReferenceRules ? transaction && recordWrites(transaction) : transaction) ?? entities(ctx);
    return usesTenants ? confinedIn(ctx, whole, entity) : whole;
  };
  const requestOf = (ctx: Context, plan: QueryPlan): QueryRequest => {
    const entity = requireEntity(plan.entity);
    const { metrics, spans } = application();
    const complete = (documents: object[]): Promise<object[]> => refer(ctx, entity, plan.with ?? [], documents);
    const reader = usesOffset ? afterSkipped(store(ctx, entity), plan) : store(ctx, entity);
    return { reader, entity, plan, store: () => entities(ctx), metrics, ctx, spans, complete };
  };
  const { readMany, refer } = batchReads(application, store);
  const find = async (ctx: Context, entity: BundledEntity, id: string): Promise<object | undefined> => {
    const document = await store(ctx, entity).get(keyOf(entity, id));
    return document && documentOf(entity, document, application().metrics);
  };
  const write = async (
    ctx: Context,
    how: "insert" | "upsert",
    { entity, id, document }: DocumentWrite,
  ): Promise<object> => {
    const fields = storedFields(entity, id, document);
    const into = store(ctx, entity);
    await refusing<unknown>(writeRefusals, () => into[how](keyOf(entity, id), fields));
    return documentOf(entity, { id, fields }, application().metrics);
  };
  return {
    async get(ctx, declaration, id, refs) {
      const entity = requireEntity(declaration);
      const [document] = await refer(ctx, entity, refs, [await find(ctx, entity, id)]);
      if (document === undefined) throw NotFound();
      return document;
    },
    async find(ctx, declaration, id, refs) {
      const entity = requireEntity(declaration);
      return (await refer(ctx, entity, refs, [await find(ctx, entity, id)]))[0];
    },
    async getMany(ctx, declaration, ids, refs) {
      const entity = requireEntity(declaration);
      return refer(ctx, entity, refs, await readMany(ctx, entity, ids));
    },

    async create(ctx, declaration, document) {
      const entity = requireEntity(declaration);
      return write(ctx, "insert", { entity, id: idOf(entity, document) ?? newId(), document });
    },
    async put(ctx, declaration, document) {
      const entity = requireEntity(declaration);
      const id = idOf(entity, document);
      if (id === undefined)
        throw new Fault(
          `put() into "${entity.name}" needs a document with its ${entity.id}: use create() to generate one`,
        );
      return write(ctx, "upsert", { entity, id, document });
    },
    async update(ctx, declaration, id, change) {
      const entity = requireEntity(declaration);
      return runTogether(application(), ctx, async (tx) => {
        const before = await find(tx, entity, id);
        if (before === undefined) throw NotFound();
        const after = (await change(before)) ?? before;
        if ((idOf(entity, after) ?? id) !== id)
          throw new Fault(`an update of "${entity.name}" changed the document's id`);
        const fields = storedFields(entity, id, after);
        await store(tx, entity).update(keyOf(entity, id), fields);
        return documentOf(entity, { id, fields }, application().metrics);
      });
    },
    async delete(ctx, declaration, id) {
      const entity = requireEntity(declaration);
      await store(ctx, entity).delete(keyOf(entity, id));
    },
    all: async (ctx, plan) => readAll(requestOf(ctx, plan)),
    async first(ctx, plan) {
      limitOf(plan, 1);
      return (await readPage(requestOf(ctx, { ...plan, limit: 1 }), undefined)).items[0];
    },
    count: async (ctx, plan) => readCount(requestOf(ctx, plan)),
    countBy: usesCountBy
      ? (ctx, plan, field) => {
          // The reads of the transaction bypass the ports that record reads for live pages.
          if (usesLive) recordQuery(ctx, { kind: requireEntity(plan.entity).name });
          return runTogether(application(), ctx, async (tx) => readCountsBy(requestOf(tx, plan), field));
        }
      : (undefined as never),
    total: async (ctx, plan, field) => readTotal(requestOf(ctx, plan), field),
    page: async (ctx, plan, cursor) => readPage(requestOf(ctx, plan), cursor),
    each: (ctx, plan) => readEach(requestOf(ctx, plan)),
    transaction: (ctx, work) => runTogether(application(), ctx, work),
  };
}

interface DocumentWrite {
  readonly entity: BundledEntity;
  readonly id: string;
  readonly document: object;
}

function batchReads(
  application: () => Application,
  store: (ctx: Context, entity: BundledEntity) => DocumentStore,
): { readonly readMany: ReadMany; readonly refer: Refer } {
  const readMany: ReadMany = async (ctx, entity, ids) => {
    const keys = ids.map((id) => keyOf(entity, id));
    const documents = await getMany(store(ctx, entity), keys);
    return documents.map((document) => document && documentOf(entity, document, application().metrics));
  };
  return { readMany, refer: usesRefs ? referring(application, readMany) : asRead };
}

/** Leaves the ids in `Ref` fields unchanged. */
const asRead: Refer = async (_ctx, _entity, _fields, documents) => documents;

/** Reads documents by key: in batches from a store, individually in a transaction, which reads one snapshot anyway. */
async function getMany(store: DocumentStore, keys: readonly Key[]): Promise<(Document | undefined)[]> {
  if (store.getMany === undefined) return Promise.all(keys.map((key) => store.get(key)));
  const documents: (Document | undefined)[] = [];
  for (let at = 0; at < keys.length; at += pageDocuments)
    documents.push(...(await store.getMany(keys.slice(at, at + pageDocuments))));
  return documents;
}

function keyOf({ name }: BundledEntity, id: string): Key {
  return { kind: name, id };
}

/** Returns the transaction of a context, if it is inside one. Throws a Fault if the transaction has ended. */
export function transactionOf(inner: Context): Transaction | undefined {
  const ctx = transactionContextOf(inner);
  if (!(ctx instanceof TransactionContext)) return undefined;
  if (!ctx.open)
    throw new Fault("the context of a transaction was used after the transaction ended: await every call that uses it");
  return ctx.transaction;
}

/**
 * Returns the nearest transaction context, looking outward through the contexts of tenants; if there is none, the first
 * context outside them.
 */
export function transactionContextOf(ctx: Context): Context {
  return usesTenants && ctx instanceof ScopedContext && !(ctx instanceof TransactionContext)
    ? transactionContextOf(ctx.outer)
    : ctx;
}

/** Runs work in the context's transaction, or in a new one if there is none. */
function runTogether<T>(app: Application, ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> {
  const { platform } = app;
  // Without a platform, work cannot read or write anything.
  if (platform === undefined || transactionOf(ctx)) return work(ctx);
  return inTransaction(platform, ctx, usesReferenceRules ? followingRules(app, work) : work);
}

/** Runs work in a transaction and repeats it after a conflict, up to a limit. */
async function inTransaction<T>(platform: Platform, ctx: Context, work: (tx: Context) => Promise<T>): Promise<T> {
  let committed: readonly (() => void)[] = [];
  const run = async (transaction: Transaction): Promise<T> => {
    const tx = new TransactionContext(ctx, transaction);
    committed = tx.afterCommit;
    try {
      return await work(tx);
    } finally {
      tx.open = false;
    }
  };
  const options = { ...fenceOf(ctx), until: lifetimeIn(ctx) };
  const result = await refusing(writeRefusals, () => transact(platform, run, options));
  for (const call of committed) call();
  return result;
}

/** Wraps a transaction's work so that it ends by applying the reference rules. */
function followingRules<T>(app: Application, work: (tx: Context) => Promise<T>): (tx: Context) => Promise<T> {
  return async (tx) => {
    const result = await work(tx);
    const store = { entities: app.entities.values(), committed: platformOf(app, purpose).entities };
    await refusing(queryRefusals, () => followReferenceRules(store, transactionOf(tx)));
    return result;
  };
}

/** Returns the options that make a singleton's writes fail after it has lost its lease; {} for other contexts. */
export function fenceOf(inner: Context): TransactionOptions {
  const ctx = usesTenants ? outsideTransaction(inner) : inner;
  return ctx instanceof BackgroundContext && ctx.fence !== undefined ? { fence: ctx.fence } : {};
}

/** The errors of writes that clients may see. */
const writeRefusals: Refusals = {
  ...conflicts,
  taken: ({ subject = "" }) => {
    const field = usesTenants ? (fieldOfUnique(subject) ?? subject) : subject;
    return takenError(messages.fieldTaken(field), field);
  },
  exists: () => new StatusError(409, messages.entityExists),
  missing: NotFound,
  full: ({ message }) => new StatusError(409, message),
  "too-large": () => new StatusError(413, messages.documentTooLarge(documentBytes)),
  shape: () => new StatusError(400, messages.documentShape(documentDepth)),
  indexed: indexedValueError,
};

/** Counts a query's documents in a transaction, once for each possible value of the field. */
async function readCountsBy(request: QueryRequest, field: string): Promise<ValueCount<unknown>[]> {
  const { entity, plan } = request;
  const values = entity.countValues?.[field];
  if (values === undefined) throw new Fault(`countBy("${field}"): the type of the field has no fixed set of values`);
  const { limit: _, ...unlimited } = plan;
  return Promise.all(
    values.map(async (value) => {
      const filters = [...plan.filters, { field, operator: "==" as const, value }];
      return { value, count: await readCount({ ...request, plan: { ...unlimited, filters } }) };
    }),
  );
}

/**
 * Returns a reader that applies a query's offset to the first page. It reads and drops the skipped documents on every
 * platform, because Datastore bills them anyway. Later pages continue from a cursor, so concurrent writes cause no
 * repeats or gaps.
 */
function afterSkipped(reader: QueryRequest["reader"], { offset }: QueryPlan): QueryRequest["reader"] {
  if (offset === undefined) return reader;
  return {
    count: (query, upTo) => reader.count(query, upTo),
    total: (query, property) => reader.total(query, property),
    async query(query) {
      // The offset may come from a client.
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
