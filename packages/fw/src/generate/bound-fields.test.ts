import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blob } from "../declare/blob.ts";
import { bundled, formDecoder, outcome, queryDecoder } from "./testing/decoding.ts";
import { bound, endpoint, request } from "./testing/models.ts";

const text = { kind: "string" } as const;
const int = { kind: "int" } as const;

const n = (kind: "int" | "int64" | "number" | "boolean"): ((query: string) => unknown) => {
  const decode = queryDecoder(bound("query", "n", { kind }));
  return (value) => decode(`n=${encodeURIComponent(value)}`);
};

describe("a query parameter", () => {
  test("is text unless its type says otherwise", () => {
    expect(queryDecoder(bound("query", "q", text))("q=a%20b+c%2Bd&other=1")).toEqual({ q: "a b c+d" });
  });

  test("is required unless it is optional", () => {
    expect(queryDecoder(bound("query", "q", text))("x=1")).toBe("query q: is required");
    expect(queryDecoder(bound("query", "q", text, { optional: true }))("x=1")).toEqual({});
    expect(queryDecoder(bound("query", "q", text))("q")).toEqual({ q: "" });
  });

  test("goes by its wire name", () => {
    expect(queryDecoder(bound("query", "pageSize", int, { wire: "page_size" }))("page_size=3&pageSize=4")).toEqual({
      pageSize: 3,
    });
    expect(queryDecoder(bound("query", "pageSize", int, { wire: "page_size" }))("pageSize=4")).toBe(
      "query page_size: is required",
    );
  });

  test("given several times counts once, the first time", () => {
    expect(queryDecoder(bound("query", "n", int))("n=1&n=x")).toEqual({ n: 1 });
  });

  test("of []string receives every value of a repeated one and is absent when there is none", () => {
    const tags = bound("query", "tag", text, { list: true, optional: true });
    expect(queryDecoder(tags)("tag=a&x=1&tag=b&tag=")).toEqual({ tag: ["a", "b", ""] });
    expect(queryDecoder(tags)("")).toEqual({});
    expect(queryDecoder(bound("query", "tag", text, { list: true }))("")).toEqual({ tag: [] });
  });

  test("of a list of literals takes no other text", () => {
    const sizes = { kind: "string", literals: ["s", "m"] } as const;
    for (const optional of [true, false]) {
      const decode = queryDecoder(bound("query", "size", sizes, { list: true, optional }));
      expect(decode("size=s&size=m")).toEqual({ size: ["s", "m"] });
      expect(decode("size=s&size=broken")).toBe('query size: broken is not a "s" | "m"');
      expect(decode("")).toEqual(optional ? {} : { size: [] });
    }
    expect(formDecoder(bound("form", "size", sizes, { list: true }))({ size: ["m", "x"] })).toBe(
      'form size: x is not a "s" | "m"',
    );
  });

  test("of an address of mail has at most 254 characters", () => {
    const decode = queryDecoder(bound("query", "to", { ...text, limits: { format: "email" } }));
    const address = (length: number): string => `a@${`${"b".repeat(59)}.`.repeat(4)}${"c".repeat(length - 242)}`;
    expect(address(254)).toHaveLength(254);
    expect(decode(`to=${address(254)}`)).toEqual({ to: address(254) });
    expect(decode(`to=${address(255)}`)).toMatch(/^query to: /);
  });

  test("of a pattern takes a text of it", () => {
    const pattern = { texts: ["usr_", ""], holes: ["string"] } as const;
    const decode = queryDecoder(bound("query", "id", { kind: "string", pattern }, { optional: true }));
    expect(decode("id=usr_1")).toEqual({ id: "usr_1" });
    expect(decode("id=1")).toBe("query id: 1 is not a `usr_${string}`");
    expect(decode("id=")).toEqual({});
  });

  test("has a decoded name", () => {
    expect(queryDecoder(bound("query", "größe", int))("gr%C3%B6%C3%9Fe=1")).toEqual({ größe: 1 });
  });

  test("that is malformed is refused where it is declared and ignored elsewhere", () => {
    const decode = queryDecoder(bound("query", "q", text));
    for (const value of ["%", "%zz", "%C3", "%FF%FE", "%ED%A0%80"]) {
      expect(decode(`q=${value}`)).toBe("query q: is not valid percent-encoding");
      expect(decode(`q=ok&other=${value}&${value}=1`)).toEqual({ q: "ok" });
    }
  });

  test.each(["&&q=1&", "q=1&=2&&", "?=x&q=1"])("survives odd separators: %s", (query) => {
    expect(queryDecoder(bound("query", "q", text))(query)).toEqual({ q: "1" });
  });

  test("keeps what follows the first equals sign", () => {
    expect(queryDecoder(bound("query", "q", text))("q=a=b==")).toEqual({ q: "a=b==" });
  });

  test("named like an inherited property is read from the query alone", () => {
    const fields = ["constructor", "toString", "hasOwnProperty"].map((name) =>
      bound("query", name, text, { optional: true }),
    );
    const decode = queryDecoder(...fields);
    expect(Object.keys(decode("") as object)).toEqual([]);
    expect(Object.keys(decode("toString=x") as object)).toEqual(["toString"]);
  });

  test("is one of at most a thousand", () => {
    const decode = queryDecoder(bound("query", "q", text));
    expect(decode(`q=1${"&a=1".repeat(999)}`)).toEqual({ q: "1" });
    expect(decode(`q=1${"&a=1".repeat(1000)}`)).toBe("query: more than 1000 parameters");
    expect(decode(`q=1${"&".repeat(2000)}`)).toEqual({ q: "1" });
  });
});

