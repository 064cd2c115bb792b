import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Feed } from "../../declare/feed.ts";
import { openLocal } from "../../platform/local/open.ts";
import { withMethods } from "../../platform/with-methods.ts";
import type { Application } from "../application.ts";
import { feedOperations } from "./feed-operations.ts";
import { feedKinds } from "./kinds.ts";

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
