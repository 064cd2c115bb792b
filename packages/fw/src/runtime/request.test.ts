import { once } from "node:events";
import { connect } from "node:net";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import type { Context } from "../declare/context.ts";
import { RequestContext } from "./request-context.ts";
import { apis, bundleOf, start } from "./testing/app.ts";
import { deferred } from "./testing/deferred.ts";
import { request, until } from "./testing/server.ts";
import { TestSessions } from "./testing/sessions.ts";
import { settings } from "./settings.ts";

test("every response carries the id that its logs are tagged with", async () => {
  const run = (ctx: Context) => {
    ctx.log.info("seen", { n: 1 });
    return ctx.requestId;
  };
  await using app = await start(bundleOf(apis({ "GET /": run })));
  const answer = await request(app.port, "/");
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{16}$/);
  expect(answer.body).toBe(JSON.stringify(answer.headers.get("x-request-id")));
  expect(app.logs).toMatchObject([
    { level: "info", message: "seen", tags: { req: answer.headers.get("x-request-id") }, fields: { n: 1 } },
  ]);
});

test("methods that a handler destructures from its context keep it", async () => {
  const sessions = new TestSessions();
  // oxlint-disable-next-line typescript/unbound-method -- the context binds them
  const run = ({ user, maybeUser: who, log }: Context): unknown => {
    log.info("seen");
    return [user().id, who()?.id];
  };
  await using app = await start(bundleOf(apis({ "GET /": { signIn: true, run } })), { sessions });
  const answer = await request(app.port, "/", { Cookie: sessions.signIn() });
  expect(answer).toMatchObject({ status: 200, body: '["u-ann","u-ann"]' });
});

test("requests are logged by the platform, not by the framework", async () => {
  await using app = await start(bundleOf(apis({ "GET /": () => 1 })));
  const answers = [await request(app.port, "/"), await request(app.port, "/nowhere")];
  expect(answers.map(({ status }) => status)).toEqual([200, 404]);
  expect(app.logs).toEqual([]);
});

test("an id is never taken from the request, and no two are the same", async () => {
  await using app = await start(bundleOf(apis({ "GET /": (ctx) => ctx.requestId })));
  const ids = new Set<string>();
  for (let i = 0; i < 600; i++) ids.add((await request(app.port, "/", { "X-Request-Id": "mine" })).body);
  expect(ids.size).toBe(600);
  expect(ids.has('"mine"')).toBe(false);
});

test("isHTMX is true when the request carries header HX-Request: true", async () => {
  await using app = await start(bundleOf(apis({ "GET /": (ctx) => ctx.isHTMX })));
  expect((await request(app.port, "/", { "HX-Request": "true" })).body).toBe("true");
  expect((await request(app.port, "/", { "HX-Request": "yes" })).body).toBe("false");
  expect((await request(app.port, "/")).body).toBe("false");
});

test("ctx.htmx says what htmx says, and ctx.wantsFragment leaves boosted links and restored history out", async () => {
  const seen = (ctx: Context): unknown => [ctx.wantsFragment, ...Object.values(ctx.htmx)];
  await using app = await start(bundleOf(apis({ "GET /": seen })));
  const ask = async (headers: Record<string, string>): Promise<unknown> =>
    JSON.parse(Buffer.from((await request(app.port, "/", headers)).body, "latin1").toString());
  const htmx = { "HX-Request": "true" };
  expect(await ask({})).toEqual([false, false, false, "", ""]);
  expect(await ask({ "HX-Boosted": "true", "HX-Target": "list" })).toEqual([false, true, false, "list", ""]);
  expect(await ask({ ...htmx, "HX-Target": "list", "HX-Trigger": "more" })).toEqual([
    true,
    false,
    false,
    "list",
    "more",
  ]);
  expect(await ask({ ...htmx, "HX-Boosted": "true" })).toEqual([false, true, false, "", ""]);
  expect(await ask({ ...htmx, "HX-History-Restore-Request": "true" })).toEqual([false, false, true, "", ""]);
  const encoded = { "HX-Target": "%E5%88%97", "HX-Target-URI-AutoEncoded": "true", "HX-Trigger": "50%" };
  expect(await ask({ ...htmx, ...encoded })).toEqual([true, false, false, "\u5217", "50%"]);
  expect(await ask({ "HX-Target": "%", "HX-Target-URI-AutoEncoded": "true" })).toEqual([false, false, false, "%", ""]);
});

test("ctx.origin is the address the visitor used, https only where the platform says so", async () => {
  const bundle = bundleOf(apis({ "GET /": (ctx) => ctx.origin }));
  await using local = await start(bundle);
  await using deployed = await start(bundle, { settings: settings.built("refused") });
  const ask = async (port: number, headers: Record<string, string>): Promise<unknown> =>
    JSON.parse((await request(port, "/", headers)).body);
  expect(await ask(local.port, { Host: "Notes.Test:8080" })).toBe("http://notes.test:8080");
  const pretended = { Host: "a.test", "X-Forwarded-Proto": "https", "X-Fw-Origin": "https://b" };
  expect(await ask(local.port, pretended)).toBe("http://a.test");
  expect(await ask(deployed.port, { Host: "a.test", "X-Forwarded-Proto": "https" })).toBe("https://a.test");
});

