import { describe, expect, test } from "vitest";
import type { Schema } from "../model/schema.ts";
import { bodyDecoderOf, bundled, outcome, valueDecoder } from "./testing/decoding.ts";
import { endpoint, field, request } from "./testing/models.ts";

const string: Schema = { kind: "string" };
const number: Schema = { kind: "number" };
const int: Schema = { kind: "int" };
const nothing: Schema = { kind: "null" };
const literal = (value: string | number | boolean): Schema => ({ kind: "literal", value });
const union = (...variants: Schema[]): Schema => ({ kind: "union", variants });
const object = (...fields: ReturnType<typeof field>[]): Schema => ({ kind: "object", fields });
const list = (items: Schema): Schema => ({ kind: "array", items });
const namedTypes = (id: string): Schema => ({ kind: "ref", id });

const nested = (depth: number): string => `${'{"name":"a","children":['.repeat(depth)}${"]}".repeat(depth)}`;

const hostile = (depth: number): string => `${'{"next":'.repeat(depth)}5${"}".repeat(depth)}`;

describe("a JSON body", () => {
  const decode = bodyDecoderOf([field("total", int), field("note", string, true), field("tags", list(string), true)]);

  test("is decoded into the untagged fields", () => {
    expect(decode('{"total":3,"note":"n","tags":["a"]}')).toEqual({ total: 3, note: "n", tags: ["a"] });
  });

  test("has required fields", () => {
    expect(decode("{}")).toBe("body total: is required");
    expect(decode('{"total":1}')).toStrictEqual({ total: 1 });
    expect(Object.keys(decode('{"total":1}') as object)).toEqual(["total"]);
  });

  test("is an object", () => {
    expect(decode("[]")).toBe("body: [] is not an object");
    expect(decode("[1]")).toBe("body: […] is not an object");
    expect(decode("null")).toBe("body: null is not an object");
    expect(decode('"x"')).toBe('body: "x" is not an object');
  });

  test("has fields of their types: body <path>: <value> is not a <type>", () => {
    expect(decode('{"total":"3"}')).toBe('body total: "3" is not an int');
    expect(decode('{"total":1.5}')).toBe("body total: 1.5 is not an int");
    expect(decode('{"total":9007199254740993}')).toMatch("body total: 9007199254740992 is not an int");
    expect(decode('{"total":1,"note":null}')).toBe("body note: null is not a string");
    expect(decode('{"total":1,"tags":{}}')).toBe("body tags: {…} is not a list");
    expect(decode('{"total":1,"tags":["a",1]}')).toBe("body tags[1]: 1 is not a string");
  });

  test("may be absent where nothing in it is required", () => {
    const post = (optional: boolean) =>
      bundled(endpoint("POST /x", "x", { request: request({ body: [field("a", int, optional)] }) }));
    expect(outcome(post(true), { body: undefined })).toEqual({});
    expect(outcome(post(false), { body: undefined })).toBe("body: is required");
  });

  test("may hold unknown fields, which are ignored", () => {
    expect(
      decode('{"total":1,"admin":true,"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}'),
    ).toStrictEqual({ total: 1 });
  });
});

describe("no key of a body reaches a prototype", () => {
  test("a declared field that objects inherit is read from the body alone", () => {
    const decode = bodyDecoderOf([field("constructor", string, true), field("toString", string)]);
    expect(decode("{}")).toBe("body toString: is required");
    expect(decode('{"toString":"a"}')).toEqual({ toString: "a" });
  });

  test("a declared __proto__ is left out", () => {
    const decode = bodyDecoderOf([field("__proto__", object(field("x", int))), field("a", int)]);
    const made = decode('{"__proto__":{"x":1},"a":1}') as object;
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
    expect(Object.keys(made)).toEqual(["a"]);
  });

  test("in a record", () => {
    const made = valueDecoder({ kind: "record", values: object(field("admin", { kind: "boolean" })) })(
      '{"__proto__":{"admin":true},"a":{"admin":false}}',
    ) as object;
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
    expect(made).toEqual({ a: { admin: false } });
  });

  test.each([
    '{"__proto__":{"x":1},"a":1}',
    '{"\\u005f_proto__":{"x":1},"a":1}',
    '{"constructor":{"prototype":{"x":1}},"a":1}',
  ])("in any JSON value: %s", (json) => {
    for (const decode of [valueDecoder({ kind: "json" }), valueDecoder(union({ kind: "int64" }, { kind: "json" }))]) {
      expect(JSON.stringify(decode(json))).toBe('{"a":1}');
      expect(JSON.stringify(decode(`[${json}]`))).toBe('[{"a":1}]');
    }
  });

  test("a harmless constructor stays", () => {
    expect(valueDecoder({ kind: "json" })('{"constructor":"Renault"}')).toEqual({ constructor: "Renault" });
  });
});

