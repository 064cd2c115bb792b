import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { mostTopologies, startFiles, type Running } from "./support/topologies.ts";

// A shop whose APIs are tools of an MCP server, including one API of another service.
const shop = String.raw`
-- package.json --
{ "name": "shop", "version": "1.2.3", "type": "module" }
-- shop/access.ts --
import { API, Auth, RequireRole, Role } from "fw";
export const auth = Auth({ password: true, tokens: true });
export const Clerk = Role("clerk");
export const CanRefund = RequireRole(Clerk);
export const token = API("POST /token", async (ctx, { all }: { all?: boolean }) =>
  (await auth.tokens.create(ctx, ctx.user(), { name: "agent", expires: "1h", roles: all ? [Clerk] : [] })).secret, { signIn: true });
export const promote = API("POST /promote", (ctx) => auth.users.grant(ctx, ctx.user().id, Clerk), { signIn: true });

-- shop/orders.ts --
import { API, Entity, Errorf, MCP, type Header, type ID, type Int, type Int64, type Max, type MinLength, type Path, type Query, reply } from "fw";
import { stock } from "../depot/depot.ts";
import { CanRefund } from "./access.ts";

export interface Order {
  id: ID;
  /** The name of the article. */
  item: string;
  count: Int;
  placed: Date;
}
export const orders = Entity<Order>("orders");

/** Lists orders, the newest last. */
export const listOrders = API("GET /orders", (ctx, { limit = 10 }: { limit?: Query<Int & Max<50>> }): Promise<Order[]> =>
  orders.query().limit(limit).all(ctx));

/** Finds one order. */
export const getOrder = API("GET /orders/{id}", (ctx, { id }): Promise<Order> => orders.get(ctx, id));

export interface NewOrder { id: Path; item: string & MinLength<2>; count: Int & Max<9>; placed: Date }
/** Places an order. */
export const placeOrder = API("POST /orders/{id}", async (ctx, { id, item, count, placed }: NewOrder): Promise<Order> =>
  orders.create(ctx, { id, item, count, placed }));

export const cancelOrder = API("DELETE /orders/{id}", (ctx, { id }) => orders.delete(ctx, id));

/** Pays an order back. */
export const refund = API("POST /orders/{id}/refund", (ctx, { id }: { id: Path }) => ({ id, by: ctx.user().email }), { allow: CanRefund });

/** The user whom the agent acts for. */
export const whoami = API("GET /whoami", (ctx) => ({ email: ctx.user().email }), { signIn: true });

export const big = API("PUT /big", (_ctx, { n, tag }: { n: Int64; tag?: Header<string, "X-Tag"> }): { n: Int64; tag: string } => ({ n, tag: tag ?? "" }));
export const largest = API("GET /largest", (): { n: Int64 } => ({ n: 9223372036854775807n }));
export const fails = API("POST /fails", (_ctx, { how }: { how: "status" | "bug" | "reply" }) => {
  if (how === "status") throw Errorf(409, "the article is sold out", { details: { left: 0 } });
  if (how === "reply") return reply({ why: "not today" }, { status: 422 });
  throw new Error("a secret of the server");
});

/** Tools of the shop. Ask before you refund. */
export const mcp = MCP("/mcp", { tools: [listOrders, getOrder, placeOrder, cancelOrder, refund, whoami, stock, big, largest, fails] });
export const gated = MCP("/gated", { tools: [whoami], signIn: true, maxBody: "2KB" });

-- depot/depot.ts --
import { API, type MaxItems, type Path, type Query } from "fw";
/** Counts the articles in the depot. */
export const stock = API("POST /stock/{shelf}", (ctx, { shelf, words, note }: { shelf: Path; words?: Query<string[]> & MaxItems<2>; note?: string }) =>
  ({ shelf, words: words ?? [], note: note ?? "", user: ctx.maybeUser()?.email ?? "nobody" }));
`;

/** The metadata of a request in the newest revision. */
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly id?: unknown;
    readonly result?: Record<string, unknown> & { readonly content: readonly { readonly text: string }[] };
    readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  };
}

