import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { loadDriver } from "./driver.ts";
import { bytesOnDisk } from "./objects/bytes.ts";
import { openPostgres, type PostgresPlatform } from "./open.ts";
import { runSql } from "./testing/run-sql.ts";
import { hasPostgres, startServer, type TestServer } from "./testing/server.ts";

const definitions = { kinds: [{ kind: "items", properties: [{ name: "color" }], composites: [] }] };
const key = { kind: "items", id: "a" };

describe("writes of one document", { skip: !hasPostgres() }, () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startServer()));
  afterAll(() => server.stop());

  test.each(["put", "unprepared"])("need one statement if its index entries stay the same (%s)", async (schema) => {
    const address = `${server.address(schema)}${schema === "put" ? "" : "&prepare=false"}`;
    const platform = await openPostgres(address, definitions, { bytes: bytesOnDisk(tmpdir()) });
    onTestFinished(() => platform.close());
    const { entities } = platform;
    // The first statement on a connection also sets it up.
    await entities.get(key);

    expect(await statementsOf(() => entities.upsert(key, { color: "red", n: 1 }))).toBe(1);
    expect(await statementsOf(() => entities.upsert(key, { color: "red", n: 2 }))).toBe(1);
    expect(await statementsOf(() => entities.update(key, { color: "red", n: 3 }))).toBe(1);
    expect(await colors(platform)).toEqual({ red: 3 });

    expect(await statementsOf(() => entities.upsert(key, { color: "blue", n: 4 }))).toBe(2);
    expect(await statementsOf(() => entities.upsert(key, { color: "blue", n: 5 }))).toBe(1);
    expect(await colors(platform)).toEqual({ blue: 5 });

    // Commits of several documents store no mark, as in an earlier fw.
    const transaction = await entities.begin();
    transaction.upsert(key, { color: "green", n: 6 });
    transaction.upsert({ ...key, id: "b" }, { color: "red", n: 0 });
    await transaction.commit();
    expect(await statementsOf(() => entities.upsert(key, { color: "blue", n: 7 }))).toBe(2);
    expect(await colors(platform)).toEqual({ blue: 7, red: 0 });

    // An expired document, even one that expired before 1970, counts as missing, and its entries are replaced.
    for (const expires of [1, -86_400_000]) {
      await entities.upsert(key, { color: "blue", n: 8 }, { expires: new Date(expires) });
      await expect(entities.update(key, { color: "blue", n: 9 })).rejects.toThrow("there is no items");
      await entities.insert(key, { color: "green", n: 10 });
      expect(await colors(platform)).toEqual({ green: 10, red: 0 });
      await entities.upsert(key, { color: "blue", n: 8 }, { expires: new Date(expires) });
      await entities.upsert(key, { color: "green", n: 10 });
      expect(await colors(platform)).toEqual({ green: 10, red: 0 });
    }
    const { rows } = await runSql(address, `SELECT count(*) AS n FROM ${schema}.entries`);
    expect(rows[0]?.["n"]).toBe("2");
  });
});

/** Returns the number of statements that a call sends. */
async function statementsOf(call: () => Promise<unknown>): Promise<number> {
  const { Client } = await loadDriver();
  const query = vi.spyOn(Client.prototype, "query");
  try {
    await call();
    return query.mock.calls.length;
  } finally {
    query.mockRestore();
  }
}

/** Returns the number in each color's document, found through the index. */
async function colors({ entities }: PostgresPlatform): Promise<Record<string, unknown>> {
  const numbers: Record<string, unknown> = {};
  for (const color of ["red", "green", "blue"]) {
    const filters = [{ property: "color", op: "==", value: color } as const];
    const { documents } = await entities.query({ kind: "items", filters, orders: [], limit: 10 });
    for (const { fields } of documents) numbers[color] = fields["n"];
  }
  return numbers;
}
