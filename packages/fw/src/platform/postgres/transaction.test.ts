import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { KindDefinition, Query } from "../contract.ts";
import { isPlatformError } from "../errors.ts";
import { failure } from "../testing/conformance/fixture.ts";
import { redefine } from "../testing/redefine.ts";
import { loadDriver } from "./driver.ts";
import { bytesOnDisk } from "./objects/bytes.ts";
import { openPostgres, type PostgresPlatform } from "./open.ts";
import { runSql } from "./testing/run-sql.ts";
import { hasPostgres, startServer, type TestServer } from "./testing/server.ts";

const items: KindDefinition = { kind: "items", properties: [{ name: "n" }], composites: [] };

const queryOf = (n: number): Query => ({
  kind: "items",
  filters: [{ property: "n", op: "==", value: n }],
  orders: [],
  limit: 10,
});

describe("queries of a transaction, one after another", { skip: !hasPostgres() }, () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startServer()));
  afterAll(() => server.stop());

  async function open(schema: string): Promise<PostgresPlatform> {
    const platform = await openPostgres(server.address(schema), { kinds: [items] }, { bytes: bytesOnDisk(tmpdir()) });
    onTestFinished(() => platform.close());
    return platform;
  }

  /** Waits until no connection holds a snapshot. */
  async function whenReleased(schema: string): Promise<void> {
    const held = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE state = 'idle in transaction'`;
    await expect.poll(async () => (await runSql(server.address(schema), held)).rows[0]?.["n"]).toBe(0);
  }

  test("run once each, and share a snapshot that they do not hold for long", async () => {
    const { entities } = await open("each");
    const transaction = await entities.begin();
    const { Client } = await loadDriver();
    const query = vi.spyOn(Client.prototype, "query");
    onTestFinished(() => query.mockRestore());
    for (let n = 0; n < 20; n++) await transaction.query(queryOf(n));
    const selects = query.mock.calls.filter(([statement]) => JSON.stringify(statement).includes("entries a"));
    // On a busy machine, a snapshot may end before the next query, which then repeats the previous ones.
    expect(selects.length).toBeLessThan(60);
    await whenReleased("each");
    expect((await transaction.query(queryOf(21))).documents).toEqual([]);
    await transaction.commit();
  });

  test("go on after the server has ended an idle transaction, and end with a statement that it cancels", async () => {
    await open("limited");
    const limits = "-c statement_timeout=2000 -c idle_in_transaction_session_timeout=10";
    const address = `${server.address("limited")}&options=${encodeURIComponent(limits)}`;
    const platform = await openPostgres(address, { kinds: [items] }, { bytes: bytesOnDisk(tmpdir()) });
    onTestFinished(() => platform.close());
    const { entities } = platform;
    await entities.insert({ kind: "items", id: "a" }, { n: 1 });
    const transaction = await entities.begin();
    for (let n = 0; n < 5; n++) {
      expect((await transaction.query(queryOf(n))).documents).toHaveLength(n === 1 ? 1 : 0);
      await whenReleased("limited");
    }
    await transaction.commit();
    const { Client } = await loadDriver();
    const options = { application_name: "test", keepAlive: false, connectionTimeoutMillis: 60_000 };
    const other = new Client({ ...options, connectionString: server.address("limited").replace(/\?.*/, "") });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("BEGIN; LOCK TABLE limited.documents");
    expect(await failure(() => entities.get({ kind: "items", id: "a" }))).toBe("unreachable");
    await other.query("COMMIT");
    expect((await entities.get({ kind: "items", id: "a" }))?.fields).toEqual({ n: 1 });
  });

  test("see one state, and none once it has changed", async () => {
    const { entities } = await open("state");
    const transaction = await entities.begin();
    expect((await transaction.query(queryOf(1))).documents).toEqual([]);
    await entities.insert({ kind: "items", id: "a" }, { n: 1 });
    await whenReleased("state");
    await expect(transaction.query(queryOf(2))).rejects.toMatchObject({ code: "conflict" });
  });

  test("miss no document in an index that was made after their snapshot", async () => {
    const platform = await open("index");
    await platform.entities.insert({ kind: "items", id: "a" }, { n: 1, m: 2 });
    const transaction = await platform.entities.begin();
    await transaction.query(queryOf(1));
    const indexMade = new AbortController();
    const redefined = redefine(platform, { kinds: [{ ...items, properties: [{ name: "n" }, { name: "m" }] }] });
    void redefined.then(() => indexMade.abort());
    // Reads keep the snapshot open.
    while (!indexMade.signal.aborted) await transaction.query(queryOf(1));
    const query = queryOf(2);
    const answer = transaction.query({ ...query, filters: [{ property: "m", op: "==", value: 2 }] });
    const result = await answer.then(
      ({ documents }) => documents.map(({ id }) => id),
      (error: unknown) => isPlatformError(error, "conflict"),
    );
    // On a busy machine, the snapshot may have ended. The query then reads the index in a new one.
    expect([true, ["a"]]).toContainEqual(result);
    await transaction.rollback();
  });

  test("leave connections to other calls although all are held", async () => {
    const { entities } = await open("others");
    const transactions = await Promise.all(Array.from({ length: 30 }, () => entities.begin()));
    await Promise.all(transactions.map((each, n) => each.query(queryOf(n))));
    await entities.insert({ kind: "items", id: "a" }, { n: 100 });
    await Promise.all(transactions.map((each, n) => each.query(queryOf(n + 1))));
    for (const each of transactions) await each.commit();
    await whenReleased("others");
  });
});