describe("a value of type", () => {
  test("number is finite", () => {
    expect(valueDecoder(number)("1.5")).toBe(1.5);
    expect(valueDecoder(number)("1e999")).toBe("body v: Infinity is not a number");
    expect(valueDecoder(number)('"1"')).toBe('body v: "1" is not a number');
  });

  test("Int64 is exact", () => {
    const decode = valueDecoder({ kind: "int64" });
    for (const text of ["9223372036854775807", "-9223372036854775808", "9007199254740993", "0"]) {
      expect(decode(text)).toBe(BigInt(text));
    }
    expect(decode("9223372036854775808")).toBe("body v: 9223372036854775808 is not an int64");
    expect(decode("1.5")).toBe("body v: 1.5 is not an int64");
    expect(decode('"1"')).toBe('body v: "1" is not an int64');
    expect(decode("1e3")).toBe(1000n);
  });

  test("number beside an Int64 stays a number", () => {
    const decode = valueDecoder(
      object(field("id", { kind: "int64" }), field("n", number), field("any", { kind: "json" })),
    );
    expect(decode('{"id":1,"n":12345678901234567168,"any":[9007199254740993]}')).toEqual({
      id: 1n,
      n: 12345678901234567168,
      any: [9007199254740992],
    });
  });

  test("Date is an RFC 3339 timestamp", () => {
    const decode = valueDecoder({ kind: "date" });
    expect(decode('"2024-02-29T12:30:15.5+02:00"')).toEqual(new Date("2024-02-29T10:30:15.500Z"));
    expect(decode('"2023-02-29T12:30:15Z"')).toBe('body v: "2023-02-29T12:30:15Z" is not a date');
    expect(decode("1700000000")).toBe("body v: 1700000000 is not a date");
  });

  test("literal, null and boolean", () => {
    expect(valueDecoder(literal("a"))('"b"')).toBe('body v: "b" is not a "a"');
    expect(valueDecoder(union(literal(1), literal(2), nothing))("3")).toBe("body v: 3 is not a 1 | 2 | null");
    expect(valueDecoder(union(string, nothing))("null")).toBe(null);
    expect(valueDecoder(union(string, nothing))("1")).toBe("body v: 1 is not a string | null");
    expect(valueDecoder({ kind: "boolean" })("0")).toBe("body v: 0 is not a boolean");
  });

  test("union of many strings", () => {
    const letters = [..."abcdefghijklmnop"];
    const decode = valueDecoder(union(...letters.map(literal)));
    expect(decode('"p"')).toBe("p");
    expect(decode('"z"')).toBe('body v: "z" is not a "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | …');
  });

  test("tuple has its length", () => {
    const decode = valueDecoder({
      kind: "tuple",
      items: [
        { schema: string, optional: false },
        { schema: int, optional: true },
      ],
    });
    expect(decode('["a"]')).toEqual(["a"]);
    expect(decode('["a",1]')).toEqual(["a", 1]);
    expect(decode('["a",1,2]')).toBe("body v: […] is not a list of 2");
    expect(decode("[]")).toBe("body v[0]: is required");
    expect(decode('["a","b"]')).toBe('body v[1]: "b" is not an int');
  });

  test("tuple with a rest", () => {
    const decode = valueDecoder({ kind: "tuple", items: [{ schema: string, optional: false }], rest: int });
    expect(decode('["a",1,2]')).toEqual(["a", 1, 2]);
    expect(decode('["a",1,"x"]')).toBe('body v[2]: "x" is not an int');
  });

  test("record has string keys", () => {
    const decode = valueDecoder({ kind: "record", values: int });
    expect(decode('{"a":1,"b c":2}')).toEqual({ a: 1, "b c": 2 });
    expect(decode('{"b c":"x"}')).toBe('body v["b c"]: "x" is not an int');
    expect(decode("[1]")).toBe("body v: […] is not an object");
  });

  test("nested object names its path", () => {
    const decode = valueDecoder(list(object(field("price", object(field("odd key", number))))));
    expect(decode('[{"price":{"odd key":1}},{"price":{"odd key":"x"}}]')).toBe(
      'body v[1].price["odd key"]: "x" is not a number',
    );
    expect(decode("[{}]")).toBe("body v[0].price: is required");
  });
});

