import { expect, test } from "vitest";
import type { Query, Total } from "../../contract.ts";
import type { Scalar } from "../../values.ts";
import { asc, desc, failure, fill, fixture, ids, idsOf, item, items } from "./fixture.ts";
import type { OpenPlatform } from "./fixture.ts";

export function queryTests(open: OpenPlatform): void {
  test("values of all types sort as Datastore sorts them, both ways", async () => {
    const { entities } = await fixture(open);
    const values = [
      null,
      new Date(-1),
      0n,
      2n,
      new Date(1),
      2n ** 60n,
      false,
      true,
      "",
      "a",
      "a\0",
      "a!",
      "b",
      "\uffee",
      "😀",
    ];
    const sorted = [...values, -Infinity, -1.5, 0, 0.1, 2, 37.5, Infinity, Number.NaN];
    const names = sorted.map((_, i) => `v${String(i).padStart(2, "0")}`);
    await fill(entities, Object.fromEntries(sorted.map((a, i) => [names[i] ?? "", { a }])));
    await fill(entities, { without: { b: 1 } });
    expect(await ids(entities, { orders: [asc("a")] })).toEqual(names);
    expect(await ids(entities, { orders: [desc("a")] })).toEqual(names.toReversed());
    for (const [i, value] of sorted.entries()) {
      const idsWith = (op: "==" | "<" | ">="): Promise<string[]> =>
        ids(entities, { filters: [{ property: "a", op, value }] });
      expect(await idsWith("==")).toEqual([names[i]]);
      expect(await idsWith("<")).toEqual(names.slice(0, i));
      expect(await idsWith(">=")).toEqual(names.slice(i));
    }
  });

  test("a query is the caller's own: changing it after the call changes nothing that it reads", async () => {
    const { entities } = await fixture(open);
    await fill(entities, { early: { tags: [new Date(1)], c: 1 }, late: { tags: [new Date(2)], c: 2 } });
    for (const store of [entities, await entities.begin()]) {
      const query = (): { arg: Query; change(): void } => {
        const value = new Date(1);
        const filters = [{ property: "tags", op: "in" as const, value: [value] }];
        const arg = { ...items({ filters }), kind: "item" };
        return {
          arg,
          change: () => {
            value.setTime(2);
            filters.pop();
            arg.kind = "plain";
          },
        };
      };
      const [page, count, total] = [query(), query(), query()];
      const answers = [store.query(page.arg), store.count(count.arg), store.total(total.arg, "c")] as const;
      for (const each of [page, count, total]) each.change();
      expect(idsOf((await answers[0]).documents)).toEqual(["early"]);
      expect(await answers[1]).toBe(1);
      expect(await answers[2]).toEqual({ sum: 1, average: 1 });
    }
  });

  test("ties go by id in UTF-8 order, in the direction of the last order", async () => {
    const { entities } = await fixture(open);
    await fill(entities, {
      b: { a: 1, c: 1 },
      a: { a: 1, c: 1 },
      "😀": { a: 1, c: 1 },
      "\uffee": { a: 1, c: 1 },
      z: { a: 1, c: 2 },
    });
    expect(await ids(entities, {})).toEqual(["a", "b", "z", "\uffee", "😀"]);
    expect(await ids(entities, { orders: [asc("c")] })).toEqual(["a", "b", "\uffee", "😀", "z"]);
    expect(await ids(entities, { orders: [desc("c")] })).toEqual(["z", "😀", "\uffee", "b", "a"]);
    const equal = [{ property: "a", op: "==", value: 1 } as const];
    expect(await ids(entities, { filters: equal })).toEqual(["a", "b", "z", "\uffee", "😀"]);
    expect(await ids(entities, { filters: equal, orders: [desc("c")] })).toEqual(["z", "😀", "\uffee", "b", "a"]);
    expect(await ids(entities, { filters: equal, orders: [desc("a")] })).toEqual(["a", "b", "z", "\uffee", "😀"]);
  });

  test("equalities on single properties and merged composites answer together", async () => {
    const { entities } = await fixture(open);
    const all = Array.from({ length: 60 }, (_, i) => [`i${i}`, { a: i % 3, b: i % 5, c: i % 7 }] as const);
    await fill(entities, Object.fromEntries(all));
    const matching = all.filter(([, { a, b }]) => a === 1 && b === 2);
    const filters = [
      { property: "a", op: "==", value: 1 },
      { property: "b", op: "==", value: 2 },
    ] as const;
    expect(await ids(entities, { filters })).toEqual(matching.map(([id]) => id).toSorted());
    const newest = matching.toSorted(([i, x], [j, y]) => y.c - x.c || (i < j ? 1 : -1)).map(([id]) => id);
    expect(await ids(entities, { filters, orders: [desc("c")] })).toEqual(newest);
    expect(await entities.count({ kind: "item", filters, orders: [] })).toBe(matching.length);
    expect(await entities.count({ kind: "item", filters, orders: [] }, 2)).toBe(2);
  });

  test("numbers are added up as Datastore does, whole ones exactly", async () => {
    const { entities } = await fixture(open);
    const a = (value: number) => ({ property: "a", op: "==", value }) as const;
    const total = (of: number): Promise<Total> =>
      entities.total({ kind: "item", filters: [a(of), zero], orders: [] }, "c");
    const zero = { property: "b", op: "==", value: 0 } as const;
    const max = 2n ** 63n - 1n;
    await fill(entities, {
      x: { b: 0, a: 1, c: 1 },
      y: { b: 0, a: 1, c: 2.5 },
      z: { b: 0, a: 1, c: "3" },
      w: { b: 0, a: 1 },
      big: { b: 0, a: 2, c: max },
      small: { b: 0, a: 2, c: -1n },
      over: { b: 0, a: 3, c: max },
      more: { b: 0, a: 3, c: max },
      both: { b: 0, a: 4, c: 1n },
      doubled: { b: 0, a: 4, c: 0.5 },
      none: { b: 0, a: 5, c: null },
    });
    expect(await total(1)).toEqual({ sum: 3.5, average: 1.75 });
    expect(await total(2)).toMatchObject({ sum: max - 1n });
    expect(await total(3)).toEqual({ sum: 2 ** 64, average: 2 ** 63 });
    expect(await total(4)).toEqual({ sum: 1.5, average: 0.75 });
    expect(await total(5)).toEqual({ sum: 0, average: undefined });
    const above = { property: "c", op: ">", value: 1 } as const;
    expect(await entities.total({ kind: "item", filters: [above], orders: [] }, "c")).toMatchObject({ sum: 2.5 });
    expect(await failure(() => entities.total({ kind: "item", filters: [a(1)], orders: [] }, "c"))).toBe("index");
  });

  test("a sum is a read of a transaction, which conflicts where it has changed", async () => {
    const { entities } = await fixture(open);
    await fill(entities, { x: { a: 1, b: 1 }, y: { a: 1, b: 2 } });
    const query = { kind: "item", filters: [{ property: "a", op: "==", value: 1 }], orders: [desc("b")] } as const;
    const transaction = await entities.begin();
    expect(await transaction.total(query, "b")).toEqual({ sum: 3, average: 1.5 });
    transaction.upsert(item("sum"), { n: 3 });
    await entities.upsert(item("y"), { a: 1, b: 3 });
    expect(await failure(() => transaction.commit())).toBe("conflict");
  });

  test("each document matches once: in, arrays, repeated values", async () => {
    const { entities } = await fixture(open);
    await fill(entities, {
      x: { a: 1, tags: ["s", "t", "s"] },
      y: { a: 2, tags: ["t"] },
      z: { a: 3, tags: [] },
      w: { a: 2 },
    });
    const tags = { property: "tags", op: "in", value: ["s", "t", "s"] } as const;
    expect(await ids(entities, { filters: [tags] })).toEqual(["x", "y"]);
    expect(await entities.count({ kind: "item", filters: [tags], orders: [] })).toBe(2);
    const both = ["s", "t"].map((value) => ({ property: "tags", op: "==", value }) as const);
    expect(await ids(entities, { filters: both })).toEqual(["x"]);
    const among = { property: "a", op: "in", value: [3, 1, 2] } as const;
    expect(await ids(entities, { filters: [among] })).toEqual(["w", "x", "y", "z"]);
    expect(await ids(entities, { filters: [among], orders: [desc("a")] })).toEqual(["z", "w", "y", "x"]);
    expect(await ids(entities, { filters: [{ ...among, value: [] }] })).toEqual([]);
  });

  test("a property inside an object is indexed by its path", async () => {
    const { entities } = await fixture(open);
    await fill(entities, {
      x: { place: { city: "Bern" } },
      y: { place: { city: "Rome" } },
      z: { place: "Rome" },
      w: { place: null },
    });
    expect(await ids(entities, { filters: [{ property: "place.city", op: "==", value: "Rome" }] })).toEqual(["y"]);
  });

  test("an id sorts among values of all types as a text does", async () => {
    const kinds = [{ kind: "item", properties: [{ name: "id", key: true }], composites: [] }] as const;
    const { entities } = await fixture(open, undefined, { kinds });
    await fill(entities, { A: {}, m: {}, z: {} });
    const idsWith = (op: "==" | "<" | "<=" | ">" | ">=", value: Scalar): Promise<string[]> =>
      ids(entities, { filters: [{ property: "id", op, value }] });
    const all = ["A", "m", "z"];
    const sides = [
      ...[null, new Date(0), 5n, true, ""].map((value) => ({ value, below: [], above: all })),
      { value: "m\u0000", below: ["A", "m"], above: ["z"] },
      { value: "__x__", below: ["A"], above: ["m", "z"] },
      { value: 5, below: all, above: [] },
    ];
    for (const { value, below, above } of sides) {
      const answers = await Promise.all((["<", "<=", ">", ">=", "=="] as const).map((op) => idsWith(op, value)));
      expect(answers, String(value)).toEqual([below, below, above, above, []]);
    }
    expect(await idsWith(">=", "m")).toEqual(["m", "z"]);
    expect(await ids(entities, { filters: [{ property: "id", op: "in", value: ["m", 5, null] }] })).toEqual(["m"]);
  });

  test("a value that no document can have is equal to none", async () => {
    const { entities } = await fixture(open);
    await fill(entities, { x: { a: "\ufffd" } });
    for (const value of ["x".repeat(1501), "\ud800", 2n ** 64n, new Date(Number.NaN)])
      expect(await ids(entities, { filters: [{ property: "a", op: "==", value }] })).toEqual([]);
  });

  test("queries that break a rule are refused", async () => {
    const { entities } = await fixture(open);
    const above = { property: "a", op: ">", value: 1 } as const;
    const wrong = [
      items({ limit: 0 }),
      items({ limit: 1001 }),
      items({ limit: 1.5 }),
      items({ filters: [above, { ...above, property: "b" }] }),
      items({ filters: [above], orders: [asc("b"), asc("a")] }),
      items({ filters: [above, { property: "a", op: "==", value: 2 }] }),
      items({ filters: [{ property: "tags", op: ">", value: 1 }] }),
      items({ orders: [asc("tags")] }),
      items({ orders: [asc("a"), desc("a")] }),
    ];
    for (const query of wrong) expect(await failure(() => entities.query(query)), JSON.stringify(query)).toBe("query");
    const many = items({ filters: [{ property: "a", op: "in", value: Array.from({ length: 31 }, (_, i) => i) }] });
    expect(await failure(() => entities.query(many))).toBe("combinations");
  });
}
