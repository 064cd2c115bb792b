import { distinct } from "../lib/grouped.ts";
import { documentBytes, indexedElements, indexedStringBytes } from "../lib/limits.ts";
import { searchedFields, unknownTerms } from "../lib/derived-indexes.ts";
import { decodeTagged, encodeTagged } from "../lib/tagged-json.ts";
import { exceeds } from "../lib/utf8.ts";
import type { Key } from "./contract.ts";
import { outdatedProperty, type Kind, type Property } from "./definitions.ts";
import { checkShape } from "./document-shape.ts";
import { PlatformError } from "./errors.ts";
import type { Fields, Scalar, Value } from "./values.ts";

/** Limit: UTF-8 bytes in a document's id. */
const documentIdBytes = 1500;

/** A validated document, ready to be written. */
export interface EncodedDocument {
  /** The kind for which it was validated. */
  readonly kind: Kind;
  readonly body: string;
  /** The values of each indexed property: one value, or each distinct element of an array. */
  readonly indexed: ReadonlyMap<string, readonly Scalar[]>;
}

/**
 * Validates and encodes a document. Throws a PlatformError `document`, `shape`, `indexed` or `too-large`, whose message
 * names the document and the property.
 */
export function encodeDocument(kind: Kind, key: Key, fields: Fields): EncodedDocument {
  return withDocumentName(key, () => {
    checkStorable(key.id, fields);
    const encoded = {
      kind,
      body: encodeTagged(fields),
      // A document that is written under the rules of `kind` is not outdated.
      indexed: indexedValues(kind, (property) => {
        if (property.outdated !== undefined) return [];
        if (property.unfit === undefined) return propertyValues(property, key.id, fields);
        // Checks only the type: the property itself comes first, so an index can hold its values.
        return isOfType(property, fields) ? [] : [true];
      }),
    };
    checkSize(key, encoded);
    return encoded;
  });
}

/** Validates a document like `encodeDocument`, without the checks that depend on its kind or total size. */
export function checkDocument(key: Key, fields: Fields): void {
  withDocumentName(key, () => checkStorable(key.id, fields));
}

function checkStorable(id: string, fields: Fields): void {
  checkId(id);
  checkNames(fields);
  checkShape(fields);
}

function withDocumentName<T>({ kind, id }: Key, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw new PlatformError(error.code, `${kind} ${shortId(id)}: ${error.message}`);
  }
}

/** Decodes a stored body; fails with `data` if it is damaged. */
export function decodeFields(body: string): Fields {
  try {
    return decodeTagged(body) as Fields;
  } catch {
    throw new PlatformError("data", 'a stored document is damaged; stop the server and run "fw check-data" to find it');
  }
}

/** Whether a document can have the id. Reads with any other id return nothing. */
export function isStorableId(id: string): boolean {
  return idDefect(id) === undefined;
}

/** Whether an index can hold the value. No document matches a value that no index can hold. */
export function isIndexable(value: Scalar): boolean {
  return scalarDefect(value) === undefined;
}

/**
 * Returns the indexed values of a document. Treats it as outdated, because it may have been written under another
 * definition. Omits values that no index can hold, such as values from before the property was indexed.
 */
export function storedValues(kind: Kind, id: string, fields: Fields): Map<string, Scalar[]> {
  return indexedValues(kind, (property) => {
    if (property.outdated !== undefined) return [true];
    if (property.unfit !== undefined) return unfitValues(property, id, fields);
    try {
      return propertyValues(property, id, fields);
    } catch {
      return [];
    }
  });
}

/**
 * Returns the indexed values, under `kind`, of a document that was encoded under another definition. The document
 * counts as outdated unless both definitions have the same rules.
 */
export function valuesWritten(kind: Kind, id: string, { kind: own, body }: EncodedDocument): Map<string, Scalar[]> {
  const values = storedValues(kind, id, decodeFields(body));
  const rules = own.indexed.get(outdatedProperty)?.outdated;
  if (rules !== undefined && kind.indexed.get(outdatedProperty)?.outdated === rules) values.delete(outdatedProperty);
  return values;
}

export function valueOf(property: Property, id: string, fields: Fields): Value | undefined {
  return property.key ? id : valueAt(fields, property.path);
}

function valueAt(fields: Fields, path: readonly string[]): Value | undefined {
  let value: Value | undefined = fields;
  for (const name of path) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Date) return undefined;
    value = Object.hasOwn(value, name) ? (value as Fields)[name] : undefined;
  }
  return value;
}

function indexedValues(kind: Kind, valuesOf: (property: Property) => Scalar[]): Map<string, Scalar[]> {
  const indexed = new Map<string, Scalar[]>();
  for (const property of kind.indexed.values()) {
    const values = valuesOf(property);
    if (values.length > 0) indexed.set(property.name, values);
  }
  return indexed;
}

function checkId(id: string): void {
  const defect = idDefect(id);
  if (defect !== undefined) throw new PlatformError("document", `an id ${defect}`);
}

