import { expect, test } from "vitest";
import type { Context } from "../../declare/context.ts";
import { isDenied, NotFound } from "../../declare/errors.ts";
import { RequireRole } from "../../declare/policy.ts";
import { Role } from "../../declare/role.ts";
import { accountsOf } from "../auth/users.ts";
import { setSessionCookie } from "../auth/cookie.ts";
import { Sessions } from "../auth/sessions.ts";
import { BackgroundContext } from "../background/context.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { transaction } from "../../declare/entity.ts";
import { apis, pages, type TestApp } from "../testing/app.ts";
import { bothProviders, openAuthPlatform } from "../testing/auth-platform.ts";
import { request } from "../testing/server.ts";
import { remote, TestServices } from "../testing/services.ts";
import { settings } from "../settings.ts";

const AdminOnly = { declaration: RequireRole(Role("admin")), name: "AdminOnly" };
const auth = bothProviders;

/** Starts a chain of three services. The first and last share accounts; Ann is signed in and is an admin. */
async function chain(
  between: (ctx: Context, given: { readonly revoke: () => Promise<void> }) => unknown = () => undefined,
) {
  const { platform, log, calls: asked } = await openAuthPlatform();
  const accounts = accountsOf(platform, auth);
  const { id } = await accounts.create({ email: "ann@example.com" }, log);
  await accounts.grant(id, "admin");
  const session = await new Sessions(platform).create(id, "email");
  if (session === undefined) throw new Error("there is no session for Ann");
  const [Cookie = ""] = setSessionCookie(session.id, false).split(";");

  const [last] = apis({
    "GET /last": { signIn: true, allow: AdminOnly, private: true, run: (ctx) => ctx.user().email },
  }) as [BundledEndpoint];
  const [middle] = apis({
    "POST /middle": async (ctx) => {
      await between(ctx, { revoke: () => accounts.revoke(id, "admin") });
      return last.declaration.call(ctx, {} as never);
    },
  }) as [BundledEndpoint];
  const first = apis({
    "GET /first": { signIn: true, run: (ctx) => middle.declaration.call(ctx, {} as never) },
    "GET /cached": { maxAge: 60, run: (ctx) => middle.declaration.call(ctx, {} as never) },
    "GET /inside": (ctx) => transaction(ctx, (tx) => middle.declaration.call(tx, {} as never)),
  });
  const services = new TestServices();
  const parts = { platform, bundle: { auth } };
  const billing = await services.start("billing", { ...parts, endpoints: [last] });
  // This service has no sign-in and forwards the credentials that it receives.
  const orders = await services.start("orders", { endpoints: [middle], remotes: [remote("billing", last)] });
  const web = await services.start("web", { ...parts, endpoints: first, remotes: [remote("orders", middle)] });
  return { platform, services, web, orders, billing, Cookie, session, asked, last, id, accounts };
}

test("a call carries the caller's session from service to service, and each looks it up", async () => {
  const { web, Cookie, asked } = await chain();
  asked.length = 0;
  const answer = await request(web.port, "/first", { Cookie });
  expect([answer.status, answer.body]).toEqual([200, '"ann@example.com"']);
  expect(asked).toEqual(["entities.get", "entities.get"]);
});

test("a service that asks for no user passes the session on and reads none", async () => {
  const { platform, services, last, Cookie, asked } = await chain();
  const endpoints = apis({
    "GET /through": (ctx) => last.declaration.call(ctx, {} as never),
    "POST /through": (ctx) => last.declaration.call(ctx, {} as never),
  });
  const bundle = { auth: { ...auth, readsSessions: false } } as const;
  const quiet = await services.start("quiet", { platform, bundle, endpoints, remotes: [remote("billing", last)] });
  asked.length = 0;
  const answer = await request(quiet.port, "/through", { Cookie });
  expect([answer.status, answer.body]).toEqual([200, '"ann@example.com"']);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(asked).toEqual(["entities.get"]);
  const fromElsewhere = { Cookie, "Sec-Fetch-Site": "cross-site", "Content-Length": "0" };
  expect((await request(quiet.port, "/through", fromElsewhere, "POST")).status).toBe(403);
  expect(asked).toEqual(["entities.get"]);
});

test("a role that is revoked between two calls is refused by the next service", async () => {
  const verdicts: boolean[] = [];
  const { web, Cookie, last } = await chain(async (ctx, { revoke }) => {
    await revoke();
    verdicts.push(isDenied(await last.declaration.call(ctx, {} as never).catch((error: unknown) => error)));
  });
  const answer = await request(web.port, "/first", { Cookie });
  expect([answer.status, answer.body]).toEqual([403, '{"error":"this page needs the admin role"}']);
  expect(verdicts).toEqual([true]);
});

