import { idsIn } from "./references.ts";
import type { EntityDeclaration } from "../../declare/entity.ts";
import { StatusError } from "../../declare/errors.ts";
import { pageDocuments } from "../../lib/limits.ts";
import { storedId, tenantProperty, uniqueProperty } from "../../lib/tenant-fields.ts";
import type { Document, EntityStore, Filter, Key, Transaction } from "../../platform/contract.ts";
import type { Fields } from "../../platform/values.ts";
import type { BundledEntity, BundledRef } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import type { DocumentStore } from "../tenant/confined-store.ts";

/** Limit: documents that refer to a deleted document and that a transaction deletes or clears along with it. */
const followingDocuments = 400;

/** The documents that a transaction has written, by kind and stored id; undefined for deleted documents. */
class TransactionWrites {
  readonly #kinds = new Map<string, Map<string, Fields | undefined>>();

  set({ kind, id }: Key, fields: Fields | undefined): void {
    const documents = this.#kinds.get(kind) ?? new Map<string, Fields | undefined>();
    this.#kinds.set(kind, documents.set(id, fields));
  }

  of(kind: string): ReadonlyMap<string, Fields | undefined> {
    return this.#kinds.get(kind) ?? new Map();
  }

  deletedKeys(): Key[] {
    return [...this.#kinds].flatMap(([kind, documents]) =>
      [...documents].flatMap(([id, fields]) => (fields === undefined ? [{ kind, id }] : [])),
    );
  }
}

const writesOf = new WeakMap<Transaction, TransactionWrites>();

export function recordWrites(store: Transaction): DocumentStore {
  const writes = writesOf.get(store) ?? new TransactionWrites();
  writesOf.set(store, writes);
  const record = (how: "insert" | "upsert" | "update") => (key: Key, fields: Fields) => {
    store[how](key, fields);
    writes.set(key, fields);
  };
  return {
    get: (key) => store.get(key),
    query: (query) => store.query(query),
    count: (query, upTo) => store.count(query, upTo),
    total: (query, property) => store.total(query, property),
    insert: record("insert"),
    upsert: record("upsert"),
    update: record("update"),
    delete: (key) => {
      store.delete(key);
      writes.set(key, undefined);
    },
  };
}

/** The parts of an entity that matter to reference rules. */
export type ReferringEntity = Pick<BundledEntity, "name" | "tenant" | "refs">;

/** A field with a rule for deleted documents, and the entities at both ends. */
interface ReferenceRule<Entity = ReferringEntity> {
  readonly from: Entity;
  readonly to: Entity;
  readonly field: string;
  readonly onDelete: NonNullable<BundledRef["onDelete"]>;
}

/** True if writes or deletions of an entity follow reference rules. */
export function hasReferenceRules(entities: Iterable<BundledEntity>, declaration: EntityDeclaration): boolean {
  return referenceRules(entities).some(({ from, to }) => [from, to].some((each) => each.declaration === declaration));
}

function referenceRules<Entity extends ReferringEntity>(entities: Iterable<Entity>): readonly ReferenceRule<Entity>[] {
  const all = [...entities];
  return all.flatMap((from) =>
    (from.refs ?? []).flatMap(({ field, entity, onDelete }) => {
      const to = all.find(({ name }) => name === entity);
      return to === undefined || onDelete === undefined ? [] : [{ from, to, field, onDelete }];
    }),
  );
}

/** The entities of the application, and a reader of committed documents. */
export interface RuledStore {
  readonly entities: Iterable<ReferringEntity>;
  readonly committed: Pick<EntityStore, "get">;
}

/**
 * Applies the reference rules to the state that a transaction will commit. Deletes or clears documents that refer to
 * deleted documents, or refuses the deletion. Refuses references to missing documents. Its reads are part of the
 * transaction, so a concurrent write of such a reference causes a conflict.
 */
export async function followReferenceRules(
  { entities, committed }: RuledStore,
  transaction: Transaction | undefined,
): Promise<void> {
  const writes = transaction && writesOf.get(transaction);
  if (transaction === undefined || writes === undefined) return;
  const rules = referenceRules(entities);
  const state = { transaction, writes };
  const deletedKeys = await changeReferring(rules, state);
  for (const key of deletedKeys)
    for (const rule of rulesFor(rules, key, "refuse"))
      if ((await documentsReferringTo(rule, key.id, state, 1)).length > 0)
        throw new StatusError(409, messages.referredTo(rule.from.name));
  for (const rule of rules) await requireReferred(rule, committed, state);
}

