import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeTagged, decodeUntrusted, encodeTagged } from "./tagged-json.ts";

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

test("every value is read as it was written, whether the text is trusted or not", () => {
  fc.assert(
    fc.property(value, (written) => {
      const text = encodeTagged(written);
      expect(decodeTagged(text)).toStrictEqual(written);
      expect(decodeUntrusted(text, 1000)).toStrictEqual(written);
    }),
    { numRuns: 1000 },
  );
});

test("what is written stays as it is, and a text of before is read", () => {
  const examples = {
    at: new Date(5),
    none: [undefined],
    sum: 7n,
    odd: [Number.NaN, -0, -Infinity],
    in: { $date: 1, more: true },
    ["__proto__"]: { at: new Date(6) },
    gone: undefined,
  };
  const text =
    '{"at":{"$date":5},"none":[{"$none":true}],"sum":{"$int":"7"},"odd":[{"$num":"NaN"},{"$num":"-0"},{"$num":"-Infinity"}],"in":{"$obj":{"$date":1,"more":true}}}';
  expect(encodeTagged({ ...examples, ["__proto__"]: undefined })).toBe(text);
  const read = decodeTagged(text.replace(/}$/, ',"__proto__":{"at":{"$date":6}}}')) as object;
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  expect(Object.getOwnPropertyDescriptor(read, "__proto__")?.value).toEqual({ at: new Date(6) });
});

test.each<readonly [text: string, why: RegExp]>([
  [`${"[".repeat(600)}${"]".repeat(600)}`, /deeper than 500/],
  [`${'{"$obj":{"$x":'.repeat(600)}1${"}}".repeat(600)}`, /deeper than 500/],
  [`[${"1,".repeat(1000)}1]`, /too many values/],
  ['{"$int":"x"}', /BigInt/],
  [`{"$int":"${"1".repeat(1001)}"}`, /\$int/],
  ['{"$obj":null}', /\$obj/],
  ['{"$what":{}}', /\$what/],
  ["{", /JSON/],
])("text that fw never writes is refused: %.20s", (text, why) => {
  expect(() => decodeUntrusted(text, 1000)).toThrow(why);
});

test("what is inside itself cannot be written", () => {
  const self: unknown[] = [];
  self.push(self);
  expect(() => encodeTagged(self)).toThrow(/contains itself/);
});