describe("a union", () => {
  const circle = object(field("kind", literal("circle")), field("r", number));
  const square = object(field("kind", literal("square")), field("side", number));

  test("is told apart by its tag", () => {
    const decode = valueDecoder(
      { kind: "union", variants: [circle, namedTypes("square"), nothing], tag: "kind" },
      { square },
    );
    expect(decode('{"kind":"circle","r":1,"side":2}')).toEqual({ kind: "circle", r: 1 });
    expect(decode('{"kind":"square","side":2}')).toEqual({ kind: "square", side: 2 });
    expect(decode("null")).toBe(null);
    expect(decode('{"kind":"square","r":2}')).toBe("body v.side: is required");
    expect(decode('{"kind":"oval"}')).toBe('body v.kind: "oval" is not a "circle" | "square"');
    expect(decode("{}")).toBe("body v.kind: is required");
    expect(decode("5")).toBe("body v: 5 is not an object | null");
  });

  test("without a tag is read by what fits, and the closest variant explains the refusal", () => {
    const decode = valueDecoder(
      union(string, object(field("a", object(field("b", int)))), object(field("c", int)), list(int)),
    );
    expect(decode('"x"')).toBe("x");
    expect(decode('{"c":1}')).toEqual({ c: 1 });
    expect(decode('{"a":{"b":"x"}}')).toBe('body v.a.b: "x" is not an int');
    expect(decode("true")).toBe("body v: true is not a string | object | list");
  });

  test.each([
    ["date and text", union({ kind: "date" }, string)],
    ["text and date", union(string, { kind: "date" })],
  ])("of %s takes a timestamp for a date", (_, schema) => {
    expect(valueDecoder(schema)('"2024-01-01T00:00:00Z"')).toEqual(new Date("2024-01-01T00:00:00Z"));
    expect(valueDecoder(schema)('"today"')).toBe("today");
  });

  test.each([
    ["int64 and number", union({ kind: "int64" }, number)],
    ["number and int64", union(number, { kind: "int64" })],
  ])("of %s takes a bigint only for what a double does not hold", (_, schema) => {
    const decode = valueDecoder(schema);
    expect([decode("5"), decode("1.5"), decode("9007199254740993")]).toEqual([5, 1.5, 9007199254740993n]);
  });

  test("keeps what every variant that fits declares, whatever their order", () => {
    const point = object(field("x", int), field("y", int));
    const solid = object(field("x", int), field("y", int), field("z", int));
    for (const schema of [union(point, solid), union(solid, point)]) {
      expect(valueDecoder(schema)('{"x":1,"y":2,"z":3,"w":4}')).toEqual({ x: 1, y: 2, z: 3 });
      expect(valueDecoder(schema)('{"x":1,"y":2}')).toEqual({ x: 1, y: 2 });
    }
    const nested = union(
      object(field("p", point)),
      object(field("p", object(field("z", int))), field("at", { kind: "date" })),
    );
    expect(valueDecoder(nested)('{"p":{"x":1,"y":2,"z":3},"at":"2024-01-01T00:00:00Z"}')).toEqual({
      p: { x: 1, y: 2, z: 3 },
      at: new Date("2024-01-01T00:00:00Z"),
    });
  });

  test("of records tells them apart by the limits of their keys", () => {
    const short: Schema = { kind: "record", values: int, keys: { max: 2 } };
    expect(valueDecoder(short)('{"ab":1,"c":2}')).toEqual({ ab: 1, c: 2 });
    expect(valueDecoder(short)('{"abc":1}')).toBe('body v: the key "abc" must be at most 2 characters');
    const either = valueDecoder(union(short, { kind: "record", values: string }));
    expect([either('{"ab":1}'), either('{"abc":"x"}')]).toEqual([{ ab: 1 }, { abc: "x" }]);
  });

  test("is of the variant with more dates where both variants fit", () => {
    const time = "2024-01-01T00:00:00Z";
    const same = [field("s", string), field("t", string)];
    const int64: Schema = { kind: "int64" };
    const dated = object(field("at", { kind: "date" }), field("n", int64), field("m", int64), ...same);
    const plain = object(field("at", string), field("n", number), field("m", number), field("more", int), ...same);
    for (const schema of [union(dated, plain), union(plain, dated)])
      expect(valueDecoder(schema)(`{"at":"${time}","n":1,"m":2,"more":3,"s":"a","t":"b"}`)).toEqual({
        at: new Date(time),
        n: 1n,
        m: 2n,
        more: 3,
        s: "a",
        t: "b",
      });
  });

  test("checks a field that any variant declares", () => {
    const decode = valueDecoder(union(object(field("a", string, true)), object(field("b", number, true))));
    expect(decode('{"b":5}')).toEqual({ b: 5 });
    expect(decode('{"b":"no number"}')).toBe('body v.b: "no number" is not a number');
    const wider = valueDecoder(
      union(object(field("a", string)), object(field("a", string), field("b", int), field("c", int))),
    );
    expect(wider('{"a":"x","b":"y"}')).toBe('body v.b: "y" is not an int');
    expect(wider('{"a":"x","b":1}')).toEqual({ a: "x" });
  });

  test("whose field is never in a variant tells the variants apart", () => {
    const never: Schema = { kind: "never" };
    const decode = valueDecoder(
      union(
        object(field("id", string), field("email", never, true)),
        object(field("id", never, true), field("email", string)),
      ),
    );
    expect(decode('{"id":"1"}')).toEqual({ id: "1" });
    expect(decode('{"email":"e"}')).toEqual({ email: "e" });
    expect(decode('{"id":"1","email":"e"}')).toBe("body v.email: must be absent");
  });

  test("is told apart by a tag of several literals", () => {
    const num = object(field("op", literal("num")), field("value", number));
    const sum = object(field("op", union(literal("add"), literal("mul"))), field("right", number));
    const decode = valueDecoder({ kind: "union", variants: [num, sum], tag: "op" });
    expect(decode('{"op":"mul","right":2}')).toEqual({ op: "mul", right: 2 });
    expect(decode('{"op":"mul"}')).toBe("body v.right: is required");
  });
});

