import { documentBytes } from "../../../lib/limits.ts";
import { searchedFields } from "../../../lib/derived-indexes.ts";
import { encodeTagged } from "../../../lib/tagged-json.ts";
import type { Document } from "../../contract.ts";
import { outdatedProperty, type Kind, type Property } from "../../definitions.ts";
import { decodeFields as decodeBody, storedValues, type EncodedDocument } from "../../document.ts";
import type { Fields, Scalar } from "../../values.ts";
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
import { indexName } from "./index-names.ts";
import type { ForeignIndexes } from "./index-registry.ts";

export type { EntityResult };

/** The property in which a document lists the `unfit:` indexes that contain it. */
export const unfitIndexProperty = "_fw_unfit";

/** The names of the framework's own properties. Documents cannot have properties with their prefix, `_fw`. */
const names = {
  write: "_fw_write",
  expires: "_fw_expires",
  exact: "_fw_exact",
  outdated: outdatedProperty,
  unfit: unfitIndexProperty,
} as const;

/**
 * Returns the Datastore properties of a document. A document that Datastore cannot represent exactly (lone surrogates,
 * -0, Dates outside the years 1 to 9999) is stored as text next to its indexed properties. `write` is a unique id, so
 * that rewriting the same content creates a new version; documents near the maximum size omit it. `foreign` are the
 * indexes of other versions; an index that cannot hold a value omits the document.
 */
export function storedProperties(
  { kind, indexed, body }: EncodedDocument,
  {
    expires,
    write,
    foreign,
  }: { readonly expires: Date | undefined; readonly write: string; readonly foreign: ForeignIndexes },
): Properties {
  const fields = decodeBody(body);
  const foreignValues = valuesOf(foreign.properties, fields);
  const own = [...indexed.keys()].flatMap((name) => kind.indexed.get(name) ?? []);
  const unfit = [...own.filter((property) => property.unfit !== undefined), ...unfitIn(foreign.unfit, fields)];
  const values = [...indexed, ...foreignValues];
  const properties = isExact(fields)
    ? withTerms(encodeFields(fields, pathsFor(kind, foreignValues)), values)
    : inexact(kind, fields, values);
  return {
    ...properties,
    ...(foreign.rules.length > 0 && markProperty("outdated", foreign.rules)),
    ...(unfit.length > 0 && markProperty("unfit", unfit.map(indexName))),
    ...(expires !== undefined && expiryOf(expires)),
    ...(Buffer.byteLength(body) < maxMarkedBytes && writeMark(write)),
  };
}

function valuesOf(properties: readonly Property[], fields: Fields): ReadonlyMap<string, readonly Scalar[]> {
  if (properties.length === 0) return new Map();
  const indexed = new Map(properties.map((property) => [property.name, property]));
  return storedValues({ kind: "", properties: [], composites: [], indexed, unique: [] }, "", fields);
}

/** Returns the properties whose types the document's values do not fit. */
export function unfitIn(properties: readonly Property[], fields: Fields): readonly Property[] {
  const unfit = valuesOf(properties, fields);
  return properties.filter(({ name }) => unfit.has(name));
}

/** A list in a document: the `unfit:` indexes that contain it, or the rules that make it outdated. */
type Mark = "unfit" | "outdated";

export function markProperty(mark: Mark, entries: readonly string[]): Properties {
  return { [names[mark]]: { arrayValue: { values: entries.map((entry) => ({ stringValue: entry })) } } };
}

export function markOf({ entity }: EntityResult, mark: Mark): readonly string[] {
  const { values = [] } = entity?.properties?.[names[mark]]?.arrayValue ?? {};
  return values.flatMap(({ stringValue }) => stringValue ?? []);
}

/** Whether the document is stored as text next to its indexed properties. */
export function isInexact({ entity }: EntityResult): boolean {
  return entity?.properties?.[names.exact] !== undefined;
}

/** The body size in bytes from which documents are stored without the id of their write, which might not fit. */
const maxMarkedBytes = documentBytes - 2048;

