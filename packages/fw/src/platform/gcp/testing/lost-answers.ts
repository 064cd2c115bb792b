import { expect, test } from "vitest";
import { deferred } from "../../../runtime/testing/deferred.ts";
import type { Platform } from "../../contract.ts";
import { failure, item } from "../../testing/conformance/fixture.ts";
import { transact } from "../../transact.ts";
import type { Mishap } from "./faulty-proxy.ts";

/** Opens a platform whose Datastore requests encounter faults chosen by method. */
type OpenFaulty = (choose: (method: string) => Mishap | undefined) => Promise<Platform>;

/** Lets a platform register its indexes first, so that faults affect only the requests of a test. */
export async function registerIndexes({ entities }: Platform): Promise<void> {
  await entities.upsert(item("first"), {});
  await entities.delete(item("first"));
}

/** Tests commits with lost responses, and commits that arrive after fw has given up on them. */
export function lostAnswerTests(open: OpenFaulty): void {
  test("a transaction whose answer is lost runs once, although another write has replaced its own", async () => {
    const overwritten = deferred<void>();
    const platform = await open(firstCommit({ answerLostOnce: overwritten.promise }));
    let runs = 0;
    const adding = transact(platform, async (transaction) => {
      runs++;
      const n = Number((await transaction.get(item("x")))?.fields["n"] ?? 0);
      transaction.upsert(item("x"), { n: n + 1 });
    });
    await written(platform, "x");
    await platform.entities.upsert(item("x"), { n: 10 });
    overwritten.resolve(undefined);
    await adding;
    expect([runs, (await platform.entities.get(item("x")))?.fields]).toEqual([1, { n: 10 }]);
  });

  test("a commit whose answer is lost is not refused because its Datastore transaction has ended", async () => {
    const overwritten = deferred<void>();
    const platform = await open(firstCommit({ answerLostOnce: overwritten.promise }));
    let runs = 0;
    const moving = transact(platform, async (transaction) => {
      runs++;
      await transaction.get(item("read"));
      transaction.upsert(item("x"), { n: 1 });
      transaction.upsert(item("y"), { n: 1 });
    });
    await written(platform, "x");
    await platform.entities.upsert(item("x"), { n: 2 });
    overwritten.resolve(undefined);
    await moving;
    expect([runs, (await platform.entities.get(item("y")))?.fields]).toEqual([1, { n: 1 }]);
  });

  test("a create whose answer is lost does not report its own document as existing", async () => {
    const overwritten = deferred<void>();
    const platform = await open(firstCommit({ answerLostOnce: overwritten.promise }));
    const creating = platform.entities.insert(item("x"), { n: 1 });
    await written(platform, "x");
    await platform.entities.update(item("x"), { n: 2 });
    overwritten.resolve(undefined);
    await creating;
    expect((await platform.entities.get(item("x")))?.fields).toEqual({ n: 2 });
  });

  test("a write whose answer is lost resolves with the version that it has made", async () => {
    const platform = await open(firstCommit("reset after"));
    const version = await platform.entities.insert(item("x"), { n: 1 });
    expect((await platform.entities.get(item("x")))?.version).toBe(version);
  });

  test("a delete whose answer is lost does not delete a document that was created after it", async () => {
    const recreated = deferred<void>();
    const next: Mishap[] = [];
    const platform = await open((method) => (method === "commit" ? next.shift() : undefined));
    await platform.entities.insert(item("x"), { n: 1 });
    next.push({ answerLostOnce: recreated.promise });
    const deleting = platform.entities.delete(item("x"));
    await expect.poll(() => platform.entities.get(item("x"))).toBeUndefined();
    await platform.entities.insert(item("x"), { n: 2 });
    recreated.resolve(undefined);
    await deleting;
    expect((await platform.entities.get(item("x")))?.fields).toEqual({ n: 2 });
  });

  test("a commit that arrives after its retry has no effect", async () => {
    const [late, arrived] = [deferred<void>(), deferred<void>()];
    const platform = await open(firstCommit({ arrivesOnce: late.promise, arrived: () => arrived.resolve(undefined) }));
    await platform.entities.upsert(item("x"), { n: 1 });
    await platform.entities.upsert(item("x"), { n: 2 });
    late.resolve(undefined);
    await arrived.promise;
    expect((await platform.entities.get(item("x")))?.fields).toEqual({ n: 2 });
  });

  test("a refusal after a lost answer is final: the commit has no effect when it arrives later", async () => {
    const [late, arrived] = [deferred<void>(), deferred<void>()];
    const platform = await open(firstCommit({ arrivesOnce: late.promise, arrived: () => arrived.resolve(undefined) }));
    const creating = failure(() => platform.entities.insert(item("x"), { n: 1 }));
    await platform.entities.upsert(item("x"), { n: 2 });
    expect(await creating).toBe("exists");
    await platform.entities.delete(item("x"));
    late.resolve(undefined);
    await arrived.promise;
    expect(await platform.entities.get(item("x"))).toBeUndefined();
  });

  test("a commit whose proof cannot be read is unreachable, and not a conflict that would run it again", async () => {
    const overwritten = deferred<void>();
    let isDown = false;
    const platform = await open(
      firstCommit({ answerLostOnce: overwritten.promise }, (method) =>
        isDown && method === "lookup" ? "503" : undefined,
      ),
    );
    let runs = 0;
    const adding = failure(() =>
      transact(platform, async (transaction) => {
        runs++;
        const n = Number((await transaction.get(item("x")))?.fields["n"] ?? 0);
        transaction.upsert(item("x"), { n: n + 1 });
      }),
    );
    await written(platform, "x");
    await platform.entities.upsert(item("x"), { n: 10 });
    isDown = true;
    overwritten.resolve(undefined);
    expect(await adding).toBe("unreachable");
    isDown = false;
    expect([runs, (await platform.entities.get(item("x")))?.fields]).toEqual([1, { n: 10 }]);
  });
}

/** Returns a function that chooses `mishap` for the first commit and calls `others` for all other requests. */
function firstCommit(mishap: Mishap, others: (method: string) => Mishap | undefined = () => undefined) {
  let isFirst = true;
  return (method: string): Mishap | undefined => {
    if (method !== "commit" || !isFirst) return others(method);
    isFirst = false;
    return mishap;
  };
}

/** Waits until the document exists. */
async function written(platform: Platform, id: string): Promise<void> {
  await expect.poll(() => platform.entities.get(item(id))).toBeDefined();
}