describe("query <name>: <value> is not a <type>", () => {
  test.each([
    ["0", 0],
    ["-0", 0],
    ["42", 42],
    ["-42", -42],
    ["007", 7],
    ["9007199254740991", 9007199254740991],
  ])("int takes %s", (value, expected) => expect(n("int")(value)).toEqual({ n: expected }));

  test.each([
    "x",
    "1.5",
    "1e3",
    "0x10",
    " 1",
    "1 ",
    "+1",
    "--1",
    "9007199254740992",
    "99999999999999999999",
    "NaN",
    "Infinity",
    "１",
  ])("int refuses %s", (value) => expect(n("int")(value)).toBe(`query n: ${value} is not an int`));

  test.each(["9223372036854775807", "-9223372036854775808", "0"])("int64 takes %s", (value) => {
    expect(n("int64")(value)).toEqual({ n: BigInt(value) });
  });

  test.each(["9223372036854775808", "-9223372036854775809", "1.0", "1n", "0x1", ""])("int64 refuses %s", (value) => {
    expect(n("int64")(value)).toBe(`query n: ${value === "" ? '""' : value} is not an int64`);
  });

  test.each([
    ["1.5", 1.5],
    [".5", 0.5],
    ["5.", 5],
    ["-1e-3", -0.001],
    ["1E3", 1000],
  ])("number takes %s", (value, expected) => expect(n("number")(value)).toEqual({ n: expected }));

  test.each(["1e999", "Infinity", "NaN", "0x10", "1_000", "1,5", ".", "e3", "1e", "--1"])(
    "number refuses %s",
    (value) => {
      expect(n("number")(value)).toBe(`query n: ${value} is not a number`);
    },
  );

  test.each([
    ["true", true],
    ["false", false],
    ["1", true],
    ["0", false],
    ["on", true],
    ["off", false],
  ])("boolean takes %s", (value, expected) => expect(n("boolean")(value)).toEqual({ n: expected }));

  test.each(["yes", "TRUE", "constructor", "__proto__", "2"])("boolean refuses %s", (value) => {
    expect(n("boolean")(value)).toBe(`query n: ${value} is not a boolean`);
  });

  test("literals name what is allowed", () => {
    const decode = queryDecoder(bound("query", "status", { kind: "string", literals: ["open", "paid"] }));
    expect(decode("status=paid")).toEqual({ status: "paid" });
    expect(decode("status=lost")).toBe('query status: lost is not a "open" | "paid"');
    const size = queryDecoder(bound("query", "size", { kind: "int", literals: [1, 2] }));
    expect(size("size=2")).toEqual({ size: 2 });
    expect(size("size=3")).toBe("query size: 3 is not a 1 | 2");
  });

  test("shows a long or odd value in part and visibly", () => {
    expect(n("int")("x".repeat(100))).toBe(`query n: ${"x".repeat(64)}… is not an int`);
    expect(n("int")("a\u202e\nb")).toBe("query n: a\\u{202e}\\nb is not an int");
  });

  test("a blank value of an optional field counts as absent", () => {
    const optional = { optional: true } as const;
    expect(queryDecoder(bound("query", "n", int, optional))("n=")).toEqual({});
    expect(queryDecoder(bound("query", "n", int, optional))("n=x")).toBe("query n: x is not an int");
    expect(queryDecoder(bound("query", "s", text, optional))("s=")).toEqual({ s: "" });
    expect(queryDecoder(bound("query", "s", { kind: "string", literals: ["", "a"] }, optional))("s=")).toEqual({
      s: "",
    });
    expect(queryDecoder(bound("query", "s", { kind: "string", literals: ["a"] }, optional))("s=")).toEqual({});
    expect(queryDecoder(bound("query", "n", int))("n=")).toBe('query n: "" is not an int');
  });
});

