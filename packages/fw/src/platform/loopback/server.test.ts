import { createServer, request } from "node:http";
import type { RequestListener, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Definitions, Platform } from "../contract.ts";
import { PlatformError } from "../errors.ts";
import type { PlatformGrant } from "../grants.ts";
import { lifetimeOf, type Ports } from "../lifetime.ts";
import { streamOf, textOf } from "../testing/conformance/objects.ts";
import { failure, item, ManualClock } from "../testing/conformance/fixture.ts";
import { encodeTagged } from "../../lib/tagged-json.ts";
import { openLoopback } from "./client.ts";
import { instanceHeader } from "./protocol.ts";
import { openServed } from "./testing/served.ts";
import type { Served, ServedOptions } from "./testing/served.ts";
import { loopbackConnections } from "./client/connection.ts";

const definitions: Definitions = {
  kinds: [
    { kind: "item", properties: [{ name: "a" }], composites: [] },
    { kind: "plain", properties: [], composites: [] },
  ],
  buckets: ["photos", "other"],
};
const text = { contentType: "text/plain" };

async function serve(options: ServedOptions = {}): Promise<Served> {
  const platformServer = await openServed(definitions, options);
  onTestFinished(() => platformServer.dispose());
  return platformServer;
}

/** Sends a raw request and returns the response. */
function post(
  { url }: Served,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, { method: "POST", headers, agent: false }, (response) => {
      let output = "";
      response.on("data", (chunk: Buffer) => (output += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: output }));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

test("a token of another audience, of another's key, expired, malformed or missing is refused", async () => {
  const platformServer = await serve();
  const { token: tokenOf, url } = platformServer;
  const wrong: readonly (readonly [string, RegExp])[] = [
    [tokenOf("web", { audience: "mail" }), /audience is "mail"/],
    [tokenOf("web", { as: "mail" }), /not signed by a known caller/],
    [tokenOf("unknown"), /not signed by a known caller/],
    [tokenOf("web", { ms: -1 }), /expired/],
    [`${tokenOf("web")}x`, /malformed/],
    ["", /malformed/],
  ];
  for (const [token, why] of wrong) {
    const client = openLoopback({ url, token: () => token });
    const refused = await client.entities.get(item("x")).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PlatformError);
    expect(refused).toMatchObject({ code: "denied", message: expect.stringMatching(why) });
    await client.close();
  }
  expect(await post(platformServer, "/entities/get", {}, "[]")).toMatchObject({ status: 403 });
  expect(platformServer.logged).toHaveLength(wrong.length + 1);
});

test("a transaction and an opened object of one service are not another's", async () => {
  const platformServer = await serve();
  const { client } = platformServer;
  await client.objects.put("photos", "x", streamOf("secret"), text);
  const connected = (service: string, instance: string): Readonly<Record<string, string>> => ({
    authorization: `Bearer ${platformServer.token(service)}`,
    [instanceHeader]: instance,
  });
  const opening = JSON.stringify(["photos", "x"]);
  const heldSocket = connect(Number(new URL(platformServer.url).port), "127.0.0.1");
  onTestFinished(() => void heldSocket.destroy());
  const { handle } = await new Promise<{ handle: string }>((resolve) => {
    heldSocket.on("data", (chunk: Buffer) =>
      resolve(JSON.parse(chunk.toString().split("\r\n\r\n")[1] ?? "") as { handle: string }),
    );
    const headers = { ...connected("web", "one"), "content-length": `${opening.length}`, host: "x" };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    heldSocket.write(`POST /objects/open HTTP/1.1\r\n${lines.join("")}\r\n${opening}`);
  });
  const reading = JSON.stringify([handle]);
  expect(await post(platformServer, "/objects/read", connected("web", "one"), reading)).toEqual({
    status: 200,
    text: "secret",
  });
  for (const [service, instance] of [
    ["mail", "one"],
    ["web", "two"],
  ] as const)
    expect((await post(platformServer, "/objects/read", connected(service, instance), reading)).text).toContain(
      "unreachable",
    );
});