function idDefect(id: string): string | undefined {
  if (typeof id !== "string" || id === "") return "must be a non-empty string";
  if (exceeds(id, documentIdBytes)) return `must have at most ${documentIdBytes} bytes`;
  if (id.startsWith("_") && /^(?:_fw|__.*__$)/s.test(id)) return "cannot begin with _fw or have the form __…__";
  if (/[\0\p{Surrogate}]/u.test(id)) return "cannot contain NUL or half a surrogate pair";
  return undefined;
}

function checkNames(fields: Fields): void {
  const reserved = Object.keys(fields).find((name) => name.startsWith("_fw"));
  if (reserved !== undefined)
    throw new PlatformError("document", `the property ${reserved} begins with _fw, which fw reserves`);
}

function propertyValues(property: Property, id: string, fields: Fields): Scalar[] {
  const textFields = searchedFields(property.name);
  if (textFields !== undefined) return [...termsOf(textFields, fields, property.name)];
  const value = valueOf(property, id, fields);
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [indexable(property, value)];
  if (!property.many) throw new PlatformError("document", `the indexed property ${property.name} is an array`);
  if (value.length > indexedElements)
    throw new PlatformError("indexed", `the indexed property ${property.name} has over ${indexedElements} elements`);
  // Without duplicates: `==` returns a document once, even if its array repeats the value.
  return distinct(
    value.map((element: Value) => indexable(property, element)),
    (element) => (element instanceof Date ? BigInt(element.getTime()) * 1000n : element),
  );
}

/**
 * Returns `[true]` if the document's value has none of the property's types or cannot be indexed, otherwise an empty
 * list.
 */
function unfitValues(property: Property, id: string, fields: Fields): Scalar[] {
  if (!isOfType(property, fields)) return [true];
  try {
    propertyValues(property, id, fields);
    return [];
  } catch {
    return [true];
  }
}

const knownTypes = new Map<string, ReadonlySet<string>>();

function isOfType({ unfit = "", path }: Property, fields: Fields): boolean {
  const types = knownTypes.get(unfit) ?? new Set(unfit.split("|"));
  knownTypes.set(unfit, types);
  const value = valueAt(fields, path);
  if (!Array.isArray(value)) return types.has(typeOf(value));
  return unfit.includes("[]") && value.every((element: Value) => types.has(`${typeOf(element)}[]`));
}

function typeOf(value: Value | undefined): string {
  if (value === null) return "null";
  return value instanceof Date ? "date" : typeof value;
}

/** Returns the search terms of text fields. Throws a PlatformError `indexed` if there are too many for the property. */
type TermsOf = (textFields: readonly string[], fields: Fields, property: string) => readonly string[];

let termsOf: TermsOf = () => [unknownTerms];

/**
 * Sets the function that splits text into terms. Only bundles of applications with `Search` fields contain it.
 * Documents written without it have the term `unknownTerms` until they are rewritten.
 */
export function setTerms(rule: TermsOf): void {
  termsOf = rule;
}

function indexable(property: Property, value: Value): Scalar {
  const defect = scalarDefect(value);
  if (defect !== undefined) {
    const code = isScalar(value) ? "indexed" : "document";
    throw new PlatformError(code, `the indexed property ${property.name} ${defect}`);
  }
  return value as Scalar;
}

function isScalar(value: Value): value is Scalar {
  return typeof value !== "object" || value === null || value instanceof Date;
}

const earliest: number = Date.parse("0001-01-01T00:00:00Z");
const latest: number = Date.parse("9999-12-31T23:59:59.999Z");

function scalarDefect(value: Value): string | undefined {
  if (!isScalar(value)) return "is an object or an array";
  if (typeof value === "string") return stringDefect(value);
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value ? undefined : "is a bigint beyond 64 bits";
  if (!(value instanceof Date)) return undefined;
  return value.getTime() >= earliest && value.getTime() <= latest ? undefined : "is a Date outside the years 1 to 9999";
}

function stringDefect(value: string): string | undefined {
  if (exceeds(value, indexedStringBytes)) return `is a string of over ${indexedStringBytes} bytes`;
  return /\p{Surrogate}/u.test(value) ? "contains half a surrogate pair" : undefined;
}

/** The bytes that count for a document, and for each indexed value, in addition to names and values. */
const overheadBytes = 32;

function checkSize(key: Key, { body, indexed }: EncodedDocument): void {
  let bytes = Buffer.byteLength(body) + Buffer.byteLength(key.id) + key.kind.length + overheadBytes;
  for (const [name, values] of indexed)
    for (const value of values)
      bytes += name.length + overheadBytes + (typeof value === "string" ? Buffer.byteLength(value) : 8);
  if (bytes > documentBytes)
    throw new PlatformError("too-large", `it has ${bytes} bytes; a document can have at most ${documentBytes}`);
}

function shortId(id: unknown): string {
  return JSON.stringify(typeof id === "string" && id.length > 60 ? `${id.slice(0, 60)}…` : id) ?? typeof id;
}
