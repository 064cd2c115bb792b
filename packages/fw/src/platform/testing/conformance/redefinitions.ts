import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { searchProperty } from "../../../lib/derived-indexes.ts";
import type { Definitions, Key, Platform } from "../../contract.ts";
import type { Consumer, Destination } from "../../messages.ts";
import { failure, fixture, ManualClock } from "./fixture.ts";
import type { OpenPlatform } from "./fixture.ts";

const letters: Destination = { kind: "queue", name: "letters" };
const delivery = { maxAttempts: 3, minBackoff: 1, maxBackoff: 1, deadline: 60_000, concurrency: 4 };

/** The old definitions: the worker has its old name, and people's names are not unique. */
const before: Definitions = {
  kinds: [{ kind: "person", properties: [{ name: "team" }], composites: [] }],
  consumers: [consumer("post-bring")],
  buckets: ["old"],
};

/** The new definitions: another name for the worker, unique and indexed names, and one more kind and bucket. */
const after: Definitions = {
  kinds: [
    { kind: "person", properties: [{ name: "team" }, { name: "name", unique: true }], composites: [] },
    { kind: "house", properties: [], composites: [] },
  ],
  consumers: [consumer("post-carry")],
  buckets: ["old", "new"],
};

const byName = { kind: "person", filters: [{ property: "name", op: "==", value: "ada" }], orders: [] } as const;

/** Tests two-phase changes of definitions on platforms that stay open while the application's code changes. */
export function redefinitionTests(open: OpenPlatform): void {
  test("definitions that are prepared and abandoned change nothing for the code that runs", async () => {
    const platform = await fixture(open, new ManualClock(), before);
    const change = await prepare(platform);
    await expectBefore(platform);
    change.abandon();
    await expectBefore(platform);
    expect(await failure(() => platform.entities.get({ kind: "house", id: "x" }))).toBe("document");
    expect(await failure(() => platform.objects.find("new", "x"))).toBe("key");
  });

  test("consumers, unique values and indexes change in the step that commits, before anything is waited for", async () => {
    const platform = await fixture(open, new ManualClock(), before);
    const change = await prepare(platform);
    await platform.entities.insert(person("x"), { name: "ada" });
    const committed = change.commit();
    expect(await failure(() => platform.entities.insert(person("y"), { name: "ada" }))).toBe("taken");
    expect(await platform.entities.count(byName)).toBe(1);
    expect(await consumersOf(platform)).toEqual(["post-carry"]);
    await committed;
  });

  test("code that starts before the commit finds its own kinds and buckets", async () => {
    const platform = await fixture(open, undefined, before);
    const change = await prepare(platform);
    await platform.entities.insert({ kind: "house", id: "x" }, {});
    expect(await platform.objects.find("new", "x")).toBeUndefined();
    await change.commit();
    expect(await platform.entities.get({ kind: "house", id: "x" })).toBeDefined();
  });

  test("an index that was filled for abandoned definitions lacks nothing when the next ones ask for it", async () => {
    const platform = await fixture(open, undefined, before);
    (await prepare(platform)).abandon();
    await platform.entities.insert(person("x"), { name: "ada" });
    await (await prepare(platform)).commit();
    expect(await platform.entities.count(byName)).toBe(1);
  });

  test("a search finds the documents that were written before their texts were searched", async () => {
    const platform = await fixture(open, undefined, before);
    await platform.entities.insert(person("x"), { name: "Ada Lovelace" });
    const name = searchProperty(["name"]);
    const [own] = before.kinds;
    if (own === undefined) throw new Error("there is no kind");
    const kinds = [{ ...own, properties: [...own.properties, { name, many: true as const }] }];
    await (await prepare(platform, undefined, { ...before, kinds })).commit();
    await platform.entities.insert(person("y"), { name: "Ada" });
    const byTerm = (value: string) => ({ ...byName, filters: [{ property: name, op: "==", value }] }) as const;
    expect(await platform.entities.count(byTerm("ada."))).toBe(2);
    expect(await platform.entities.count(byTerm("lov"))).toBe(1);
  });

  test("a signal ends a preparation, which changes nothing", async () => {
    const platform = await fixture(open, new ManualClock(), before);
    await expect(prepare(platform, AbortSignal.abort(new Error("a newer build")))).rejects.toThrow("a newer build");
    await expectBefore(platform);
  });

  test("closing while definitions are prepared rejects with closed, and with nothing else", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const original = await open(before, undefined);
      const { platform } = original;
      for (let i = 0; i < 3; i++) await platform.entities.insert(person(`p${i}`), { name: `${i}` });
      const preparing = failure(async () => (await prepare(platform)).commit());
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      await platform.close();
      await original.dispose();
      expect([undefined, "closed"]).toContain(await preparing);
    }
  });
}

function consumer(id: string): Consumer {
  return { id, destination: letters, delivery };
}

function person(id: string): Key {
  return { kind: "person", id };
}

function prepare(
  platform: Platform,
  signal?: AbortSignal,
  definitions: Definitions = after,
): ReturnType<NonNullable<Platform["prepare"]>> {
  if (platform.prepare === undefined) throw new Error("this platform's definitions do not change while it is open");
  return platform.prepare(definitions, signal);
}

/** Expects the old definitions: names are not unique, and the old worker gets messages. */
async function expectBefore(platform: Platform): Promise<void> {
  for (const id of ["twin", "other"]) await platform.entities.upsert(person(id), { name: "eve" });
  expect(await consumersOf(platform)).toEqual(["post-bring"]);
}

/** Returns the consumers that currently receive messages of the queue. */
async function consumersOf({ messages, dispatcher }: Platform): Promise<readonly string[]> {
  const consumers: string[] = [];
  const delivering = dispatcher?.deliver(async (each) => void consumers.push(each.consumer));
  await messages.send(letters, { body: `"a"` });
  await dispatcher?.idle();
  await delivering?.stop();
  return consumers;
}
