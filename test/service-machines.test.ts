import { createPrivateKey } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { parseAllDocuments } from "yaml";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { fwIn } from "../packages/fw/src/cli/testing/run.ts";
import { CallSigner } from "../packages/fw/src/platform/call-signer.ts";
import { mintCall, newCallKeys } from "../packages/fw/src/platform/calls.ts";
import { bytesOnDisk } from "../packages/fw/src/platform/postgres/objects/bytes.ts";
import { openPostgres, type PostgresPlatform } from "../packages/fw/src/platform/postgres/open.ts";
import { hasPostgres, startServer, type TestServer } from "../packages/fw/src/platform/postgres/testing/server.ts";
import { build } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { freeFixedPort } from "./support/ports.ts";
import { launchServe, serving, type Served } from "./support/served.ts";

const files = `
-- package.json --
{ "name": "market", "private": true }
-- web/web.ts --
import { API, Bucket, Socket, type Connection, type Path, type Query } from "fw";
import { order, place } from "../orders/orders.ts";

export const show = API("GET /shop/{id}", async (ctx, { id }: { id: Path }) => ({
  ...(await order.call(ctx, { id })),
  client: ctx.client.ip,
}));
export const buy = API("POST /shop", (ctx, { id }: { id: string }) => place.call(ctx, { id }));
export const scans = Bucket("scans");
export const upload = API("GET /upload", (ctx, { name }: { name: Query }) => scans.signedPut(ctx, name, "5m"));
export const echo = Socket("GET /echo", async (ctx, _: {}, socket: Connection<string, string>) => {
  for await (const text of socket) await socket.send(text);
});
-- orders/orders.ts --
import { API, Cron, Entity, Queue, Worker } from "fw";
import type { ID, Path } from "fw";
import { write } from "../audit/audit.ts";

export interface Order { id: ID; state: string }
export const orders = Entity<Order>("orders");
export const placed = Queue<{ id: string }>("placed");

export const order = API("GET /orders/{id}", (ctx, { id }: { id: Path }) => orders.get(ctx, id), { private: true });
export const place = API("POST /orders", async (ctx, { id }: { id: string }) => {
  await orders.put(ctx, { id, state: "placed" });
  await placed.send(ctx, { id });
  return { id };
}, { private: true });
export const pack = Worker(placed, async (ctx, { id }) => {
  await write.call(ctx, { line: \`packed \${id}\` });
  await orders.put(ctx, { id, state: "packed" });
});
export const sweep = Cron("sweep", "every 1h", async () => {});
-- audit/audit.ts --
import { API } from "fw";

export const write = API("POST /audit", (ctx, { line }: { line: string }) => {
  ctx.log.info(line);
  return { line };
}, { private: true });
`;

type Env = Record<string, string>;

interface Signed {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Container {
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string }[];
}

interface PodResource {
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [Container] } } };
}

interface Pods {
  /** The containers of services by name, with the front's under "front". */
  readonly machines: ReadonlyMap<string, Container>;
  readonly migration: Container;
}

/** Returns the containers of the pods that `fw gen kubernetes --services` describes. */
async function podsOf(root: string): Promise<Pods> {
  const options = ["--services", "--image", "market:1", "--objects", "s3://scans?endpoint=http://minio"];
  const { out } = await fwIn(process.env as Env, [], root, "gen", "kubernetes", ...options);
  const resources = parseAllDocuments(out).map((document) => document.toJS() as PodResource);
  const containers = (wanted: string): readonly Container[] =>
    resources.filter(({ kind }) => kind === wanted).map(({ spec }) => spec.template.spec.containers[0]);
  const machines = new Map(
    containers("Deployment")
      .map((each) => [each.command[each.command.indexOf("--service") + 1] ?? "", each] as const)
      .map(([name, each]) => [each.command.includes("--front") ? "front" : name, each]),
  );
  return { machines, migration: containers("Job")[0] as Container };
}

