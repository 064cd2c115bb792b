import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Definitions } from "../contract.ts";
import type { PlatformGrant } from "../grants.ts";
import { failure } from "../testing/conformance/fixture.ts";
import { transact } from "../transact.ts";
import { grantsSql } from "./grants-sql.ts";
import { bytesOnDisk } from "./objects/bytes.ts";
import { openPostgres, type PostgresPlatform } from "./open.ts";
import { serviceRoles } from "./service-access.ts";
import { runSql } from "./testing/run-sql.ts";
import { hasPostgres, startServer, type TestServer } from "./testing/server.ts";

const emails = { kind: "queue", name: "emails" } as const;
const invoices = { kind: "queue", name: "invoices" } as const;
const definitions: Definitions = {
  kinds: [
    { kind: "orders", properties: [{ name: "n" }, { name: "code", unique: true }], composites: [] },
    { kind: "secrets", properties: [{ name: "n" }], composites: [] },
  ],
  buckets: ["photos", "contracts"],
};
const grants: Readonly<Record<string, readonly PlatformGrant[]>> = {
  shop: [
    { kind: "entity", name: "orders", operation: "create" },
    { kind: "queue", name: "emails", operation: "send" },
    { kind: "bucket", name: "photos", operation: "put" },
    { kind: "lease", name: "account", operation: "hold" },
  ],
  vault: [
    { kind: "entity", name: "secrets", operation: "get" },
    { kind: "users", name: "", operation: "create" },
  ],
};
const roles = serviceRoles("town", Object.entries(grants));

