import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { tries } from "../../lib/testing/tries.ts";
import { CronSchedule } from "../../runtime/background/cron.ts";
import { tickKind } from "../tick-kind.ts";
import { TaggedLogger } from "../../runtime/observe/log.ts";
import { systemClock } from "../clock.ts";
import type { Clock, Definitions, Key, KindDefinition } from "../contract.ts";
import type { Consumer, Destination } from "../messages.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { failure } from "../testing/conformance/fixture.ts";
import { crashFill } from "../testing/crash-fill.ts";
import { checkRetried } from "../testing/retried-messages.ts";
import { transact } from "../transact.ts";
import { readAddress } from "./address.ts";
import { loadDriver, type DriverClient, type SqlResult } from "./driver.ts";
import { Locks } from "./locks.ts";
import { bytesOnDisk } from "./objects/bytes.ts";
import { openPostgres, type PostgresPlatform } from "./open.ts";
import { readServedVersions } from "./served-schema.ts";
import { runSql } from "./testing/run-sql.ts";
import { hasPostgres, startServer, type TestServer } from "./testing/server.ts";

const built = fileURLToPath(new URL("../../../dist/platform/postgres/open.js", import.meta.url));
const fillChild = fileURLToPath(new URL("testing/fill-child.mjs", import.meta.url));

const emails: Destination = { kind: "queue", name: "emails" };
const placed: Destination = { kind: "topic", name: "order-placed" };
const delivery = { maxAttempts: 3, minBackoff: 1_000, maxBackoff: 60_000, deadline: 60_000, concurrency: 4 };
const worker: Consumer = { id: "mail-send", destination: emails, delivery };

const person: KindDefinition = { kind: "person", properties: [{ name: "team" }], composites: [] };
const namedPerson: KindDefinition = { ...person, properties: [{ name: "team" }, { name: "name", unique: true }] };

/** Returns the clock of a paused process: its sleeps never end, so the process renews no leases. */
function pausedOn(clock: Clock): Clock {
  return { now: () => clock.now(), elapsed: () => clock.elapsed(), sleep: () => new Promise(() => {}) };
}

