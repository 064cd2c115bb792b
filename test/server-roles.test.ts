import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { fwIn } from "../packages/fw/src/cli/testing/run.ts";
import { bytesOnDisk } from "../packages/fw/src/platform/postgres/objects/bytes.ts";
import { openPostgres, type PostgresPlatform } from "../packages/fw/src/platform/postgres/open.ts";
import { runSql } from "../packages/fw/src/platform/postgres/testing/run-sql.ts";
import { hasPostgres, startServer, type TestServer } from "../packages/fw/src/platform/postgres/testing/server.ts";
import type { ServerAccess } from "../packages/fw/src/platform/postgres/server-access.ts";
import { scramVerifier } from "../packages/fw/src/platform/postgres/scram-verifier.ts";
import { build } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { launchServe, serving, type Served } from "./support/served.ts";

const files = `
-- package.json --
{ "name": "market", "private": true }
-- web/web.ts --
import { API, Bucket, type Path, type Query } from "fw";
import { order, place } from "../orders/orders.ts";

export const show = API("GET /shop/{id}", (ctx, { id }: { id: Path }) => order.call(ctx, { id }));
export const buy = API("POST /shop", (ctx, { id }: { id: string }) => place.call(ctx, { id }));
export const scans = Bucket("scans");
export const upload = API("GET /upload", (ctx, { name }: { name: Query }) => scans.signedPut(ctx, name, "5m"));
-- orders/orders.ts --
import { API, Cron, Entity, Queue, Topic, Worker } from "fw";
import type { ID, Index, Path } from "fw";
import { write } from "../audit/audit.ts";

export interface Order { id: ID; state: Index<string> }
export const orders = Entity<Order>("orders");
export const placed = Queue<{ id: string }>("placed");
export const packed = Topic<{ id: string }>("packed");

export const order = API("GET /orders/{id}", (ctx, { id }: { id: Path }) => orders.get(ctx, id), { private: true });
export const place = API("POST /orders", async (ctx, { id }: { id: string }) => {
  await orders.put(ctx, { id, state: "placed" });
  await placed.send(ctx, { id });
  return { id };
}, { private: true });
export const pack = Worker(placed, async (ctx, { id }) => {
  await write.call(ctx, { line: \`packed \${id}\` });
  await orders.put(ctx, { id, state: "packed" });
  await packed.publish(ctx, { id });
});
export const sweep = Cron("sweep", "every 1h", async () => {});
-- audit/audit.ts --
import { API, Bucket, Cron, Entity, Subscribe, type ID } from "fw";
import { orders, packed } from "../orders/orders.ts";

export interface Line { id: ID; text: string }
export const lines = Entity<Line>("lines");
export const archive = Bucket("archive");

export const write = API("POST /audit", async (ctx, { line }: { line: string }) => {
  await lines.create(ctx, { text: line });
  return { line };
}, { private: true });
export const watch = Subscribe(packed, async (ctx, { id }) => void (await orders.get(ctx, id)));
export const tidy = Cron("tidy", "every 1h", async () => {});
`;

type Env = Record<string, string>;

