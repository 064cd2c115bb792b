import { describe, expect, onTestFinished, test } from "vitest";
import type { Definitions } from "../../contract.ts";
import { failure } from "../../testing/conformance/fixture.ts";
import { transact } from "../../transact.ts";
import { openGcp, type CloudPlatform } from "../open.ts";
import { onFake } from "../testing/fake.ts";
import type { Mishap } from "../testing/faulty-proxy.ts";
import { registerIndexes } from "../testing/lost-answers.ts";

const definitions: Definitions = { kinds: [{ kind: "item", properties: [{ name: "n" }], composites: [] }] };
const key = { kind: "item", id: "x" };

/** A platform whose requests to the cloud encounter planned faults, each once. */
interface Unlucky {
  readonly platform: CloudPlatform;
  /** Plans one fault for each of the method's next requests. */
  readonly plan: (method: string, ...mishaps: readonly Mishap[]) => void;
  /** Returns the number of requests for the method, including failed ones. */
  readonly times: (method: string) => number;
}

async function unlucky(): Promise<Unlucky> {
  const planned = new Map<string, Mishap[]>();
  const methods: string[] = [];
  const on = await onFake(undefined, ({ url }) => {
    const method = url.pathname.slice(url.pathname.lastIndexOf(":") + 1);
    methods.push(method);
    return planned.get(method)?.shift();
  });
  on.fake.grant(`serviceAccount:${on.account}`, "roles/datastore.user");
  const platform = await openGcp(on.place, definitions, on.cloud);
  onTestFinished(() => platform.close());
  await registerIndexes(platform);
  methods.length = 0;
  return {
    platform,
    plan: (method, ...mishaps) => void planned.set(method, [...mishaps]),
    times: (method) => methods.filter((each) => each === method).length,
  };
}

describe.each<Mishap>(["429", "503", "503 after", "reset before", "reset after"])(
  "where a commit meets %s",
  (mishap) => {
    test("each write has its effect once, and says what it was", async () => {
      const { platform, plan } = await unlucky();
      const { entities } = platform;
      plan("commit", mishap);
      const inserted = await entities.insert(key, { n: 1 });
      expect((await entities.get(key))?.version).toBe(inserted);
      plan("commit", mishap);
      expect(await failure(() => entities.insert(key, { n: 2 }))).toBe("exists");
      plan("commit", mishap);
      const updated = await entities.update(key, { n: 2 }, { version: inserted });
      expect(await entities.get(key)).toMatchObject({ version: updated, fields: { n: 2 } });
      plan("commit", mishap);
      expect(await failure(() => entities.update(key, { n: 3 }, { version: inserted }))).toBe("conflict");
      plan("commit", mishap, mishap);
      const upserted = await entities.upsert(key, { n: 4 });
      expect(await entities.get(key)).toMatchObject({ version: upserted, fields: { n: 4 } });
      plan("commit", mishap);
      await entities.delete(key, { version: upserted });
      expect(await entities.get(key)).toBeUndefined();
    });

    test("a transaction is committed once, also where it read what it does not write", async () => {
      const { platform, plan } = await unlucky();
      const { entities } = platform;
      await entities.insert(key, { n: 0 });
      await entities.insert({ kind: "item", id: "other" }, { n: 7 });
      let runs = 0;
      for (const alsoReads of [false, true]) {
        plan("commit", mishap);
        await transact(platform, async (transaction) => {
          runs++;
          const n = Number((await transaction.get(key))?.fields["n"]);
          if (alsoReads) await transaction.get({ kind: "item", id: "other" });
          transaction.update(key, { n: n + 1 });
        });
      }
      expect((await entities.get(key))?.fields).toEqual({ n: 2 });
      expect(runs).toBe(2);
    });

    test("a lease is taken once, renewed and let go", async () => {
      const { platform, plan } = await unlucky();
      plan("commit", mishap);
      const lease = await platform.leases.acquire("relay", 60_000);
      expect(lease?.token).toBe(1);
      plan("commit", mishap);
      expect((await lease?.renew(60_000))?.token).toBe(1);
      plan("commit", mishap);
      await lease?.release();
      expect((await platform.leases.acquire("relay", 60_000))?.token).toBe(2);
    });
  },
);

test("reads are made again, whatever happened to them", async () => {
  const { platform, plan } = await unlucky();
  await platform.entities.insert(key, { n: 1 });
  const query = { kind: "item", filters: [], orders: [], limit: 5 } as const;
  for (const mishap of ["429", "503", "503 after", "reset before", "reset after", { answerEndsAfter: 20 }] as const) {
    plan("lookup", mishap, mishap);
    expect((await platform.entities.get(key))?.fields).toEqual({ n: 1 });
    plan("runQuery", mishap, mishap);
    expect((await platform.entities.query(query)).documents).toHaveLength(1);
    plan("runAggregationQuery", mishap);
    expect(await platform.entities.count(query)).toBe(1);
  }
});

test("a session is read with one lookup, a read and write with two requests", async () => {
  const { platform, times } = await unlucky();
  await platform.entities.insert(key, { n: 1 });
  expect([times("lookup"), times("commit")]).toEqual([0, 1]);
  await platform.entities.get(key);
  expect([times("lookup"), times("commit")]).toEqual([1, 1]);
  await transact(platform, async (transaction) => {
    await transaction.get(key);
    transaction.update(key, { n: 2 });
  });
  expect([times("lookup"), times("commit"), times("beginTransaction")]).toEqual([2, 2, 0]);
});

test("a service without the grant is told so", async () => {
  const on = await onFake();
  const platform = await openGcp(on.place, definitions, on.cloud);
  onTestFinished(() => platform.close());
  const { entities } = platform;
  expect(await failure(() => entities.get(key))).toBe("denied");
  expect(await failure(() => entities.insert(key, {}))).toBe("denied");
});
