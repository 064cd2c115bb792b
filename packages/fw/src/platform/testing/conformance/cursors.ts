import { expect, test } from "vitest";
import type { EntityStore, Query } from "../../contract.ts";
import { asc, desc, failure, fill, fixture, idsOf, item, items } from "./fixture.ts";
import type { OpenPlatform } from "./fixture.ts";

const byC: Query = items({ filters: [{ property: "a", op: "==", value: 1 }], orders: [desc("c")], limit: 3 });

export function cursorTests(open: OpenPlatform): void {
  test("pages follow each other without gap or repeat, and the last has no next", async () => {
    const { entities } = await fixture(open);
    const all = Array.from({ length: 10 }, (_, i) => [`i${i}`, { a: 1, c: i % 4, tags: ["s", "t"] }] as const);
    await fill(entities, Object.fromEntries(all));
    const among = { property: "tags", op: "in", value: ["s", "t"] } as const;
    const cs = { property: "c", op: "in", value: [0, 2, 3] } as const;
    const queries = [
      byC,
      items({ limit: 3 }),
      items({ limit: 5, filters: [among] }),
      items({ limit: 3, filters: [among], orders: [asc("c")] }),
      items({ limit: 2, filters: [cs], orders: [desc("c")] }),
      items({ limit: 2, filters: [cs], orders: [asc("c")] }),
      items({ limit: 2, filters: [{ property: "c", op: ">", value: 0 }], orders: [desc("c")] }),
    ];
    for (const query of queries) {
      const whole = idsOf((await entities.query({ ...query, limit: 1000 })).documents);
      const pages = await pagesOf(entities, query);
      expect(pages.flat()).toEqual(whole);
      expect(pages.length).toBe(Math.ceil(whole.length / query.limit));
    }
  });

  test("documents that come and go neither repeat nor skip the others", async () => {
    const { entities } = await fixture(open);
    await fill(entities, Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`i${i}`, { a: 1, c: i }])));
    const first = await entities.query(byC);
    expect(idsOf(first.documents)).toEqual(["i8", "i7", "i6"]);
    await fill(entities, { newest: { a: 1, c: 100 }, early: { a: 1, c: 7.5 }, next: { a: 1, c: 5.5 } });
    await entities.delete(item("i6"));
    await entities.delete(item("i7"));
    await entities.delete(item("i4"));
    const second = await entities.query({ ...byC, after: first.next ?? "" });
    expect(idsOf(second.documents)).toEqual(["next", "i5", "i3"]);
  });

  test("a cursor that was altered, cut, or made for another query is refused", async () => {
    const { entities } = await fixture(open);
    await fill(entities, Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`i${i}`, { a: i % 2, c: i }])));
    const { next = "" } = await entities.query(byC);
    expect(next).not.toBe("");
    const altered = Array.from(
      next,
      (letter, i) => next.slice(0, i) + (letter === "A" ? "B" : "A") + next.slice(i + 1),
    );
    for (const after of [...altered, next.slice(1), next.slice(0, -1), `${next}A`, `${next}=`, "", "x", "é"])
      expect(await failure(() => entities.query({ ...byC, after })), after).toBe("cursor");
    const others = [
      { ...byC, filters: [{ property: "a", op: "==", value: 0 } as const] },
      { ...byC, filters: [{ property: "a", op: "==", value: 1n } as const] },
      { ...byC, filters: [] },
      { ...byC, orders: [] },
    ];
    for (const query of others) expect(await failure(() => entities.query({ ...query, after: next }))).toBe("cursor");
    expect(await failure(() => entities.query({ ...byC, limit: 9, after: next }))).toBeUndefined();
  });

  test("a cursor shows nothing of the documents", async () => {
    const { entities } = await fixture(open);
    await fill(entities, { "secret-1": { a: 1, c: "hidden" }, "secret-2": { a: 1, c: "hidden" } });
    const { next = "" } = await entities.query({ ...byC, limit: 1 });
    expect(next).toMatch(/^[\w-]+$/);
    expect(Buffer.from(next, "base64url").toString("latin1")).not.toMatch(/secret|hidden/);
  });
}

async function pagesOf(entities: EntityStore, query: Query): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after: string | undefined; ;) {
    const page = await entities.query(after === undefined ? query : { ...query, after });
    pages.push(idsOf(page.documents));
    after = page.next;
    if (after === undefined) return pages;
  }
}
