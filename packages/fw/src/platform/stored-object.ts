import type { ObjectFacts, ObjectPage } from "./objects.ts";

export interface StoredFile {
  readonly file: string;
  readonly facts: ObjectFacts;
}

/** Reads the row of an object from the columns of an SQL store. */
export function storedFile({ file, key, size, type, etag, updated }: Readonly<Record<string, unknown>>): StoredFile {
  const facts = {
    key: String(key),
    size: Number(size),
    contentType: String(type),
    updated: new Date(Number(updated)),
    etag: String(etag),
  };
  return { file: String(file), facts };
}

/** Returns a page of objects; there is a next page if more than `limit` are passed. */
export function objectPage(objects: readonly ObjectFacts[], limit: number): ObjectPage {
  const last = objects[limit - 1];
  return objects.length > limit && last !== undefined
    ? { objects: objects.slice(0, limit), next: last.key }
    : { objects };
}
