import { expect, test } from "vitest";
import type { Clock, Platform } from "../../contract.ts";
import { transact } from "../../transact.ts";
import { asc, failure, fill, fixture, idsOf, item, items, ManualClock } from "./fixture.ts";
import type { OpenPlatform } from "./fixture.ts";

export function transactionTests(open: OpenPlatform, contenders: number): void {
  test("concurrent increments are exact", async () => {
    const platform = await fixture(open);
    await platform.entities.insert(item("x"), { n: 0 });
    await Promise.all(Array.from({ length: contenders }, () => increment(platform)));
    expect((await platform.entities.get(item("x")))?.fields).toEqual({ n: contenders });
  });

  test("the loser of a conflict reads again and retries", async () => {
    const platform = await fixture(open);
    await platform.entities.insert(item("x"), { n: 0 });
    const reads: unknown[] = [];
    await transact(platform, async (transaction) => {
      const n = (await transaction.get(item("x")))?.fields["n"];
      reads.push(n);
      if (reads.length === 1) await platform.entities.upsert(item("x"), { n: 10 });
      transaction.update(item("x"), { n: Number(n) + 1 });
    });
    expect(reads).toEqual([0, 10]);
    expect((await platform.entities.get(item("x")))?.fields).toEqual({ n: 11 });
  });

  test("reads at once of which one meets a conflict retry, whichever fails first", async () => {
    const platform = await fixture(open);
    await platform.entities.insert(item("x"), { a: 0 });
    let runs = 0;
    await transact(platform, async (transaction) => {
      await transaction.get(item("x"));
      if (++runs === 1) await platform.entities.upsert(item("x"), { a: 1 });
      await Promise.all([transaction.query(items({ limit: 2 })), transaction.get(item("y"))]);
      transaction.upsert(item("x"), { a: 2 });
    });
    expect(runs).toBe(2);
    expect((await platform.entities.get(item("x")))?.fields).toEqual({ a: 2 });
  });

  test("who always loses waits longer each time, gives up with conflict, and has written nothing", async () => {
    const pauses: number[] = [];
    const clock = new ManualClock();
    const sleep: Clock["sleep"] = async (milliseconds) => void pauses.push(milliseconds);
    const { entities } = await fixture(open);
    await entities.insert(item("x"), { n: 0 });
    const losing = transact(
      { entities, clock: { now: () => clock.now(), elapsed: () => clock.elapsed(), sleep } },
      async (transaction) => {
        await transaction.get(item("x"));
        await entities.upsert(item("x"), { n: 1 });
        transaction.upsert(item("y"), {});
      },
    );
    await expect(losing).rejects.toThrow(/gave up after 20 attempts/);
    expect(pauses).toHaveLength(19);
    expect(pauses.every((pause, i) => pause >= 0 && pause <= Math.min(1000, 20 * 2 ** i))).toBe(true);
    expect(await entities.get(item("y"))).toBeUndefined();
  });

  test("a commit conflicts when what was read has changed: a document, its absence, a page, a count", async () => {
    const { entities } = await fixture(open);
    const query = items({ filters: [{ property: "a", op: ">", value: 1 }], limit: 2 });
    const cases: [
      string,
      (t: Awaited<ReturnType<typeof entities.begin>>) => Promise<unknown>,
      () => Promise<unknown>,
    ][] = [
      ["changed", (t) => t.get(item("x")), () => entities.upsert(item("x"), { a: 0 })],
      ["deleted", (t) => t.get(item("x")), () => entities.delete(item("x"))],
      [
        "replaced",
        (t) => t.get(item("x")),
        () => entities.delete(item("x")).then(() => entities.insert(item("x"), { a: 1 })),
      ],
      ["came", (t) => t.get(item("new")), () => entities.insert(item("new"), {})],
      ["came into the page", (t) => t.query(query), () => entities.insert(item("p"), { a: 2 })],
      ["left the page", (t) => t.query(query), () => entities.upsert(item("z"), { a: 1 })],
      ["counted", (t) => t.count(query), () => entities.insert(item("q"), { a: 9 })],
    ];
    for (const [name, read, change] of cases) {
      await fill(entities, { x: { a: 1 }, z: { a: 3 } });
      const transaction = await entities.begin();
      await read(transaction);
      transaction.upsert(item("written"), {});
      await change();
      expect(await failure(() => transaction.commit()), name).toBe("conflict");
      expect(await entities.get(item("written")), name).toBeUndefined();
    }
  });

  test("a transaction that only reads commits, whatever has changed since its last read", async () => {
    const { entities } = await fixture(open);
    await fill(entities, { x: { a: 1 }, y: { a: 2 } });
    const counted = items({ filters: [{ property: "a", op: ">=", value: 1 }] });
    const transaction = await entities.begin();
    const [all, altered, again, document] = await Promise.allSettled([
      transaction.count(counted),
      transaction.query({ ...counted, after: "altered" }),
      transaction.count(counted),
      transaction.get(item("x")),
    ]);
    expect([all, again]).toEqual([2, 2].map((value) => ({ status: "fulfilled", value })));
    expect(altered).toMatchObject({ status: "rejected", reason: { code: "cursor" } });
    expect(document).toMatchObject({ status: "fulfilled", value: { id: "x" } });
    await fill(entities, { x: { a: 0 }, z: { a: 3 }, w: { a: 3 } });
    await transaction.commit();
  });

  test("writes elsewhere are no conflict", async () => {
    const { entities } = await fixture(open);
    await fill(entities, { x: { a: 1 }, y: { a: 2 } });
    const transaction = await entities.begin();
    await transaction.get(item("x"));
    await transaction.query(items({ filters: [{ property: "a", op: "==", value: 2 }] }));
    await fill(entities, { z: { a: 3 } });
    transaction.update(item("x"), { a: 4 });
    await transaction.commit();
    expect((await entities.get(item("x")))?.fields).toEqual({ a: 4 });
  });

  test("the reads of a transaction never show two states of the store", async () => {
    const platform = await fixture(open);
    await fill(platform.entities, { x: { n: 50 }, y: { n: 50 } });
    const sums: number[] = [];
    const move = (amount: number): Promise<void> =>
      transact(platform, async (transaction) => {
        const x = Number((await transaction.get(item("x")))?.fields["n"]);
        const y = Number((await transaction.get(item("y")))?.fields["n"]);
        sums.push(x + y);
        transaction.update(item("x"), { n: x - amount });
        transaction.update(item("y"), { n: y + amount });
      });
    await Promise.all(Array.from({ length: Math.min(50, contenders) }, (_, i) => move(i % 7)));
    expect(new Set(sums)).toEqual(new Set([100]));
  });

  test("write skew is refused: two who each read what the other writes do not both commit", async () => {
    const { entities } = await fixture(open);
    await fill(entities, { x: { a: 1 }, y: { a: 1 } });
    const race = async (): Promise<readonly (string | undefined)[]> => {
      const [first, second] = [await entities.begin(), await entities.begin()];
      const onCall = items({ filters: [{ property: "a", op: "==", value: 1 }] });
      await Promise.all([first.query(onCall), second.query(onCall)]);
      first.update(item("x"), { a: 0 });
      second.update(item("y"), { a: 0 });
      return Promise.all([failure(() => first.commit()), failure(() => second.commit())]);
    };
    // The transactions may abort each other. If neither was written, the race runs again.
    let codes = await race();
    for (let again = 0; again < 4 && codes.every((code) => code === "conflict"); again++) codes = await race();
    expect(new Set(codes)).toEqual(new Set(["conflict", undefined]));
  });

  test("nothing is seen outside before the commit, and everything after it", async () => {
    const { entities } = await fixture(open);
    const transaction = await entities.begin();
    transaction.insert(item("x"), { a: 1 });
    transaction.insert(item("y"), { a: 1 });
    expect(await entities.count(items({}))).toBe(0);
    await transaction.commit();
    expect(await entities.count(items({}))).toBe(2);
    const other = await entities.begin();
    other.delete(item("x"));
    await other.rollback();
    expect(await entities.count(items({}))).toBe(2);
  });

  test("a get sees the transaction's own writes; a query of a kind that was written is refused", async () => {
    const { entities } = await fixture(open);
    await fill(entities, { y: { a: 1 } });
    const transaction = await entities.begin();
    transaction.insert(item("x"), { a: 1 });
    transaction.delete(item("y"));
    expect(await transaction.get(item("x"))).toEqual({ id: "x", version: "", fields: { a: 1 } });
    expect(await transaction.get(item("y"))).toBeUndefined();
    expect(await failure(() => transaction.query(items({ orders: [asc("a")] })))).toBe("query");
    expect(await failure(() => transaction.insert(item("x"), {}))).toBe("exists");
    expect(await failure(() => transaction.update(item("y"), {}))).toBe("missing");
    transaction.update(item("x"), { a: 2 });
    transaction.insert(item("y"), { a: 3 });
    await transaction.commit();
    expect(idsOf((await entities.query(items({ orders: [asc("a")] }))).documents)).toEqual(["x", "y"]);
  });

  test("an insert of what exists and an update of what does not fail the whole commit", async () => {
    const { entities } = await fixture(open);
    await fill(entities, { x: { a: 1 } });
    const inserting = await entities.begin();
    inserting.upsert(item("y"), {});
    inserting.insert(item("x"), {});
    expect(await failure(() => inserting.commit())).toBe("exists");
    const updating = await entities.begin();
    updating.upsert(item("y"), {});
    updating.update(item("z"), {});
    expect(await failure(() => updating.commit())).toBe("missing");
    expect(await entities.get(item("y"))).toBeUndefined();
  });

  test("an error of the work ends the transaction without a write and is not retried", async () => {
    const platform = await fixture(open);
    let runs = 0;
    const failing = transact(platform, async (transaction) => {
      runs++;
      transaction.upsert(item("x"), {});
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(runs).toBe(1);
    expect(await platform.entities.get(item("x"))).toBeUndefined();
  });

  test("a transaction that has ended refuses, and one writes at most 499 documents", async () => {
    const { entities } = await fixture(open);
    const transaction = await entities.begin();
    await transaction.commit();
    expect(await failure(() => transaction.get(item("x")))).toBe("closed");
    expect(await failure(() => transaction.commit())).toBe("closed");
    const large = await entities.begin();
    for (let i = 0; i < 499; i++) large.upsert(item(`i${i}`), {});
    large.upsert(item("i0"), { a: 1 });
    expect(await failure(() => large.upsert(item("more"), {}))).toBe("full");
    await large.commit();
    expect(await entities.get(item("i498"))).toBeDefined();
  });
}

function increment(platform: Platform): Promise<void> {
  return transact(platform, async (transaction) => {
    const document = await transaction.get(item("x"));
    transaction.update(item("x"), { n: Number(document?.fields["n"]) + 1 });
  });
}
