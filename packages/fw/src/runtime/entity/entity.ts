import type { Context } from "../../declare/context.ts";
import type { EntityDeclaration } from "../../declare/entity.ts";
import { Fault, NotFound, StatusError, taken } from "../../declare/errors.ts";
import type { EntityOperations } from "../../declare/entity-query.ts";
import { documentBytes, documentDepth, pageDocuments } from "../../lib/limits.ts";
import { newId } from "../../lib/new-id.ts";
import type { Document, Key, Platform, Transaction, TransactionOptions } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { transact } from "../../platform/transact.ts";
import type { Application } from "../application.ts";
import { BackgroundContext } from "../background/context.ts";
import type { BundledEntity } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import { documentOf, fieldsOf, foundDocument, idOf, indexedValue } from "./document.ts";
import { limitOf, readAll, readCount, readEach, readPage, readTotal, type Reader } from "./query.ts";
import { TransactionContext } from "./transaction-context.ts";

/** Carries out what entities and their queries ask for, on the application's platform. */
export function entityOperations(application: () => Application): EntityOperations {
  const known = (declaration: EntityDeclaration): BundledEntity => {
    const entity = application().entities.get(declaration);
    if (entity === undefined) throw new Fault(`the entity "${declaration.name}" is not part of this application`);
    return entity;
  };
  const platform = (): Platform => {
    const found = application().platform;
    if (found === undefined) throw new Fault("this application was started without a platform to keep entities on");
    return found;
  };
  const reader = (ctx: Context): Reader => transactionOf(ctx) ?? platform().entities;
  const find = async (ctx: Context, entity: BundledEntity, id: string): Promise<object | undefined> => {
    const found = await (transactionOf(ctx) ?? platform().entities).get(keyOf(entity, id));
    return found && foundDocument(entity, found);
  };
  const run = <T>(ctx: Context, work: (tx: TransactionContext) => Promise<T>): Promise<T> =>
    ctx instanceof TransactionContext && transactionOf(ctx) ? work(ctx) : inTransaction(platform(), ctx, work);
  return {
    async get(ctx, declaration, id) {
      const found = await find(ctx, known(declaration), id);
      if (found === undefined) throw NotFound();
      return found;
    },
    async find(ctx, declaration, id) {
      return find(ctx, known(declaration), id);
    },
    async getMany(ctx, declaration, ids) {
      const entity = known(declaration);
      const keys = ids.map((id) => keyOf(entity, id));
      const found = await getMany(transactionOf(ctx), platform(), keys);
      return found.map((document) => document && foundDocument(entity, document));
    },

    async create(ctx, declaration, document) {
      const entity = known(declaration);
      const id = idOf(entity, document) ?? newId();
      const fields = fieldsOf(entity, document);
      const store = transactionOf(ctx) ?? platform().entities;
      await refusing(async () => await store.insert(keyOf(entity, id), fields));
      return documentOf(entity, id, fields);
    },
    async put(ctx, declaration, document) {
      const entity = known(declaration);
      const id = idOf(entity, document);
      if (id === undefined) throw new Fault(`a document without its ${entity.id} was put into "${entity.name}"`);
      const fields = fieldsOf(entity, document);
      const store = transactionOf(ctx) ?? platform().entities;
      await refusing(async () => await store.upsert(keyOf(entity, id), fields));
      return documentOf(entity, id, fields);
    },
    async update(ctx, declaration, id, change) {
      const entity = known(declaration);
      return run(ctx, async (tx) => {
        const before = await find(tx, entity, id);
        if (before === undefined) throw NotFound();
        const after = (await change(before)) ?? before;
        if ((idOf(entity, after) ?? id) !== id)
          throw new Fault(`an update of "${entity.name}" changed the document's id`);
        const fields = fieldsOf(entity, after);
        tx.transaction.update(keyOf(entity, id), fields);
        return documentOf(entity, id, fields);
      });
    },
    async delete(ctx, declaration, id) {
      await (transactionOf(ctx) ?? platform().entities).delete(keyOf(known(declaration), id));
    },
    all: async (ctx, plan) => readAll(reader(ctx), known(plan.entity), plan),
    async first(ctx, plan) {
      limitOf(plan, 1);
      return (await readPage(reader(ctx), known(plan.entity), { ...plan, limit: 1 }, undefined)).items[0];
    },
    count: async (ctx, plan) => readCount(reader(ctx), known(plan.entity), plan),
    total: async (ctx, plan, field) => readTotal(reader(ctx), known(plan.entity), plan, field),
    page: async (ctx, plan, cursor) => await readPage(reader(ctx), known(plan.entity), plan, cursor),
    each: (ctx, plan) => readEach(reader(ctx), known(plan.entity), plan),
    transaction: (ctx, work) => run(ctx, work),
  };
}

/** A transaction shows one moment anyhow; the store does for as many as it takes at once. */
async function getMany(
  transaction: Transaction | undefined,
  { entities }: Platform,
  keys: readonly Key[],
): Promise<(Document | undefined)[]> {
  if (transaction !== undefined) return Promise.all(keys.map((key) => transaction.get(key)));
  const found: (Document | undefined)[] = [];
  for (let at = 0; at < keys.length; at += pageDocuments)
    found.push(...(await entities.getMany(keys.slice(at, at + pageDocuments))));
  return found;
}

function keyOf({ name }: BundledEntity, id: string): Key {
  return { kind: name, id };
}

/** The transaction that a context is in. */
export function transactionOf(ctx: Context): Transaction | undefined {
  if (!(ctx instanceof TransactionContext)) return undefined;
  if (!ctx.open)
    throw new Fault("the context of a transaction was used after the transaction had ended; await what uses it");
  return ctx.transaction;
}

/** Makes what a visitor may know of a write that failed a refusal. */
async function refusing(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Runs work in a transaction, again when it lost a conflict, and a bounded number of times. */
async function inTransaction<T>(
  platform: Platform,
  ctx: Context,
  work: (tx: TransactionContext) => Promise<T>,
): Promise<T> {
  try {
    const run = async (transaction: Transaction): Promise<T> => {
      const tx = new TransactionContext(ctx, transaction);
      try {
        return await work(tx);
      } finally {
        tx.open = false;
      }
    };
    return await transact(platform, run, fenceOf(ctx));
  } catch (error) {
    throw refusalOf(error);
  }
}

/** A singleton that has lost its lease writes nothing more. */
function fenceOf(ctx: Context): TransactionOptions {
  return ctx instanceof BackgroundContext && ctx.fence !== undefined ? { fence: ctx.fence } : {};
}

/** What a visitor may know of a write that failed; anything else as it is. */
function refusalOf(error: unknown): unknown {
  if (isPlatformError(error, "taken")) return taken(messages.fieldTaken(error.subject ?? ""), error.subject ?? "");
  if (isPlatformError(error, "exists")) return new StatusError(409, messages.entityExists);
  if (isPlatformError(error, "missing")) return NotFound();
  if (isPlatformError(error, "conflict")) return new StatusError(409, messages.conflict);
  if (isPlatformError(error, "too-large")) return new StatusError(413, messages.documentTooLarge(documentBytes));
  if (isPlatformError(error, "shape")) return new StatusError(400, messages.documentShape(documentDepth));
  if (isPlatformError(error, "indexed")) return indexedValue();
  return error;
}
