import { describe, expect, test } from "vitest";
import { accountTests } from "./conformance/accounts.ts";
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
import { tries } from "../../lib/testing/tries.ts";
import { transactionTests } from "./conformance/transactions.ts";
import { uniqueTests } from "./conformance/uniques.ts";

/**
 * Runs the tests of the contract; `open` gives an empty platform. One that is slow tries less of its store; one that
 * `waits` asks elsewhere; one that `redefines` stays open while its definitions change; one with `versions`
 * serves code of several definitions.
 */
export function conformance(
  name: string,
  openOne: OpenPlatform,
  {
    waits = false,
    redefines = false,
    versions = false,
    ...tried
  }: Partial<Tries> & { readonly waits?: boolean; readonly redefines?: boolean; readonly versions?: boolean } = {},
): void {
  describe(name, () => {
    const called = new CalledOperations();
    const open: OpenPlatform = async (definitions, clock) => {
      const opened = await openOne(definitions, clock);
      return { platform: called.of(opened.platform), dispose: () => opened.dispose() };
    };
    storeTests(open, { histories: tries(20), documents: 300, contenders: 1000, ...tried });
    accountTests(open);
    objectTests(open);
    messageTests(open);
    transactionMessageTests(open);
    lifetimeTests(open);
    if (waits) waitingTests(open);
    if (redefines) {
      redefinitionTests(open);
      misfitTests(open);
    }
    if (versions) outdatedTests(open);

    test("every operation of the contract has been asked for by the tests above", () => {
      expect(called.missing()).toEqual([]);
    });
  });
}

/** How much is tried of a store. */
interface Tries {
  /** Histories of writes, of each of which random queries are asked. */
  readonly histories: number;
  /** Documents of random values that are written and read back. */
  readonly documents: number;
  /** Transactions that write one document at the same time. */
  readonly contenders: number;
}

/** What every platform keeps of documents, their queries, transactions and leases. */
export function storeTests(open: OpenPlatform, { histories, documents, contenders }: Tries): void {
  documentTests(open, documents);
  queryTests(open);
  indexTests(open);
  cursorTests(open);
  transactionTests(open, contenders);
  uniqueTests(open, { histories, contenders: Math.min(contenders, 100) });
  leaseTests(open);
  randomTests(open, histories);
}
