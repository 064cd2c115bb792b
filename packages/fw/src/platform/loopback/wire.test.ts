import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pack, unpack } from "./wire.ts";

const names = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.constantFrom("$date", "$int", "$num", "$none", "$obj", "__proto__"),
);

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, undefined, -0, Number.NaN, -Infinity, new Date(Number.NaN)),
    fc.double(),
    fc.bigInt(),
    fc.string({ unit: "binary" }),
    fc.date(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .array(fc.tuple(names, tie("value")), { maxLength: 4 })
      .map((members) => Object.fromEntries(members.filter(([, member]) => member !== undefined))),
  ),
})).value;

test("every argument and result arrives as it was sent", () => {
  fc.assert(
    fc.property(value, (sent) => {
      expect(unpack(pack(sent))).toStrictEqual(sent);
    }),
    { numRuns: 1000 },
  );
});