describe.each(mostTopologies)("an MCP server %s", (...topology) => {
  let app: Running;
  let url: string;
  beforeAll(async () => {
    app = await startFiles(topology, Object.fromEntries(filesOf(shop)));
    url = `http://localhost:${app.port}`;
  });
  afterAll(() => app?.[Symbol.asyncDispose]());

  /** Posts a body, an object as JSON, without adding the protocol's headers or metadata. */
  const post = async (
    message: object | string,
    headers: Record<string, string> = {},
    path = "/mcp",
  ): Promise<Answer> => {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
      body: typeof message === "string" ? message : JSON.stringify(message),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === "" ? {} : JSON.parse(text) };
  };
  const ask = (
    method: string,
    params: Record<string, unknown> = {},
    headers: Record<string, string> = {},
    path?: string,
  ) => {
    const { name } = params;
    const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } };
    const own = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method };
    return post(message, { ...own, ...(typeof name === "string" && { "Mcp-Name": name }), ...headers }, path);
  };
  const call = async (name: string, values: object, headers: Record<string, string> = {}): Promise<unknown> => {
    const { body } = await ask("tools/call", { name, arguments: values }, headers);
    const { result } = body;
    if (result?.["isError"] !== true) return result?.["structuredContent"];
    return { failed: JSON.parse(result.content[0]?.text ?? "null") };
  };
  const signIn = async (name: string): Promise<Record<string, string>> => {
    const form = new URLSearchParams({ dev_user: name });
    const answer = await fetch(`${url}/_fw/api/session`, { method: "POST", body: form, redirect: "manual" });
    const cookies = answer.headers.getSetCookie();
    return { Cookie: cookies.find((each) => each.includes("fw_session="))?.split(";")[0] ?? "" };
  };
  const tokenOf = async (cookie: Record<string, string>, all: boolean): Promise<Record<string, string>> => {
    const init = { method: "POST", headers: { ...cookie, "Content-Type": "application/json" } };
    const answer = await fetch(`${url}/token`, { ...init, body: JSON.stringify({ all }) });
    return { Authorization: `Bearer ${(await answer.json()) as string}` };
  };

  test("the official clients of both revisions list and call tools, and check their results", async () => {
    const legacy = new LegacyClient({ name: "test", version: "1" });
    await legacy.connect(new LegacyTransport(new URL(`${url}/mcp`)));
    const modern = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await modern.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    expect([legacy.getServerVersion(), modern.getServerVersion()]).toEqual(
      Array.from({ length: 2 }, () => expect.objectContaining({ name: "shop", version: "1.2.3" })),
    );
    expect(legacy.getInstructions()).toBe("Tools of the shop. Ask before you refund.");
    expect(modern.getInstructions()).toBe(legacy.getInstructions());
    const names = [
      "listOrders",
      "getOrder",
      "placeOrder",
      "cancelOrder",
      "refund",
      "whoami",
      "stock",
      "big",
      "largest",
      "fails",
    ];
    for (const [index, client] of [legacy, modern].entries()) {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(names);
      const order = { id: `client-${index}`, item: "tea", count: 2, placed: "2026-01-01T00:00:00.000Z" };
      const result = await client.callTool({ name: "placeOrder", arguments: order });
      expect(result.structuredContent).toEqual(order);
      expect(result.content).toEqual([{ type: "text", text: JSON.stringify(order) }]);
      const list = await client.callTool({ name: "listOrders", arguments: { limit: 50 } });
      expect(list.structuredContent).toEqual({ result: expect.arrayContaining([order]) });
      expect(await client.callTool({ name: "cancelOrder", arguments: { id: order.id } })).toMatchObject({
        content: [],
      });
      // The client rounds up the largest 64-bit integer before it checks the result.
      expect(await client.callTool({ name: "largest", arguments: {} })).toMatchObject({
        content: [{ text: '{"n":9223372036854775807}' }],
      });
      await expect(client.callTool({ name: "nothing", arguments: {} })).rejects.toThrow("Unknown tool: nothing");
      await client.close();
    }
  });

  test("a tool has the description, the types and the effects of its API", async () => {
    const { body } = await ask("tools/list");
    const tools = body.result?.["tools"] as readonly Record<string, unknown>[];
    const tool = (name: string): Record<string, unknown> => tools.find((each) => each["name"] === name) ?? {};
    expect(tool("placeOrder")).toEqual({
      name: "placeOrder",
      description: "Places an order.",
      inputSchema: {
        type: "object",
        properties: {
          id: { type: "string" },
          item: { type: "string", minLength: 2 },
          count: expect.objectContaining({ type: "integer", maximum: 9 }),
          placed: expect.objectContaining({ type: "string", format: "date-time" }),
        },
        required: ["id", "item", "count", "placed"],
        additionalProperties: false,
      },
      outputSchema: expect.objectContaining({ type: "object", required: ["id", "item", "count", "placed"] }),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    });
    expect(tool("getOrder")).toMatchObject({ annotations: { readOnlyHint: true } });
    expect(tool("cancelOrder")).toMatchObject({
      description: "DELETE /orders/{id}",
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    });
    expect(tool("cancelOrder")).not.toHaveProperty("outputSchema");
    // The analysis cannot tell what a POST changes.
    expect(tool("stock")).toMatchObject({ annotations: { readOnlyHint: false, destructiveHint: true } });
  });

  test("an API of another service is a tool with the same arguments, problems and user", async () => {
    const token = await tokenOf(await signIn("alice"), false);
    expect(await call("stock", { shelf: "a/b?c", words: ["ü", "x=y&z"], note: "n" }, token)).toEqual({
      shelf: "a/b?c",
      words: ["ü", "x=y&z"],
      note: "n",
      user: "alice@example.com",
    });
    const problems = [
      { at: "query words", problem: "must have at most 2 items" },
      { at: "body note", problem: "5 is not a string" },
    ];
    expect(await call("stock", { shelf: "a", words: ["1", "2", "3"], note: 5 })).toEqual({
      failed: { error: "query words: must have at most 2 items", details: { problems } },
    });
  });

  test("a model reads why its call failed, and never what the server keeps for its log", async () => {
    const problems = [
      { at: "body item", problem: "must be at least 2 characters" },
      { at: "body count", problem: "must be at most 9" },
    ];
    const order = { id: "1", item: "t", count: 10, placed: "2026-01-01T00:00:00Z" };
    expect(await call("placeOrder", order)).toEqual({
      failed: { error: "body item: must be at least 2 characters", details: { problems } },
    });
    expect(await call("listOrders", { limit: "many" })).toMatchObject({
      failed: { error: "query limit: many is not an int" },
    });
    expect(await call("getOrder", { id: "none" })).toEqual({ failed: { error: "not found" } });
    expect(await call("fails", { how: "status" })).toEqual({
      failed: { error: "the article is sold out", details: { left: 0 } },
    });
    expect(await call("fails", { how: "reply" })).toEqual({ failed: { why: "not today" } });
    expect(await call("fails", { how: "bug" })).toEqual({
      failed: { error: expect.stringMatching(/^internal error \(request [0-9a-f]+\)$/) },
    });
    expect(await call("getOrder", { id: "1", size: 3, price: 1 })).toEqual({
      failed: {
        error: "argument size: is unknown; the arguments are id",
        details: {
          problems: ["size", "price"].map((name) => ({
            at: `argument ${name}`,
            problem: "is unknown; the arguments are id",
          })),
        },
      },
    });
  });

  test("gates and policies hold for tools: a token has no more rights than over HTTP", async () => {
    const cookie = await signIn("bob");
    const anonymous = await ask("tools/call", { name: "whoami", arguments: {} });
    expect([anonymous.status, anonymous.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    const dead = { Authorization: `Bearer fwt_${"0".repeat(43)}` };
    const deadAnswer = await ask("tools/call", { name: "whoami", arguments: {} }, dead);
    expect(deadAnswer.status).toBe(401);
    const plainToken = await tokenOf(cookie, false);
    expect(await call("whoami", {}, plainToken)).toEqual({ email: "bob@example.com" });
    expect(await call("refund", { id: "7" }, plainToken)).toEqual({
      failed: { error: expect.stringContaining("clerk") },
    });
    const promotion = await fetch(`${url}/promote`, { method: "POST", headers: cookie });
    expect(promotion.status).toBeLessThan(300);
    expect(await call("refund", { id: "7" }, plainToken)).toMatchObject({ failed: {} });
    const fullToken = await tokenOf(cookie, true);
    expect(await call("refund", { id: "7" }, fullToken)).toEqual({ id: "7", by: "bob@example.com" });
  });

  test("the gate of the server itself refuses before it reads the body", async () => {
    const closed = await post("{", {}, "/gated");
    expect([closed.status, closed.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    const token = await tokenOf(await signIn("alice"), false);
    expect((await ask("tools/list", {}, token, "/gated")).body.result).toMatchObject({ cacheScope: "private" });
    expect((await ask("tools/list")).body.result).toMatchObject({ cacheScope: "public", resultType: "complete" });
    expect((await post(" ".repeat(3000), token, "/gated")).status).toBe(413);
  });

  test("integers beyond doubles stay exact in arguments and results", async () => {
    const text =
      '{"jsonrpc":"2.0","id":9007199254740991,"method":"tools/call","params":{"name":"big","arguments":{"n":9007199254740993,"tag":"ä"}}}';
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: text };
    const answer = await (await fetch(`${url}/mcp`, init)).text();
    expect(answer).toContain('"structuredContent":{"n":9007199254740993,"tag":"ä"}');
    expect(answer).toContain('"id":9007199254740991');
  });

  test.each([
    ["GET", "/mcp", {}, 405],
    ["DELETE", "/mcp", {}, 405],
    ["POST", "/mcp/below", {}, 404],
    ["POST", "/mcp", { "Content-Type": "text/plain" }, 415],
    ["POST", "/mcp", { "Content-Type": "application/json; charset=utf-16" }, 415],
    ["POST", "/mcp", { Accept: "text/html" }, 406],
    ["POST", "/mcp", { Origin: "https://evil.example" }, 403],
    ["POST", "/mcp", { Origin: "null" }, 403],
  ])("%s %s with %o is answered with %i", async (method, path, headers, status) => {
    const body = method === "POST" ? JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }) : null;
    const answer = await fetch(url + path, {
      method,
      body,
      headers: { "Content-Type": "application/json", ...headers },
    });
    expect(answer.status).toBe(status);
    await answer.arrayBuffer();
  });

  test.each([
    ["no JSON", "{", 400, -32700],
    ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600],
    ["a response", '{"jsonrpc":"2.0","id":1,"result":{}}', 400, -32600],
    ["another JSON-RPC", '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
    ["the id null", '{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
    ["a fraction as id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32600],
    ["an array as params", '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32600],
    ["an unknown method", '{"jsonrpc":"2.0","id":1,"method":"resources/list"}', 200, -32601],
    ["an unknown cursor", '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}', 200, -32602],
    ["no name", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 200, -32602],
    ["an inherited name", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"toString"}}', 200, -32602],
    [
      "a list as arguments",
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":[]}}',
      200,
      -32602,
    ],
  ])("%s is an error of JSON-RPC", async (_name, text, status, code) => {
    const answer = await post(text);
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  });

  test("the newest revision is held to its headers and its metadata", async () => {
    const codeOf = async (...sent: Parameters<typeof ask>): Promise<unknown> => {
      const { status, body } = await ask(...sent);
      return [status, body.error?.code];
    };
    const version = "io.modelcontextprotocol/protocolVersion";
    const stock = { name: "stock", arguments: { shelf: "a" } };
    expect(await codeOf("tools/list", {}, { "MCP-Protocol-Version": "2025-11-25" })).toEqual([400, -32020]);
    expect(await codeOf("tools/list", {}, { "Mcp-Method": "tools/call" })).toEqual([400, -32020]);
    expect(await codeOf("tools/call", stock, { "Mcp-Name": "refund" })).toEqual([400, -32020]);
    expect(await codeOf("tools/call", stock, { "Mcp-Name": "=?base64?c3RvY2s=?=" })).toEqual([200, undefined]);
    expect(await codeOf("ping")).toEqual([404, -32601]);
    const unknown = {
      jsonrpc: "2.0",
      id: "a",
      method: "tools/list",
      params: { _meta: { ...meta, [version]: "1900-01-01" } },
    };
    expect((await post(unknown, { "MCP-Protocol-Version": "1900-01-01" })).body).toEqual({
      jsonrpc: "2.0",
      id: "a",
      error: {
        code: -32022,
        message: "unsupported protocol version",
        data: { supported: ["2026-07-28", "2025-11-25", "2025-06-18"], requested: "1900-01-01" },
      },
    });
    expect((await ask("server/discover")).body.result).toMatchObject({
      supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18"],
      capabilities: { tools: {} },
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "shop", version: "1.2.3" } },
    });
    const notification = await post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect([notification.status, notification.body]).toEqual([202, {}]);
  });

  test("no argument reaches another route, another header or the prototype of an object", async () => {
    for (const id of ["", "..", ".", "a/../b", "%2e%2e", "\u0000", "\ud800", "x".repeat(9000), {}, [], null, true])
      expect([id, await call("stock", { shelf: id })]).toEqual([id, expect.anything()]);
    expect(await call("stock", { shelf: "../../mcp" })).toMatchObject({ shelf: "../../mcp" });
    expect(await call("big", { n: 1, tag: "a\r\nX-Evil: 1" })).toMatchObject({ tag: "a\r\nX-Evil: 1" });
    const text =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"stock","arguments":{"shelf":"a","__proto__":{"note":"x"}}}}';
    expect(JSON.stringify((await post(text)).body)).toContain("argument __proto__: is unknown");
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
    const nested = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"stock","arguments":{"shelf":"a","note":${deep}}}}`;
    expect(JSON.stringify((await post(nested)).body)).toContain("nested too deeply");
    expect(await call("whoami", {}, { "X-Fw-Session": "x", "X-Fw-Caller": "depot" })).toBeUndefined();
  });
});
