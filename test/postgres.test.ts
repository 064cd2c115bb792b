import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startFakeS3 } from "../packages/fake-cloud/src/s3/s3.ts";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { runSql } from "../packages/fw/src/platform/postgres/testing/run-sql.ts";
import { hasPostgres, startServer, type TestServer } from "../packages/fw/src/platform/postgres/testing/server.ts";
import { bin, build } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { launchServe, startServe, type Served } from "./support/served.ts";

const files = `
-- shop/shop.ts --
import { API, Auth, blob, Bucket, Cron, Entity, Page, Queue, Site, Worker, transaction } from "fw";
import type { ID, Int, Path } from "fw";

export const auth = Auth({ password: true });
export const site = Site("./public");
export const photos = Bucket("photos");

export interface Order { id: ID; n: Int }
export const orders = Entity<Order>("orders");
export interface Shipment { id: ID; times: Int }
export const shipments = Entity<Shipment>("shipments");
export const parcels = Queue<{ order: string }>("parcels");

export const order = API("POST /orders", async (ctx, req: { id: string }) => {
  await transaction(ctx, async (tx) => {
    await orders.create(tx, { id: req.id, n: 1 });
    await parcels.send(tx, { order: req.id });
  });
  return { id: req.id };
});
export const ship = Worker(parcels, async (ctx, { order }) => {
  await transaction(ctx, async (tx) => {
    const shipment = await shipments.find(tx, order);
    await shipments.put(tx, { id: order, times: (shipment?.times ?? 0) + 1 });
  });
}, { maxAttempts: 50, minBackoff: "1s", maxBackoff: "2s" });
export const shipment = API("GET /shipments/{id}", (ctx, { id }: { id: Path }) => shipments.get(ctx, id));
export const me = API("GET /me", (ctx) => ({ email: ctx.user().email }), { signIn: true });
export const keep = API("POST /photos", async (ctx, { name, text }: { name: string; text: string }) => {
  await photos.put(ctx, name, blob(text, { type: "text/plain" }));
  return { name };
});
export const photo = API("GET /photos/{name}", (ctx, { name }: { name: Path }) => photos.get(ctx, name));
export const version = API("GET /version", () => ({ version: "one" }));
export const environment = API("GET /environment", () => {
  const keys = Object.keys(process.env).filter((name) => name.startsWith("AWS_") || name === "FW_OBJECTS").length;
  return { keys, addresses: Object.values(process.env).filter((value) => value?.startsWith("postgres:")).length };
});
export const home = Page("GET /", (ctx) => site.render(ctx, "home.html"));
export const submit = Page("POST /", (ctx) => site.render(ctx, "home.html"));
-- shop/public/templates/layout.html --
<!doctype html><html><body>{{content}}</body></html>
-- shop/public/templates/home.html --
<form method="post">{{csrf}}</form>
`;

