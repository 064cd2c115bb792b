import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Random } from "../../../../../fake-cloud/src/random.ts";
import { tries } from "../../../lib/testing/tries.ts";
import { deferred } from "../../../runtime/testing/deferred.ts";
import type { Definitions } from "../../contract.ts";
import { isPlatformError } from "../../errors.ts";
import { item } from "../../testing/conformance/fixture.ts";
import { transact } from "../../transact.ts";
import { openGcp } from "../open.ts";
import { onFake, type OnFake } from "../testing/fake.ts";
import type { Mishap } from "../testing/faulty-proxy.ts";
import { lostAnswerTests, registerIndexes } from "../testing/lost-answers.ts";
import type { DatastoreValue as Value } from "./datastore-values.ts";
import { Datastore } from "./datastore.ts";

const definitions: Definitions = { kinds: [{ kind: "item", properties: [{ name: "n" }], composites: [] }] };
const orders = { kind: "topic", name: "orders" } as const;

/** Opens a platform whose Datastore requests encounter faults chosen by method. */
async function openFaulty(choose: (method: string) => Mishap | undefined) {
  let isRegistered = false;
  const on = await onFake(undefined, ({ url }) =>
    isRegistered ? choose(url.pathname.slice(url.pathname.lastIndexOf(":") + 1)) : undefined,
  );
  on.fake.grant(`serviceAccount:${on.account}`, "roles/datastore.user");
  const platform = await openGcp(on.place, definitions, on.cloud);
  onTestFinished(() => platform.close());
  await registerIndexes(platform);
  isRegistered = true;
  return { on, platform };
}

/** Resolves with one property of all documents of a kind. */
async function propertiesOf({ cloud, place }: OnFake, kind: string, name: string): Promise<(Value | undefined)[]> {
  const { entityResults = [] } = await new Datastore(cloud, place).query({ kind: [{ name: kind }], limit: 5000 });
  return entityResults.map(({ entity }) => entity?.properties?.[name]);
}

lostAnswerTests(async (choose) => (await openFaulty(choose)).platform);

test("a commit writes one proof, which expires in an hour", async () => {
  const { on, platform } = await openFaulty(() => undefined);
  const earlier = await propertiesOf(on, "_fw_commits", "_fw_expires");
  await transact(platform, async (transaction) => {
    transaction.upsert(item("x"), { n: 1 });
    transaction.upsert(item("y"), { n: 1 });
    transaction.send(orders, { body: "1" });
  });
  const proofs = await propertiesOf(on, "_fw_commits", "_fw_expires");
  const lifetimes = proofs.map((expires) => Date.parse(expires?.timestampValue ?? "") - Date.now());
  expect(lifetimes).toEqual(Array.from({ length: earlier.length + 1 }, () => expect.closeTo(3_600_000, -6)));
});

test("a transaction that contention has ended while its answer was lost runs again", async () => {
  const [request, overwritten, arrived] = [deferred<void>(), deferred<void>(), deferred<void>()];
  const next: { commit: Mishap[]; lookup: Mishap[] } = { commit: [], lookup: [] };
  const { platform } = await openFaulty((method) => {
    const mishap = method === "commit" || method === "lookup" ? next[method].shift() : undefined;
    if (mishap === undefined || method !== "commit") return mishap;
    // fw looks for the proof before the commit arrives, and again after the commit was refused.
    next.lookup.push({ answerLostOnce: arrived.promise });
    request.resolve(undefined);
    return mishap;
  });
  await platform.entities.upsert(item("read"), { n: 0 });
  next.commit.push({ arrivesOnce: overwritten.promise, arrived: () => arrived.resolve(undefined) });
  const reads: unknown[] = [];
  const copying = transact(platform, async (transaction) => {
    reads.push((await transaction.get(item("read")))?.fields["n"]);
    transaction.upsert(item("x"), { n: reads.at(-1) as number });
  });
  await request.promise;
  await platform.entities.upsert(item("read"), { n: 1 });
  overwritten.resolve(undefined);
  await copying;
  expect([reads, (await platform.entities.get(item("x")))?.fields]).toEqual([[0, 1], { n: 1 }]);
});

/** The ids of operations by outcome, which must match the operations' effects. */
interface Ends {
  readonly done: Set<string>;
  readonly refused: Set<string>;
  readonly unknown: Set<string>;
}

