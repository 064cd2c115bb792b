import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BadInput } from "../decode/bad-input.ts";
import { exactText } from "../../lib/exact-text.ts";
import { parseExact } from "./json-exact.ts";
import { parseJSON } from "./json.ts";

type Vector = { readonly text: string } | { readonly base64: string };

const vectors = JSON.parse(
  readFileSync(new URL("../../../test-data/json/parsing.json", import.meta.url), "utf8"),
) as Record<string, Vector>;
const files: [string, Buffer][] = Object.entries(vectors).map(([name, vector]) => [
  name,
  "text" in vector ? Buffer.from(vector.text) : Buffer.from(vector.base64, "base64"),
]);
files.push(["n_structure_100000_opening_arrays.json", Buffer.from("[".repeat(100_000))]);
files.push(["n_structure_open_array_object.json", Buffer.from('[{"":'.repeat(50_000))]);

const of = (prefix: string): [string, Buffer][] => files.filter(([name]) => name.startsWith(prefix));

describe.each([true, false])("JSONTestSuite, exact integers %s", (exact) => {
  test.each(of("y_"))("accepts %s", (_, bytes) => {
    expect(asNumbers(parseJSON(bytes, exact))).toEqual(JSON.parse(bytes.toString()));
  });

  test.each(of("n_"))("refuses %s", (_, bytes) => {
    expect(() => parseJSON(bytes, exact)).toThrow(BadInput);
  });

  test.each(of("i_"))("accepts or refuses %s as JSON.parse does", (_, bytes) => {
    expect(outcome(() => asNumbers(parseJSON(bytes, exact)))).toEqual(outcome(() => parseJSON(bytes, false)));
  });
});

function outcome(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    return (error as Error).message;
  }
}

/** Converts exact integers to the numbers that JSON.parse returns. */
function asNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(asNumbers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asNumbers(member)]));
}

describe("parseExact", () => {
  test("keeps integers beyond 2^53 exact and leaves the others numbers", () => {
    expect(parseExact("[9007199254740991, 9007199254740993, -9223372036854775808, 1.0, 1e3]")).toEqual([
      9007199254740991,
      9007199254740993n,
      -9223372036854775808n,
      1,
      1000,
    ]);
  });

  test("keeps __proto__ an ordinary key", () => {
    const value = parseExact('{"__proto__":{"a":1}}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(["__proto__"]);
  });

  test("agrees with JSON.parse on every value", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), fc.constantFrom("", " ", "\n\t"), (json, space) => {
        expect(asNumbers(parseExact(space + json + space))).toEqual(JSON.parse(json));
      }),
    );
  });

  test("agrees with JSON.parse on text that is nearly JSON", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      '"a"',
      "\\",
      "1",
      "-",
      "0",
      ".",
      "e",
      "true",
      "nul",
      " ",
      "\u0001",
      "\u00e9",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        expect(accepts(() => parseExact(text))).toBe(accepts(() => JSON.parse(text)));
      }),
      { numRuns: 3000 },
    );
  });

  test("takes time in proportion to the text", () => {
    expect(() => parseExact(`"${"\\".repeat(1_000_000)}`)).toThrow(SyntaxError);
    expect(() => parseExact(`"${'\\"'.repeat(500_000)}`)).toThrow(SyntaxError);
    expect(() => parseExact("9".repeat(1_000_000) + "x")).toThrow(SyntaxError);
    expect((parseExact(`"${"é".repeat(1_000_000)}"`) as string).length).toBe(1_000_000);
  });
});

function accepts(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

describe("exactText", () => {
  test("writes bigints as JSON numbers", () => {
    expect(exactText({ id: 9007199254740993n, list: [1n, undefined], gone: undefined, at: new Date(0) })).toBe(
      '{"id":9007199254740993,"list":[1,null],"at":"1970-01-01T00:00:00.000Z"}',
    );
  });

  test("is JSON.stringify for everything else", () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withNullPrototype: true, withSparseArray: true }), (value) => {
        expect(exactText(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  test("reads back what it wrote", () => {
    const value = fc.letrec((tie) => ({
      value: fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.array(tie("value"), { maxLength: 4 })),
    })).value;
    fc.assert(
      fc.property(value, (value) => {
        expect(asBigInts(parseExact(exactText(value) ?? ""))).toEqual(value);
      }),
    );
  });
});

function asBigInts(value: unknown): unknown {
  return Array.isArray(value) ? value.map(asBigInts) : BigInt(value as number | bigint);
}
