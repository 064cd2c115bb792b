import { isA } from "../../lib/thrown.ts";
import type { Document, EntityStore, Page } from "../../platform/contract.ts";
import { outdatedProperty } from "../../platform/definitions.ts";
import { isPlatformError, PlatformError } from "../../platform/errors.ts";
import type { Fields } from "../../platform/values.ts";
import type { BundledEntity } from "../bundle.ts";
import { usesTenants } from "../capabilities.ts";
import type { ActiveSpan } from "../observe/span.ts";
import { tenantProperty } from "../../lib/tenant-fields.ts";
import { withoutTenant, withTenant } from "../tenant/confined-store.ts";
import { currentFields, partlyCurrentFields } from "./document-type.ts";

/**
 * Limit: outdated documents that a query rewrites itself; if there are more, it responds with 503 until they are
 * rewritten.
 */
const queriedDocuments = 200;

/** The maximum number of attempts of a query with rewrites in between, because an older version may keep writing. */
const queryAttempts = 3;

/** A document that cannot be rewritten because no rule makes it fit or its new form cannot be stored. */
export interface UnchangedDocument {
  readonly id: string;
  readonly reason: string;
}

export interface RewrittenBatch {
  readonly documents: number;
  readonly unchanged: readonly UnchangedDocument[];
  /** The cursor of the next batch; absent after the last one. */
  readonly next?: string;
}

/** True for an entity with an index on a field that a migration rule fills in for older documents. */
export function hasRuledIndexes({ indexed }: Pick<BundledEntity, "indexed">): boolean {
  return indexed.some(({ rule }) => rule !== undefined);
}

/** A query, and a function that starts the span of its rewrites. */
interface RewritingQuery<T> {
  readonly query: () => Promise<T>;
  readonly beginRewrite: (documents: number) => Pick<ActiveSpan, "end">;
}

/** Runs a query. If it depends on outdated documents, rewrites them and runs it again, unless there are too many. */
export async function withCurrentDocuments<T>(
  entities: EntityStore,
  entity: BundledEntity,
  { query, beginRewrite }: RewritingQuery<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await query();
    } catch (error) {
      if (attempt === queryAttempts || !isPlatformError(error, "filling")) throw error;
      const outdated = await outdatedDocuments(entities, entity, queriedDocuments);
      if (outdated.next !== undefined) throw error;
      const step = beginRewrite(outdated.documents.length);
      await Promise.all(outdated.documents.map((document) => rewrite(entities, entity, document))).then(
        () => step.end(false),
        (failure: unknown) => {
          step.end(true);
          throw failure;
        },
      );
    }
  }
}

/** Rewrites a batch of outdated documents. Skips documents that have just changed. */
export async function rewriteOutdated(
  entities: EntityStore,
  entity: BundledEntity,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<RewrittenBatch> {
  const { documents, next } = await outdatedDocuments(entities, entity, limit, after);
  const reasons = await Promise.all(documents.map((document) => rewrite(entities, entity, document)));
  const unchanged = documents.flatMap(({ id }, i) => (reasons[i] === undefined ? [] : [{ id, reason: reasons[i] }]));
  return { documents: documents.length, unchanged, ...(next !== undefined && { next }) };
}

export function countOutdated(entities: EntityStore, { name }: BundledEntity, upTo?: number): Promise<number> {
  return entities.count({ kind: name, filters: [isOutdated], orders: [] }, upTo);
}

const isOutdated = { property: outdatedProperty, op: "==", value: true } as const;

function outdatedDocuments(
  entities: EntityStore,
  { name }: BundledEntity,
  limit: number,
  after?: string,
): Promise<Page> {
  return entities.query({
    kind: name,
    filters: [isOutdated],
    orders: [],
    limit,
    ...(after !== undefined && { after }),
  });
}

/** Rewrites a document. Returns the reason if it cannot be rewritten completely. */
async function rewrite(entities: EntityStore, entity: BundledEntity, document: Document): Promise<string | undefined> {
  const { id, fields, version, expires } = document;
  const write = (next: Fields): Promise<unknown> =>
    entities.update({ kind: entity.name, id }, ofSameTenant(entity, fields, next), {
      version,
      ...(expires && { expires }),
    });
  try {
    await write(currentFields(entity, id, fields));
    return undefined;
  } catch (error) {
    if (isPlatformError(error, "conflict") || isPlatformError(error, "missing")) return undefined;
    if (isA(error, PlatformError) && !isRefused.has(error.code)) throw error;
    // Write what fits: the document then no longer blocks queries, provided that an index can contain its old values.
    await write(partlyCurrentFields(entity, fields)).catch(ignoreRefusal);
    return isA(error, Error) ? error.message : "its rule failed";
  }
}

function ofSameTenant(entity: BundledEntity, { [tenantProperty]: tenant }: Fields, next: Fields): Fields {
  return usesTenants && entity.tenant !== undefined && typeof tenant === "string"
    ? withTenant(entity, tenant, withoutTenant(next))
    : next;
}

/** The error codes for a document that cannot be stored. */
const isRefused: ReadonlySet<string> = new Set(["document", "indexed", "shape", "taken", "too-large"]);

function ignoreRefusal(error: unknown): void {
  if (isA(error, PlatformError) && (isRefused.has(error.code) || ["conflict", "missing"].includes(error.code))) return;
  throw error;
}