describe("machines that share a database", { skip: !hasPostgres() }, () => {
  let server: TestServer;
  let schemas = 0;
  beforeAll(async () => void (server = await startServer({ isDurable: true })));
  afterAll(() => server.stop());

  /** Returns a function that opens machines on one empty schema, each with its own definitions and clock. */
  function newSchema(): (definitions: Definitions, clock?: Clock) => Promise<PostgresPlatform> {
    const directory = mkdtempSync(join(tmpdir(), "fw-objects-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const address = server.address(`machines_${++schemas}`);
    return async (definitions, clock) => {
      const options = { bytes: bytesOnDisk(directory), ...(clock && { clock }) };
      const platform = await openPostgres(address, definitions, options);
      onTestFinished(() => platform.close());
      return platform;
    };
  }

  test("a machine delivers only to its own consumers, and topics still reach those of others", async () => {
    const open = newSchema();
    const audit: Consumer = { id: "mail-audit", destination: placed, delivery };
    const definitions = { kinds: [], consumers: [worker, audit] };
    const [first, second] = await Promise.all([open(definitions), open(definitions)]);
    const deliveries: string[] = [];
    const noted =
      (machine: string) =>
      async ({ consumer, attempt }: { consumer: string; attempt: number }) =>
        void deliveries.push(`${machine} ${consumer} ${attempt}`);
    first.dispatcher.deliver(noted("first"), new Set(["mail-send"]));
    await first.messages.send(placed, { body: "1" });
    await first.messages.send(emails, { body: "2" });
    await expect.poll(() => deliveries).toEqual(["first mail-send 1"]);
    second.dispatcher.deliver(noted("second"), new Set(["mail-audit"]));
    await expect.poll(() => deliveries).toEqual(["first mail-send 1", "second mail-audit 1"]);
  });

  test("a machine with old definitions keeps up the indexes and unique values of a newer one", async () => {
    const open = newSchema();
    const old = await open({ kinds: [person] });
    await old.entities.insert(personKey("a"), { name: "ada" });
    const newer = await open({ kinds: [namedPerson] });
    await old.entities.insert(personKey("b"), { name: "bob" });
    expect(await failure(() => old.entities.insert(personKey("c"), { name: "ada" }))).toBe("taken");
    await old.entities.upsert(personKey("a"), { name: "eve" });
    const page = await newer.entities.query({
      kind: "person",
      filters: [],
      orders: [{ property: "name", direction: "asc" }],
      limit: 10,
    });
    expect(page.documents.map(({ fields }) => fields["name"])).toEqual(["bob", "eve"]);
  });

  test("machines that open at once make each table, key and index once", async () => {
    const open = newSchema();
    const machines = await Promise.all(Array.from({ length: 4 }, () => open({ kinds: [namedPerson] })));
    const [first, ...others] = machines;
    await first?.entities.insert(personKey("a"), { name: "ada" });
    for (const { entities, secret } of others) {
      expect(Buffer.from(secret("csrf"))).toEqual(Buffer.from(first?.secret("csrf") ?? []));
      expect(await failure(() => entities.insert(personKey("b"), { name: "ada" }))).toBe("taken");
    }
  });

  test("a fill of an index that is killed continues where it was, on any machine, and misses no document", async () => {
    const killed = tries(2);
    const directory = mkdtempSync(join(tmpdir(), "fw-objects-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const schema = `machines_${++schemas}`;
    const address = server.address(schema);
    const store = {
      open: (definitions: Definitions) => openPostgres(address, definitions, { bytes: bytesOnDisk(directory) }),
      killed: { script: fillChild, args: [built, address, "3"] },
      position: async () => {
        const { rows } = await runSql(address, `SELECT filled_to FROM ${schema}.indexes WHERE state = 0`);
        return rows[0]?.["filled_to"]?.toString();
      },
    };
    const documents = killed * 250;
    const { positions, count } = await crashFill(store, killed, documents);
    expect(positions).not.toContain("");
    expect(new Set(positions).size).toBe(killed);
    expect(positions).toEqual(positions.toSorted());
    expect(count).toBe(documents);
  });

  test("a write waits for a fill only if it is of one of the documents that are being indexed", async () => {
    const open = newSchema();
    const old = await open({ kinds: [person] });
    const ids = Array.from({ length: 200 }, (_, n) => String(n).padStart(3, "0"));
    await Promise.all(ids.map((id) => old.entities.insert(personKey(id), { name: id })));
    const locks = await holdLocks(server, new Locks(`machines_${schemas}`).documents([personKey("000")]).sql);
    const opening = open({ kinds: [namedPerson] });
    await expect.poll(() => locks.waiters()).toBe(1);
    await old.entities.upsert(personKey("150"), { name: "changed" });
    await old.entities.delete(personKey("151"));
    await old.entities.insert(personKey("200"), { name: "new" });
    await locks.release();
    const orders = [{ property: "name", direction: "asc" }] as const;
    expect(await (await opening).entities.count({ kind: "person", filters: [], orders })).toBe(200);
  });

  test("machines that fill an index together miss no document that is written during the fill", async () => {
    const open = newSchema();
    const old = await open({ kinds: [person] });
    const put = (n: number): Promise<unknown> => old.entities.upsert(personKey(String(n)), { team: n, name: `${n}` });
    await Promise.all(Array.from({ length: 200 }, (_, n) => put(n)));
    const over = new AbortController();
    const machines = Promise.all([1, 2].map(() => open({ kinds: [namedPerson] })));
    void machines.then(() => over.abort());
    for (let n = 200; !over.signal.aborted || n < 240; n++)
      await Promise.all([put(n), put(n % 200), old.entities.delete(personKey(String(n - 50)))]);
    const [newer] = await machines;
    const orders = [{ property: "name", direction: "asc" }] as const;
    const all = await newer?.entities.count({ kind: "person", filters: [], orders: [] });
    expect(await newer?.entities.count({ kind: "person", filters: [], orders })).toBe(all);
  });

  test("a document that was about to expire does not get a unique value back that another one has claimed", async () => {
    const open = newSchema();
    const [slow, fast] = [new SteppedClock(), new SteppedClock()];
    const [first, second] = [await open({ kinds: [namedPerson] }, slow), await open({ kinds: [namedPerson] }, fast)];
    const write = (platform: PostgresPlatform, id: string, seconds: number): Promise<unknown> =>
      platform.entities.upsert(personKey(id), { name: "ada" }, { expires: new Date(slow.now() + seconds * 1_000) });
    await write(first, "a", 10);
    await fast.advance(11_000);
    await write(second, "b", 60);
    // Simulates that the other machine's clock is behind, or that its commit has waited for a lock.
    expect(await failure(() => write(first, "a", 120))).toBe("taken");
    const renewed = transact(first, async (tx) => {
      const { fields = {} } = (await tx.get(personKey("a"))) ?? {};
      tx.upsert(personKey("a"), fields, { expires: new Date(slow.now() + 120_000) });
      tx.upsert(personKey("c"), {});
    });
    expect(await failure(() => renewed)).toBe("taken");
    await second.entities.delete(personKey("b"));
    await write(first, "a", 120);
    expect(await failure(() => write(second, "b", 60))).toBe("taken");
  });

  test("a commit that still waits when its connection is lost is made once", async () => {
    const platform = await newSchema()({ kinds: [person] });
    const clients = await watchedClients();
    const locks = await holdLocks(server, new Locks(`machines_${schemas}`).documents([personKey("a")]).sql);
    const inserted = platform.entities.insert(personKey("a"), { team: 1 });
    await expect.poll(() => locks.waiters()).toBe(1);
    clients.disconnect();
    // The first attempt continues in the server, although it has been abandoned.
    await expect.poll(() => locks.waiters()).toBe(2);
    await locks.release();
    expect(await inserted).toBe((await platform.entities.get(personKey("a")))?.version);
  });

  test("reads and transactions go on when a prepared statement no longer fits its tables, or is lost", async () => {
    const platform = await newSchema()({ kinds: [person] });
    const read = (): Promise<unknown> => platform.entities.get(personKey("a"));
    const change = (): Promise<unknown> =>
      transact(platform, async (tx) => {
        const orders = [{ property: "team", direction: "asc" }] as const;
        const { documents } = await tx.query({ kind: "person", filters: [], orders, limit: 10 });
        tx.upsert(personKey("a"), { team: documents.length });
      });
    const use = async (): Promise<void> => {
      for (let n = 0; n < 3; n++) {
        await change();
        await read();
      }
    };
    await use();
    const schema = `machines_${schemas}`;
    await runSql(server.address(schema), `ALTER TABLE ${schema}.documents ALTER COLUMN expires TYPE numeric`);
    await use();
    const clients = await watchedClients();
    await read();
    await clients.query("DEALLOCATE ALL");
    await use();
    expect(await read()).toMatchObject({ fields: { team: 1 } });
  });

  test("commits and messages are written in a database whose transactions are serializable by default", async () => {
    const open = newSchema();
    const database = server.address(`machines_${schemas}`);
    await runSql(database, "ALTER DATABASE postgres SET default_transaction_isolation = 'serializable'");
    onTestFinished(async () => {
      await runSql(database, "ALTER DATABASE postgres RESET default_transaction_isolation");
    });
    const platform = await open({ kinds: [namedPerson], consumers: [worker] });
    await platform.entities.insert(personKey("a"), { name: "ada", n: 0 });
    expect(await failure(() => platform.entities.insert(personKey("b"), { name: "ada" }))).toBe("taken");
    await Promise.all(
      Array.from({ length: 10 }, () =>
        transact(platform, async (tx) => {
          const document = await tx.get(personKey("a"));
          tx.update(personKey("a"), { name: "ada", n: Number(document?.fields["n"]) + 1 });
        }),
      ),
    );
    expect((await platform.entities.get(personKey("a")))?.fields["n"]).toBe(10);
    await platform.messages.send(emails, { body: "1" });
    expect((await platform.dispatcher.backlog()).map(({ messages }) => messages)).toEqual([1]);
  });

  test("a topic reaches subscribers that only a newer machine has", async () => {
    const open = newSchema();
    const old = await open({ kinds: [] });
    const newer = await open({ kinds: [], consumers: [{ id: "shop-ship", destination: placed, delivery }] });
    const ids: string[] = [];
    newer.dispatcher.deliver(async ({ id }) => void ids.push(id));
    const sent = await old.messages.send(placed, { body: "1" });
    await expect.poll(() => ids).toEqual([sent]);
  });

  test("a message of a machine that stopped in the middle is delivered by another when its lease ends", async () => {
    const open = newSchema();
    const clock = new SteppedClock();
    const paused = pausedOn(clock);
    const first = await open({ kinds: [], consumers: [worker] }, paused);
    const startedRuns: string[] = [];
    let resume = (): void => {};
    first.dispatcher.deliver(async ({ attempt }) => {
      startedRuns.push(`first ${attempt}`);
      await new Promise<void>((resolve) => (resume = resolve));
    });
    await first.messages.send(emails, { body: "1" });
    await expect.poll(() => startedRuns).toEqual(["first 1"]);
    const second = await open({ kinds: [], consumers: [worker] }, clock);
    second.dispatcher.deliver(async ({ attempt }) => void startedRuns.push(`second ${attempt}`));
    await clock.advance(9_000);
    expect(startedRuns).toEqual(["first 1"]);
    await expect
      .poll(async () => {
        await clock.advance(500);
        return startedRuns;
      })
      .toEqual(["first 1", "second 2"]);
    resume();
    await second.dispatcher.idle();
    expect(await second.dispatcher.dead()).toEqual([]);
    expect(startedRuns).toHaveLength(2);
  });

  test("a delivery that ends while the end of another is recorded is recorded, too", async () => {
    const open = newSchema();
    const platform = await open({ kinds: [], consumers: [worker] }, new SteppedClock());
    const ends = new Map<string, () => void>();
    platform.dispatcher.deliver(({ body }) => new Promise((resolve) => ends.set(body, resolve)));
    for (const body of ["1", "2"]) await platform.messages.send(emails, { body });
    await expect.poll(() => ends.size).toBe(2);
    const locks = await holdLocks(server, `SELECT FROM machines_${schemas}.messages WHERE body = '1' FOR UPDATE`);
    ends.get("1")?.();
    await expect.poll(() => locks.waiters()).toBe(1);
    ends.get("2")?.();
    await locks.release();
    await expect.poll(async () => (await platform.dispatcher.backlog())[0]?.messages).toBe(0);
  });

  test("a message counts as retried once its first delivery has failed or its machine has died", async () => {
    const open = newSchema();
    const schema = `machines_${schemas}`;
    const address = server.address(schema);
    await checkRetried({
      open,
      killed: [built, "openPostgres", address],
      // Ends the leases of the killed process's deliveries.
      afterKill: () => runSql(address, `UPDATE ${schema}.messages SET due = 1`),
    });
  });

  test("a message of a machine that stopped comes before the messages that wait", async () => {
    const open = newSchema();
    const clock = new SteppedClock();
    const paused = pausedOn(clock);
    const one = { ...worker, delivery: { ...delivery, concurrency: 1 } };
    const first = await open({ kinds: [], consumers: [one] }, paused);
    const starts: string[] = [];
    let resume = (): void => {};
    first.dispatcher.deliver(async ({ body }) => {
      starts.push(`first ${body}`);
      await new Promise<void>((resolve) => (resume = resolve));
    });
    await first.messages.send(emails, { body: "1" });
    await expect.poll(() => starts).toEqual(["first 1"]);
    for (const body of ["2", "3", "4"]) await first.messages.send(emails, { body });
    const second = await open({ kinds: [], consumers: [one] }, clock);
    second.dispatcher.deliver(async ({ body }) => void starts.push(`second ${body}`));
    await expect
      .poll(async () => {
        await clock.advance(500);
        return starts;
      })
      .toEqual(["first 1", "second 1", "second 2", "second 3", "second 4"]);
    resume();
    await second.dispatcher.idle();
  });

  test("a machine revises the schema of an earlier version, which then uses it", async () => {
    const open = newSchema();
    const old = await open({ kinds: [], consumers: [worker] });
    const schema = `machines_${schemas}`;
    await runSql(
      server.address(schema),
      `DROP FUNCTION ${schema}.claim; DROP FUNCTION ${schema}.write; DROP TABLE ${schema}.served, ${schema}.machines; ALTER TABLE ${schema}.indexes DROP COLUMN filled_to;
       DELETE FROM ${schema}.numbers WHERE name = 'revision'`,
    );
    const newer = await open({ kinds: [person], consumers: [worker] });
    const bodies: string[] = [];
    old.dispatcher.deliver(async ({ body }) => void bodies.push(body));
    await newer.messages.send(emails, { body: "1" });
    await expect.poll(() => bodies).toEqual(["1"]);
  });

  test("a machine that changes the tables of an earlier version waits for a backup, and others answer", async () => {
    const open = newSchema();
    const schema = `machines_${schemas}`;
    const old = await open({ kinds: [person] });
    await old.entities.insert(personKey("a"), { team: 1 });
    await runSql(
      server.address(schema),
      `ALTER TABLE ${schema}.documents DROP COLUMN mark, DROP COLUMN marked;
       UPDATE ${schema}.numbers SET value = 6 WHERE name = 'revision'`,
    );
    const backup = await holdLocks(server, `SELECT count(*) FROM ${schema}.documents`);
    const notes: string[] = [];
    const opening = openPostgres(
      server.address(schema),
      { kinds: [person] },
      {
        bytes: bytesOnDisk(tmpdir()),
        note: (sentence) => void notes.push(sentence),
      },
    );
    await expect.poll(() => notes).toHaveLength(1);
    expect(notes[0]).toContain("such as a backup");
    expect((await old.entities.get(personKey("a")))?.fields).toEqual({ team: 1 });
    await backup.release();
    const newer = await opening;
    onTestFinished(() => newer.close());
    await newer.entities.upsert(personKey("a"), { team: 2 });
    expect((await old.entities.get(personKey("a")))?.fields).toEqual({ team: 2 });
  });

  test("a version counts as running until its last machine stops, and a restart does not make it the last one", async () => {
    const open = newSchema();
    const schema = `machines_${schemas}`;
    const versions = (text: string) => readServedVersions(server.address(schema), text);
    expect(await versions("old")).toEqual({ last: undefined, isRunning: false });
    const old = await open({ kinds: [] });
    await old.recordSchema("old");
    const newer = await open({ kinds: [] });
    await newer.recordSchema("new");
    expect(await versions("old")).toEqual({ last: "new", isRunning: true });
    const restarted = await open({ kinds: [] });
    await restarted.recordSchema("old");
    await old.close();
    expect(await versions("old")).toEqual({ last: "new", isRunning: true });
    await restarted.close();
    expect(await versions("old")).toEqual({ last: "new", isRunning: false });
    // Simulates a killed machine, which sends no more heartbeats.
    await runSql(server.address(schema), `UPDATE ${schema}.machines SET until = 0`);
    expect(await versions("new")).toEqual({ last: "new", isRunning: false });
    const rolledBack = await open({ kinds: [] });
    await rolledBack.recordSchema("old");
    expect(await versions("old")).toEqual({ last: "old", isRunning: true });
  });

  test("a version does not become the last one if the machine that allowed its restart has stopped since", async () => {
    const open = newSchema();
    const versions = (text: string) => readServedVersions(server.address(`machines_${schemas}`), text);
    const old = await open({ kinds: [] });
    await old.recordSchema("old");
    await (await open({ kinds: [] })).recordSchema("new");
    const restarting = await open({ kinds: [] });
    await old.close();
    await restarting.recordSchema("old", { isRestart: true });
    expect(await versions("old")).toEqual({ last: "new", isRunning: true });
  });

  test("a machine that has recorded its version stops while the database is down", async () => {
    const down = await startServer();
    onTestFinished(() => down.stop());
    const directory = mkdtempSync(join(tmpdir(), "fw-objects-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const platform = await openPostgres(down.address("down"), { kinds: [] }, { bytes: bytesOnDisk(directory) });
    await platform.recordSchema("old");
    down.stop();
    const start = performance.now();
    await platform.close();
    // Calls to an unreachable database are retried for 20 seconds.
    expect(performance.now() - start).toBeLessThan(15_000);
  });

  test("a heartbeat from before the database's clock was set back does not count", async () => {
    const open = newSchema();
    const schema = `machines_${schemas}`;
    await (await open({ kinds: [] })).recordSchema("old");
    await runSql(server.address(schema), `UPDATE ${schema}.machines SET until = until + 3600000`);
    expect(await readServedVersions(server.address(schema), "old")).toEqual({ last: "old", isRunning: false });
  });

  test("a consumer's concurrency holds across machines", async () => {
    const open = newSchema();
    const slow = { ...worker, delivery: { ...delivery, concurrency: 2 } };
    const machines = await Promise.all([1, 2, 3].map(() => open({ kinds: [], consumers: [slow] })));
    let running = 0;
    let most = 0;
    let done = 0;
    for (const { dispatcher } of machines)
      dispatcher.deliver(async () => {
        most = Math.max(most, ++running);
        await systemClock.sleep(5);
        running--;
        done++;
      });
    await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        (machines[i % 3] as PostgresPlatform).messages.send(emails, { body: `${i}` }),
      ),
    );
    await expect.poll(() => done, { timeout: 20_000 }).toBe(30);
    expect(most).toBe(2);
  });

  test("a cron runs once per tick, whichever of the machines", async () => {
    const open = newSchema();
    const clock = new SteppedClock();
    const ticks: number[] = [];
    const kinds = [{ kind: tickKind, framework: true as const, properties: [], composites: [] }];
    for (let machine = 0; machine < 3; machine++) {
      const platform = await open({ kinds }, clock);
      const run = async (): Promise<void> => void ticks.push(clock.now());
      const schedule = new CronSchedule([{ name: "sweep", schedule: "every 1m", timezone: "UTC" }], {
        platform,
        logger: () => new TaggedLogger(() => {}, {}),
        run,
        stopping: new AbortController().signal,
      });
      onTestFinished(() => schedule.end());
    }
    for (let tick = 1; tick <= 5; tick++) {
      // Each machine waits for the next tick.
      await expect.poll(() => clock.sleeping).toBe(3);
      await clock.advance(60_000);
      await expect.poll(() => ticks.length).toBe(tick);
    }
    await expect.poll(() => clock.sleeping).toBe(3);
    expect(new Set(ticks).size).toBe(ticks.length);
  });

  test("a cron whose run lasts longer than its interval is skipped by every machine until it has ended", async () => {
    const open = newSchema();
    const clock = new SteppedClock();
    const runs: number[] = [];
    const skippedMinutes = new Set<number>();
    let finish = (): void => {};
    const leaseCalls: { readonly mock: { readonly settledResults: readonly { readonly type: string }[] } }[] = [];
    const isSettled = (): boolean =>
      leaseCalls.every(({ mock }) => mock.settledResults.every(({ type }) => type !== "incomplete"));
    const kinds = [{ kind: tickKind, framework: true as const, properties: [], composites: [] }];
    for (let machine = 0; machine < 3; machine++) {
      const platform = await open({ kinds }, clock);
      leaseCalls.push(vi.spyOn(platform.leases, "acquire"), vi.spyOn(platform.leases, "renew"));
      const schedule = new CronSchedule([{ name: "sweep", schedule: "every 1m", timezone: "UTC" }], {
        platform,
        logger: () => new TaggedLogger(() => void skippedMinutes.add(Math.floor(clock.now() / 60_000)), {}),
        run: async () => {
          runs.push(clock.now());
          await new Promise<void>((resolve) => (finish = resolve));
        },
        stopping: new AbortController().signal,
      });
      onTestFinished(() => schedule.end());
    }
    // Advances the clock only while everything sleeps: machines until the next tick, runs until they renew their
    // leases. Otherwise a lease could end before its renewal arrives.
    const passMinute = async (sleeping: number): Promise<void> => {
      for (let step = 0; step < 12; step++) {
        await expect.poll(() => isSettled() && clock.sleeping >= sleeping).toBe(true);
        await clock.advance(5_000);
      }
    };
    await passMinute(3);
    await expect.poll(() => runs.length).toBe(1);
    for (let tick = 1; tick <= 3; tick++) {
      await passMinute(4);
      await expect.poll(() => skippedMinutes.size).toBe(tick);
    }
    expect(runs).toHaveLength(1);
    finish();
    await passMinute(3);
    await expect.poll(() => runs.length).toBe(2);
    finish();
  });

  test("a lease has one holder although a machine's clock jumps", async () => {
    const open = newSchema();
    const [first, second] = [await open({ kinds: [] }), await open({ kinds: [] })];
    const lease = await first.leases.acquire("singleton:sync", 15_000);
    // Changes the machine's own clock, which does not affect leases: they follow the database's clock.
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await second.leases.acquire("singleton:sync", 15_000)).toBeUndefined();
    expect((await lease?.renew(15_000))?.token).toBe(lease?.token);
  });

  test("of many inserts at once each is made once while PostgreSQL crashes", async () => {
    const platform = await newSchema()({ kinds: [person] });
    const failures: unknown[] = [];
    let inserted = 0;
    const over = new AbortController();
    const workers = Array.from({ length: 40 }, async (_, i) => {
      for (let n = 0; !over.signal.aborted; n++) {
        // If a commit without a response were simply repeated, it would fail with `exists`.
        await platform.entities.insert(personKey(`${i}-${n}`), { team: i }).then(
          () => inserted++,
          (error: unknown) => failures.push(error),
        );
      }
    });
    for (let crash = 0; crash < tries(1); crash++) {
      const before = inserted;
      await expect.poll(() => inserted).toBeGreaterThan(before + 40);
      await server.crash();
    }
    const before = inserted;
    await expect.poll(() => inserted).toBeGreaterThan(before + 40);
    over.abort();
    await Promise.all(workers);
    expect(failures).toEqual([]);
    expect(await platform.entities.count({ kind: "person", filters: [], orders: [] })).toBe(inserted);
  });

  test("increments of machines are exact while PostgreSQL crashes in between", async () => {
    const open = newSchema();
    const machines = await Promise.all([1, 2, 3].map(() => open({ kinds: [person] })));
    const [first] = machines;
    await first?.entities.insert(personKey("x"), { n: 0 });
    const each = 30;
    const rounds = machines.map(async (platform) => {
      for (let i = 0; i < each; i++)
        await transact(platform, async (tx) => {
          const document = await tx.get(personKey("x"));
          tx.update(personKey("x"), { n: Number(document?.fields["n"]) + 1 });
          tx.send(emails, { body: "1" });
        });
    });
    const crashes = async (): Promise<void> => {
      for (let crash = 0; crash < tries(1); crash++) {
        await systemClock.sleep(100);
        await server.crash();
      }
    };
    await Promise.all([...rounds, crashes()]);
    expect((await first?.entities.get(personKey("x")))?.fields).toEqual({ n: each * machines.length });
    const [backlog] = (await first?.dispatcher.backlog()) ?? [];
    expect(backlog?.messages).toBe(each * machines.length);
  });
});

interface HeldLocks {
  /** Returns the number of statements that are waiting for a lock. */
  waiters(): Promise<number>;
  release(): Promise<void>;
}

/** Takes locks in a separate transaction. */
async function holdLocks(server: TestServer, statement: string): Promise<HeldLocks> {
  const { Client } = await loadDriver();
  const options = { application_name: "test", keepAlive: false, connectionTimeoutMillis: 60_000 };
  const client = new Client({ ...options, connectionString: readAddress(server.address("test")).connectionString });
  await client.connect();
  await client.query(`BEGIN; ${statement}`);
  return {
    waiters: async () => {
      const { rows } = (await client.query("SELECT count(*) AS n FROM pg_locks WHERE NOT granted")) as SqlResult;
      return Number(rows[0]?.["n"]);
    },
    release: () => client.end(),
  };
}

/** Tracks the connections that platforms use from now on. */
async function watchedClients(): Promise<{ disconnect(): void; query(text: string): Promise<void> }> {
  const { Client } = await loadDriver();
  type PlatformClient = DriverClient & { readonly connection: { readonly stream: { destroy(): void } } };
  const query = vi.spyOn(Client.prototype as DriverClient, "query");
  onTestFinished(() => query.mockRestore());
  const { mock } = query;
  const clients = (): ReadonlySet<PlatformClient> => {
    const isOfPlatform = (_: unknown, i: number): boolean => typeof mock.calls[i]?.[0] === "object";
    return new Set((mock.contexts as unknown as PlatformClient[]).filter(isOfPlatform));
  };
  return {
    disconnect: () => {
      for (const { connection } of clients()) connection.stream.destroy();
    },
    query: async (text) => {
      for (const client of clients()) await client.query(text);
    },
  };
}

function personKey(id: string): Key {
  return { kind: "person", id };
}
