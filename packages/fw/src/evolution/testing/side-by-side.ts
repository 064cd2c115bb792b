import * as fc from "fast-check";
import { expect } from "vitest";
import type { Context } from "../../declare/context.ts";
import { Entity } from "../../declare/entity.ts";
import { Fault, StatusError } from "../../declare/errors.ts";
import { HOST } from "../../declare/slot.ts";
import { isA } from "../../lib/thrown.ts";
import { withRules } from "../../model/evolution.ts";
import { partsOf, type Field, type Schema } from "../../model/schema.ts";
import type { Definitions, Platform } from "../../platform/contract.ts";
import type { Delivery, Destination } from "../../platform/messages.ts";
import { encodeScalar } from "../../platform/local/index-key.ts";
import { isPlatformError } from "../../platform/errors.ts";
import type { Fields, Scalar } from "../../platform/values.ts";
import { decodeStored } from "../../runtime/background/codec.ts";
import { parseExact } from "../../runtime/body/json-exact.ts";
import type { BundledDestination, BundledEntity } from "../../runtime/bundle.ts";
import { createApplication } from "../../runtime/create-application.ts";
import { definitionsOf } from "../../runtime/definitions.ts";
import { documentOf } from "../../runtime/entity/document.ts";
import { settings } from "../../runtime/settings.ts";
import { bundleOf } from "../../runtime/testing/app.ts";
import { compileDocuments } from "../../runtime/testing/documents.ts";
import { entityChanges, messageChanges, type Subject } from "../data-changes.ts";
import { queueOf } from "./queue.ts";
import { emptySchema, isOf, rulesOf, valueOf, versions, type Version } from "./versions.ts";

/** A platform that serves code with different definitions. */
export type VersionedPlatform = Platform & {
  readonly dispatcher: NonNullable<Platform["dispatcher"]>;
  prepare: NonNullable<Platform["prepare"]>;
  builtWith(definitions: Definitions): Platform;
};

/** Two versions of one entity and one queue, with values of both and a history of calls. */
export interface VersionPair {
  readonly versions: readonly [older: Version, newer: Version];
  /** Values of the older type and of the newer one. */
  readonly values: readonly [readonly unknown[], readonly unknown[]];
  /** Fields with an index, if their types allow one. */
  readonly indexed: readonly string[];
  /** The calls before the newer version starts, and the calls of both versions side by side. */
  readonly calls: readonly [readonly VersionCall[], readonly VersionCall[]];
}

interface VersionCall {
  readonly how: "put" | "update" | "delete" | "get" | "query";
  /** True if the newer version makes the call; only used once both run. */
  readonly isNewer: boolean;
  readonly id: string;
  readonly position: number;
}

export interface PairOutcome {
  /** False if a person must decide what happens to older data. */
  readonly isCompatible: boolean;
  /** True if the newer version encountered a document or message that it could not read. */
  readonly isRefused: boolean;
}

const ids = ["a", "b", "c", "d", "e"];

const call: fc.Arbitrary<VersionCall> = fc.record({
  how: fc.constantFrom("put", "put", "update", "delete", "get", "query", "query"),
  isNewer: fc.boolean(),
  id: fc.constantFrom(...ids),
  position: fc.nat(9),
});

export const versionPairs: fc.Arbitrary<VersionPair> = versions
  .filter((pair) => pair.every(isStorable))
  .chain((pair) =>
    fc.record({
      versions: fc.constant(pair),
      values: fc.tuple(valuesOf(pair[0]), valuesOf(pair[1])),
      indexed: fc.subarray(["a", "b", "c", "d"], { minLength: 1 }),
      calls: fc.tuple(fc.array(call, { minLength: 4, maxLength: 8 }), fc.array(call, { minLength: 8, maxLength: 16 })),
    }),
  );

/** True if an entity can store the type: entities refuse types with a list directly inside a list. */
function isStorable({ schema }: Version): boolean {
  const isList = ({ kind }: Schema): boolean => kind === "array" || kind === "tuple" || kind === "json";
  const hasListOfLists = (each: Schema): boolean => {
    const inner = partsOf(each);
    const isOfLists = each.kind !== "json" && isList(each) && inner.some((part) => unionParts(part).some(isList));
    return isOfLists || inner.some(hasListOfLists);
  };
  return !hasListOfLists(schema);
}

function unionParts(schema: Schema): readonly Schema[] {
  return schema.kind === "union" ? schema.variants.flatMap(unionParts) : [schema];
}

function valuesOf({ schema }: Version): fc.Arbitrary<unknown[]> {
  return fc.array(valueOf(schema), { minLength: 4, maxLength: 4 });
}