describe("each service on a machine of its own", { skip: !hasPostgres() }, () => {
  let root: string;
  let directory: string;
  let server: TestServer;
  let database: PostgresPlatform;
  let ports: ReadonlyMap<string, number>;
  const machines = new Map<string, Served>();
  let pods: Pods;

  /** Starts the machine of a service, or of the front, with the command and environment from its pods. */
  async function start(name: string): Promise<Served> {
    const { command, env } = pods.machines.get(name) as Container;
    const changes: Readonly<Record<string, string>> = {
      "/data": join(directory, name),
      "0.0.0.0": "127.0.0.1",
      "5": "0",
    };
    const [, , , , ...options] = command.filter((each, i) => each !== "--port" && command[i - 1] !== "--port");
    const variables: Readonly<Record<string, string>> = {
      FW_DATABASE: server.address("app").replace("fw@", "{role}@"),
      FW_OBJECTS: join(directory, "objects"),
      FW_SERVICE_ADDRESS: [...ports].map(([service, port]) => `${service}=http://127.0.0.1:${port}`).join(" "),
    };
    const own = env.flatMap(({ name: variable }) => {
      const value = variables[variable];
      return value === undefined ? [] : [[variable, value] as const];
    });
    const machine = launchServe(
      options.map((option) => changes[option] ?? option),
      { cwd: root, port: ports.get(name) ?? 0, env: Object.fromEntries(own) },
    );
    machines.set(name, machine);
    return serving(machine);
  }

  /** Runs the job, with the owner's database address. */
  async function migrate(): Promise<void> {
    const places: Readonly<Record<string, string>> = {
      "/data": join(directory, "job"),
      "/roles": join(directory, "roles"),
    };
    const [, , , , ...options] = pods.migration.command;
    const env = { ...(process.env as Env), FW_DATABASE: server.address("app") };
    const { code, err } = await fwIn(env, [], root, "serve", ...options.map((option) => places[option] ?? option));
    expect([code, err]).toEqual([0, ""]);
  }

  function urlOf(name: string, path: string): string {
    return `http://127.0.0.1:${ports.get(name)}${path}`;
  }

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "fw-service-machines-"));
    root = writeApplication(Object.fromEntries(filesOf(files)));
    [server] = await Promise.all([startServer(), build(root)]);
    pods = await podsOf(root);
    const names = [...pods.machines.keys()];
    mkdirSync(join(directory, "roles"));
    for (const role of ["market-front", ...names.map((name) => `market_${name.replace("-", "_")}-server`)])
      writeFileSync(join(directory, "roles", role), "postgres://{role}:secret@db/market");
    ports = new Map(await Promise.all(names.map(async (name) => [name, await freeFixedPort()] as const)));
    await Promise.all([...names.map(start), migrate()]);
    database = await openPostgres(server.address("app"), { kinds: [] }, { bytes: bytesOnDisk(directory) });
  });

  afterAll(async () => {
    await database.close();
    await Promise.all([...machines.values()].map((machine) => machine[Symbol.asyncDispose]()));
    server.stop();
    for (const each of [root, directory]) rmSync(each, { recursive: true, force: true, maxRetries: 10 });
  });

  test("requests reach services, their calls, and workers of other machines", async () => {
    expect([...machines.keys()].toSorted()).toEqual(["audit", "front", "orders", "orders-pack", "web"]);
    const headers = { "content-type": "application/json" };
    const bought = await fetch(urlOf("front", "/shop"), { method: "POST", headers, body: '{"id":"o1"}' });
    expect([bought.status, await bought.json()]).toEqual([200, { id: "o1" }]);
    await expect
      .poll(async () => (await fetch(urlOf("front", "/shop/o1"))).json())
      .toEqual({ id: "o1", state: "packed", client: "127.0.0.1" });
    expect(machines.get("audit")?.output()).toContain("packed o1");
    expect(machines.get("orders")?.output()).not.toContain("packed o1");
  });

  test("sockets and uploads go through the front", async () => {
    const socket = new WebSocket(urlOf("front", "/echo").replace("http", "ws"));
    const echoed = new Promise((resolve) => socket.once("message", (data: Buffer) => resolve(data.toString())));
    socket.once("open", () => socket.send('"hello"'));
    expect(await echoed).toBe('"hello"');
    socket.close();
    const signed = (await (await fetch(urlOf("front", "/upload?name=a.txt"))).json()) as Signed;
    expect(
      (await fetch(urlOf("front", signed.url), { method: "PUT", headers: signed.headers, body: "scan" })).status,
    ).toBe(200);
  });

  test("the front refuses private routes, and forwards no identity that a client claims", async () => {
    expect((await fetch(urlOf("front", "/orders/o1"))).status).toBe(403);
    expect((await fetch(urlOf("front", "/audit"), { method: "POST" })).status).toBe(403);
    expect((await fetch(urlOf("front", "/nothing"))).status).toBe(404);
    const headers = { "X-Forwarded-For": "203.0.113.7", "X-Fw-Forwarded": "forged", "X-Fw-Caller": "orders" };
    const shown = (await (await fetch(urlOf("front", "/shop/o1"), { headers })).json()) as { readonly client: string };
    expect(shown.client).toBe("127.0.0.1");
  });

  test("the machine of a service responds only to the front, its callers and probes", async () => {
    for (const name of ["web", "orders", "audit", "orders-pack"]) {
      for (const path of ["/", "/shop/o1", "/orders/o1", "/_fw/signin", "/_fw/metrics", "/_fw/api/signed/x"])
        expect([name, path, (await fetch(urlOf(name, path))).status]).toEqual([name, path, 403]);
      for (const path of ["/_fw/api/push", "/_fw/api/cron/sweep", "/_fw/dev/operate/status", "/_fw/dev/operate/dead"])
        expect([name, path, (await fetch(urlOf(name, path), { method: "POST" })).status]).toEqual([name, path, 403]);
      expect((await fetch(urlOf(name, "/_fw/z/ready"))).status).toBe(200);
    }
  });

  test("a call needs the token of a machine that runs a caller of the service", async () => {
    const { privateKey, publicKey } = newCallKeys();
    await database.machineKeys.publish({ id: "test", publicKey, calls: { web: ["orders"], "fw:front": ["web"] } });
    const ask = async (service: string, token: string, header = "authorization"): Promise<number> => {
      const value = header === "authorization" ? `Bearer ${token}` : token;
      return (await fetch(urlOf(service, "/orders/o1"), { headers: { [header]: value } })).status;
    };
    const as = (identity: string, key = privateKey) => new CallSigner(identity, key);
    const web = as("web@test");
    expect(await ask("orders", web.tokenFor("orders"))).toBe(200);
    const expired = mintCall(
      createPrivateKey({ key: Buffer.from(privateKey, "base64"), format: "der", type: "pkcs8" }),
      { audience: "orders", invoker: "web@test" },
      Date.now() - 1_000,
    );
    const hostile: readonly (readonly [service: string, token: string, header?: string])[] = [
      ["orders", expired],
      ["orders", as("web@test", newCallKeys().privateKey).tokenFor("orders")],
      ["orders", as("web").tokenFor("orders")],
      ["orders", as("orders-pack@test").tokenFor("orders")],
      ["orders", as("fw:platform").tokenFor("orders")],
      ["orders", as("fw:front@test").tokenFor("orders"), "x-fw-forwarded"],
      ["orders", web.tokenFor("orders"), "x-fw-forwarded"],
      // The token is for orders, and its caller may not call audit.
      ["audit", web.tokenFor("orders")],
      ["audit", web.tokenFor("audit")],
      // A front forwards clients' requests; it does not call services itself.
      ["web", as("fw:front@test").tokenFor("web")],
    ];
    const statuses = await Promise.all(hostile.map((attempt) => ask(...attempt)));
    expect(statuses).toEqual(hostile.map(() => 403));
    await database.machineKeys.withdraw("test");
  });

  test("commands about a service work on its machine, and name the service elsewhere", async () => {
    const run = (machine: string) =>
      fwIn(process.env as Env, [], root, "run", "cron", "sweep", "--data", join(directory, machine));
    expect((await run("orders")).code).toBe(0);
    expect(await run("audit")).toMatchObject({
      err: expect.stringContaining("this machine does not run the service orders"),
    });
  });

  test("a machine that has restarted is trusted at once, and another version may call more than the last one", async () => {
    await machines.get("web")?.end();
    writeFileSync(
      join(root, "web/web.ts"),
      (filesOf(files).get("web/web.ts") ?? "")
        .replace("import { order,", 'import { write } from "../audit/audit.ts";\nimport { order,')
        .replace("=> place.call(ctx, { id })", "=> write.call(ctx, { line: `bought ${id}` })"),
    );
    await build(root);
    machines.get("front")?.child.kill("SIGHUP");
    await Promise.all([migrate(), start("web"), machines.get("front")?.printed('"message":"upgraded"')]);
    expect((await fetch(urlOf("front", "/shop/o1"))).status).toBe(200);
    // audit's machine still runs the old build, without a call from web.
    const headers = { "content-type": "application/json" };
    const bought = await fetch(urlOf("front", "/shop"), { method: "POST", headers, body: '{"id":"o2"}' });
    expect([bought.status, await bought.json()]).toEqual([200, { line: "bought o2" }]);
    expect(machines.get("audit")?.output()).toContain("bought o2");
  });

  test("a machine that cannot be part of the application does not start", async () => {
    const options = ["--data", join(directory, "refused")];
    const env = { FW_DATABASE: server.address("app") };
    for (const [args, sentence] of [
      [
        ["--service", "order", "--service-address", "http://{service}"],
        'the build has no service "order"; did you mean "orders"?',
      ],
      [["--service", "web"], 'nothing says where the service "'],
      [["--front", "--service-address", "https://{service}"], '"--service-address" must be http://{service}:8080'],
      [["--front", "--service", "web"], '"--front" and "--service" are for different machines'],
    ] as const) {
      const { code, err } = await fwIn({ ...(process.env as Env), ...env }, [], root, "serve", ...options, ...args);
      expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
    }
    const alone = await fwIn(process.env as Env, [], root, "serve", "--service", "web", ...options);
    expect(alone).toMatchObject({ code: 2, err: expect.stringContaining('"--service" needs --database') });
  });
});
