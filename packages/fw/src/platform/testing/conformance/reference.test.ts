import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { DatastoreEmulator, hasEmulator } from "../datastore-emulator.ts";
import { documents, queries } from "./random-queries.ts";
import { reference } from "./reference.ts";
import { tries } from "../../../lib/testing/tries.ts";

if (!hasEmulator)
  console.warn(
    "SKIPPED: the Datastore-mode emulator is not on this machine, so nothing compares the order with Google's",
  );

test.skipIf(!hasEmulator)("the reference finds what Google's emulator of Datastore mode finds", async () => {
  const emulator = await DatastoreEmulator.start();
  onTestFinished(() => emulator.stop());
  let kinds = 0;
  await fc.assert(
    fc.asyncProperty(documents, fc.array(queries, { minLength: 10, maxLength: 10 }), async (stored, querySet) => {
      const kind = `item${kinds++}`;
      await emulator.write(kind, stored);
      for (const query of querySet) {
        const compared = query.filters.filter(({ op }) => op === "==" || op === "in").map(({ property }) => property);
        const equal = query.filters.filter(({ op }) => op === "==").map(({ property }) => property);
        const orders = query.orders.filter(({ property }) => !equal.includes(property));
        const ties = orders.findLast(({ property }) => !compared.includes(property))?.direction ?? "asc";
        expect(await emulator.ids({ ...query, orders }, kind, ties)).toEqual(reference(stored, query));
      }
    }),
    { numRuns: tries(8) },
  );
});