describe("a role of the database for the server of each service", { skip: !hasPostgres() }, () => {
  let root: string;
  let server: TestServer;
  let owner: PostgresPlatform;
  let machines = 0;

  /** Runs SQL as a role. Returns the number of rows, or the error code of a refusal. */
  async function ask(role: string, sql: string): Promise<number | string> {
    try {
      return (await runSql(server.address("app"), sql.replaceAll("@@", "app."), role)).rowCount ?? 0;
    } catch (error) {
      return String((error as { readonly code?: string }).code);
    }
  }

  function migrate(schema: string, role = "fw", ...more: readonly string[]) {
    const env = { ...(process.env as Env), FW_DATABASE: asRole(schema, role) };
    return fwIn(env, [], root, "serve", "--migrate", "--data", join(root, "data"), ...more);
  }

  beforeAll(async () => {
    root = writeApplication(Object.fromEntries(filesOf(files)));
    [server] = await Promise.all([startServer(), build(root)]);
    const { code, out, err } = await migrate("app");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain('"role":"market_orders-server"');
    const directory = mkdtempSync(join(root, "objects-"));
    owner = await openPostgres(
      server.address("app"),
      { kinds: [] },
      { bytes: bytesOnDisk(directory), keepsHouse: false },
    );
  });

  afterAll(async () => {
    await owner?.close();
    server.stop();
    rmSync(root, { recursive: true, force: true, maxRetries: 10 });
  });

  test("a hostile server has the rows of its service, and no others", async () => {
    await seed();
    const own = "market_audit-server";
    const orders = "SELECT i.ix FROM @@indexes i WHERE i.kind = 'orders'";
    const epoch = "(SELECT value FROM @@numbers WHERE name = 'epoch')";
    const none = Array.from({ length: 10 }, () => "'{}'").join(", ");
    const key = "INSERT INTO @@machine_keys (id, key, calls, until)";
    const message = "INSERT INTO @@messages (carrier, receiver, due, attempts, id, sent, body)";
    const hostile: readonly string[] = [
      // Documents and their index entries.
      "SELECT FROM @@documents WHERE kind = 'orders'",
      "SELECT FROM @@documents WHERE kind = '_fw_ticks' AND id LIKE 'sweep@%'",
      "UPDATE @@documents SET body = '{}' WHERE kind = 'orders'",
      "UPDATE @@documents SET kind = 'orders' WHERE kind = 'lines'",
      "UPDATE @@documents SET id = 'sweep@2026-01-01T00:00:00.000Z' WHERE kind = '_fw_ticks'",
      "DELETE FROM @@documents WHERE kind = 'orders'",
      "INSERT INTO @@documents (kind, id, version, body) VALUES ('orders', 'x', 1, '{}')",
      "INSERT INTO @@documents (kind, id, version, body) VALUES ('_fw_ticks', 'sweep@2027-01-01T00:00:00.000Z', 1, '{}')",
      "INSERT INTO @@documents (kind, id, version, body) VALUES ('_fw_copy', 'mark', 1, '{}')",
      `SELECT FROM @@put(1, ${epoch}, 0, '{}', '{}', 'orders', 'o1', true, 1, false, NULL, NULL, '{}', ${none}, NULL, NULL) AS r
         WHERE r LIKE 'written%'`,
      `SELECT FROM @@put(2, ${epoch}, 0, '{}', '{}', 'orders', 'o2', true, NULL, false, NULL, NULL, '{}', ${none}, NULL, NULL) AS r
         WHERE r LIKE 'written%'`,
      `SELECT FROM @@entries WHERE ix IN (${orders})`,
      `DELETE FROM @@entries WHERE ix IN (${orders})`,
      `INSERT INTO @@entries SELECT ix, 'a', 'b', 'c', 'd' FROM @@indexes WHERE kind = 'orders'`,
      `UPDATE @@entries SET ix = (${orders} LIMIT 1)`,
      "COPY (SELECT * FROM @@secrets WHERE name = 'token') TO STDOUT",
      // Indexes, and state that all machines share.
      "UPDATE @@indexes SET wanted = 0",
      "UPDATE @@indexes SET state = 2 WHERE kind = 'lines'",
      "DELETE FROM @@indexes",
      "UPDATE @@numbers SET value = value + 1",
      "DELETE FROM @@numbers",
      "INSERT INTO @@numbers VALUES ('schema', 99)",
      "SELECT setval('@@versions', 1)",
      "UPDATE @@served SET schema = '{}'",
      "INSERT INTO @@served VALUES ('last', '{}')",
      "INSERT INTO @@migrations VALUES ('x', 1, '{}')",
      "SELECT roles FROM @@migrations",
      "UPDATE @@service_roles SET access = '{}'",
      "INSERT INTO @@service_roles VALUES ('market_audit-server', '{}')",
      "SELECT FROM @@service_roles WHERE role <> 'market_audit-server'",
      // Keys of the application and of machines.
      "SELECT FROM @@secrets WHERE name = 'token'",
      "UPDATE @@secrets SET value = 'x'",
      "DELETE FROM @@secrets",
      "INSERT INTO @@secrets VALUES ('token', 'x')",
      `${key} VALUES ('x', 'key', '{"web":["orders"]}', 9999999999999)`,
      `${key.replace("until)", "until, role)")} VALUES ('x', 'key', '{"web":["orders"]}', 9999999999999, 'fw')`,
      "UPDATE @@machine_keys SET key = 'own'",
      "UPDATE @@machine_keys SET calls = '{}', role = 'market_audit-server'",
      "DELETE FROM @@machine_keys",
      "SELECT @@publish_key('of-orders', 'own')",
      "SELECT @@publish_key('of-orders', 'key')",
      "SELECT FROM @@machines WHERE role = 'x'",
      "UPDATE @@machines SET until = 0 WHERE id = 'of-orders'",
      "DELETE FROM @@machines WHERE id = 'of-orders'",
      "INSERT INTO @@machines (id, version, until, role) VALUES ('x', 'v', 1, 'fw')",
      "INSERT INTO @@machines (id, version, until) VALUES ('of-orders', 'v', 1) ON CONFLICT (id) DO UPDATE SET until = 0",
      // Messages, lanes and dead letters.
      "SELECT FROM @@messages",
      "UPDATE @@messages SET due = 0",
      "DELETE FROM @@messages",
      `${message} VALUES ('queue:placed', '', 0, 0, 'x', 0, '{}')`,
      `${message} VALUES ('topic:packed', 'audit-watch', 0, 0, 'x', 0, '{}')`,
      `${message} VALUES ('event:dead.queue:placed', 'x', 0, 0, 'x', 0, '{}')`,
      "SELECT FROM @@claim(NULL, '{queue:placed}', '{\"\"}', '{5}', '{5}', '{NULL}', 10000, true) WHERE n IS NOT NULL",
      "SELECT FROM @@lanes",
      "UPDATE @@lanes SET next_at = 9e15",
      "INSERT INTO @@lanes VALUES ('queue:placed', 'other', 9e15)",
      "SELECT FROM @@dead_letters",
      "DELETE FROM @@dead_letters",
      "INSERT INTO @@dead_letters (receiver, carrier, id, sent, died, attempts, reason, body) VALUES ('orders-pack', 'queue:placed', 'x', 0, 0, 1, '', '')",
      "DELETE FROM @@subscribers",
      "UPDATE @@subscribers SET wanted = 0",
      "INSERT INTO @@subscribers VALUES ('topic:packed', 'thief', 9999999999999)",
      // Leases.
      "SELECT FROM @@leases WHERE name <> '_fw:audit housekeeping'",
      "UPDATE @@leases SET expires = 9999999999999 WHERE name = 'cron:sweep'",
      "INSERT INTO @@leases VALUES ('cron:sweep2', 1, 9999999999999)",
      "INSERT INTO @@leases VALUES ('_fw housekeeping', 1, 9999999999999)",
      "INSERT INTO @@leases VALUES ('fw serve upgrade', 1, 9999999999999)",
      "INSERT INTO @@leases VALUES ('_fw:orders housekeeping', 1, 9999999999999)",
      // Objects, and files to delete.
      "SELECT FROM @@objects WHERE bucket = 'archive2'",
      "INSERT INTO @@objects VALUES ('archive2', 'k', 'f', 1, 't', 'e', 0)",
      "SELECT FROM @@object_files WHERE bucket = 'archive2'",
      "INSERT INTO @@object_files (file, until) VALUES ('f', 0)",
      "INSERT INTO @@object_files VALUES ('f', 0, 'archive2')",
      "DELETE FROM @@object_files WHERE file = 'foreign'",
      // Proofs of commits.
      "SELECT FROM @@commits",
      "SELECT token FROM @@commits WHERE xid = 5",
      "DELETE FROM @@commits",
      "UPDATE @@commits SET token = -1",
      "INSERT INTO @@commits VALUES (5, -1) ON CONFLICT (xid) DO UPDATE SET token = -1",
      // Accounts, other roles, and definitions.
      "SELECT FROM @@accounts",
      "INSERT INTO @@accounts (id, address, email, name, verified, disabled, claims, created) VALUES ('x', 'x', 'x', 'x', true, false, '{}', 0)",
      "SET ROLE fw",
      'SET ROLE "market_orders-server"',
      "SET SESSION AUTHORIZATION fw",
      'GRANT "market_orders-server" TO "market_audit-server"',
      'ALTER ROLE "market_audit-server" BYPASSRLS',
      "CREATE ROLE thief",
      "ALTER ROLE \"market_orders-server\" PASSWORD 'x'",
      "CREATE TABLE @@own (n int)",
      "CREATE SCHEMA own",
      "DROP TABLE @@documents",
      "TRUNCATE @@documents",
      "ALTER TABLE @@documents DISABLE ROW LEVEL SECURITY",
      "CREATE POLICY all_rows ON @@documents USING (true)",
      'DROP POLICY "market_audit-server" ON @@documents',
      "CREATE TRIGGER t BEFORE INSERT ON @@documents FOR EACH ROW EXECUTE FUNCTION @@keep()",
      "CREATE OR REPLACE FUNCTION @@outcome(p_key bigint) RETURNS SETOF bigint LANGUAGE sql AS 'SELECT 1::bigint'",
      'ALTER FUNCTION @@delete_proofs() OWNER TO "market_audit-server"',
      "BEGIN; LOCK TABLE @@numbers IN ACCESS EXCLUSIVE MODE",
      "CREATE PUBLICATION p FOR ALL TABLES",
      "SELECT pg_read_file('/etc/passwd')",
      "COPY @@lines FROM PROGRAM 'id'",
    ];
    const letIn: string[] = [];
    for (const sql of hostile) {
      const result = await ask(own, sql);
      if (result !== 0 && result !== "42501") letIn.push(`${sql}: ${result}`);
    }
    expect(letIn).toEqual([]);
    expect(await ask("fw", unchanged)).toBe(1);
  });

  test("the key of a machine counts only for the calls that the owner has granted to its role", async () => {
    const keysOf = async () => (await owner.machineKeys.list()).keys.filter(({ id }) => id.startsWith("test-"));
    expect(await ask("market_orders_pack-server", "SELECT @@publish_key('test-1', 'key')")).toBe(1);
    expect(await keysOf()).toEqual([{ id: "test-1", publicKey: "key", calls: { "orders-pack": ["audit"] } }]);
    expect(await ask("market_web-server", "SELECT @@publish_key('test-1', 'key')")).toBe("42501");
    expect(await ask("market_web-server", "SELECT @@withdraw_key('test-1')")).toBe(1);
    expect(await ask("fw", "SELECT @@publish_key('test-2', 'key')")).toBe("42501");
    expect(await keysOf()).toHaveLength(1);
    expect(await ask("market_orders_pack-server", "SELECT @@withdraw_key('test-1')")).toBe(1);
    expect(await keysOf()).toEqual([]);
  });

  test("a front reads no data, and a service that only reads an entity cannot write it", async () => {
    const tables = ["documents", "entries", "objects", "object_files", "messages", "lanes", "dead_letters", "secrets"];
    for (const table of tables)
      expect([table, await ask("market-front", `SELECT FROM @@${table}`)]).toEqual([table, 0]);
    expect(await ask("market-front", "SELECT FROM @@accounts")).toBe("42501");
    const reader = "market_audit_watch-server";
    expect(await ask(reader, "SELECT FROM @@documents WHERE kind = 'orders'")).toBe(1);
    expect(await ask(reader, "UPDATE @@documents SET body = 'x' WHERE kind = 'orders'")).toBe(0);
    const insert = "INSERT INTO @@documents (kind, id, version, body) VALUES ('orders', 'x', 1, '{}')";
    expect(await ask(reader, insert)).toBe("42501");
  });

  test("servers keep what other services use, and delete only what has lapsed", async () => {
    await ask("fw", "UPDATE @@subscribers SET wanted = 5");
    await ask("fw", "UPDATE @@indexes SET wanted = 5");
    await ask("fw", "INSERT INTO @@subscribers VALUES ('topic:packed', 'removed', 5)");
    const identities = "(SELECT array_agg(identity) FROM @@indexes)";
    const keep = `SELECT @@keep(${identities}, '{topic:packed}', '{audit-watch}')`;
    expect(await ask("market_web-server", keep)).toBe(1);
    expect(await ask("fw", "SELECT FROM @@subscribers WHERE receiver = 'removed'")).toBe(0);
    expect(await ask("fw", "SELECT FROM @@subscribers WHERE receiver = 'audit-watch' AND wanted > 5")).toBe(1);
    expect(await ask("fw", "SELECT FROM @@indexes WHERE wanted = 5")).toBe(0);
    expect(await ask("market_web-server", "SELECT @@delete_proofs()")).toBe(1);
  });

  test("the server of a service deletes the expired data of that service, and reads only its keys", async () => {
    const expired = (kind: string, id: string): string => `('${kind}', '${id}', 1, 1, '{}')`;
    const documents = [
      expired("lines", "old"),
      expired("orders", "old"),
      expired("_fw_ticks", "tidy@2026-01-01"),
      expired("_fw_ticks", "sweep@2026-02-02"),
    ];
    await ask("fw", `INSERT INTO @@documents (kind, id, version, expires, body) VALUES ${documents.join(", ")}`);
    await ask("fw", "INSERT INTO @@object_files VALUES ('own', 5, 'scans')");
    const { rows } = await runSql(
      server.address("app"),
      "SELECT access FROM app.service_roles WHERE role = 'market_audit-server'",
    );
    const access = JSON.parse(String(rows[0]?.["access"])) as ServerAccess;
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const options = { bytes: bytesOnDisk(join(root, "objects")), server: access };
    const platform = await openPostgres(asRole("app", "market_audit-server"), { kinds: [] }, options);
    onTestFinished(() => platform.close());
    expect(platform.secret("cursor")).toHaveLength(32);
    expect(() => platform.secret("token")).toThrow("cannot read the key for token");
    vi.advanceTimersByTime(60_000);
    const expiredRows = "SELECT FROM @@documents WHERE expires = 1";
    await expect.poll(() => ask("fw", `${expiredRows} AND (kind = 'lines' OR id LIKE 'tidy%')`)).toBe(0);
    await expect.poll(() => ask("fw", "SELECT FROM @@object_files WHERE file = 'own'")).toBe(0);
    expect(await ask("fw", expiredRows)).toBe(2);
    expect(await ask("fw", "SELECT FROM @@leases WHERE name = '_fw:audit housekeeping'")).toBe(1);
    await ask("fw", "DELETE FROM @@documents WHERE expires = 1");
  });

  test("a server waits until the database is prepared, and says what to do", async () => {
    await using machine = launch("late", "audit");
    await machine.printed('run \\"fw serve --migrate\\" with this build');
    expect(machine.output()).toContain("it has no tables");
    expect(await migrate("late")).toMatchObject({ code: 0 });
    await serving(machine);
    expect(await ask("market_audit-server", "SELECT FROM late.machines WHERE role = current_user")).toBe(1);
    // With no time to wait, the machine refuses to start.
    await ask("fw", "DELETE FROM late.migrations");
    const unprepared = await refusalOf("late", "market_web-server", "--service", "web", "--migration-wait", "0");
    expect(unprepared).toContain(
      'it was prepared for another build; run "fw serve --migrate" with this build and the role that owns the tables',
    );
    await ask("fw", 'ALTER ROLE "market_web-server" NOLOGIN');
    const absent = await refusalOf("app", "market_web-server", "--service", "web", "--migration-wait", "0");
    expect(absent).toContain('role "market_web-server" is not permitted to log in');
    await ask("fw", 'ALTER ROLE "market_web-server" LOGIN');
  });

  test("a server refuses the role of another one", async () => {
    expect(await refusalOf("app", "market_web-server", "--service", "audit")).toContain(
      "the role of FW_DATABASE is for a machine that runs only the service web",
    );
    expect(await refusalOf("app", "market-front", "--service", "audit", "--service", "web")).toContain(
      "the role of FW_DATABASE is for a machine that is a front",
    );
    expect(await refusalOf("app", "market_web-server")).toContain("does not own the tables");
    expect(await refusalOf("app", "{role}")).toContain('"{role}" in the address of the database needs --front');
    const migration = await migrate("app", "market_web-server");
    expect(migration).toMatchObject({ code: 2, err: expect.stringContaining("does not own the tables") });
  });

  test("roles keep the access of a build while its machines may run, and lose it a day later", async () => {
    const old = await serving(launch("app", "orders-pack"));
    const previous = join(root, "previous");
    cpSync(join(root, ".fw/build"), previous, { recursive: true });
    const source = join(root, "orders/orders.ts");
    const text = readFileSync(source, "utf8");
    writeFileSync(source, text.replace(/ {2}await write.call[^\n]*\n/, "").replace(/import \{ write[^\n]*\n/, ""));
    await build(root);
    const callees = async (): Promise<unknown> => {
      const access = `SELECT access::json ->> 'callees' AS callees FROM app.service_roles
        WHERE role = 'market_orders_pack-server'`;
      return (await runSql(server.address("app"), access)).rows[0]?.["callees"];
    };
    const part = ["--service", "orders-pack", "--migration-wait", "0"];
    expect(await refusalOf("app", "market_orders_pack-server", ...part)).toContain("prepared for another build");
    expect(await migrate("app")).toMatchObject({ code: 0 });
    expect(await callees()).toBe('["audit"]');
    // A machine may start again with the previous build.
    expect(await (await serving(launch("app", "orders-pack", previous))).end()).toBe(0);
    const dayLater = "UPDATE @@migrations SET at = at - 2 * 86400000";
    await ask("fw", dayLater);
    expect(await migrate("app")).toMatchObject({ code: 0 });
    expect(await callees()).toBe('["audit"]');
    expect(await old.end()).toBe(0);
    await ask("fw", dayLater);
    expect(await migrate("app")).toMatchObject({ code: 0 });
    expect(await callees()).toBe("[]");
  });

  test("the passwords of roles are set without telling them to the database", async () => {
    const passwords = join(root, "passwords");
    mkdirSync(passwords);
    const roles = await runSql(server.address("app"), "SELECT role FROM app.service_roles");
    const names = roles.rows.map(({ role }) => String(role));
    for (const name of names) writeFileSync(join(passwords, name), `postgres://{role}:se%2Fcret-${name}@db/market\n`);
    expect(await migrate("app", "fw", "--role-passwords", passwords)).toMatchObject({ code: 0 });
    const verifierOf = async (role: string): Promise<string> => {
      const { rows } = await runSql(
        server.address("app"),
        `SELECT rolpassword AS v FROM pg_authid WHERE rolname = '${role}'`,
      );
      return String(rows[0]?.["v"]);
    };
    await ask("fw", "CREATE ROLE compared PASSWORD 'se/cret-compared'");
    for (const name of [...names, "compared"]) {
      const verifier = await verifierOf(name);
      const [, salt = ""] = /:([^$]+)\$/.exec(verifier) ?? [];
      expect(verifier).toBe(await scramVerifier(`se/cret-${name}`, Buffer.from(salt, "base64")));
    }
    rmSync(join(passwords, names[0] ?? ""));
    expect(await migrate("app", "fw", "--role-passwords", passwords)).toMatchObject({
      code: 2,
      err: expect.stringContaining(`has no file ${names[0]}`),
    });
  });

  test("an owner that may not make roles learns what it lacks", async () => {
    await ask("fw", "CREATE ROLE small LOGIN; GRANT CREATE ON DATABASE postgres TO small");
    await ask("fw", 'DROP OWNED BY "market_web-server"; DROP ROLE "market_web-server"');
    const { code, err } = await migrate("small", "small");
    expect([code, err]).toEqual([2, expect.stringContaining("ALTER ROLE ... CREATEROLE")]);
  });

  /** Starts a service's machine with the service's own role. */
  function launch(schema: string, service: string, place = join(root, ".fw/build")): Served {
    const data = join(root, "machines", String(++machines));
    const args = [place, "--service", service, "--data", data, "--drain", "0"];
    const env = { FW_DATABASE: asRole(schema, "{role}"), FW_SERVICE_ADDRESS: "http://{service}" };
    return launchServe(args, { cwd: root, env });
  }

  /** Returns the message of a machine that refuses to start. */
  async function refusalOf(schema: string, role: string, ...args: readonly string[]): Promise<string> {
    const env = { ...(process.env as Env), FW_DATABASE: asRole(schema, role), FW_SERVICE_ADDRESS: "http://{service}" };
    const data = join(root, "machines", String(++machines));
    const { code, err } = await fwIn(env, [], root, "serve", "--data", data, ...args);
    expect([code, err]).toEqual([2, expect.any(String)]);
    return err;
  }

  function asRole(schema: string, role: string): string {
    return server.address(schema).replace("fw@", `${role}@`);
  }

  /** Writes data for every service. */
  async function seed(): Promise<void> {
    const statements = [
      "INSERT INTO @@documents (kind, id, version, body) VALUES ('orders', 'o1', 1, '{}'), ('lines', 'l1', 1, '{}')",
      "INSERT INTO @@documents (kind, id, version, body) VALUES ('_fw_ticks', 'sweep@2026-01-01', 1, '{}')",
      "INSERT INTO @@entries SELECT ix, 'a', '', '', 'o1' FROM @@indexes WHERE kind = 'orders'",
      "INSERT INTO @@machine_keys (id, key, calls, until) VALUES ('of-orders', 'key', '{}', 9999999999999)",
      "INSERT INTO @@machines (id, version, until) VALUES ('of-orders', 'v', 9999999999999)",
      "INSERT INTO @@messages (carrier, receiver, due, attempts, id, sent, body) VALUES ('queue:placed', '', 0, 0, 'm', 0, '{}')",
      "INSERT INTO @@messages (carrier, receiver, due, attempts, id, sent, body) VALUES ('topic:packed', 'audit-watch', 0, 0, 'm', 0, '{}')",
      "INSERT INTO @@lanes VALUES ('queue:placed', '', 0)",
      "INSERT INTO @@dead_letters (receiver, carrier, id, sent, died, attempts, reason, body) VALUES ('orders-pack', 'queue:placed', 'd', 0, 0, 1, '', '')",
      "INSERT INTO @@leases VALUES ('cron:sweep', 1, 5)",
      "INSERT INTO @@objects VALUES ('archive2', 'k', 'f', 1, 't', 'e', 0)",
      "INSERT INTO @@object_files VALUES ('foreign', 5, 'archive2')",
      "INSERT INTO @@commits VALUES (5, 7)",
    ];
    for (const sql of statements) expect([sql, await ask("fw", sql)]).toEqual([sql, expect.any(Number)]);
  }
});

/** A query that returns one row if all data of other services is unchanged. */
const unchanged = `SELECT FROM @@documents d WHERE d.kind = 'orders' AND d.id = 'o1' AND d.body = '{}'
  AND (SELECT count(*) FROM @@messages) = 2 AND (SELECT count(*) FROM @@dead_letters) = 1
  AND (SELECT next_at FROM @@lanes WHERE carrier = 'queue:placed' AND receiver = '') = 0
  AND (SELECT expires FROM @@leases WHERE name = 'cron:sweep') = 5
  AND (SELECT key FROM @@machine_keys WHERE id = 'of-orders') = 'key' AND (SELECT count(*) FROM @@machine_keys) = 1
  AND (SELECT until FROM @@machines WHERE id = 'of-orders') = 9999999999999
  AND (SELECT token FROM @@commits WHERE xid = 5) = 7 AND (SELECT count(*) FROM @@object_files) = 1
  AND (SELECT count(*) FROM @@documents) = 3`;
