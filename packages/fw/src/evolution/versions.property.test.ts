import * as fc from "fast-check";
import { expect, test } from "vitest";
import { tries } from "../lib/testing/tries.ts";
import { isMisfit } from "../platform/misfit.ts";
import { decodeStored } from "../runtime/background/codec.ts";
import { parseExact } from "../runtime/body/json-exact.ts";
import type { BundledDestination, BundledEntity } from "../runtime/bundle.ts";
import { checkWritten, currentFields } from "../runtime/entity/document-type.ts";
import { compileDocuments } from "../runtime/testing/documents.ts";
import { entityChanges, messageChanges, type Subject } from "./data-changes.ts";
import { queueOf } from "./testing/queue.ts";
import { emptySchema, isOf, rulesOf, valueOf, versions, type Version } from "./testing/versions.ts";

const at = { path: "shop/shop.ts", line: 1, column: 1, endLine: 1, endColumn: 2 };

function subject(name: string): Subject {
  return { before: emptySchema, after: emptySchema, name, at };
}

function entityOf({ schema, upgrade, renamed }: Version): BundledEntity {
  const declaration = { kind: "entity", name: "orders", evolution: { upgrade, renamed } };
  const alternatives = compileDocuments(schema);
  return {
    declaration: declaration as never,
    name: "orders",
    id: "id",
    indexed: [],
    transient: [],
    indexes: [],
    alternatives,
  };
}

/** The number of each verdict, and of decisions that no drawn value required. */
interface Verdicts {
  compatible: number;
  decisions: number;
  unneeded: number;
}

const seed = Number(process.env["FW_SEED"] ?? Date.now() % 1e9);

const few = { minLength: 12, maxLength: 12 };

const pairs = versions.chain(([before, after]) =>
  fc.tuple(
    fc.constant([before, after] as const),
    fc.array(valueOf(before.schema), few),
    fc.array(valueOf(after.schema), few),
  ),
);

/** Checks that drawn values required most of the decisions. Values that were not drawn may require the others. */
function report(what: string, { compatible, decisions, unneeded }: Verdicts): void {
  if (tries(1) > 1)
    process.stdout.write(
      `${what}, FW_SEED=${seed}: ${compatible + decisions} pairs, ${decisions} decisions, ${decisions - unneeded} needed by a drawn value\n`,
    );
  expect(Math.min(compatible, decisions)).toBeGreaterThan(10);
  expect(unneeded).toBeLessThanOrEqual(Math.ceil(decisions / 20));
}

test("of two versions side by side, neither reads a document of another type, and none that is compatible is refused", () => {
  const verdicts: Verdicts = { compatible: 0, decisions: 0, unneeded: 0 };
  fc.assert(
    fc.property(pairs, ([[before, after], olderValues, newerValues]) => {
      const [older, newer] = [entityOf(before), entityOf(after)];
      const changes = entityChanges(
        subject("orders"),
        { id: "id", document: before.schema, indexed: [], indexes: [], evolution: rulesOf(before) },
        { id: "id", document: after.schema, indexed: [], indexes: [], evolution: rulesOf(after) },
      );
      const isCompatible = !changes.some(({ verdict }) => verdict === "decision");
      const isReadBack = !changes.some(({ rule }) => rule === "evolve-rollback");
      const misreads = olderValues.filter((value) => !reads(newer, after, value));
      const refusedBack = newerValues.filter((value) => !reads(older, before, value));
      if (isCompatible) expect(misreads).toEqual([]);
      if (isReadBack) expect(refusedBack).toEqual([]);
      verdicts[isCompatible ? "compatible" : "decisions"]++;
      if (!isCompatible && misreads.length === 0) verdicts.unneeded++;
    }),
    { numRuns: tries(400), seed },
  );
  report("documents", verdicts);
});

/**
 * True if a version can read a document. The result must have the version's type and be writable and readable again.
 */
function reads(entity: BundledEntity, { schema }: Version, value: unknown): boolean {
  let document: object;
  try {
    document = currentFields(entity, "o1", structuredClone(value) as never);
  } catch {
    return false;
  }
  expect(isOf(schema, document)).toBe(true);
  checkWritten(entity, "o1", document as never);
  expect(currentFields(entity, "o1", document as never)).toEqual(document);
  return true;
}

test("a message of an older version is of the new type or waits, and one that is compatible never waits", () => {
  const verdicts: Verdicts = { compatible: 0, decisions: 0, unneeded: 0 };
  fc.assert(
    fc.property(pairs, ([[before, after], olderValues]) => {
      const [older, newer] = [queueOf(before), queueOf(after)];
      const changes = messageChanges(
        subject("queue emails"),
        { message: before.schema, evolution: rulesOf(before) },
        { message: after.schema, evolution: rulesOf(after) },
      );
      const isCompatible = !changes.some(({ verdict }) => verdict === "decision");
      const waiting = olderValues.filter((value) => !decodes(newer, after, encoded(older, value)));
      if (isCompatible) expect(waiting).toEqual([]);
      verdicts[isCompatible ? "compatible" : "decisions"]++;
      if (!isCompatible && waiting.length === 0) verdicts.unneeded++;
    }),
    { numRuns: tries(400), seed },
  );
  report("messages", verdicts);
});

function encoded({ encode }: BundledDestination, value: unknown): string {
  return encode === undefined ? JSON.stringify(value) : encode(value);
}

function decodes(queue: BundledDestination, { schema }: Version, text: string): boolean {
  let message: unknown;
  try {
    message = decodeStored(queue, queue.exactIntegers ? parseExact(text) : JSON.parse(text));
  } catch (error) {
    if (!isMisfit(error)) throw error;
    return false;
  }
  expect(isOf(schema, message)).toBe(true);
  return true;
}