/** Runs the pairs on one empty store, each with its own documents and messages. */
export async function runSideBySide(
  open: (definitions: Definitions) => Promise<VersionedPlatform>,
  pairs: readonly VersionPair[],
): Promise<readonly PairOutcome[]> {
  const older = pairs.map((pair, i) => new VersionCode(pair, i, 0));
  const newer = pairs.map((pair, i) => new VersionCode(pair, i, 1));
  const [before, after] = [older, newer].map(definitionsOfCode) as [Definitions, Definitions];
  const platform = await open(before);
  serveOn(platform.builtWith(before), older);
  await Promise.all(older.map((code, i) => makeCalls(pairs[i]?.calls[0] ?? [], () => code)));
  await Promise.all(older.map((code) => code.send(platform)));
  await (await platform.prepare(after)).commit();
  serveOn(platform.builtWith(after), newer);
  const delivering = platform.dispatcher.deliver(async (delivery) =>
    newer[Number(delivery.consumer)]?.receive(delivery),
  );
  await Promise.all(
    pairs.map(({ calls }, i) => makeCalls(calls[1], ({ isNewer }) => (isNewer ? newer : older)[i] as VersionCode)),
  );
  for (const code of [...older, ...newer]) await code.checkQueries();
  await platform.dispatcher.idle();
  await delivering.stop();
  expect(await platform.dispatcher.dead()).toEqual([]);
  return pairs.map((pair, i) => outcomeOf(pair, older[i] as VersionCode, newer[i] as VersionCode));
}

async function makeCalls(calls: readonly VersionCall[], codeOf: (call: VersionCall) => VersionCode): Promise<void> {
  for (const each of calls) await codeOf(each).make(each);
}

function definitionsOfCode(code: readonly VersionCode[]): Definitions {
  const consumers = code.map(({ destination }, i) => ({ service: String(i), source: destination, delivery }));
  return definitionsOf({ entities: code.map(({ entity }) => entity), consumers });
}

const delivery = { maxAttempts: 1, minBackoff: 1, maxBackoff: 1, deadline: 60_000 };

function serveOn(platform: Platform, code: readonly VersionCode[]): void {
  const bundle = { ...bundleOf([]), entities: code.map(({ entity }) => entity) };
  const app = createApplication(bundle, { settings: settings.test, platform, log: () => {} });
  for (const each of code) each.serve(platform, { [HOST]: app.host, requestId: "r1" } as unknown as Context);
}

class VersionCode {
  readonly entity: BundledEntity;
  readonly destination: Destination;
  readonly version: Version;
  /** The number of operations that failed because it could not read a document. */
  refusedDocuments = 0;
  #delivered = 0;
  readonly #values: readonly unknown[];
  readonly #queue: BundledDestination;
  #ctx: Context | undefined;
  #platform: Platform | undefined;

  constructor(pair: VersionPair, number: number, position: 0 | 1) {
    this.version = pair.versions[position];
    this.#values = pair.values[position];
    this.destination = { kind: "queue", name: `emails${number}` };
    this.entity = entityOf(`orders${number}`, this.version, pair.indexed);
    this.#queue = queueOf(this.version);
  }

  serve(platform: Platform, ctx: Context): void {
    this.#platform = platform;
    this.#ctx = ctx;
  }

  get deliveredMessages(): number {
    return this.#delivered;
  }

  async send({ messages }: Platform): Promise<void> {
    for (const value of this.#values.slice(0, 2)) {
      const body = this.#queue.encode?.(value) ?? JSON.stringify(value);
      await messages.send(this.destination, { body });
    }
  }