/** Runs an operation and records its outcome. */
async function noted({ done, refused, unknown }: Ends, id: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
    done.add(id);
  } catch (error) {
    if (isPlatformError(error, "unreachable")) unknown.add(id);
    else if (["conflict", "exists"].some((code) => isPlatformError(error, code as "conflict"))) refused.add(id);
    else throw error;
  }
}

/** Returns operations with wrong effects: a success without one, a double effect, or a refusal with one. */
function wrongEffects(effects: readonly string[], { done, refused: refusals }: Ends): readonly string[] {
  const twice = effects.filter((id, at) => effects.indexOf(id) !== at);
  const missing = [...done].filter((id) => !effects.includes(id));
  return [...twice, ...missing, ...effects.filter((id) => refusals.has(id))];
}

test("of operations whose answers are lost at random, each that resolves has its effect once, and each that is refused none", async () => {
  const seed = Number(process.env["FW_SEED"] ?? Date.now() % 1e9);
  const random = new Random(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random.next() * values.length)] as T;
  const mishaps: readonly (() => Mishap)[] = [
    () => ({ answerLostOnce: setTimeout(100 * random.next()) }),
    () => ({ arrivesOnce: setTimeout(100 * random.next()), arrived: () => {} }),
    () => "503 after",
    () => "reset after",
    () => "503",
    () => "429",
  ];
  const { on, platform } = await openFaulty((method) =>
    method === "commit" && random.chance(0.2) ? pick(mishaps)() : undefined,
  );
  const { entities } = platform;
  const transactions: Ends = { done: new Set(), refused: new Set(), unknown: new Set() };
  const creates: Ends = { done: new Set(), refused: new Set(), unknown: new Set() };
  const lists = ["a", "b", "c"] as const;
  const opsOf = async (list: string): Promise<string[]> =>
    ((await entities.get(item(list)))?.fields["ops"] as string[] | undefined) ?? [];
  const append = (id: string, into: readonly string[], read: readonly string[]): Promise<void> =>
    transact(platform, async (transaction) => {
      for (const list of read) await transaction.get(item(list));
      for (const list of into) {
        const ops = ((await transaction.get(item(list)))?.fields["ops"] as string[] | undefined) ?? [];
        transaction.upsert(item(list), { ops: [...ops, `${id} ${list}`] });
      }
      transaction.send(orders, { body: id });
    });
  const created = new Map<string, string[]>();
  let count = 0;
  const worker = async (): Promise<void> => {
    for (let turn = 0; turn < tries(12); turn++) {
      const id = `op ${count++}`;
      const kind = pick(["one", "two", "reads", "create"] as const);
      if (kind === "create") {
        const name = `new ${Math.floor(random.next() * count)}`;
        await noted(creates, id, async () => {
          await entities.insert(item(name), { op: id });
          created.set(name, [...(created.get(name) ?? []), id]);
        });
        continue;
      }
      const into = kind === "two" ? ["a", "b"] : [pick(lists)];
      await noted(transactions, id, () => append(id, into, kind === "reads" ? ["c"] : []));
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  const effects = (await Promise.all(lists.map(opsOf))).flat();
  // No topic exists, so no message leaves the outbox.
  const messages = (await propertiesOf(on, "_fw_outbox", "body")).map((body) => body?.stringValue ?? "");
  expect(
    {
      lists: wrongEffects([...new Set(effects.map((op) => op.replace(/ .$/, "")))], transactions),
      twice: effects.filter((op, at) => effects.indexOf(op) !== at),
      messages: wrongEffects(messages, transactions),
      createdTwice: [...created.values()].filter((ids) => ids.length > 1),
    },
    `FW_SEED=${seed}`,
  ).toEqual({ lists: [], twice: [], messages: [], createdTwice: [] });
  // Operations whose attempts all fail are rare.
  expect(transactions.unknown.size + creates.unknown.size, `FW_SEED=${seed}`).toBeLessThanOrEqual(count / 10);
  for (const [name, [id]] of created) expect((await entities.get(item(name)))?.fields["op"]).toBe(id);
  for (const id of creates.refused) expect([...created.values()].flat()).not.toContain(id);
});
