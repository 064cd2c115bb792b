import { expect, onTestFinished, test } from "vitest";
import { until } from "../../../runtime/testing/server.ts";
import type { Definitions, Key, Platform } from "../../contract.ts";
import { changesOf } from "../../changes.ts";
import { transact } from "../../transact.ts";
import { fixture, type OpenPlatform } from "./fixture.ts";

const definitions: Definitions = {
  kinds: [
    { kind: "ticket", notifies: true, properties: [], composites: [] },
    { kind: "note", notifies: true, properties: [], composites: [] },
    { kind: "quiet", properties: [], composites: [] },
  ],
};

/** Returns a set that receives the written keys of these kinds as text; first waits until the platform notifies. */
async function notified(platform: Platform, ...kinds: readonly string[]): Promise<Set<string>> {
  const names = new Set<string>();
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const name = ({ kind, id }: Key): string => `${kind} ${id}`;
  let notifies = false;
  const note = (key: Key): void => {
    if (key.id === "first") notifies = true;
    else names.add(name(key));
  };
  changesOf(platform).watch(kinds, (keys) => keys?.forEach(note), ending.signal);
  await until(async () => {
    await platform.entities.upsert({ kind: kinds[0] ?? "", id: "first" }, {});
    return notifies;
  }, "the first notification");
  return names;
}

export function changeTests(open: OpenPlatform): void {
  test("commits notify of their writes and deletes, and failed ones do not", async () => {
    const platform = await fixture(open, undefined, definitions);
    const { entities } = platform;
    const tickets = await notified(platform, "ticket");
    const both = await notified(platform, "note", "ticket");
    await entities.insert({ kind: "ticket", id: "a" }, {});
    await expect(entities.insert({ kind: "ticket", id: "a" }, {})).rejects.toMatchObject({ code: "exists" });
    await entities.upsert({ kind: "quiet", id: "q" }, {});
    const failing = transact(platform, async (transaction) => {
      transaction.upsert({ kind: "ticket", id: "never" }, {});
      throw new Error("not committed");
    });
    await expect(failing).rejects.toThrow("not committed");
    await transact(platform, async (transaction) => {
      transaction.upsert({ kind: "ticket", id: "b" }, {});
      transaction.upsert({ kind: "note", id: "c" }, {});
    });
    await entities.upsert({ kind: "ticket", id: "gone" }, {});
    await until(() => tickets.has("ticket gone"), "a write");
    tickets.delete("ticket gone");
    await entities.delete({ kind: "ticket", id: "gone" });
    await until(() => tickets.has("ticket gone") && both.has("ticket gone"), "a delete");
    expect([...tickets].toSorted()).toEqual(["ticket a", "ticket b", "ticket gone"]);
    expect([...both].toSorted()).toEqual(["note c", "ticket a", "ticket b", "ticket gone"]);
  });

  test("a write can be read when its notification arrives", async () => {
    const platform = await fixture(open, undefined, definitions);
    const key: Key = { kind: "ticket", id: "n" };
    const reads: boolean[] = [];
    const read = async (isNamed: boolean): Promise<void> => {
      const document = await platform.entities.get(key);
      if (isNamed || document !== undefined) reads.push(document !== undefined);
    };
    const ending = new AbortController();
    changesOf(platform).watch(["ticket"], (keys) => void read(keys !== undefined), ending.signal);
    await platform.entities.upsert(key, {});
    await until(() => reads.length > 0, "a write");
    ending.abort();
    expect(reads).not.toContain(false);
  });

  test("a commit of more keys than one notification takes counts as unknown changes", async () => {
    const platform = await fixture(open, undefined, definitions);
    let count = 0;
    const ending = new AbortController();
    await notified(platform, "note");
    changesOf(platform).watch(["ticket"], (keys) => void (count += keys?.length ?? 1), ending.signal);
    await transact(platform, async (transaction) => {
      for (let n = 0; n < 50; n++) transaction.upsert({ kind: "ticket", id: `${n}${"x".repeat(300)}` }, {});
    });
    await until(() => count > 0, "many writes");
    ending.abort();
  });
}