test("a session that ends between two calls has no user at the next service", async () => {
  const platforms: { end?: () => Promise<void> } = {};
  const { web, Cookie, accounts, id } = await chain(() => platforms.end?.());
  platforms.end = () => accounts.disable(id);
  const answer = await request(web.port, "/first", { Cookie });
  expect([answer.status, answer.body]).toEqual([401, '{"error":"sign in to continue"}']);
});

test("a visitor who is not signed in is not signed in at any service", async () => {
  const { web, asked } = await chain();
  asked.length = 0;
  expect((await request(web.port, "/first")).status).toBe(401);
  expect((await request(web.port, "/inside")).status).toBe(401);
  expect(asked.filter((each) => each === "entities.get")).toEqual([]);
});

test("a call in a transaction carries the session of the request around it", async () => {
  const { web, Cookie } = await chain();
  expect((await request(web.port, "/inside", { Cookie })).body).toBe('"ann@example.com"');
});

test("a route with maxAge is the same for everybody, so its calls carry no session", async () => {
  const { web, Cookie } = await chain();
  expect((await request(web.port, "/cached", { Cookie })).status).toBe(401);
});

test("background work calls for nobody", async () => {
  const { orders, last } = await chain();
  const ctx = new BackgroundContext(orders.app, { tags: {}, id: "1", signal: new AbortController().signal });
  await expect(last.declaration.call(ctx, {} as never)).rejects.toMatchObject({ status: 401 });
});

/**
 * Starts a service with a private and a public route, which return the signed-in user and the client's IP address, and
 * a page that accepts forms.
 */
async function doors() {
  const { platform, log, calls: asked } = await openAuthPlatform();
  const { id } = await accountsOf(platform, auth).create({ email: "ann@example.com" }, log);
  const session = await new Sessions(platform).create(id, "email");
  if (session === undefined) throw new Error("there is no session for Ann");
  const whoami = (ctx: Context): unknown => ({ who: ctx.maybeUser()?.email ?? null, ip: ctx.client.ip });
  const endpoints = [
    ...apis({ "GET /private": { private: true, run: whoami }, "GET /public": whoami, "POST /public": whoami }),
    ...pages({
      "POST /page": () => {
        throw NotFound();
      },
    }),
  ];
  const services = new TestServices();
  const app = await services.start("orders", { endpoints, platform, bundle: { auth } });
  const ask = async (path: string, headers: Readonly<Record<string, string>>, method = "GET") => {
    asked.length = 0;
    const { status, body } = await request(app.port, path, headers, method);
    return [status, body.includes("ann@example.com"), asked.length] as const;
  };
  return { app, services, endpoints, ask, session: session.id, platform };
}

test("a token of another service opens a private route, with the session of X-Fw-Session in place of a cookie", async () => {
  const { services, ask, session } = await doors();
  const Authorization = `Bearer ${services.token("web", "orders")}`;
  expect(await ask("/private", { Authorization })).toEqual([200, false, 0]);
  expect(await ask("/private", { Authorization, "X-Fw-Session": session })).toEqual([200, true, 1]);
  expect(await ask("/private", { Authorization, Cookie: `fw_session=${session}` })).toEqual([200, false, 0]);
  expect(await ask("/private", { Authorization, "X-Fw-Session": "a".repeat(43) })).toEqual([200, false, 1]);
  expect(await ask("/private", { Authorization, "X-Fw-Session": "no session" })).toEqual([200, false, 0]);
});

test.each([
  ["no token", () => ({})],
  ["a forged token", () => bearer(new TestServices().token("web", "orders"))],
  ["an expired token", (s: TestServices) => bearer(s.token("web", "orders", Date.now() - 1))],
  ["a token for another service", (s: TestServices) => bearer(s.token("web", "billing"))],
  ["a token cut short", (s: TestServices) => bearer(s.token("web", "orders").slice(0, -1))],
  ["two tokens", (s: TestServices) => bearer(`${s.token("web", "orders")}, Bearer ${s.token("web", "orders")}`)],
  ["other credentials", () => ({ Authorization: "Basic YTpi" })],
] as const)("with %s X-Fw-Session is never looked at, and a private route is a 403", async (_, headersOf) => {
  const { services, ask, session, app } = await doors();
  const headers = { ...headersOf(services), "X-Fw-Session": session, "X-Fw-Client-IP": "6.6.6.6" };
  expect(await ask("/private", headers)).toEqual([403, false, 0]);
  expect(await ask("/public", headers)).toEqual([200, false, 0]);
  const answer = await request(app.port, "/public", headers);
  expect(answer.body).toBe('{"who":null,"ip":"127.0.0.1"}');
  expect([...answer.headers.keys()].filter((name) => name.startsWith("x-fw-"))).toEqual([]);
});

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

