import { describe, expect, test } from "vitest";
import { blob } from "../../declare/blob.ts";
import { Errorf } from "../../declare/errors.ts";
import { createHandler } from "../handler.ts";
import { settings } from "../settings.ts";
import { apis, bundleOf, documentOf, pages } from "../testing/app.ts";
import { ask, type MemoryRequest } from "../testing/memory-exchange.ts";
import { serve as listen } from "../server.ts";
import { request } from "../testing/server.ts";

const bundle = bundleOf([
  ...apis({
    "GET /hello": () => ({ hello: "world" }),
    "GET /loaves/{id}": (_ctx, { params, query }) => [params, query],
    "GET /who": (ctx) => [ctx.isHTMX, ctx.origin, ctx.client.userAgent],
    "POST /orders": { carries: "json", run: (_ctx, { body }) => ({ got: body }) },
    "POST /form": { carries: "form", run: (_ctx, { form }) => Object.fromEntries(form?.values ?? []) },
    "GET /empty": () => undefined,
    "GET /gone": () => {
      throw Errorf(410, "sold out");
    },
    "GET /broken": () => {
      throw new Error("the oven is cold");
    },
    "GET /bytes": () => blob("0123456789", { type: "text/plain", size: 10, etag: "v1" }),
    "GET /private": { private: true, run: () => "in" },
    "GET /mine": { signIn: true, run: () => "in" },
  }),
  ...pages({ "GET /page": () => documentOf("<p>bread</p>"), "POST /page": () => documentOf("<p>more</p>") }),
]);

const json = { "Content-Type": "application/json" };
const urlencoded = { "Content-Type": "application/x-www-form-urlencoded" };

/** Requests whose results do not depend on the connection. */
const cases: readonly (readonly [target: string, sent?: MemoryRequest])[] = [
  ["/hello"],
  ["/hello", { method: "HEAD" }],
  ["/hello", { method: "DELETE" }],
  ["/hello", { method: "OPTIONS" }],
  ["/loaves/rye%20bread?n=1"],
  ["/loaves/%zz"],
  ["/nowhere"],
  ["/nowhere", { headers: { Accept: "text/html" } }],
  ["/who", { headers: { "HX-Request": "true", "User-Agent": "a test" } }],
  ["/orders", { method: "POST", headers: json, body: '{"rye":2}' }],
  ["/orders", { method: "POST", headers: json, body: "{" }],
  ["/orders", { method: "POST", headers: urlencoded, body: "rye=2" }],
  ["/form", { method: "POST", headers: urlencoded, body: "rye=2&rye=3" }],
  ["/form", { method: "POST", headers: { ...urlencoded, "Content-Encoding": "gzip" }, body: "rye=2" }],
  ["/empty"],
  ["/gone"],
  ["/broken"],
  ["/bytes"],
  ["/bytes", { headers: { Range: "bytes=2-4" } }],
  ["/bytes", { headers: { "If-None-Match": '"v1"' } }],
  ["/private"],
  ["/mine"],
  ["/page"],
  ["/page", { method: "POST", headers: { ...urlencoded, "Sec-Fetch-Site": "cross-site" }, body: "a=1" }],
  ["/page", { method: "POST", headers: urlencoded, body: "a=1" }],
  ["/_fw/nothing"],
  ["http://elsewhere/hello"],
];

describe("an exchange that no server has made is answered as one of node:http", () => {
  const handler = createHandler(bundle, { settings: settings.test, log: () => {} });
  /** Headers that the server adds or that differ in every response. */
  const ofServer = new Set(["date", "connection", "keep-alive", "transfer-encoding", "x-request-id"]);
  const told = (headers: ReadonlyMap<string, string>): unknown =>
    [...headers].filter(([name]) => !ofServer.has(name)).toSorted();

  test.each(cases.map(([target, sent = {}]) => ({ target, sent })))("$target $sent", async ({ target, sent }) => {
    await using server = await listening();
    const { method = "GET", headers = {}, body = "" } = sent;
    const length: Record<string, string> = body === "" ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
    const wire = await request(server.port, target, { ...headers, ...length }, method, body);
    const memory = await ask(handler, target, sent);
    const text = Buffer.from(wire.body, "latin1").toString();
    expect([memory.status, memory.body, told(memory.headers)]).toEqual([wire.status, text, told(wire.headers)]);
    expect(memory.headers.get("x-request-id")).toMatch(/^[0-9a-f]{16}$/);
  });

  async function listening(): Promise<AsyncDisposable & { readonly port: number }> {
    const server = await listen(handler, { port: 0, host: "127.0.0.1", times: { drainMs: 500 } });
    return { port: server.port, [Symbol.asyncDispose]: () => server.close() };
  }
});