test("what a process has begun and opened is gone with its last connection", async () => {
  const platformServer = await serve();
  const headers = { authorization: `Bearer ${platformServer.token("web")}`, [instanceHeader]: "one" };
  const read = (begin: boolean): Promise<{ readonly status: number; readonly text: string }> =>
    post(platformServer, "/transactions/get", headers, JSON.stringify([{ id: "t", begin, options: {} }, item("x")]));
  expect(await read(true)).toMatchObject({ status: 200 });
  // The server may notice the closed connection only after the next connection has arrived.
  await expect.poll(async () => (await read(false)).text).toContain("the transaction has ended");
});

test("a transaction that takes too long is over, and its work can be done again", async () => {
  const clock = new ManualClock();
  const { client } = await serve({ clock });
  await client.entities.insert(item("x"), { a: 1 });
  const transaction = await client.entities.begin();
  await transaction.get(item("x"));
  clock.advance(270_000);
  transaction.update(item("x"), { a: 2 });
  expect(await failure(() => transaction.commit())).toBe("conflict");
  expect((await client.entities.get(item("x")))?.fields).toEqual({ a: 1 });
});

test("clients of a server that was started again go on, and a transaction across it conflicts", async () => {
  const platformServer = await serve();
  const { client } = platformServer;
  await client.entities.insert(item("x"), { a: 1 });
  const lease = await client.leases.acquire("relay", 60_000);
  const transaction = await client.entities.begin();
  await transaction.get(item("x"));
  transaction.update(item("x"), { a: 2 });
  await platformServer.restart();
  expect((await client.entities.get(item("x")))?.fields).toEqual({ a: 1 });
  expect(await failure(() => transaction.commit())).toBe("conflict");
  await client.entities.update(item("x"), { a: 3 });
  expect((await lease?.renew(60_000))?.token).toBe(lease?.token);
});

test("a read whose connection breaks is asked again once, and a write never", async () => {
  const operationsSeen: string[] = [];
  const url = await listen((received) => {
    operationsSeen.push(received.url ?? "");
    received.socket.destroy();
  });
  const client = openLoopback({ url, token: () => "x" });
  expect(await failure(() => client.entities.get(item("x")))).toBe("unreachable");
  expect(await failure(() => client.entities.upsert(item("x"), {}))).toBe("unreachable");
  expect(operationsSeen).toEqual(["/entities/get", "/entities/get", "/entities/upsert"]);
});

test("a call that waits for a connection is dropped when its caller is gone, and a sent one is awaited", async () => {
  const heldSocket: ServerResponse[] = [];
  const url = await listen((received, response) => void received.resume().on("end", () => heldSocket.push(response)));
  const client = openLoopback({ url, token: () => "x" });
  const controller = new AbortController();
  const departure = new Error("the visitor has gone");
  const ports = (): Ports => client.until?.(lifetimeOf(controller.signal)) ?? expect.fail();
  const write = (): Promise<unknown> => ports().entities.delete(item("x"));
  const writes = Array.from({ length: loopbackConnections - 1 }, write);
  const read = ports().entities.get(item("x"));
  await expect.poll(() => heldSocket.length).toBe(loopbackConnections);
  const waiting = write();
  controller.abort(departure);
  await expect(read).rejects.toBe(departure);
  await expect(waiting).rejects.toBe(departure);
  for (const response of heldSocket) response.end(encodeTagged(undefined));
  expect(await Promise.all(writes)).toEqual(writes.map(() => undefined));
  expect(heldSocket.length).toBe(loopbackConnections);
});