describe("a recursive type", () => {
  const tree = object(field("name", string), field("children", list(namedTypes("Tree"))));
  const types = { Tree: tree };

  test("is decoded to its leaves", () => {
    const decode = valueDecoder(namedTypes("Tree"), types);
    expect(decode('{"name":"a","children":[{"name":"b","children":[],"x":1}]}')).toEqual({
      name: "a",
      children: [{ name: "b", children: [] }],
    });
    expect(decode('{"name":"a","children":[{"name":"b","children":[{"name":1}]}]}')).toBe(
      "body v.children[0].children[0].name: 1 is not a string",
    );
  });

  test("nests to a bound", () => {
    const decode = valueDecoder(namedTypes("Tree"), types);
    expect(typeof decode(nested(900))).toBe("object");
    expect(decode(nested(5000))).toBe("body: nested too deeply");
    const lists = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const any = valueDecoder({ kind: "json" });
    expect([any(lists(999)), any(lists(1002))]).toEqual([JSON.parse(lists(999)), "body: nested too deeply"]);
  });

  test("of variants without a tag costs no more than the body is long", () => {
    const variant = (leaf: string): Schema =>
      object(field("next", union(namedTypes("E"), nothing)), field("x", namedTypes("E"), true), field(leaf, int, true));
    const decode = valueDecoder(namedTypes("E"), { E: union(variant("a"), variant("b"), variant("c")) });
    expect(decode(hostile(200))).toMatch(/^body v(\.next)+: 5 is not an object \| null$/);
  });
});
