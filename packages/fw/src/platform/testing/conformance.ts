import { describe, expect, test } from "vitest";
import { accountTests } from "./conformance/accounts.ts";
import { changeTests } from "./conformance/changes.ts";
import { cursorTests } from "./conformance/cursors.ts";
import { documentTests } from "./conformance/documents.ts";
import { CalledOperations } from "./conformance/called-operations.ts";
import type { OpenPlatform } from "./conformance/fixture.ts";
import { indexTests } from "./conformance/indexes.ts";
import { lifetimeTests, waitingTests } from "./conformance/lifetimes.ts";
import { leaseTests } from "./conformance/leases.ts";
import { messageTests, misfitTests, transactionMessageTests } from "./conformance/messages.ts";
import { objectTests } from "./conformance/objects.ts";
import { redefinitionTests } from "./conformance/redefinitions.ts";
import { outdatedTests } from "./conformance/outdated.ts";
import { queryTests } from "./conformance/queries.ts";
import { randomTests } from "./conformance/random.ts";
import { searchTests } from "./conformance/searches.ts";
import { tries } from "../../lib/testing/tries.ts";
import { transactionTests } from "./conformance/transactions.ts";
import { unfitTests } from "./conformance/unfit.ts";
import { uniqueTests } from "./conformance/uniques.ts";

/**
 * Tests a platform against the contract. `openOne` opens an empty platform; slow ones can have fewer tries. `waits`:
 * the platform calls a remote store. `notifies`: it reports writes. `redefines`: it stays open while its definitions
 * change. `misfits`: it retains messages that do not fit their type. `versions`: it serves code built with different
 * definitions.
 */
export function conformance(
  name: string,
  openOne: OpenPlatform,
  {
    waits = false,
    notifies = true,
    redefines = false,
    misfits = redefines,
    versions = false,
    ...cases
  }: Partial<Tries> & {
    readonly waits?: boolean;
    readonly notifies?: boolean;
    readonly redefines?: boolean;
    readonly misfits?: boolean;
    readonly versions?: boolean;
  } = {},
): void {
  describe(name, () => {
    const operations = new CalledOperations();
    const open: OpenPlatform = async (definitions, clock) => {
      const opened = await openOne(definitions, clock);
      return { platform: operations.of(opened.platform), dispose: () => opened.dispose() };
    };
    storeTests(open, { histories: tries(20), documents: tries(100), contenders: tries(100), ...cases });
    accountTests(open);
    objectTests(open);
    messageTests(open);
    transactionMessageTests(open);
    lifetimeTests(open);
    if (notifies) changeTests(open);
    if (waits) waitingTests(open);
    if (redefines) redefinitionTests(open);
    if (misfits) misfitTests(open);
    if (versions) outdatedTests(open);
    if (versions) unfitTests(open);

    test("every operation of the contract has been asked for by the tests above", () => {
      expect(operations.missing()).toEqual([]);
    });
  });
}

/** The numbers of tries, and whether sums include dates. */
interface Tries {
  /** Random write histories. */
  readonly histories: number;
  /** Random queries per history; defaults to 20. */
  readonly queries?: number;
  /** Documents with random values to write and read back. */
  readonly documents: number;
  /** Concurrent transactions that write the same document. */
  readonly contenders: number;
  /** True if sums include dates, as microseconds. */
  readonly addsDates?: boolean;
}

/** Tests the contract of every platform for documents and their indexes, queries, transactions and leases. */
export function storeTests(open: OpenPlatform, tries: Tries): void {
  const { histories, queries = 20, documents, contenders, addsDates = false } = tries;
  documentTests(open, documents);
  queryTests(open);
  indexTests(open);
  cursorTests(open);
  transactionTests(open, contenders);
  uniqueTests(open, { histories, contenders: Math.min(contenders, 100) });
  leaseTests(open);
  searchTests(open, histories);
  randomTests(open, { histories, queries, addsDates });
}