test("a path parameter has its type, in whatever order the fields are", () => {
  const fields = [bound("path", "b", int), bound("path", "a", text)];
  const made = bundled(endpoint("GET /{a}/{b}", "x", { request: request({ bound: fields }) }));
  expect(outcome(made, { params: ["one", "2"] })).toEqual({ a: "one", b: 2 });
  expect(outcome(made, { params: ["one", "two"] })).toBe("path b: two is not an int");
});

describe("a form field", () => {
  test("is text, a list or a scalar", () => {
    const decode = formDecoder(
      bound("form", "title", text),
      bound("form", "tags", text, { list: true }),
      bound("form", "n", int, { optional: true }),
    );
    expect(decode({ title: ["a", "b"], tags: ["x", "y"], n: [""] })).toEqual({ title: "a", tags: ["x", "y"] });
    expect(decode({ tags: ["x"] })).toBe("form title: is required");
    expect(decode({ title: [""], n: ["z"] })).toBe("form n: z is not an int");
  });

  test("of Blob is a file", () => {
    const file = blob("x", { type: "text/plain" });
    const decode = formDecoder(bound("form", "file", { kind: "blob" }));
    expect(decode({}, new Map([["file", [file]]]))).toEqual({ file });
    expect(decode({})).toBe("form file: is required");
    expect(decode({ file: [""] })).toBe("form file: is required");
    expect(decode({ file: ["text"] })).toBe("form file: text is not a file");
    const optional = formDecoder(bound("form", "file", { kind: "blob" }, { optional: true }));
    expect(optional({})).toEqual({});
    expect(optional({ file: ["text"] })).toBe("form file: text is not a file");
  });
});

test("an empty request is an empty object", () => {
  expect(outcome(bundled(endpoint("GET /x", "x")), { query: "a=1" })).toEqual({});
});

test("no query string makes a decoder fail otherwise than by a 400", () => {
  const decode = queryDecoder(
    bound("query", "a", int, { optional: true }),
    bound("query", "b", { kind: "int64" }, { optional: true }),
    bound("query", "c", text, { list: true }),
    bound("query", "d", { kind: "boolean" }, { optional: true }),
  );
  const piece = fc.oneof(
    fc.constantFrom("a", "b", "c", "d", "=", "&", "%", "+", "%41", "%C3%A9", "%C3", "1"),
    fc.string({ maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => void decode(pieces.join(""))),
    { numRuns: 1000 },
  );
});

test("a query string is read as URLSearchParams reads it", () => {
  const decode = queryDecoder(bound("query", "a", text, { list: true }));
  const pair = fc.tuple(fc.constantFrom("a", "b", ""), fc.string({ unit: "grapheme", maxLength: 8 }));
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 10 }), (pairs) => {
      const parameters = new URLSearchParams(pairs);
      expect(decode(parameters.toString())).toEqual({ a: parameters.getAll("a") });
    }),
  );
});
