import { describe, expect, test } from "vitest";
import { accountTests } from "./conformance/accounts.ts";
import { cursorTests } from "./conformance/cursors.ts";
import { documentTests } from "./conformance/documents.ts";
import { CalledOperations } from "./conformance/called-operations.ts";
import type { OpenPlatform } from "./conformance/fixture.ts";
import { indexTests } from "./conformance/indexes.ts";
import { leaseTests } from "./conformance/leases.ts";
import { messageTests } from "./conformance/messages.ts";
import { objectTests } from "./conformance/objects.ts";
import { queryTests } from "./conformance/queries.ts";
import { randomTests } from "./conformance/random.ts";
import { tries } from "../../lib/testing/tries.ts";
import { transactionTests } from "./conformance/transactions.ts";

/** What every platform keeps; `open` gives an empty one. Random queries are asked of so many histories of writes. */
export function conformance(name: string, openOne: OpenPlatform, histories = tries(20)): void {
  describe(name, () => {
    const called = new CalledOperations();
    const open: OpenPlatform = async (definitions, clock) => {
      const opened = await openOne(definitions, clock);
      return { platform: called.of(opened.platform), dispose: () => opened.dispose() };
    };
    documentTests(open);
    queryTests(open);
    indexTests(open);
    cursorTests(open);
    transactionTests(open);
    leaseTests(open);
    accountTests(open);
    objectTests(open);
    messageTests(open);
    randomTests(open, histories);

    test("every operation of the contract has been asked for by the tests above", () => {
      expect(called.missing()).toEqual([]);
    });
  });
}
