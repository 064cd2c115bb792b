import * as fc from "fast-check";
import { expect, test } from "vitest";
import { codePoint } from "../../../lib/testing/code-point.ts";
import type { Fields, Value } from "../../values.ts";
import { failure, fixture, ids, item, ManualClock } from "./fixture.ts";
import type { OpenPlatform } from "./fixture.ts";

export function documentTests(open: OpenPlatform, documents = 300): void {
  test("a document that was written is read back, and one that was not is undefined", async () => {
    const { entities } = await fixture(open);
    const version = await entities.insert(item("x"), { a: 1 });
    expect(await entities.get(item("x"))).toEqual({ id: "x", version, fields: { a: 1 } });
    expect(await entities.get(item("y"))).toBeUndefined();
    expect((await entities.getMany([item("y"), item("x")])).map((d) => d?.id)).toEqual([undefined, "x"]);
  });

  test("a read without a promise, of a store that has one, finds what get finds", async () => {
    const { entities } = await fixture(open);
    const getNow = entities.getNow?.bind(entities) ?? entities.get.bind(entities);
    const version = await entities.insert(item("x"), { a: 1 });
    expect(await getNow(item("x"))).toEqual({ id: "x", version, fields: { a: 1 } });
    expect(await getNow(item("y"))).toBeUndefined();
    expect(await failure(async () => getNow({ kind: "none", id: "x" }))).toBe("document");
  });

  test("an insert refuses an existing document, an update a missing one, an upsert neither", async () => {
    const { entities } = await fixture(open);
    await entities.insert(item("x"), { a: 1 });
    expect(await failure(() => entities.insert(item("x"), { a: 2 }))).toBe("exists");
    expect(await failure(() => entities.update(item("y"), {}))).toBe("missing");
    await entities.upsert(item("x"), { a: 3 });
    await entities.upsert(item("y"), { a: 4 });
    expect(await ids(entities, { filters: [{ property: "a", op: ">", value: 2 }] })).toEqual(["x", "y"]);
  });

  test("of concurrent inserts of one id, one wins", async () => {
    const { entities } = await fixture(open);
    const codes = await Promise.all(
      Array.from({ length: 20 }, (_, a) => failure(() => entities.insert(item("x"), { a }))),
    );
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(codes.filter((code) => code === "exists")).toHaveLength(19);
  });

  test("a conditional write fails with conflict when the version is another, also after delete and insert", async () => {
    const { entities } = await fixture(open);
    const first = await entities.insert(item("x"), { a: 1 });
    const second = await entities.update(item("x"), { a: 2 }, { version: first });
    expect(await failure(() => entities.update(item("x"), { a: 3 }, { version: first }))).toBe("conflict");
    expect(await failure(() => entities.delete(item("x"), { version: first }))).toBe("conflict");
    await entities.delete(item("x"), { version: second });
    const third = await entities.insert(item("x"), { a: 1 });
    expect(new Set([first, second, third]).size).toBe(3);
    expect(await failure(() => entities.update(item("x"), { a: 3 }, { version: second }))).toBe("conflict");
  });

  test("a deleted document is in no result, and deleting what is not there does nothing", async () => {
    const { entities } = await fixture(open);
    await entities.insert(item("x"), { a: 1, tags: ["t"] });
    await entities.delete(item("x"));
    await entities.delete(item("x"));
    expect(await entities.get(item("x"))).toBeUndefined();
    expect(await ids(entities, {})).toEqual([]);
    expect(await ids(entities, { filters: [{ property: "tags", op: "==", value: "t" }] })).toEqual([]);
  });

  test("every value survives the round trip exactly", async () => {
    const { entities } = await fixture(open);
    await fc.assert(
      fc.asyncProperty(fields, async (written) => {
        await entities.upsert({ kind: "plain", id: "x" }, written);
        expect((await entities.get({ kind: "plain", id: "x" }))?.fields).toStrictEqual(written);
      }),
      { numRuns: documents },
    );
  });

  test("Dates, Int64, NaN, -0 and names like $date survive, and undefined is left out", async () => {
    const { entities } = await fixture(open);
    const written = {
      $date: 5,
      in: { $int: "7", $obj: {} },
      one: { $num: "NaN" },
      at: new Date(-1),
      big: -(2n ** 63n),
      nan: Number.NaN,
      zero: -0,
      far: -Infinity,
      odd: "\ud800\0",
    };
    await entities.upsert({ kind: "plain", id: "x" }, { ...written, gone: undefined });
    const read = (await entities.get({ kind: "plain", id: "x" }))?.fields ?? {};
    expect(read).toEqual(written);
    expect(Object.is(read["zero"], -0)).toBe(true);
    expect("gone" in read).toBe(false);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  test("a document is the caller's own: changing it changes nothing that is stored", async () => {
    const { entities } = await fixture(open);
    const written = { list: [1], at: new Date(5) };
    const writing = entities.upsert(item("x"), written);
    written.list.push(2);
    await writing;
    const read = await entities.get(item("x"));
    (read as unknown as { fields: { list: number[] } }).fields.list.push(3);
    expect((await entities.get(item("x")))?.fields).toEqual({ list: [1], at: new Date(5) });
  });

  test("ids that are empty, reserved, broken or over 1,500 bytes are refused by writes and found by no read", async () => {
    const { entities } = await fixture(open);
    for (const id of ["", "_fwx", "__x__", "a\0b", "\ud800", "é".repeat(751)]) {
      expect(await failure(() => entities.insert(item(id), {}))).toBe("document");
      expect(await entities.get(item(id))).toBeUndefined();
    }
    for (const id of ["é".repeat(750), "__x", "a/b", "\ufffd", " ", "😀"]) await entities.insert(item(id), {});
    expect(await entities.get(item("\ud800"))).toBeUndefined();
  });

  test("what cannot be stored is refused with the property's name", async () => {
    const { entities } = await fixture(open);
    const self: Record<string, unknown> = {};
    self["self"] = self;
    const wrong: [Record<string, unknown>, RegExp][] = [
      [{ deep: { at: new Date(Number.NaN) } }, /deep\.at is an invalid Date/],
      [{ f: () => 1 }, /property f is a function/],
      [{ list: [1, undefined] }, /list\[1\] is undefined/],
      [{ m: new Map() }, /property m is a Map/],
      [{ n: 2n ** 63n }, /property n is a bigint beyond 64 bits/],
      [{ _fwx: 1 }, /_fwx begins with _fw/],
      [{ a: "x".repeat(1501) }, /indexed property a is a string of over 1500 bytes/],
      [{ a: [1] }, /indexed property a is an array/],
      [{ a: { x: 1 } }, /indexed property a is an object/],
      [{ tags: Array.from({ length: 1001 }, (_, i) => i) }, /indexed property tags has over 1000 elements/],
      [self, /nested deeper than/],
      [nested(21), /nested deeper than 20 levels/],
      [{ grid: [[1], [2]] }, /property grid\[0\] is a list inside a list/],
      [{ in: [{ "": 1 }] }, /property in\[0\]\. has a name that is empty/],
      [{ in: { __x__: 1 } }, /property in\.__x__ has a name .* of the form __…__/],
      [JSON.parse('{"__proto__":{"x":1}}') as Record<string, unknown>, /property __proto__ has a name/],
      [{ text: "x".repeat(1_048_488) }, /property text is a string of over 1048487 bytes/],
      [{ text: "x".repeat(600 * 1024), more: "é".repeat(250 * 1024) }, /a document can have at most 1048576/],
    ];
    for (const [document, message] of wrong)
      await expect(entities.upsert(item("x"), document as Fields)).rejects.toThrow(message);
    await entities.upsert(item("x"), { text: "x".repeat(1024 * 1024 - 3000), long: "x".repeat(2000) });
    await entities.upsert({ kind: "plain", id: "x" }, { text: "x".repeat(1_048_487) });
    await entities.upsert(item("x"), { ...nested(20), list: [{ list: [1] }], __x: 1, x__: 1 });
  });

  test("what is too large, and what no index can hold, say so by their codes", async () => {
    const { entities } = await fixture(open);
    const codeOf = (document: Fields) => failure(() => entities.upsert(item("x"), document));
    expect(await codeOf({ text: "x".repeat(1024 * 1024) })).toBe("too-large");
    expect(await codeOf({ b: [[1]] })).toBe("shape");
    expect(await codeOf({ a: "x".repeat(1501) })).toBe("indexed");
    expect(await codeOf({ a: 2n ** 63n })).toBe("document");
    expect(await codeOf({ a: { x: 1 } })).toBe("document");
    const among = { kind: "item", orders: [], limit: 1 };
    const values = Array.from({ length: 31 }, (_, n) => n);
    expect(
      await failure(() => entities.query({ ...among, filters: [{ property: "a", op: "in", value: values }] })),
    ).toBe("combinations");
  });

  test("a kind that is not defined, and a kind of the framework that does not say so, are refused", async () => {
    const { entities } = await fixture(open);
    expect(await failure(() => entities.get({ kind: "other", id: "x" }))).toBe("document");
    const own = { kind: "_fw_session", properties: [], composites: [] };
    expect(await failure(() => open({ kinds: [own] }, undefined))).toBe("document");
    const framework = await fixture(open, undefined, { kinds: [{ ...own, framework: true }] });
    await framework.entities.insert({ kind: "_fw_session", id: "x" }, { a: 1 });
  });

  test("a document is gone from its expiry on, and its id is free", async () => {
    const clock = new ManualClock();
    const { entities } = await fixture(open, clock);
    const expires = new Date(clock.now() + 1000);
    await entities.insert(item("x"), { a: 1 }, { expires });
    expect((await entities.get(item("x")))?.expires).toEqual(expires);
    clock.advance(999);
    const query = { kind: "item", filters: [{ property: "a", op: "==", value: 1 }], orders: [], limit: 10 } as const;
    expect((await entities.query(query)).documents.map((each) => [each.id, each.expires])).toEqual([["x", expires]]);
    clock.advance(1);
    expect(await entities.get(item("x"))).toBeUndefined();
    expect(await ids(entities, {})).toEqual([]);
    expect(await ids(entities, { filters: [{ property: "a", op: "==", value: 1 }] })).toEqual([]);
    await entities.insert(item("x"), { a: 2 });
    clock.advance(10_000);
    expect((await entities.get(item("x")))?.fields).toEqual({ a: 2 });
  });

  test("a closed platform refuses", async () => {
    const platform = await fixture(open);
    const writing = platform.entities.insert(item("x"), {});
    await platform.close();
    await writing;
    expect(await failure(() => platform.entities.get(item("x")))).toBe("closed");
    expect(await failure(() => platform.entities.upsert(item("x"), {}))).toBe("closed");
    expect(await failure(() => platform.leases.acquire("x", 1))).toBe("closed");
  });
}

/** Returns fields with objects nested to this many levels. */
function nested(levels: number): Fields {
  let value: Value = 1;
  for (let level = 0; level < levels; level++) value = { in: value };
  return { deep: value };
}

const scalar: fc.Arbitrary<Value> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.string({ unit: codePoint }),
  fc.date({ noInvalidDate: true }),
);

const name: fc.Arbitrary<string> = fc
  .oneof(fc.string({ maxLength: 5 }), fc.constantFrom("$date", "$int", "$num", "$obj", "$", "length"))
  .filter((text) => text !== "" && !text.startsWith("_fw") && !/^__.*__$/s.test(text));

const value: fc.Arbitrary<Value> = fc.letrec<{ value: Value; object: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    tie("object"),
    fc.array(fc.oneof({ maxDepth: 4 }, scalar, tie("object")), { maxLength: 4 }),
  ),
  object: fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
})).value;

const fields: fc.Arbitrary<Fields> = fc.dictionary(name, value, { maxKeys: 5, noNullPrototype: true });
