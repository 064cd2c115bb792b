import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Definitions, KindDefinition } from "./contract.ts";
import { dataStatus } from "./data-status.ts";
import { outdatedProperty } from "./definitions.ts";
import { openLocal } from "./local/open.ts";
import { MisfitMessage } from "./misfit.ts";
import type { PostgresPlatform } from "./postgres/open.ts";
import { emptyPlatform } from "./postgres/testing/platform.ts";
import { hasPostgres, startServer, type TestServer } from "./postgres/testing/server.ts";

type FilledPlatform = Pick<PostgresPlatform, "entities" | "messages" | "prepare" | "fills" | "dispatcher">;

const kind = (...properties: KindDefinition["properties"]): Definitions => ({
  kinds: [{ kind: "orders", properties, composites: [] }],
  consumers: [
    {
      id: "shop-send",
      destination: { kind: "queue", name: "emails" },
      delivery: { maxAttempts: 5, minBackoff: 1, maxBackoff: 1, deadline: 60_000, concurrency: 1 },
    },
  ],
});

const first = kind({ name: "buyer" });
const ruled = kind(
  { name: "buyer" },
  { name: "total", ruled: true },
  { name: outdatedProperty, outdated: "total: int" },
);

async function checkStatus(platform: FilledPlatform, documents: number): Promise<void> {
  const { entities, messages, dispatcher } = platform;
  const ids = Array.from({ length: documents }, (_, i) => `o${i}`);
  await Promise.all(ids.map((id) => entities.upsert({ kind: "orders", id }, { buyer: "ann", total: 1 })));
  const empty = { fills: [], outdated: {}, waiting: {} };
  expect(await dataStatus(platform, first)).toEqual(empty);

  const course = { isFilled: false };
  const filling = platform.prepare(ruled).finally(() => (course.isFilled = true));
  let status = await dataStatus(platform, first);
  for (; status.fills.every(({ done }) => done === 0) && !course.isFilled; await nextTurn())
    status = await dataStatus(platform, first);
  expect(status.fills.map(({ fields }) => fields).toSorted()).toEqual(["rules for older documents", "total"]);
  for (const fill of status.fills) {
    expect(fill).toMatchObject({ kind: "orders", done: expect.any(Number) as number });
    expect(fill.done).toBeGreaterThan(0);
    expect(fill.done + fill.remaining).toBe(documents);
  }
  await (await filling).commit();
  expect(await dataStatus(platform, ruled)).toEqual({ ...empty, outdated: { orders: documents } });

  const delivering = dispatcher.deliver(() => Promise.reject(new MisfitMessage("it does not fit")));
  await messages.send({ kind: "queue", name: "emails" }, { body: "1" });
  await dispatcher.idle({ all: true });
  expect((await dataStatus(platform, first)).waiting).toEqual({ "queue:emails": 1 });
  await delivering.stop();
}

test("the local store says how far a fill is, what rules have yet to rewrite, and which messages wait", async () => {
  const directory = mkdtempSync(join(tmpdir(), "fw-status-"));
  const platform = await openLocal(directory, first, { temporary: true });
  await checkStatus(platform, 3_000);
  await platform.close();
  rmSync(directory, { recursive: true });
});

describe("on PostgreSQL", { skip: !hasPostgres() }, () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startServer()));
  afterAll(() => server.stop());

  test("every machine says how far a fill is, what rules have yet to rewrite, and which messages wait", async () => {
    const store = await emptyPlatform(server, first, undefined);
    await checkStatus(store.platform as PostgresPlatform, 600);
    await store.platform.close();
    await store.dispose();
  });
});