describe("services that connect as their own roles", { skip: !hasPostgres() }, () => {
  let server: TestServer;
  let schemas = 0;
  beforeAll(async () => void (server = await startServer()));
  afterAll(() => server.stop());

  /**
   * Opens a platform whose services have roles. Returns it with the ports of two services and a function that runs SQL
   * as a role.
   */
  async function open(): Promise<{
    readonly platform: PostgresPlatform;
    readonly shop: ReturnType<NonNullable<PostgresPlatform["as"]>>;
    readonly vault: ReturnType<NonNullable<PostgresPlatform["as"]>>;
    readonly ask: (role: string, sql: string) => Promise<number>;
  }> {
    const directory = mkdtempSync(join(tmpdir(), "fw-objects-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const address = server.address(`roles_${++schemas}`);
    const addressOf = (role: string): string => address.replace("fw@", `${role}@`);
    const platform = await openPostgres(address, definitions, { bytes: bytesOnDisk(directory), addressOf });
    onTestFinished(() => platform.close());
    const schema = `roles_${schemas}`;
    const ask = async (role: string, sql: string): Promise<number> =>
      (await runSql(address, sql.replaceAll("@@", `${schema}.`), role)).rowCount ?? 0;
    // Runs twice, as operators may do.
    for (let run = 0; run < 2; run++) await ask("fw", grantsSql(schema, roles));
    await platform.useRoles(roles);
    const built = platform.builtWith(definitions);
    const as = (service: string) => built.as?.(service) ?? platform;
    return { platform, shop: as("shop"), vault: as("vault"), ask };
  }

  test("a service does everything that its code does", async () => {
    const { platform, shop, vault } = await open();
    await shop.entities.insert({ kind: "orders", id: "a" }, { n: 1, code: "x" });
    expect(await failure(() => shop.entities.insert({ kind: "orders", id: "b" }, { n: 1, code: "x" }))).toBe("taken");
    await transact(shop, async (tx) => {
      const order = await tx.get({ kind: "orders", id: "a" });
      tx.update({ kind: "orders", id: "a" }, { n: 2, code: order?.fields["code"] ?? "" });
      tx.send(emails, { body: "1" });
    });
    await shop.messages.send(emails, { body: "2" });
    const query = { kind: "orders", filters: [{ property: "n", op: "==", value: 2 } as const], orders: [], limit: 5 };
    expect((await shop.entities.query(query)).documents.map(({ id }) => id)).toEqual(["a"]);
    await shop.entities.delete({ kind: "orders", id: "a" });
    await shop.objects.put("photos", "cat", new Blob(["cat"]).stream(), { contentType: "image/png" });
    expect((await shop.objects.list("photos", "", { limit: 5 })).objects.map(({ key }) => key)).toEqual(["cat"]);
    const lease = await shop.leases.acquire("account a", 1_000);
    await lease?.release();
    await platform.entities.insert({ kind: "secrets", id: "s" }, { n: 1 });
    expect((await vault.entities.get({ kind: "secrets", id: "s" }))?.fields).toEqual({ n: 1 });
    await vault.accounts.create({ email: "ada@example.com", name: "Ada", emailVerified: true, claims: {} });
    expect((await platform.dispatcher.backlog()).map(({ messages }) => messages)).toEqual([2]);
  });

  test("a service cannot read what its code never touches, whatever SQL it sends", async () => {
    const { platform, ask } = await open();
    await platform.entities.insert({ kind: "secrets", id: "s" }, { n: 1 });
    await platform.entities.insert({ kind: "orders", id: "o" }, { n: 1, code: "x" });
    await platform.messages.send(invoices, { body: "1" });
    await platform.objects.put("contracts", "c", new Blob(["c"]).stream(), { contentType: "text/plain" });
    expect(await ask("fw", "SELECT FROM @@documents")).toBe(2);
    expect(await ask("town_shop", "SELECT FROM @@documents WHERE kind = 'orders'")).toBe(1);
    expect(await ask("town_shop", "SELECT FROM @@documents WHERE kind = 'secrets'")).toBe(0);
    expect(await ask("town_shop", "SELECT FROM @@entries e JOIN @@indexes i USING (ix) WHERE i.kind = 'secrets'")).toBe(
      0,
    );
    expect(await ask("town_shop", "SELECT FROM @@objects")).toBe(0);
    expect(await ask("town_shop", "DELETE FROM @@documents WHERE kind = 'secrets'")).toBe(0);
    const statements = [
      "SELECT FROM @@secrets",
      "SELECT FROM @@accounts",
      "SELECT FROM @@messages",
      "SELECT FROM @@dead_letters",
      "SELECT FROM @@service_roles",
      "SELECT FROM @@machine_keys",
      "INSERT INTO @@machine_keys VALUES ('x', 'key', '{}', 9999999999999)",
      "UPDATE @@numbers SET value = 0",
      "DELETE FROM @@commits",
      "SELECT FROM @@commits",
      "INSERT INTO @@object_files VALUES ('file', 0, 'contracts')",
      "INSERT INTO @@documents VALUES ('secrets', 't', 1, NULL, '{}')",
      "UPDATE @@documents SET kind = 'secrets'",
      "INSERT INTO @@messages (carrier, receiver, due, attempts, id, sent, body) VALUES ('queue:invoices', '', 0, 0, 'x', 0, '')",
      "INSERT INTO @@leases VALUES ('singleton:x', 1, 1)",
      "SET ROLE town_vault",
      "CREATE TABLE @@own (n int)",
    ];
    for (const sql of statements) await expect(ask("town_shop", sql), sql).rejects.toMatchObject({ code: "42501" });
  });

  test("a service writes although functions are closed to everyone, also when fw has made them again", async () => {
    const { platform, shop, ask } = await open();
    const insert = (id: string): Promise<unknown> => shop.entities.insert({ kind: "orders", id }, { n: 1, code: id });
    const schema = `roles_${schemas}`;
    await ask("fw", `REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} FROM PUBLIC`);
    await insert("a");
    await ask("fw", "ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC");
    onTestFinished(async () => {
      await ask("fw", "ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC");
    });
    // Makes the schema look like one from an earlier fw.
    await ask("fw", "DROP FUNCTION @@write, @@put, @@put_planned; DELETE FROM @@numbers WHERE name = 'revision'");
    await ask("fw", "ALTER TABLE @@documents DROP COLUMN mark, DROP COLUMN marked");
    const newer = await openPostgres(server.address(schema), definitions, { bytes: bytesOnDisk(tmpdir()) });
    onTestFinished(() => newer.close());
    await insert("b");
    expect(await platform.entities.count({ kind: "orders", filters: [], orders: [] })).toBe(2);
  });

  test("a service whose role is granted less than its code needs is refused before it starts", async () => {
    const { platform } = await open();
    const more = serviceRoles("town", [
      ["shop", [...(grants["shop"] ?? []), { kind: "entity", name: "parcels", operation: "get" }]],
    ]);
    await expect(platform.useRoles(more)).rejects.toThrow("the database does not grant parcels to town_shop");
    await expect(platform.useRoles(serviceRoles("town", [["till", []]]))).rejects.toThrow("fw gen sql --grants");
    await platform.useRoles(serviceRoles("town", [["shop", []]]));
  });
});