function rulesFor(
  rules: readonly ReferenceRule[],
  { kind }: Key,
  ...effects: readonly ReferenceRule["onDelete"][]
): readonly ReferenceRule[] {
  return rules.filter(({ to, onDelete }) => to.name === kind && effects.includes(onDelete));
}

interface TransactionState {
  readonly transaction: Transaction;
  readonly writes: TransactionWrites;
}

/** Deletes or clears documents that refer to deleted documents. Returns the keys of all deleted documents. */
async function changeReferring(rules: readonly ReferenceRule[], state: TransactionState): Promise<readonly Key[]> {
  const store = recordWrites(state.transaction);
  const deletedKeys = state.writes.deletedKeys();
  let changes = 0;
  // The loop appends newly deleted documents to this list.
  for (const key of deletedKeys)
    for (const rule of rulesFor(rules, key, "cascade", "clear"))
      for (const { id, fields } of await documentsReferringTo(rule, key.id, state, followingDocuments + 1)) {
        if (++changes > followingDocuments) throw new StatusError(409, messages.tooManyReferring(followingDocuments));
        const own = { kind: rule.from.name, id };
        if (rule.onDelete === "clear") await store.update(own, withoutReference(rule, fields, key.id));
        else {
          await store.delete(own);
          deletedKeys.push(own);
        }
      }
  return deletedKeys;
}

/**
 * Finds documents that refer to a document by a field, in the state that the transaction would leave. Stops after about
 * `enough` documents, because thousands may refer to it, and a refusal needs only one.
 */
async function documentsReferringTo(
  { from, to, field }: ReferenceRule,
  storedId: string,
  { transaction, writes }: TransactionState,
  enough: number,
): Promise<readonly Pick<Document, "id" | "fields">[]> {
  const [tenant, id] = tenantAndId(to, storedId);
  const filters: readonly Filter[] = [
    ...(tenant === undefined ? [] : [{ property: tenantProperty, op: "==", value: tenant } as const]),
    { property: field, op: "==", value: id },
  ];
  const own = writes.of(from.name);
  const { documents } = await transaction.query({
    kind: from.name,
    filters,
    orders: [],
    // The query may return documents that the transaction has overwritten.
    limit: Math.min(enough + own.size, pageDocuments),
    ignoresWrites: true,
  });
  const ownDocuments = [...own].flatMap(([each, fields]) =>
    fields !== undefined &&
    (tenant === undefined || fields[tenantProperty] === tenant) &&
    idsIn(fields[field]).includes(id)
      ? [{ id: each, fields }]
      : [],
  );
  return [...documents.filter((each) => !own.has(each.id)), ...ownDocuments];
}

/** Refuses references to missing documents, except references that a document already had. */
async function requireReferred(
  rule: ReferenceRule,
  committed: RuledStore["committed"],
  { transaction, writes }: TransactionState,
): Promise<void> {
  const { from, to, field } = rule;
  const documents = writes.of(from.name);
  const ids = new Set([...documents.values()].flatMap((fields) => referredIds(rule, fields)));
  // Read each document once, and all of them together: hundreds of writes may refer to the same one.
  const reads = Array.from(ids, async (id) =>
    (await transaction.get({ kind: to.name, id })) === undefined ? [id] : [],
  );
  const missingIds = new Set((await Promise.all(reads)).flat());
  for (const [id, fields] of missingIds.size === 0 ? [] : documents) {
    const missing = referredIds(rule, fields).filter((each) => missingIds.has(each));
    if (missing.length === 0) continue;
    const earlierIds = referredIds(rule, (await committed.get({ kind: from.name, id }))?.fields);
    if (!missing.every((each) => earlierIds.includes(each)))
      throw new StatusError(409, messages.missingReferred(field));
  }
}

/** Returns the stored ids of the documents that a document refers to. */
function referredIds({ to, field }: ReferenceRule, fields: Fields | undefined): readonly string[] {
  const tenant = to.tenant === undefined ? undefined : fields?.[tenantProperty];
  return idsIn(fields?.[field]).map((id) => storedId(tenant, id));
}

function withoutReference({ to, field }: ReferenceRule, fields: Fields, storedId: string): Fields {
  const value = fields[field];
  const [, id] = tenantAndId(to, storedId);
  if (Array.isArray(value)) return { ...fields, [field]: value.filter((each) => each !== id) };
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => name !== field && name !== uniqueProperty(field)),
  );
}

/** Splits the stored id of a tenant's document into tenant and id. */
function tenantAndId({ tenant }: ReferringEntity, storedId: string): readonly [string | undefined, string] {
  const end = storedId.indexOf("/");
  return tenant === undefined ? [undefined, storedId] : [storedId.slice(0, end), storedId.slice(end + 1)];
}
