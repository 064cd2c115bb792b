import type { Context } from "../../declare/context.ts";
import { Fault } from "../../declare/errors.ts";
import { distinct } from "../../lib/grouped.ts";
import type { Application } from "../application.ts";
import type { BundledEntity } from "../bundle.ts";

/** Reads documents in the order of `ids`; undefined for missing ones. */
export type ReadMany = (ctx: Context, entity: BundledEntity, ids: readonly string[]) => Promise<(object | undefined)[]>;

/** Replaces the ids in the `fields` of `documents` with the documents that they refer to. */
export type Refer = <T extends object | undefined>(
  ctx: Context,
  entity: BundledEntity,
  fields: readonly string[],
  documents: T[],
) => Promise<T[]>;

/** Reads documents of an entity, given its name. */
type ReadReferred = (entity: string, ids: readonly string[]) => Promise<readonly (object | undefined)[]>;

type Fields = Readonly<Record<string, unknown>>;

/** Returns the `Refer` function of an application. It reads the referenced documents with `readMany`. */
export function referring(application: () => Application, readMany: ReadMany): Refer {
  return async (ctx, entity, fields, documents) => {
    if (fields.length === 0) return documents;
    return withReferred(entity, fields, documents, (name, ids) =>
      readMany(ctx, requireNamed(application(), name), ids),
    );
  };
}

function requireNamed({ entities }: Application, name: string): BundledEntity {
  for (const entity of entities.values()) if (entity.name === name) return entity;
  throw new Fault(`the entity "${name}", which a Ref names, is not part of this service`);
}

/** Replaces the ids in `Ref` fields with the documents they refer to, reading all documents for a field at once. */
async function withReferred<T extends object | undefined>(
  entity: BundledEntity,
  fields: readonly string[],
  documents: readonly T[],
  read: ReadReferred,
): Promise<T[]> {
  const names = distinct(fields, (name) => name);
  const referred = await Promise.all(names.map((name) => readField(entity, name, documents, read)));
  return documents.map((document) => {
    if (document === undefined) return document;
    const values = names.map((name, index) => [name, referred[index]?.((document as Fields)[name])]);
    return { ...document, ...Object.fromEntries(values) } as T;
  });
}

/** Reads the documents that a field refers to. Returns a function that replaces a value of the field with them. */
async function readField(
  entity: BundledEntity,
  field: string,
  documents: readonly (object | undefined)[],
  read: ReadReferred,
): Promise<(value: unknown) => unknown> {
  const ref = entity.refs?.find((each) => each.field === field);
  if (ref === undefined)
    throw new Fault(
      `the field ${JSON.stringify(field)} of "${entity.name}" is not a Ref: its documents cannot be read`,
    );
  const values = documents.map((document) => document && (document as Fields)[field]);
  const ids = distinct(values.flatMap(idsIn), (id) => id);
  const documentsRead = ids.length === 0 ? [] : await read(ref.entity, ids);
  const byId = new Map(ids.map((id, index) => [id, documentsRead[index]]));
  const handedOut = new Set<object>();
  // Each reference gets its own copy, because handlers may modify a document.
  const own = (id: string): object | undefined => {
    const document = byId.get(id);
    if (document === undefined || handedOut.size < handedOut.add(document).size) return document;
    return structuredClone(document);
  };
  return (value) => {
    if (Array.isArray(value)) return idsIn(value).flatMap((id) => own(id) ?? []);
    return typeof value === "string" ? own(value) : value;
  };
}

export function idsIn(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === "string");
}