  /** Handles a message of either version. A message that does not fit waits. */
  async receive({ body }: Delivery): Promise<void> {
    const message: unknown = this.#queue.exactIntegers ? parseExact(body) : JSON.parse(body);
    expect(isOf(this.version.schema, decodeStored(this.#queue, message))).toBe(true);
    this.#delivered++;
  }

  async make({ how, id, position }: VersionCall): Promise<void> {
    const { declaration } = this.entity;
    const ctx = this.#ctx as Context;
    if (how === "query") return this.#checkQuery(position);
    await this.#unlessRefused(async () => {
      if (how === "put")
        await declaration.put(ctx, { id, ...(this.#values[position % this.#values.length] as object) });
      if (how === "delete") await declaration.delete(ctx, id);
      if (how === "update" && (await declaration.find(ctx, id)) !== undefined)
        await declaration.update(ctx, id, () => undefined);
      const document = await declaration.find(ctx, id);
      if (document !== undefined) expect(isOf(this.version.schema, document)).toBe(true);
    });
  }

  async checkQueries(): Promise<void> {
    for (let position = 0; position < 2 * this.entity.indexed.length; position++) await this.#checkQuery(position);
  }

  /** Compares the result of a query with all documents, read by their ids. */
  async #checkQuery(position: number): Promise<void> {
    const { declaration, indexed } = this.entity;
    const field = indexed[position % Math.max(indexed.length, 1)]?.name;
    if (field === undefined) return;
    const value = (this.#values[position % this.#values.length] as Readonly<Record<string, Scalar | undefined>>)[field];
    if (value === undefined) return;
    await this.#unlessRefused(async () => {
      const documents = await declaration
        .query()
        .where(field as never, "==", value as never)
        .all(this.#ctx as Context);
      for (const document of documents) expect(isOf(this.version.schema, document)).toBe(true);
      const { readable, unreadable } = await this.#documents();
      // The query may only succeed if its version is certain that no unreadable document belongs in the result.
      for (const fields of unreadable) expect(basicTypes(this.#fieldOf(field))).toContain(basicTypeOf(fields[field]));
      const matching = readable.filter((document) => isSame((document as Record<string, Scalar>)[field], value));
      expect(documents).toEqual(matching);
    });
  }

  /** Returns the documents that this version can read, and the stored fields of the others. */
  async #documents(): Promise<{ readonly readable: readonly object[]; readonly unreadable: readonly Fields[] }> {
    const raw = await this.#platform?.entities.getMany(ids.map((id) => ({ kind: this.entity.name, id })));
    const readable: object[] = [];
    const unreadable: Fields[] = [];
    for (const document of raw ?? []) {
      if (document === undefined) continue;
      try {
        readable.push(documentOf(this.entity, document, undefined));
      } catch {
        unreadable.push(document.fields);
      }
    }
    return { readable, unreadable };
  }

  #fieldOf(name: string): Field {
    const field = this.version.schema.fields.find((each) => each.name === name);
    if (field === undefined) throw new Error(`no field ${name}`);
    return field;
  }

  async #unlessRefused(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // A query fails rather than omit a document that no rule makes readable.
      const isRefusal = isA(error, Fault) || isPlatformError(error, "unfit");
      if (!isRefusal && !(isA(error, StatusError) && error.status === 503)) throw error;
      this.refusedDocuments++;
    }
  }
}

function isSame(left: Scalar | undefined, right: Scalar): boolean {
  return left !== undefined && encodeScalar(left, "asc").equals(encodeScalar(right, "asc"));
}

function entityOf(name: string, { schema, upgrade, renamed }: Version, indexedNames: readonly string[]): BundledEntity {
  const indexed = schema.fields
    .filter((field) => indexedNames.includes(field.name) && isScalar(field.schema))
    .map((field) => ({ name: field.name, many: false }));
  const evolution = rulesOf({ schema, upgrade, renamed });
  return {
    declaration: (Entity as (name: string, rules: unknown) => unknown)(name, { upgrade, renamed }) as never,
    name,
    id: "id",
    indexed: withRules({ indexed, evolution, document: schema }, {}),
    transient: [],
    indexes: [],
    alternatives: compileDocuments(schema),
  };
}

function isScalar(schema: Schema): boolean {
  if (schema.kind === "union") return schema.variants.every(isScalar);
  return !["array", "tuple", "record", "object", "json"].includes(schema.kind);
}

/** Returns the types of a field's values that the order of an index distinguishes. */
function basicTypes({ schema, optional }: Field): readonly string[] {
  return [...valueTypes(schema), ...(optional ? ["undefined"] : [])];
}

function valueTypes(schema: Schema): readonly string[] {
  if (schema.kind === "union") return schema.variants.flatMap(valueTypes);
  if (schema.kind === "literal") return [typeof schema.value];
  return [{ int: "number", int64: "bigint" }[schema.kind as string] ?? schema.kind];
}

function basicTypeOf(value: unknown): string {
  if (value === null) return "null";
  return value instanceof Date ? "date" : typeof value;
}

/** Returns the changes to stored data that `fw check --against` reports for a pair. */
function changesOf({ versions: [before, after] }: VersionPair) {
  const subject = (name: string): Subject => ({
    before: emptySchema,
    after: emptySchema,
    name,
    at: { path: "shop/shop.ts", line: 1, column: 1, endLine: 1, endColumn: 2 },
  });
  const documents = entityChanges(
    subject("orders"),
    { id: "id", document: before.schema, indexed: [], indexes: [], evolution: rulesOf(before) },
    { id: "id", document: after.schema, indexed: [], indexes: [], evolution: rulesOf(after) },
  );
  const messages = messageChanges(
    subject("queue emails"),
    { message: before.schema, evolution: rulesOf(before) },
    { message: after.schema, evolution: rulesOf(after) },
  );
  return { documents, messages };
}

function isDecision({ verdict }: { readonly verdict: string }): boolean {
  return verdict === "decision";
}

/** True if a person must decide what happens to older data. */
export function needsDecision(pair: VersionPair): boolean {
  const { documents, messages } = changesOf(pair);
  return [...documents, ...messages].some(isDecision);
}

/** Compares the outcome with the verdict of `fw check --against`, and returns it. */
function outcomeOf(pair: VersionPair, older: VersionCode, newer: VersionCode): PairOutcome {
  const { documents, messages } = changesOf(pair);
  if (!documents.some(isDecision)) expect(newer.refusedDocuments).toBe(0);
  if (!messages.some(isDecision)) expect(newer.deliveredMessages).toBe(2);
  if (!documents.some(({ rule }) => rule === "evolve-rollback")) expect(older.refusedDocuments).toBe(0);
  return {
    isCompatible: !needsDecision(pair),
    isRefused: newer.refusedDocuments > 0 || newer.deliveredMessages < 2,
  };
}