export function expiryOf(expires: Date): Properties {
  return { [names.expires]: unindexed({ timestampValue: expires.toISOString() }) };
}

export function writeMark(write: string): Properties {
  return { [names.write]: unindexed({ stringValue: write }) };
}

export function documentOf({ entity, version = "" }: EntityResult): Document {
  const {
    [names.write]: _write,
    [names.outdated]: _outdated,
    [names.unfit]: _unfit,
    [names.expires]: expires,
    [names.exact]: exact,
    ...rest
  } = entity?.properties ?? {};
  const body = exact?.blobValue;
  const fields =
    body === undefined ? decodeFields(withoutTerms(rest)) : decodeBody(Buffer.from(body, "base64").toString());
  const id = entity?.key?.path?.[0]?.name ?? "";
  if (expires?.timestampValue === undefined) return { id, version, fields };
  return { id, version, fields, expires: new Date(expires.timestampValue) };
}

/** Returns the id of the write that created this version; undefined if it is not stored. */
export function writeOf(result: EntityResult | undefined): string | undefined {
  return result?.entity?.properties?.[names.write]?.stringValue;
}

export function isExpired(result: EntityResult, now: number): boolean {
  const expires = result.entity?.properties?.[names.expires]?.timestampValue;
  return expires !== undefined && Date.parse(expires) <= now;
}

/** Adds search terms, which are not part of the document's fields. */
function withTerms(properties: Properties, indexed: readonly (readonly [string, readonly Scalar[]])[]): Properties {
  return indexed
    .filter(([name]) => searchedFields(name) !== undefined)
    .reduce((all, [name, values]) => setIndexedValue(all, [name], values), properties);
}

function withoutTerms(properties: Properties): Properties {
  const names = Object.keys(properties).filter((name) => searchedFields(name) !== undefined);
  if (names.length === 0) return properties;
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)));
}

function inexact(kind: Kind, fields: Fields, indexed: Iterable<readonly [string, readonly Scalar[]]>): Properties {
  const exact = { blobValue: Buffer.from(encodeTagged(fields)).toString("base64") };
  let properties: Properties = { [names.exact]: unindexed(exact) };
  for (const [name, values] of indexed) {
    const property = kind.indexed.get(name);
    if (property?.key !== true && property?.unfit === undefined)
      properties = setIndexedValue(properties, property?.path ?? name.split("."), values);
  }
  return properties;
}

/**
 * Sets an indexed property that decoding ignores: search terms, or any property of a document that is stored as text.
 * Without `values`, the property does not change.
 */
export function setIndexedValue(
  properties: Properties,
  [name = "", ...more]: readonly string[],
  values: readonly Scalar[],
): Properties {
  if (more.length > 0) {
    const inner = setIndexedValue(properties[name]?.entityValue?.properties ?? {}, more, values);
    return { ...properties, [name]: { entityValue: { properties: inner } } };
  }
  const [only, ...others] = values.map(encodeScalar);
  if (only === undefined) return properties;
  return { ...properties, [name]: others.length === 0 ? only : { arrayValue: { values: [only, ...others] } } };
}

export function unindexed(value: DatastoreValue): DatastoreValue {
  return { ...value, excludeFromIndexes: true };
}

const cachedPaths = new WeakMap<Kind, IndexedPaths>();

function pathsFor(kind: Kind, foreignValues: ReadonlyMap<string, unknown>): IndexedPaths {
  if (foreignValues.size > 0) return treeOf(kind, [...foreignValues.keys()]);
  const paths = cachedPaths.get(kind) ?? treeOf(kind);
  cachedPaths.set(kind, paths);
  return paths;
}

interface Tree {
  leaf: boolean;
  readonly below: Map<string, Tree>;
}

function treeOf(kind: Kind, foreign: readonly string[] = []): IndexedPaths {
  const root: Tree = { leaf: false, below: new Map() };
  const own = [...kind.indexed.values()]
    .filter(({ key, unfit }) => !key && unfit === undefined)
    .map(({ path }) => path);
  for (const path of [...own, ...foreign.map((name) => name.split("."))]) {
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