test("the client is the socket's address and the browser's name", async () => {
  await using app = await start(bundleOf(apis({ "GET /": (ctx) => ctx.client })));
  const answer = await request(app.port, "/", { "User-Agent": "curl/8" });
  expect(JSON.parse(answer.body)).toEqual({ ip: "127.0.0.1", userAgent: "curl/8" });
});

test("locally the client's IP is always the socket address", async () => {
  await using app = await start(bundleOf(apis({ "GET /": (ctx) => ctx.client.ip })));
  expect((await request(app.port, "/", { "X-Forwarded-For": "9.9.9.9" })).body).toBe('"127.0.0.1"');
});

test("deployed, the client's IP is counted from the right of X-Forwarded-For", async () => {
  await using app = await start(bundleOf(apis({ "GET /": (ctx) => ctx.client.ip })), {
    settings: settings.built("refused"),
  });
  const ipOf = async (header: string) => (await request(app.port, "/", { "X-Forwarded-For": header })).body;
  expect(await ipOf("6.6.6.6, 1.2.3.4")).toBe('"1.2.3.4"');
  expect(await ipOf("6.6.6.6\r\nX-Forwarded-For: 1.2.3.4")).toBe('"1.2.3.4"');
});

test("deployed, a list that is shorter than the platform's hops means the socket's address", async () => {
  await using app = await start(bundleOf(apis({ "GET /": (ctx) => ctx.client.ip })), {
    settings: settings.built("refused"),
  });
  const lists: Record<string, string>[] = [{}, { "X-Forwarded-For": "" }, { "X-Forwarded-For": "1.2.3.4, unknown" }];
  for (const headers of lists) expect((await request(app.port, "/", headers)).body).toBe('"127.0.0.1"');
});

test("ctx.signal aborts when the client disconnects", async () => {
  const aborted = deferred<boolean>();
  const reached = deferred<void>();
  const run = async (ctx: Context) => {
    reached.resolve();
    await once(ctx.signal, "abort");
    aborted.resolve(ctx.signal.aborted);
  };
  await using app = await start(bundleOf(apis({ "GET /": run })));
  const socket = connect(app.port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  await reached.promise;
  socket.destroy();
  expect(await aborted.promise).toBe(true);
});

test("ctx.signal is aborted already when it is first asked for after the client has gone", async () => {
  const proceed = deferred<void>();
  const reached = deferred<Context>();
  const seen = deferred<boolean>();
  const run = async (ctx: Context) => {
    reached.resolve(ctx);
    await proceed.promise;
    seen.resolve(ctx.signal.aborted);
  };
  await using app = await start(bundleOf(apis({ "GET /": run })));
  const socket = connect(app.port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  const request = RequestContext.requestOf(await reached.promise);
  socket.destroy();
  await until(() => request?.exchange.isOpen === false, "the server sees the client go");
  proceed.resolve();
  expect(await seen.promise).toBe(true);
});

test("ctx.signal does not abort because a keep-alive connection ends after the answer", async () => {
  let signal: AbortSignal | undefined;
  const run = (ctx: Context) => {
    signal = ctx.signal;
    return 1;
  };
  await using app = await start(bundleOf(apis({ "GET /": run })));
  await request(app.port, "/");
  await app.close();
  expect(signal?.aborted).toBe(false);
});

test("a logged context shows its id and route, never the request's headers", async () => {
  let shown = "";
  const run = (ctx: Context) => void (shown = JSON.stringify(ctx));
  await using app = await start(bundleOf(apis({ "GET /": run })));
  await request(app.port, "/", { Cookie: "fw_session=secret" });
  expect(shown).toMatch(/^\{"requestId":"[0-9a-f]{16}","route":"GET \/"\}$/);
  expect(inspect(JSON.parse(shown))).not.toContain("secret");
});

test("an error after the client has gone is in the log, the abort of its signal is not", async () => {
  const begun: string[] = [];
  const run = (error: Error) => async (ctx: Context) => {
    const aborted = once(ctx.signal, "abort");
    begun.push(error.name);
    await aborted;
    throw error;
  };
  const abort = new DOMException("aborted", "AbortError");
  await using app = await start(bundleOf(apis({ "GET /abort": run(abort), "GET /boom": run(new Error("boom")) })));
  for (const path of ["/abort", "/boom"]) {
    const socket = connect(app.port, "127.0.0.1", () => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`));
    const before = begun.length;
    await until(() => begun.length > before, "the handler runs");
    socket.destroy();
  }
  await until(() => app.logs.length > 0, "the error is logged");
  expect(app.logs.map((each) => String(each.fields["error"]))).toEqual(["Error: boom"]);
});