test("many calls at once share 16 connections", async () => {
  const sockets = new Set<Socket>();
  const url = await listen((received, response) => {
    sockets.add(received.socket);
    received.resume().on("end", () => response.end(encodeTagged(undefined)));
  });
  const client = openLoopback({ url, token: () => "x" });
  await Promise.all(Array.from({ length: 200 }, () => client.entities.get(item("x"))));
  expect(sockets.size).toBe(loopbackConnections);
});

test("a call of over 64 MiB is refused, and the server goes on", async () => {
  const { client } = await serve();
  const keys = Array.from({ length: 65 }, () => item("x".repeat(1024 * 1024)));
  expect(await failure(() => client.entities.getMany(keys))).toBe("too-large");
  expect(await client.entities.getMany(keys.slice(0, 2))).toEqual([undefined, undefined]);
});

test("a platform that is not there is unreachable, and the sentence says where it was looked for", async () => {
  const client = openLoopback({ url: "http://127.0.0.1:1", token: () => "x" });
  await expect(client.entities.get(item("x"))).rejects.toThrow(
    /^the platform at http:\/\/127\.0\.0\.1:1 is unreachable/,
  );
  let cancelled: unknown;
  const body = new ReadableStream<Uint8Array>({ cancel: (reason) => void (cancelled = reason) });
  expect(await failure(() => client.objects.put("photos", "x", body, text))).toBe("unreachable");
  expect(cancelled).toBeInstanceOf(Error);
});

test("an upload and a download go at the pace of the slower end", async () => {
  const { client } = await serve();
  let pulled = 0;
  const large = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (pulled++ < 400) controller.enqueue(new Uint8Array(100_000));
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  expect((await client.objects.put("photos", "large", large, text)).size).toBe(40_000_000);
  const object = await client.objects.open("photos", "large");
  const reader = object?.stream().getReader();
  expect((await reader?.read())?.value?.byteLength).toBeGreaterThan(0);
  await reader?.cancel();
  const copied = await client.objects.put("other", "copy", object?.stream() ?? new ReadableStream(), text);
  expect(copied.etag).toBe(object?.etag);
});

test("a service without a grant is denied, and told which", async () => {
  const grantList: readonly PlatformGrant[] = [{ kind: "entity", name: "item", operation: "get" }];
  const { client, logged } = await serve({ grants: (service) => (service === "web" ? grantList : []) });
  expect(await client.entities.get(item("x"))).toBeUndefined();
  const denied = await client.entities.insert(item("x"), { a: 1 }).catch((error: unknown) => error);
  expect(denied).toMatchObject({
    code: "denied",
    message: expect.stringMatching(/service web .*"insert" of entity "item"/),
  });
  expect(logged).toEqual([(denied as Error).message]);
});

test.each<readonly [grant: PlatformGrant, can: readonly string[]]>([
  [{ kind: "entity", name: "item", operation: "get" }, ["get"]],
  [{ kind: "entity", name: "item", operation: "find" }, ["get"]],
  [{ kind: "entity", name: "item", operation: "query" }, ["query", "count"]],
  [{ kind: "entity", name: "item", operation: "create" }, ["insert", "tx insert"]],
  [{ kind: "entity", name: "item", operation: "put" }, ["upsert", "tx upsert"]],
  [{ kind: "entity", name: "item", operation: "update" }, ["get", "update"]],
  [{ kind: "entity", name: "item", operation: "delete" }, ["delete", "tx delete"]],
  [{ kind: "entity", name: "plain", operation: "get" }, []],
  [{ kind: "bucket", name: "photos", operation: "put" }, ["put"]],
  [{ kind: "bucket", name: "photos", operation: "get" }, ["open"]],
  [{ kind: "bucket", name: "photos", operation: "exists" }, ["find"]],
  [{ kind: "bucket", name: "photos", operation: "list" }, ["list"]],
  [{ kind: "bucket", name: "photos", operation: "delete" }, ["remove"]],
  [{ kind: "bucket", name: "photos", operation: "signedGet" }, ["sign"]],
  [{ kind: "bucket", name: "photos", operation: "signedPut" }, []],
  [{ kind: "queue", name: "emails", operation: "send" }, ["send", "tx send"]],
  [{ kind: "topic", name: "emails", operation: "publish" }, []],
  [{ kind: "users", name: "", operation: "get" }, ["account"]],
  [{ kind: "users", name: "", operation: "list" }, ["accounts"]],
  [{ kind: "lease", name: "account", operation: "hold" }, ["lease"]],
])("the grant %o allows %j and nothing else", async (grant, can) => {
  const { client } = await serve({ grants: () => [grant] });
  const allowed: string[] = [];
  for (const [name, ask] of Object.entries(everything(client)))
    if ((await ask().then(() => "", codeOf)) !== "denied") allowed.push(name);
  expect(allowed).toEqual(can);
});

