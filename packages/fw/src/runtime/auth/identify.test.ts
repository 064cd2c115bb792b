import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, get } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Context } from "../../declare/context.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { createApplication } from "../create-application.ts";
import { TransactionContext } from "../entity/transaction-context.ts";
import { responder } from "../respond.ts";
import { apis, bundleOf, documentOf, pages, siteOf, start } from "../testing/app.ts";
import { deferred } from "../testing/deferred.ts";
import { exchange, parseAnswer, request, serve, until } from "../testing/server.ts";
import { bothProviders, openAuthPlatform } from "../testing/auth-platform.ts";
import { TestSessions } from "../testing/sessions.ts";
import type { Sessions } from "./sessions.ts";
import { settings } from "../settings.ts";

const html = { Accept: "text/html" };
const unfound = {
  error: {
    message: expect.stringMatching(/^GET \/public asked for the user, .* in the handler itself and pass the user on/),
  },
};
const nobody = /^GET \/open called ctx\.user\(\) without a signed-in user: add signIn or allow to the route/;

describe("the identity of a request", () => {
  const bundle = bundleOf(
    apis({
      "GET /mine": { signIn: true, run: (ctx) => ctx.user() },
      "GET /open": (ctx) => ctx.user().id,
      "GET /public": (ctx) => ({ who: ctx.maybeUser()?.id ?? "nobody" }),
      "GET /same": { maxAge: 60, run: (ctx) => ({ who: ctx.maybeUser()?.id ?? "nobody" }) },
    }),
  );

  test("the user is available past signIn, with id, email, name, provider, emailVerified and roles", async () => {
    const sessions = new TestSessions();
    await using app = await start(bundle, { sessions });
    const answer = await request(app.port, "/mine", { Cookie: sessions.signIn({ roles: ["admin", "editor"] }) });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      200,
      {
        id: "u-ann",
        email: "ann@example.com",
        name: "Ann",
        provider: "email",
        emailVerified: true,
        roles: ["admin", "editor"],
      },
    ]);
  });

  test("a signIn route answers 401 with `sign in to continue` when anonymous", async () => {
    await using app = await start(bundle, { sessions: new TestSessions() });
    expect(await request(app.port, "/mine")).toMatchObject({ status: 401, body: '{"error":"sign in to continue"}' });
  });

  test("a session that has ended is nobody's on the next request", async () => {
    const sessions = new TestSessions();
    await using app = await start(bundle, { sessions });
    const cookie = sessions.signIn();
    expect((await request(app.port, "/mine", { Cookie: cookie })).status).toBe(200);
    sessions.signOut(cookie);
    expect((await request(app.port, "/mine", { Cookie: cookie })).status).toBe(401);
  });

  test("`ctx.maybeUser()` answers who is signed in on a public route, or undefined", async () => {
    const sessions = new TestSessions();
    await using app = await start(bundle, { sessions });
    expect((await request(app.port, "/public", { Cookie: sessions.signIn() })).body).toBe('{"who":"u-ann"}');
    expect((await request(app.port, "/public")).body).toBe('{"who":"nobody"}');
  });

  test("`ctx.user()` without a gate is a programming fault: an opaque 500, and a sentence for the developer in the log", async () => {
    const sessions = new TestSessions();
    await using app = await start(bundle, { sessions });
    expect(await request(app.port, "/open")).toMatchObject({ status: 500, body: '{"error":"internal error"}' });
    expect(app.logs).toMatchObject([{ level: "error", fields: { error: { message: expect.stringMatching(nobody) } } }]);
    expect((await request(app.port, "/open", { Cookie: sessions.signIn() })).status).toBe(200);
  });

  test("a route with maxAge is the same for everybody, who is signed in too", async () => {
    const sessions = new TestSessions();
    await using app = await start(bundle, { sessions });
    expect((await request(app.port, "/same", { Cookie: sessions.signIn() })).body).toBe('{"who":"nobody"}');
    expect(sessions.finds).toBe(0);
  });

  test("a context in a transaction has the user of the context around it", async () => {
    const sessions = new TestSessions();
    const inside = (ctx: Context): Context => new TransactionContext(ctx, undefined as never);
    const endpoints = apis({
      "GET /user": (ctx) => inside(ctx).user().id,
      "GET /maybe": (ctx) => ({ who: inside(ctx).maybeUser()?.id ?? "nobody" }),
    });
    await using app = await start(bundleOf(endpoints), { sessions });
    const cookie = sessions.signIn();
    expect((await request(app.port, "/user", { Cookie: cookie })).body).toBe('"u-ann"');
    expect((await request(app.port, "/maybe", { Cookie: cookie })).body).toBe('{"who":"u-ann"}');
    expect((await request(app.port, "/maybe")).body).toBe('{"who":"nobody"}');
    expect((await request(app.port, "/user")).status).toBe(500);
  });

  test("a service in whose code nothing was found to ask reads no sessions, and says so where something does", async () => {
    const { platform, calls: asked } = await openAuthPlatform();
    const quiet = { ...bundle, auth: { ...bothProviders, readsSessions: false } } as const;
    await using app = await start(quiet, { platform });
    const headers = { Cookie: new TestSessions().signIn() };
    expect((await request(app.port, "/public", headers)).status).toBe(500);
    expect((await request(app.port, "/public")).status).toBe(500);
    expect(app.logs.map(({ fields }) => fields)).toMatchObject([unfound, unfound]);
    // The response is the same for all users, so fw looks up no session.
    expect((await request(app.port, "/same", headers)).body).toBe('{"who":"nobody"}');
    expect((await request(app.port, "/_fw/signin")).status).toBe(404);
    expect(asked).toEqual([]);
  });

  test("over https only the cookie that is bound to the host counts", async () => {
    const sessions = new TestSessions();
    await using app = await start(bundle, { sessions, settings: settings.built("refused") });
    const https = { "X-Forwarded-Proto": "https" };
    const cookie = sessions.signIn();
    expect((await request(app.port, "/mine", { ...https, Cookie: cookie })).status).toBe(401);
    expect((await request(app.port, "/mine", { ...https, Cookie: `__Host-${cookie}` })).status).toBe(200);
  });

  test("a look-up that fails is an opaque 500, and the handler never runs", async () => {
    const find = async (): Promise<never> => {
      throw new Error("the store's password is hunter2");
    };
    await using app = await start(bundle, { sessions: { find } });
    const cookie = new TestSessions().signIn();
    expect(await request(app.port, "/public", { Cookie: cookie })).toMatchObject({
      status: 500,
      body: '{"error":"internal error"}',
    });
    expect(app.logs).toMatchObject([{ fields: { error: { message: "the store's password is hunter2" } } }]);
  });

  test("who goes away during the look-up is not served, and the request is over", async () => {
    const lookup = deferred<undefined>();
    const connection = deferred<Socket>();
    const handlerCalls: unknown[] = [];
    const statuses: number[] = [];
    const endpoints = apis({ "POST /": { carries: "json", run: (_ctx, { body }) => handlerCalls.push(body) } });
    const request = (_route: string, status: number): void => void statuses.push(status);
    const metrics = { request, define() {}, add() {}, observe() {}, misfit() {} };
    const app = createApplication(bundleOf(endpoints), { settings: settings.test, metrics });
    await using server = await serve(({ exchange }) => {
      const find = (): Promise<undefined> => (connection.resolve(exchange.req.socket), lookup.promise);
      responder({ ...app, sessions: { find } as unknown as Sessions })(exchange);
    });
    const client = connect(server.port, "127.0.0.1");
    const head = `Host: x\r\nCookie: ${new TestSessions().signIn()}\r\nContent-Type: application/json`;
    client.write(`POST / HTTP/1.1\r\n${head}\r\nContent-Length: 10\r\n\r\n[1`);
    const socket = await connection.promise;
    const closed = new Promise((resolve) => socket.once("close", resolve));
    client.destroy();
    await closed;
    lookup.resolve(undefined);
    await until(() => statuses.length > 0, "the request is over");
    expect([statuses, handlerCalls]).toEqual([[499], []]);
  });
});

