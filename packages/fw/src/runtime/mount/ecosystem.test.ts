import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { issuer } from "@openauthjs/openauth";
import { CodeProvider } from "@openauthjs/openauth/provider/code";
import { MemoryStorage } from "@openauthjs/openauth/storage/memory";
import { createSubjects } from "@openauthjs/openauth/subject";
import { initTRPC } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { Hono } from "hono";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { bundleOf, mounts, start, type TestApp } from "../testing/app.ts";
import { yoga } from "./testing/yoga.js";

// Third-party packages with a fetch interface, mounted as in an application.

const t = initTRPC.create();
const router = t.router({
  add: t.procedure.input(z.object({ a: z.number(), b: z.number() })).query(({ input }) => input.a + input.b),
});

const hono = new Hono()
  .basePath("/hono")
  .get("/books/:id", (c) => c.json({ id: c.req.param("id"), q: c.req.query("q") }))
  .post("/upload", async (c) => c.text(`${(await c.req.arrayBuffer()).byteLength} bytes`, 201, { "X-Kind": "hono" }));

async function mcp(request: Request): Promise<Response> {
  const server = new McpServer({ name: "desk", version: "1" });
  server.registerTool("greet", { inputSchema: { name: z.string() } }, ({ name }) => ({
    content: [{ type: "text", text: `hello ${name}` }],
  }));
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  return transport.handleRequest(request);
}

const provider = issuer({
  storage: MemoryStorage(),
  subjects: createSubjects({ user: z.object({ id: z.string() }) }),
  providers: {
    code: CodeProvider({ request: async () => new Response("which code?"), sendCode: async () => undefined }),
  },
  success: (ctx) => ctx.subject("user", { id: "ann" }),
});

let app: TestApp;
beforeAll(async () => {
  app = await start(
    bundleOf(
      mounts({
        "/graphql": (_ctx, request) => yoga.fetch(request),
        "/trpc": (_ctx, req) => fetchRequestHandler({ endpoint: "/trpc", req, router, createContext: () => ({}) }),
        "/hono": (_ctx, request) => hono.fetch(request),
        "/mcp": (_ctx, request) => mcp(request),
        "/": (_ctx, request) => provider.fetch(request),
      }),
    ),
  );
});
afterAll(() => app.close());

test("GraphQL Yoga answers queries, and subscriptions as they come", async () => {
  const ask = (query: string, accept: string) =>
    fetch(`${app.url}/graphql`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: accept },
      body: JSON.stringify({ query }),
    });
  expect(await (await ask('{ hello(name: "ann") }', "application/json")).json()).toEqual({
    data: { hello: "hello ann" },
  });
  const streamed = await ask("subscription { count(to: 2) }", "text/event-stream");
  expect(streamed.headers.get("content-type")).toContain("text/event-stream");
  expect((await streamed.text()).match(/\{"data".*\}/g)).toEqual(['{"data":{"count":1}}', '{"data":{"count":2}}']);
});

test("tRPC answers a procedure", async () => {
  const input = encodeURIComponent(JSON.stringify({ a: 1, b: 2 }));
  expect(await (await fetch(`${app.url}/trpc/add?input=${input}`)).json()).toEqual({ result: { data: 3 } });
});

test("Hono has its routes, its statuses and its headers", async () => {
  expect(await (await fetch(`${app.url}/hono/books/a%20b?q=1`)).json()).toEqual({ id: "a b", q: "1" });
  const made = await fetch(`${app.url}/hono/upload`, { method: "POST", body: new Uint8Array(100_000) });
  expect([made.status, made.headers.get("x-kind"), await made.text()]).toEqual([201, "hono", "100000 bytes"]);
  expect((await fetch(`${app.url}/hono/nothing`)).status).toBe(404);
});

test("an MCP server is spoken to by an MCP client", async () => {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`)));
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["greet"]);
  const said = await client.callTool({ name: "greet", arguments: { name: "ann" } });
  expect(said.content).toEqual([{ type: "text", text: "hello ann" }]);
  await client.close();
});

test("an OpenID provider publishes its metadata and its keys, and begins a flow", async () => {
  const metadata = (await (await fetch(`${app.url}/.well-known/oauth-authorization-server`)).json()) as {
    issuer: string;
    jwks_uri: string;
  };
  expect(metadata.issuer).toBe(app.url);
  expect(await (await fetch(metadata.jwks_uri)).json()).toMatchObject({ keys: [{ alg: "ES256" }] });
  const flow = new URLSearchParams({
    client_id: "web",
    redirect_uri: `${app.url}/back`,
    response_type: "code",
    provider: "code",
  });
  const begun = await fetch(`${app.url}/authorize?${flow.toString()}`, { redirect: "manual" });
  expect([begun.status, begun.headers.get("location")]).toEqual([302, "/code/authorize"]);
  expect(begun.headers.getSetCookie().length).toBeGreaterThan(0);
});