test("bytes that are no HTTP are answered 400 and nothing else happens", async () => {
  const platformServer = await serve();
  const socket = connect(Number(new URL(platformServer.url).port), "127.0.0.1");
  let output = "";
  socket.on("data", (chunk: Buffer) => (output += chunk.toString()));
  socket.write("\0\xff nonsense\r\n\r\n");
  await new Promise((resolve) => socket.once("close", resolve));
  expect(output).toMatch(/^HTTP\/1\.1 400 /);
  expect(await platformServer.client.entities.get(item("x"))).toBeUndefined();
});

test("an error keeps its code, its sentence and its subject", async () => {
  const { client, local } = await serve();
  const version = await client.entities.insert(item("x"), { a: 1 });
  await client.entities.update(item("x"), { a: 2 });
  const caught = (platform: Platform): Promise<unknown> =>
    platform.entities.update(item("x"), { a: 3 }, { version }).catch((error: unknown) => error);
  const here = (await caught(local)) as PlatformError;
  expect(await caught(client)).toMatchObject({ code: here.code, message: here.message, subject: here.subject });
  expect(here.subject).toBe('item "x"');
  expect(await textOf((await client.objects.open("photos", "none"))?.stream())).toBe("");
});

/** Returns a call for each kind of access that a service may request. */
function everything({
  entities,
  objects,
  messages,
  accounts,
  leases,
}: Platform): Record<string, () => Promise<unknown>> {
  const query = { kind: "item", filters: [], orders: [], limit: 1 };
  const emails = { kind: "queue", name: "emails" } as const;
  const inTransaction = (write: (t: Awaited<ReturnType<typeof entities.begin>>) => void) => async () => {
    const transaction = await entities.begin();
    write(transaction);
    await transaction.commit();
  };
  return {
    get: () => entities.get(item("x")),
    query: () => entities.query(query),
    count: () => entities.count(query),
    insert: () => entities.insert(item("x"), {}),
    "tx insert": inTransaction((t) => t.insert(item("y"), {})),
    upsert: () => entities.upsert(item("x"), {}),
    "tx upsert": inTransaction((t) => t.upsert(item("x"), {})),
    update: () => entities.update(item("x"), {}),
    delete: () => entities.delete(item("x")),
    "tx delete": inTransaction((t) => t.delete(item("x"))),
    put: () => objects.put("photos", "x", streamOf("1"), text),
    open: () => objects.open("photos", "x"),
    find: () => objects.find("photos", "x"),
    list: () => objects.list("photos", "", { limit: 1 }),
    remove: () => objects.delete("photos", "x"),
    sign: () => objects.sign({ bucket: "photos", key: "x", method: "GET", expires: new Date(1e15) }),
    send: () => messages.send(emails, { body: "1" }),
    "tx send": inTransaction((t) => void t.send(emails, { body: "1" })),
    account: () => accounts.get("x"),
    accounts: () => accounts.list(1, ""),
    lease: () => leases.acquire("account x", 1),
  };
}

function codeOf(error: unknown): string {
  return error instanceof PlatformError ? error.code : String(error);
}

/** Starts a server for the current test and returns its address. */
async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