describe("three machines on one PostgreSQL", { skip: !hasPostgres() }, () => {
  let server: TestServer;
  let root: string;
  let schemas = 0;
  beforeAll(async () => {
    server = await startServer({ isDurable: true });
    root = writeApplication(Object.fromEntries(filesOf(files)));
    await build(root);
  });
  afterAll(() => {
    server.stop();
    rmSync(root, { recursive: true });
  });

  /**
   * Returns a function that starts a machine by name. Each machine has its own directory; all share a database and
   * objects.
   */
  function machineOf(env: Readonly<Record<string, string>> = {}): (name: string) => Promise<Served> {
    const directory = mkdtempSync(join(tmpdir(), "fw-machines-"));
    const database = server.address(`served_${++schemas}`);
    onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
    return (name) =>
      startServe(["--data", join(directory, name), "--drain", "0"], {
        cwd: root,
        env: { FW_DATABASE: database, FW_OBJECTS: join(directory, "objects"), ...env },
      });
  }

  test("a session and a form of one machine count on the others, and accounts are everybody's", async () => {
    const start = machineOf();
    await using first = await start("a");
    await using second = await start("b");
    const data = dataOf(first);
    await command("users", "create", "ada@example.com", "--password", "--data", data);
    expect((await command("check-data", "--data", data)).out).toContain("everything fits its type");
    expect((await command("status", "--data", data)).out).toBe("all data is up to date with the running code\n");
    const body = new URLSearchParams({ email: "ada@example.com", password: "a good password" });
    const session = await fetch(`${second.url}/_fw/api/session`, { method: "POST", body, redirect: "manual" });
    const [cookie = ""] = (session.headers.get("set-cookie") ?? "").split(";");
    const me = await fetch(`${first.url}/me`, { headers: { cookie } });
    expect(await me.json()).toEqual({ email: "ada@example.com" });
    const page = await fetch(`${first.url}/`);
    const form = /name="([^"]+)" value="([^"]+)"/.exec(await page.text());
    const [visitor = ""] = (page.headers.get("set-cookie") ?? "").split(";");
    const submitted = await fetch(`${second.url}/`, {
      method: "POST",
      headers: { cookie: visitor },
      body: new URLSearchParams({ [form?.[1] ?? ""]: form?.[2] ?? "" }),
    });
    expect(submitted.status).toBe(200);
  });

  test("machines share objects in a bucket, whose keys no service gets", async () => {
    const store = await startFakeS3();
    onTestFinished(() => store.stop());
    const { url: endpoint, keys } = store;
    const start = machineOf({
      FW_OBJECTS: `s3://objects/notes?endpoint=${endpoint}&region=${keys.region}`,
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    });
    await using first = await start("a");
    await using second = await start("b");
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ name: "sea", text: "waves" });
    expect((await fetch(`${first.url}/photos`, { method: "POST", headers, body })).status).toBe(200);
    expect(await (await fetch(`${second.url}/photos/sea`)).text()).toBe("waves");
    const stored = [...store.bucket("objects").objects.values()].map(({ bytes }) => bytes.toString());
    expect(stored).toContain("waves");
    expect(await (await fetch(`${second.url}/environment`)).json()).toMatchObject({ keys: 0 });
  });

  test("a machine is ready once it serves, and not after SIGTERM, while it still answers", async () => {
    const directory = mkdtempSync(join(tmpdir(), "fw-machines-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const database = server.address(`served_${++schemas}`);
    const machine = await startServe(["--data", directory, "--drain", "2"], {
      cwd: root,
      env: { FW_DATABASE: database },
    });
    const probe = async (path: string): Promise<number> => (await fetch(`${machine.url}/_fw/z/${path}`)).status;
    expect([await probe("live"), await probe("ready")]).toEqual([200, 200]);
    machine.child.kill("SIGTERM");
    await expect.poll(() => probe("ready")).toBe(503);
    expect(await probe("live")).toBe(200);
    expect((await fetch(`${machine.url}/version`)).status).toBe(200);
    await machine[Symbol.asyncDispose]();
  });

  test("each service connects as its own role, which reaches what the service's code uses and nothing else", async () => {
    const directory = mkdtempSync(join(tmpdir(), "fw-machines-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
    const schema = `served_${++schemas}`;
    const address = server.address(schema);
    const env = { FW_DATABASE: address, FW_SERVICE_DATABASE: address.replace("fw@", "{role}@") };
    const args = ["--data", directory, "--drain", "0"];
    // The first start creates the tables and reports the missing grants.
    const without = launchServe(args, { cwd: root, env });
    await without.printed("fw gen sql --grants");
    await without[Symbol.asyncDispose]();
    const sql = await promisify(execFile)(process.execPath, [bin, "gen", "sql", "--grants", "--schema", schema], {
      cwd: root,
    });
    await runSql(address, sql.stdout);

    await using machine = await startServe(args, { cwd: root, env });
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ id: "one" });
    expect((await fetch(`${machine.url}/orders`, { method: "POST", headers, body })).status).toBe(200);
    await expect.poll(async () => (await fetch(`${machine.url}/shipments/one`)).status).toBe(200);
    const users = await runSql(address, "SELECT DISTINCT usename FROM pg_stat_activity WHERE usename LIKE 'app_%'");
    const roles = users.rows.map(({ usename }) => String(usename));
    expect(roles.toSorted()).toEqual(["app_shop", "app_shop_ship"]);
    const kindsOf = async (role: string): Promise<readonly string[]> => {
      const kinds = await runSql(address, `SELECT DISTINCT kind FROM ${schema}.documents ORDER BY kind`, role);
      return kinds.rows.map(({ kind }) => String(kind));
    };
    expect(await kindsOf("app_shop_ship")).toEqual(["shipments"]);
    expect(await kindsOf("app_shop")).toEqual(["orders", "shipments"]);
  });

  test("machines are upgraded one after the other without a failed request", async () => {
    const start = machineOf();
    const machines = await Promise.all(["a", "b"].map((name) => start(name)));
    onTestFinished(async () => {
      for (const machine of machines) await machine[Symbol.asyncDispose]();
    });
    const source = readFileSync(join(root, "shop/shop.ts"), "utf8");
    const newer = source
      .replace(`version: "one"`, `version: "two"`)
      .replace("export interface Order { id: ID; n: Int }", "export interface Order { id: ID; n: Index<Int> }")
      .replace("import type { ID, Int, Path }", "import type { ID, Index, Int, Path }")
      .concat(
        `\nexport const counted = API("GET /counted", async (ctx) => ({ count: await orders.query().where("n", "==", 1).count(ctx) }));\n`,
      );
    const put = async (url: string, id: string): Promise<number> => {
      const headers = { "content-type": "application/json" };
      return (await fetch(`${url}/orders`, { method: "POST", headers, body: JSON.stringify({ id }) })).status;
    };
    const [a, b] = machines as [Served, Served];
    expect(await put(a.url, "before")).toBe(200);
    writeFileSync(join(root, "shop/shop.ts"), newer);
    await build(root);
    onTestFinished(async () => {
      writeFileSync(join(root, "shop/shop.ts"), source);
      await build(root);
    });
    a.child.kill("SIGHUP");
    await a.printed('"message":"upgraded"');
    expect(await put(b.url, "between, on the old machine")).toBe(200);
    expect(await put(a.url, "between, on the new machine")).toBe(200);
    expect(await (await fetch(`${a.url}/counted`)).json()).toEqual({ count: 3 });
    b.child.kill("SIGHUP");
    await b.printed('"message":"upgraded"');
    expect(await (await fetch(`${b.url}/counted`)).json()).toEqual({ count: 3 });
    expect(await (await fetch(`${b.url}/version`)).json()).toEqual({ version: "two" });
  });

  test("a machine refuses a build that cannot read what another version writes, unless a machine runs that build", async () => {
    const directory = mkdtempSync(join(tmpdir(), "fw-older-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
    const older = join(directory, "older");
    cpSync(join(root, ".fw/build"), older, { recursive: true });
    const source = readFileSync(join(root, "shop/shop.ts"), "utf8");
    onTestFinished(async () => {
      writeFileSync(join(root, "shop/shop.ts"), source);
      await build(root);
    });
    const newer = source.replace("n: Int }", "n: string }").replace("n: 1 }", `n: "one" }`);
    writeFileSync(join(root, "shop/shop.ts"), newer);
    await build(root);
    const env = { FW_DATABASE: server.address(`served_${++schemas}`), FW_OBJECTS: join(directory, "objects") };
    const start = (name: string, ...args: string[]): Promise<Served> =>
      startServe([...args, "--data", join(directory, name), "--drain", "0"], { cwd: root, env });
    await using _newer = await start("a");
    await expect(start("b", older)).rejects.toThrow('documents of "orders" do not fit the new type at n');
    // A refused start leaves the directory of another application's data unchanged.
    const local = join(directory, "local");
    await (await startServe([older, "--data", local, "--drain", "0"], { cwd: root }))[Symbol.asyncDispose]();
    const schema = readFileSync(join(local, "services/schema.json"), "utf8");
    await expect(start("local")).rejects.toThrow("has the data of one machine");
    expect(readFileSync(join(local, "services/schema.json"), "utf8")).toBe(schema);
    await using accepted = await start("b", older, "--accept-data-changes");
    expect(accepted.lines("do not fit the new type at n")).toMatchObject([{ severity: "WARNING" }]);
    // The latest version is now the older one, but a machine still runs the newer one.
    await using again = await start("c");
    expect(again.lines("do not fit the new type at n")).toMatchObject([{ severity: "WARNING" }]);
  });

  test("a build that no longer declares an entity becomes the last version", async () => {
    const start = machineOf();
    const schema = `served_${schemas}`;
    const address = server.address(schema);
    await (await start("a"))[Symbol.asyncDispose]();
    const text = `jsonb_set(schema::jsonb, '{entities,gone}', schema::jsonb #> '{entities,orders}')`;
    await runSql(address, `UPDATE ${schema}.served SET schema = ${text}::text`);
    await using machine = await start("a");
    expect(machine.lines("gone")).toMatchObject([{ severity: "WARNING" }]);
    const { rows } = await runSql(address, `SELECT schema::jsonb #> '{entities,gone}' AS gone FROM ${schema}.served`);
    expect(rows).toEqual([{ gone: null }]);
  });

  test("no service gets the address of the database, and commands refuse without its server and say no password", async () => {
    const start = machineOf();
    const machine = await start("a");
    const data = dataOf(machine);
    await machine[Symbol.asyncDispose]();
    for (const args of [
      ["users", "list"],
      ["backup", join(data, "backup")],
    ])
      expect((await command(...args, "--data", data)).err).toContain("is in a database");
    const attempt = launchServe(
      ["--data", join(data, "other"), "--database", "postgres://fw:secret@127.0.0.1:1/x?schema=Not-One"],
      {
        cwd: root,
      },
    );
    const output = await attempt.printed("lowercase letters").then(() => attempt.output());
    expect(output).not.toContain("secret");
  });
});

/** Returns the data directory in a machine's command line. */
function dataOf({ child }: Served): string {
  const args = child.spawnargs;
  return args[args.indexOf("--data") + 1] ?? "";
}

function command(...args: string[]): Promise<{ readonly out: string; readonly err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [bin, ...args], { cwd: tmpdir() }, (_, out, err) => resolve({ out, err }));
    child.stdin?.end("a good password\n");
  });
}
