import type { Context } from "../../declare/context.ts";
import type { EntityDeclaration } from "../../declare/entity.ts";
import { Fault, NotFound, StatusError, taken } from "../../declare/errors.ts";
import type { EntityOperations, QueryPlan } from "../../declare/entity-query.ts";
import { documentBytes, documentDepth, pageDocuments } from "../../lib/limits.ts";
import { newId } from "../../lib/new-id.ts";
import type { Document, EntityStore, Key, Platform, Transaction, TransactionOptions } from "../../platform/contract.ts";
import { transact } from "../../platform/transact.ts";
import { platformOf, type Application } from "../application.ts";
import { BackgroundContext } from "../background/context.ts";
import type { BundledEntity } from "../bundle.ts";
import { lifetimeIn, portsOf } from "../context-ports.ts";
import { messages } from "../error-messages.ts";
import { conflicts, refusing, type Refusals } from "../response/refusing.ts";
import { documentOf, fieldsOf, idOf, indexedValue } from "./document.ts";
import { limitOf, readAll, readCount, readEach, readPage, readTotal, type AskedQuery } from "./query.ts";
import { TransactionContext } from "./transaction-context.ts";

/** Carries out what entities and their queries ask for, on the application's platform. */
export function entityOperations(application: () => Application): EntityOperations {
  const known = (declaration: EntityDeclaration): BundledEntity => {
    const entity = application().entities.get(declaration);
    if (entity === undefined) throw new Fault(`the entity "${declaration.name}" is not part of this application`);
    return entity;
  };
  const purpose = "keep entities on";
  const entities = (ctx: Context): EntityStore => portsOf(application(), ctx, purpose).entities;
  const store = (ctx: Context): EntityStore | Transaction => transactionOf(ctx) ?? entities(ctx);
  const asked = (ctx: Context, plan: QueryPlan): AskedQuery => ({
    reader: store(ctx),
    entity: known(plan.entity),
    plan,
  });
  const find = async (ctx: Context, entity: BundledEntity, id: string): Promise<object | undefined> => {
    const found = await store(ctx).get(keyOf(entity, id));
    return found && documentOf(entity, found);
  };
  const keep = async (ctx: Context, how: "insert" | "upsert", { entity, id, document }: Kept): Promise<object> => {
    const fields = fieldsOf(entity, document);
    const into = store(ctx);
    await refusing<unknown>(writeRefusals, () => into[how](keyOf(entity, id), fields));
    return documentOf(entity, { id, fields });
  };
  const run = <T>(ctx: Context, work: (tx: TransactionContext) => Promise<T>): Promise<T> =>
    ctx instanceof TransactionContext && transactionOf(ctx)
      ? work(ctx)
      : inTransaction(platformOf(application(), purpose), ctx, work);
  return {
    async get(ctx, declaration, id) {
      const found = await find(ctx, known(declaration), id);
      if (found === undefined) throw NotFound();
      return found;
    },
    find: async (ctx, declaration, id) => find(ctx, known(declaration), id),
    async getMany(ctx, declaration, ids) {
      const entity = known(declaration);
      const keys = ids.map((id) => keyOf(entity, id));
      const found = await getMany(transactionOf(ctx) ?? entities(ctx), keys);
      return found.map((document) => document && documentOf(entity, document));
    },

    async create(ctx, declaration, document) {
      const entity = known(declaration);
      return keep(ctx, "insert", { entity, id: idOf(entity, document) ?? newId(), document });
    },
    async put(ctx, declaration, document) {
      const entity = known(declaration);
      const id = idOf(entity, document);
      if (id === undefined) throw new Fault(`a document without its ${entity.id} was put into "${entity.name}"`);
      return keep(ctx, "upsert", { entity, id, document });
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
        return documentOf(entity, { id, fields });
      });
    },
    delete: async (ctx, declaration, id) => store(ctx).delete(keyOf(known(declaration), id)),
    all: async (ctx, plan) => readAll(asked(ctx, plan)),
    async first(ctx, plan) {
      limitOf(plan, 1);
      return (await readPage(asked(ctx, { ...plan, limit: 1 }), undefined)).items[0];
    },
    count: async (ctx, plan) => readCount(asked(ctx, plan)),
    total: async (ctx, plan, field) => readTotal(asked(ctx, plan), field),
    page: async (ctx, plan, cursor) => readPage(asked(ctx, plan), cursor),
    each: (ctx, plan) => readEach(asked(ctx, plan)),
    transaction: (ctx, work) => run(ctx, work),
  };
}

/** A document that is to be kept. */
interface Kept {
  readonly entity: BundledEntity;
  readonly id: string;
  readonly document: object;
}

/** A transaction shows one moment anyhow; the store does for as many as it takes at once. */
async function getMany(store: EntityStore | Transaction, keys: readonly Key[]): Promise<(Document | undefined)[]> {
  if (!("getMany" in store)) return Promise.all(keys.map((key) => store.get(key)));
  const found: (Document | undefined)[] = [];
  for (let at = 0; at < keys.length; at += pageDocuments)
    found.push(...(await store.getMany(keys.slice(at, at + pageDocuments))));
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

/** Runs work in a transaction, again when it lost a conflict, and a bounded number of times. */
async function inTransaction<T>(
  platform: Platform,
  ctx: Context,
  work: (tx: TransactionContext) => Promise<T>,
): Promise<T> {
  const run = async (transaction: Transaction): Promise<T> => {
    const tx = new TransactionContext(ctx, transaction);
    try {
      return await work(tx);
    } finally {
      tx.open = false;
    }
  };
  return refusing(writeRefusals, () => transact(platform, run, { ...fenceOf(ctx), until: lifetimeIn(ctx) }));
}

/** A singleton that has lost its lease writes nothing more. */
function fenceOf(ctx: Context): TransactionOptions {
  return ctx instanceof BackgroundContext && ctx.fence !== undefined ? { fence: ctx.fence } : {};
}

/** What a visitor may know of a write that failed. */
const writeRefusals: Refusals = {
  ...conflicts,
  taken: ({ subject = "" }) => taken(messages.fieldTaken(subject), subject),
  exists: () => new StatusError(409, messages.entityExists),
  missing: NotFound,
  "too-large": () => new StatusError(413, messages.documentTooLarge(documentBytes)),
  shape: () => new StatusError(400, messages.documentShape(documentDepth)),
  indexed: indexedValue,
};