describe("while a session is looked up", () => {
  const endpoints = bundleOf(
    apis({
      "POST /json": { carries: "json", run: (_ctx, { body }) => body },
      "GET /signed": (ctx) => ({ who: ctx.maybeUser()?.id ?? "nobody" }),
    }),
  );

  /** Creates sessions whose lookups wait until they are released. */
  function slow() {
    const sessions = new TestSessions();
    const released = deferred<void>();
    const find = async (id: string) => (await released.promise, sessions.find(id));
    return { find, signIn: () => sessions.signIn(), release: () => released.resolve() };
  }

  test("a body that comes meanwhile is read whole", async () => {
    const sessions = slow();
    await using app = await start(endpoints, { sessions });
    const body = JSON.stringify("x".repeat(100_000));
    const head = `Host: x\r\nConnection: close\r\nCookie: ${sessions.signIn()}\r\nContent-Type: application/json`;
    const answer = exchange(
      app.port,
      `POST /json HTTP/1.1\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect((await request(app.port, "/signed")).body).toBe('{"who":"nobody"}');
    sessions.release();
    expect(parseAnswer(await answer)).toMatchObject({ status: 200, body });
  });

  test("the request behind it on the connection, which is somebody else's, waits for its turn and stays theirs", async () => {
    const sessions = slow();
    await using app = await start(endpoints, { sessions });
    const first = `GET /signed HTTP/1.1\r\nHost: x\r\nCookie: ${sessions.signIn()}\r\n\r\n`;
    const answers = exchange(app.port, `${first}GET /signed HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await request(app.port, "/signed");
    sessions.release();
    expect((await answers).match(/\{.*\}/g)).toEqual(['{"who":"u-ann"}', '{"who":"nobody"}']);
  });
});

describe("what is looked up", () => {
  const site = siteOf({ templates: { "404.html": (_data, page) => page.csrfToken() }, notFound: "404.html" });

  test("nothing, for a request without a session's cookie, or with one that fw never made", async () => {
    const sessions = new TestSessions();
    await using app = await start(bundleOf(apis({ "GET /": () => 1 })), { sessions });
    const cookies = ["theme=dark", "fw_session=", "fw_session=short", `fw_session=${"!".repeat(43)}`];
    for (const headers of [{}, ...cookies.map((Cookie) => ({ Cookie }))]) await request(app.port, "/", headers);
    expect(sessions.finds).toBe(0);
  });

  test("nothing, for a file", async () => {
    const sessions = new TestSessions();
    const dir = await mkdtemp(join(tmpdir(), "fw-identify-"));
    await writeFile(join(dir, "a.txt"), "a");
    const { assets: _none, ...files } = siteOf({ dir });
    await using app = await start(bundleOf([], { site: files }), { sessions });
    expect(await request(app.port, "/a.txt", { Cookie: sessions.signIn() })).toMatchObject({ status: 200, body: "a" });
    expect(sessions.finds).toBe(0);
    await rm(dir, { recursive: true });
  });

  test("one session, once a request, however many endpoints it calls", async () => {
    const sessions = new TestSessions();
    const mine = apis({ "GET /mine": { signIn: true, run: (ctx) => ctx.user().id } });
    const [ownAuthenticator] = mine;
    const run = async (ctx: Context) => [
      ctx.user().id,
      await call(ctx, ownAuthenticator),
      await call(ctx, ownAuthenticator),
    ];
    await using app = await start(bundleOf([...mine, ...apis({ "GET /": { signIn: true, run } })]), { sessions });
    const cookie = sessions.signIn();
    expect((await request(app.port, "/", { Cookie: cookie })).body).toBe('["u-ann","u-ann","u-ann"]');
    expect(sessions.finds).toBe(1);
    await request(app.port, "/", { Cookie: cookie });
    expect(sessions.finds).toBe(2);
  });

  test("the session, for the designed page of a mistyped address: its forms are those of who is signed in", async () => {
    const sessions = new TestSessions();
    await using app = await start(bundleOf(pages({ "POST /save": () => documentOf("saved") }), { site }), { sessions });
    const cookie = sessions.signIn();
    const missed = await request(app.port, "/nowhere", { ...html, Cookie: cookie });
    expect([missed.status, missed.headers.has("set-cookie")]).toEqual([404, false]);
    const headers = { Cookie: cookie, "X-CSRF-Token": missed.body };
    expect((await request(app.port, "/save", headers, "POST")).status).toBe(200);
  });
});

test("never another request's identity: 1,000 interleaved requests of two sessions and anonymous clients", async () => {
  const sessions = new TestSessions();
  const who = (ctx: Context) => ctx.maybeUser()?.id ?? "nobody";
  const inner = apis({ "GET /inner": async (ctx) => (await setImmediate(), who(ctx)) });
  const [ownAuthenticator] = inner;
  const run = async (ctx: Context) => {
    const before = who(ctx);
    await setImmediate();
    return [before, await call(ctx, ownAuthenticator), who(ctx)];
  };
  await using app = await start(bundleOf([...inner, ...apis({ "GET /": run })]), { sessions });
  const cookies = { "u-ann": sessions.signIn(), "u-bob": sessions.signIn({ id: "u-bob" }), nobody: "theme=dark" };
  const senders = Object.entries(cookies);
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const wrong: string[] = [];
  const send = async (turn: number): Promise<void> => {
    const [expected, cookie] = senders[(turn * 7) % senders.length] as [string, string];
    const body = await bodyOf(app.url, agent, cookie);
    if (body !== JSON.stringify([expected, expected, expected])) wrong.push(`${expected}: ${body}`);
  };
  await Promise.all(Array.from({ length: 1000 }, (_, turn) => send(turn)));
  agent.destroy();
  expect(wrong).toEqual([]);
});

function call(ctx: Context, endpoint: BundledEndpoint | undefined): Promise<unknown> {
  return (endpoint as BundledEndpoint).declaration.call(ctx, {} as never);
}

function bodyOf(url: string, agent: Agent, cookie: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { Cookie: cookie } }, (answer) => {
      text(answer).then(resolve, reject);
    }).on("error", reject);
  });
}
