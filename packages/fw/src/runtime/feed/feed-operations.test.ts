import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Feed } from "../../declare/feed.ts";
import { openLocal } from "../../platform/local/open.ts";
import { withMethods } from "../../platform/with-methods.ts";
import type { Application } from "../application.ts";
import { feedOperations } from "./feed-operations.ts";
import { feedEventKind, feedKinds } from "./kinds.ts";

test("a client whose position could not be read is not present afterwards", async () => {
  const directory = mkdtempSync(join(tmpdir(), "fw-feed-"));
  const local = await openLocal(directory, { kinds: feedKinds }, { temporary: true });
  onTestFinished(async () => {
    await local.close();
    rmSync(directory, { recursive: true });
  });
  const unreadable = new Error("unreadable");
  const entities = withMethods(local.entities, { getMany: () => Promise.reject(unreadable) });
  const platform = withMethods(local, { entities });
  const operations = feedOperations(() => ({ platform, log: () => {} }) as unknown as Application);
  const rooms = Feed("rooms");
  const ctx = { signal: new AbortController().signal } as never;
  const joined = operations.join(ctx, rooms, "a", "ada", {})[Symbol.asyncIterator]();
  await expect(joined.next()).rejects.toBe(unreadable);
  // The name is written after the read has failed.
  await new Promise(setImmediate);
  expect(await operations.presence(ctx, rooms as never, "a")).toEqual([]);
});

test("followers of a key share the read of an event, however many they are", async () => {
  const directory = mkdtempSync(join(tmpdir(), "fw-feed-"));
  const local = await openLocal(directory, { kinds: feedKinds }, { temporary: true });
  onTestFinished(async () => {
    await local.close();
    rmSync(directory, { recursive: true });
  });
  let reads = 0;
  const entities = withMethods(local.entities, {
    getMany: (keys, ...rest) => {
      if (keys[0]?.kind === feedEventKind) reads++;
      return local.entities.getMany(keys, ...rest);
    },
  });
  const platform = withMethods(local, { entities });
  const operations = feedOperations(() => ({ platform, log: () => {} }) as unknown as Application);
  const rooms = Feed("rooms");
  const ctx = { signal: new AbortController().signal } as never;
  const clients = Array.from({ length: 50 }, () => operations.events(ctx, rooms, "a", {})[Symbol.asyncIterator]());
  const next = clients.map((client) => client.next());
  await operations.publish(ctx, rooms, "a", { n: 1 });
  expect(new Set((await Promise.all(next)).map(({ value }) => JSON.stringify(value.data)))).toEqual(
    new Set(['{"n":1}']),
  );
  expect(reads).toBe(1);
  for (const client of clients) await client.return?.();
});
