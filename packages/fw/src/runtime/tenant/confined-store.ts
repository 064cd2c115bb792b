import type { Context } from "../../declare/context.ts";
import { Fault, StatusError } from "../../declare/errors.ts";
import { fieldOfUnique, isTenantProperty, tenantProperty } from "../../lib/tenant-fields.ts";
import type { Document, EntityStore, Filter, Key, Query } from "../../platform/contract.ts";
import { isStorableId } from "../../platform/document.ts";
import type { Fields, Scalar, Value } from "../../platform/values.ts";
import type { BundledEntity } from "../bundle.ts";
import { messages } from "../error-messages.ts";
import { requireTenant } from "./tenant-context.ts";

/** The operations of a store or a transaction that entities use. */
export interface DocumentStore
  extends Pick<EntityStore, "query" | "count" | "total" | "get">, Partial<Pick<EntityStore, "getMany">> {
  insert(key: Key, fields: Fields): Promise<unknown> | void;
  upsert(key: Key, fields: Fields): Promise<unknown> | void;
  update(key: Key, fields: Fields): Promise<unknown> | void;
  delete(key: Key): Promise<unknown> | void;
}

/** Restricts a store to the context's tenant, for an entity separated by tenant. Throws a Fault outside a tenant. */
export function confinedIn(ctx: Context, store: DocumentStore, entity: BundledEntity): DocumentStore {
  if (entity.tenant === undefined) return store;
  return confine(store, entity, requireTenant(ctx, entity.tenant, `the entity "${entity.name}"`));
}

/**
 * Restricts a store to the documents of one tenant. Keys start with the tenant's id, so no id can name a document of
 * another tenant. Documents also have the tenant's id as a property, which every query compares and every read checks.
 */
function confine(store: DocumentStore, entity: BundledEntity, tenant: string): DocumentStore {
  const prefix = `${tenant}/`;
  const inner = ({ kind, id }: Key): Key => ({ kind, id: prefix + id });
  const newKey = (key: Key): Key => {
    const stored = inner(key);
    if (!isStorableId(stored.id)) throw new StatusError(400, messages.entityId);
    return stored;
  };
  const own = (document: Document | undefined): Document | undefined =>
    document?.id.startsWith(prefix) === true && document.fields[tenantProperty] === tenant
      ? { ...document, id: document.id.slice(prefix.length), fields: withoutTenant(document.fields) }
      : undefined;
  const confined = <Part extends Pick<Query, "filters">>(query: Part): Part => ({
    ...query,
    filters: [
      { property: tenantProperty, op: "==", value: tenant },
      ...query.filters.map((filter) => (filter.property === entity.id ? withPrefix(filter, prefix) : filter)),
    ],
  });
  const { getMany } = store;
  return {
    get: async (key) => own(await store.get(inner(key))),
    ...(getMany && { getMany: async (keys) => (await getMany.call(store, keys.map(inner))).map(own) }),
    insert: (key, fields) => store.insert(newKey(key), withTenant(entity, tenant, fields)),
    upsert: (key, fields) => store.upsert(newKey(key), withTenant(entity, tenant, fields)),
    update: (key, fields) => store.update(newKey(key), withTenant(entity, tenant, fields)),
    delete: (key) => store.delete(inner(key)),
    async query(query) {
      const { documents, ...page } = await store.query(confined(query));
      return { ...page, documents: documents.flatMap((each) => own(each) ?? []) };
    },
    count: (query, upTo) => store.count(confined(query), upTo),
    total: (query, property) => store.total(confined(query), property),
  };
}

/** An entity's name and its indexed properties. */
interface SeparatedEntity {
  readonly name: string;
  readonly indexed: readonly { readonly name: string }[];
}

/** Adds the tenant's properties: its id, and the values of `Unique` fields, which are unique per tenant. */
export function withTenant(entity: SeparatedEntity, tenant: string, fields: Fields): Fields {
  const forged = Object.keys(fields).find(isTenantProperty);
  if (forged !== undefined) throw new Fault(`a document of "${entity.name}" has the field ${forged}, which fw sets`);
  return { ...fields, [tenantProperty]: tenant, ...uniqueValues(entity, tenant, fields) };
}

/** Removes the tenant's properties, leaving the application's fields. */
export function withoutTenant(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isTenantProperty(name)));
}

function uniqueValues({ indexed }: SeparatedEntity, tenant: string, fields: Fields): Fields {
  const values = indexed.flatMap(({ name }): readonly (readonly [string, Value])[] => {
    const field = fieldOfUnique(name);
    const value = field === undefined ? undefined : fields[field];
    return value === undefined || value === null ? [] : [[name, `${tenant}/${scalarText(value)}`]];
  });
  return Object.fromEntries(values);
}

/** Encodes a value as a string that includes its type. */
function scalarText(value: Value): string {
  if (value instanceof Date) return `date ${value.getTime()}`;
  return `${typeof value} ${typeof value === "bigint" ? value.toString() : JSON.stringify(value)}`;
}

function withPrefix(filter: Filter, prefix: string): Filter {
  const stored = (value: Scalar): Scalar => (typeof value === "string" ? prefix + value : value);
  return filter.op === "in"
    ? { ...filter, value: filter.value.map(stored) }
    : { ...filter, value: stored(filter.value) };
}
