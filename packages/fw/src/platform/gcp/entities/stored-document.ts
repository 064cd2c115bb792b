import { documentBytes } from "../../../lib/limits.ts";
import { encodeTagged } from "../../../lib/tagged-json.ts";
import type { Document } from "../../contract.ts";
import type { Kind } from "../../definitions.ts";
import { decodeFields as decodeBody, type EncodedDocument } from "../../document.ts";
import type { Fields } from "../../values.ts";
import type { EntityResult } from "../rest/generated/datastore.ts";
import {
  decodeFields,
  encodeFields,
  encodeScalar,
  isExact,
  type DatastoreValue,
  type IndexedPaths,
  type Properties,
} from "./datastore-values.ts";

export type { EntityResult };

/** The framework's properties; documents have no others with this prefix. */
const names = { write: "_fw_write", expires: "_fw_expires", exact: "_fw_exact" } as const;

/**
 * Returns the Datastore properties of a document. A document that Datastore cannot represent exactly (half a character,
 * -0, Dates outside the years 1 to 9999) is stored as text beside its indexed properties. `write` is a unique id, which
 * makes each write a change: rewriting the same content creates a new version.
 */
export function storedProperties(
  { kind, indexed, body }: EncodedDocument,
  { expires, write }: { readonly expires: Date | undefined; readonly write: string },
): Properties {
  const fields = decodeBody(body);
  return {
    ...(isExact(fields) ? encodeFields(fields, pathsOf(kind)) : inexact(kind, fields, indexed)),
    ...(expires !== undefined && expiryOf(expires)),
    ...(Buffer.byteLength(body) < maxMarkedBytes && writeMark(write)),
  };
}

/** Documents above this size have no room for the id of their write. */
const maxMarkedBytes = documentBytes - 2048;

/** The property for the TTL policy. */
export function expiryOf(expires: Date): Properties {
  return { [names.expires]: unindexed({ timestampValue: expires.toISOString() }) };
}

/** The property with the id of the write. */
export function writeMark(write: string): Properties {
  return { [names.write]: unindexed({ stringValue: write }) };
}

/** Decodes the document. */
export function documentOf({ entity, version = "" }: EntityResult): Document {
  const { [names.write]: _, [names.expires]: expires, [names.exact]: exact, ...rest } = entity?.properties ?? {};
  const body = exact?.blobValue;
  const fields = body === undefined ? decodeFields(rest) : decodeBody(Buffer.from(body, "base64").toString());
  const id = entity?.key?.path?.[0]?.name ?? "";
  if (expires?.timestampValue === undefined) return { id, version, fields };
  return { id, version, fields, expires: new Date(expires.timestampValue) };
}

/** Returns the id of the write that created this version. */
export function writeOf(result: EntityResult | undefined): string | undefined {
  return result?.entity?.properties?.[names.write]?.stringValue;
}

export function isExpired(result: EntityResult, now: number): boolean {
  const expires = result.entity?.properties?.[names.expires]?.timestampValue;
  return expires !== undefined && Date.parse(expires) <= now;
}

function inexact(kind: Kind, fields: Fields, indexed: EncodedDocument["indexed"]): Properties {
  const exact = { blobValue: Buffer.from(encodeTagged(fields)).toString("base64") };
  const properties: Record<string, DatastoreValue> = { [names.exact]: unindexed(exact) };
  for (const [name, values] of indexed) {
    const property = kind.indexed.get(name);
    if (property === undefined || property.key) continue;
    const [only] = values.map(encodeScalar);
    const value = property.many ? { arrayValue: { values: values.map(encodeScalar) } } : only;
    if (value !== undefined) setAt(properties, property.path, value);
  }
  return properties;
}

function setAt(properties: Record<string, DatastoreValue>, path: readonly string[], value: DatastoreValue): void {
  const [name = "", ...more] = path;
  if (more.length === 0) {
    properties[name] = value;
    return;
  }
  const inner = { ...properties[name]?.entityValue?.properties };
  setAt(inner, more, value);
  properties[name] = { entityValue: { properties: inner } };
}

/** Excludes a value from the indexes. */
export function unindexed(value: DatastoreValue): DatastoreValue {
  return { ...value, excludeFromIndexes: true };
}

const cachedPaths = new WeakMap<Kind, IndexedPaths>();

function pathsOf(kind: Kind): IndexedPaths {
  const paths = cachedPaths.get(kind) ?? treeOf(kind);
  cachedPaths.set(kind, paths);
  return paths;
}

interface Tree {
  leaf: boolean;
  readonly below: Map<string, Tree>;
}

function treeOf(kind: Kind): IndexedPaths {
  const root: Tree = { leaf: false, below: new Map() };
  for (const { path, key } of kind.indexed.values()) {
    if (key) continue;
    let at = root;
    for (const name of path) {
      const next = at.below.get(name) ?? { leaf: false, below: new Map<string, Tree>() };
      at.below.set(name, next);
      at = next;
    }
    at.leaf = true;
  }
  return root;
}
