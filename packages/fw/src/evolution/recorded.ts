import { compareText, namesOf } from "../lib/names.ts";
import { isRecord } from "../lib/record-in.ts";
import { join } from "node:path";
import { closure } from "../lib/closure.ts";
import { checked, type Codec } from "../lib/codec.ts";
import { ofVersion, readOwnFile } from "../lib/own-file.ts";
import type { App } from "../model/app.ts";
import { allOfKind, destinationsOf, endpointsOf } from "../model/declarations.ts";
import type { Entity, FieldOrder, IndexedField } from "../model/entity.ts";
import type { Evolving } from "../model/evolution.ts";
import type { Separated } from "../model/tenant.ts";
import { refsIn, type Schema, type TypeTable } from "../model/schema.ts";
import { recordedEndpoint, type RecordedEndpoint } from "./recorded-endpoint.ts";
import { plainSchema } from "./plain-schema.ts";

/** Incremented when the format changes in a way that older readers would misread. */
export const schemaVersion = 1;

/** The name of the file with a recorded schema, next to a build's manifest and in a data directory. */
export const schemaFile = "schema.json";

/** The types of everything that several versions may read: documents, messages, requests and responses. */
export interface RecordedSchema {
  readonly version: typeof schemaVersion;
  readonly app: string;
  readonly entities: Readonly<Record<string, RecordedEntity>>;
  /** By kind and name, such as `queue emails`. */
  readonly messages: Readonly<Record<string, RecordedMessage>>;
  readonly buckets: readonly string[];
  /** The tenants of buckets, feeds and limits, by kind and name, such as `feed tickets`. Absent in older records. */
  readonly separated?: Readonly<Record<string, Separated>>;
  readonly session: RecordedSession;
  /** By route pattern. Mounts have no types. */
  readonly endpoints: Readonly<Record<string, RecordedEndpoint>>;
  /** The named types that the other members refer to. */
  readonly types: TypeTable;
}

export interface RecordedEntity extends Evolving, Separated {
  readonly id: string;
  /** Absent if parts of the type are unknown. */
  readonly document?: Schema;
  readonly indexed: readonly IndexedField[];
  readonly indexes: readonly (readonly FieldOrder[])[];
}

export interface RecordedMessage extends Evolving, Separated {
  readonly message: Schema;
}

export const separatedResources = ["bucket", "feed", "limit"] as const;

export type SeparatedResource = (typeof separatedResources)[number];

/** The roles that sessions contain, and the sign-in methods. */
export interface RecordedSession {
  readonly roles: readonly string[];
  readonly providers: readonly string[];
}

/** Records the schema of an application. Equal applications give equal records, whatever the order of the source. */
export function recordedSchema(app: App): RecordedSchema {
  const { packages } = app;
  const record: Omit<RecordedSchema, "types"> = {
    version: schemaVersion,
    app: app.name,
    entities: byKey(allOfKind(packages, "entity").map((entity) => [entity.name, recordedEntity(app, entity)])),
    messages: byKey(
      packages
        .flatMap(destinationsOf)
        .map(({ kind, name, message, evolution, tenant }) => [
          `${kind} ${name}`,
          { message: plainSchema(message), ...(evolution && { evolution }), ...(tenant !== undefined && { tenant }) },
        ]),
    ),
    buckets: namesOf(allOfKind(packages, "bucket")),
    ...separatedIn(app),
    session: sessionOf(app),
    endpoints: byKey(packages.flatMap(endpointsOf).flatMap((endpoint) => recordedEndpoint(endpoint) ?? [])),
  };
  return { ...record, types: typesOf(record, app.types) };
}

/** Records the tenants of buckets, feeds and limits; omitted if there are none. */
function separatedIn({ packages }: App): Pick<RecordedSchema, "separated"> {
  const all = separatedResources
    .flatMap((kind) => allOfKind(packages, kind))
    .map(({ kind, name, tenant }) => [`${kind} ${name}`, tenant === undefined ? {} : { tenant }] as const);
  return all.length === 0 ? {} : { separated: byKey(all) };
}

export function schemaText(schema: RecordedSchema): string {
  return `${JSON.stringify(schema, undefined, 1)}\n`;
}

/**
 * Reads a record; undefined if there is none in this version's format. Throws a DamagedFile if its content is wrong.
 */
export function readSchema(directory: string): RecordedSchema | undefined {
  return readOwnFile(join(directory, schemaFile), ofVersion(schemaVersion, outline));
}

/**
 * Parses the text of a record. Returns undefined if its format has another version; throws if the text is not a record.
 */
export function parseSchema(text: string): RecordedSchema | undefined {
  return ofVersion(schemaVersion, outline).read(JSON.parse(text), "a recorded schema");
}

const outline: Codec<RecordedSchema> = checked(
  "a recorded schema",
  (schema) =>
    isRecord(schema) &&
    ["entities", "messages", "endpoints", "types", "session"].every((part) => isRecord(schema[part])) &&
    Array.isArray(schema["buckets"]),
);

function recordedEntity(
  { indexes = [] }: App,
  { name, id, document, indexed, evolution, tenant }: Entity,
): RecordedEntity {
  return {
    id,
    ...(document && { document: plainSchema(document) }),
    indexed: indexed.toSorted((a, b) => compareText(a.name, b.name)),
    indexes: indexes.filter(({ entity }) => entity === name).map(({ fields }) => fields),
    ...(evolution && { evolution }),
    ...(tenant !== undefined && { tenant }),
  };
}

function sessionOf({ packages }: App): RecordedSession {
  const auths = allOfKind(packages, "auth");
  const providers = (["password", "social", "tokens"] as const).filter((way) => auths.some((auth) => auth[way]));
  return { roles: namesOf(allOfKind(packages, "role")), providers };
}

/** Returns the named types that a record refers to, directly or indirectly. */
function typesOf(record: Omit<RecordedSchema, "types">, types: TypeTable): TypeTable {
  const ids = closure(schemasIn(record).flatMap(refsIn), (id) => refsIn(types[id]));
  return byKey([...ids].flatMap((id) => (types[id] === undefined ? [] : [[id, plainSchema(types[id])]])));
}

function schemasIn({ entities, messages, endpoints }: Omit<RecordedSchema, "types">): readonly Schema[] {
  return [
    ...Object.values(entities).flatMap(({ document }) => document ?? []),
    ...Object.values(messages).map(({ message }) => message),
    ...Object.values(endpoints).flatMap(({ request, answers, messages: socket }) => [
      ...request.map(({ schema }) => schema),
      ...answers.map(({ body }) => body),
      ...(socket ? [socket.received, socket.sent] : []),
    ]),
  ];
}

function byKey<T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => compareText(a, b)));
}