test("deployed, a private route asks for a service's token too, where services have tokens", async () => {
  const { services, endpoints } = await doors();
  const app = await services.start("orders", { endpoints, settings: settings.built("refused") });
  const status = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await request(app.port, "/private", headers)).status;
  expect(await status({})).toBe(403);
  expect(await status(bearer(services.token("web", "orders")))).toBe(200);
});

test("another service is no browser: it needs no CSRF token, and may come from another site", async () => {
  const { services, ask, session } = await doors();
  const fromElsewhere = { "Sec-Fetch-Site": "cross-site", "Content-Length": "0" };
  const headers = { ...bearer(services.token("web", "orders")), "X-Fw-Session": session, ...fromElsewhere };
  expect(await ask("/public", headers, "POST")).toEqual([200, true, 1]);
  expect((await ask("/page", headers, "POST"))[0]).toBe(404);
  expect((await ask("/page", { Cookie: `fw_session=${session}`, ...fromElsewhere }, "POST"))[0]).toBe(403);
});

test("a handler sees the visitor's address, browser and htmx in every service", async () => {
  const services = new TestServices();
  const describeContext = (ctx: Context): unknown => ({
    ...ctx.client,
    origin: ctx.origin,
    htmx: ctx.isHTMX,
    ...ctx.htmx,
  });
  const [load] = apis({ "GET /x": describeContext }) as [BundledEndpoint];
  await services.start("orders", { endpoints: [load], settings: settings.built("refused") });
  const endpoints = apis({ "GET /": (ctx) => load.declaration.call(ctx, {} as never) });
  const web = await services.start("web", { endpoints, remotes: [remote("orders", load)] });
  const visitor = { ip: "127.0.0.1", origin: "http://notes.test" };
  const htmxRequest = { "HX-Request": "true", "HX-Boosted": "true", "HX-Target": "rows" };
  const encoded = { "HX-Trigger": "%E5%88%97", "HX-Trigger-URI-AutoEncoded": "true" };
  const htmxDetails = { boosted: true, historyRestore: false, target: "rows", trigger: "\u5217" };
  const unsaid = { boosted: false, historyRestore: false, target: "", trigger: "" };
  const ask = async (headers: Record<string, string>): Promise<unknown> =>
    JSON.parse(
      Buffer.from((await request(web.port, "/", { Host: "notes.test", ...headers })).body, "latin1").toString(),
    );
  const answer = await ask({ "User-Agent": "Mozilla/5.0", ...htmxRequest, ...encoded });
  expect(answer).toEqual({ ...visitor, userAgent: "Mozilla/5.0", htmx: true, ...htmxDetails });
  expect(await ask({})).toEqual({ ...visitor, userAgent: "", htmx: false, ...unsaid });
});

test("the log of every service names one trace, and that of an outsider's traceparent is not it", async () => {
  const services = new TestServices();
  const noting = (next?: BundledEndpoint) => async (ctx: Context) => {
    ctx.log.info("here");
    return next?.declaration.call(ctx, {} as never);
  };
  const [last] = apis({ "GET /last": noting() }) as [BundledEndpoint];
  const [middle] = apis({ "GET /middle": noting(last) }) as [BundledEndpoint];
  const apps: TestApp[] = [
    await services.start("billing", { endpoints: [last] }),
    await services.start("orders", { endpoints: [middle], remotes: [remote("billing", last)] }),
  ];
  const endpoints = apis({ "GET /": noting(middle) });
  const web = await services.start("web", { endpoints, remotes: [remote("orders", middle)] });
  const outsiders = "0123456789abcdef0123456789abcdef";
  await request(web.port, "/", { traceparent: `00-${outsiders}-0123456789abcdef-01` });
  const traces = [web, ...apps].map(({ logs }) => logs[0]?.tags["trace"]);
  expect(new Set(traces).size).toBe(1);
  expect(traces[0]).toMatch(/^(?!0123456789abcdef0123456789abcdef)[\da-f]{32}$/);
});
