import { expect, test } from "vitest";
import type { Context } from "../../declare/context.ts";
import { transaction } from "../../declare/entity.ts";
import { RequireRole } from "../../declare/policy.ts";
import { Role } from "../../declare/role.ts";
import { sessionMs } from "../../lib/limits.ts";
import type { Bundle, BundledAuth, BundledEndpoint } from "../bundle.ts";
import { apis, bundleOf, start } from "../testing/app.ts";
import { bothProviders, openAuthPlatform } from "../testing/auth-platform.ts";
import { request } from "../testing/server.ts";
import { accountsOf } from "./users.ts";
import { setSessionCookie } from "./cookie.ts";
import { Sessions } from "./sessions.ts";

const AdminOnly = { declaration: RequireRole(Role("admin")), name: "AdminOnly" };

function bundleWith(auth: BundledAuth): Bundle {
  const [admin] = apis({ "GET /admin": { signIn: true, allow: AdminOnly, run: (ctx) => ctx.user().roles } }) as [
    BundledEndpoint,
  ];
  const through = (ctx: Context): Promise<unknown> => admin.declaration.call(ctx, {} as never);
  const others = apis({
    "GET /mine": { signIn: true, run: (ctx) => ctx.user().id },
    "GET /public": (ctx) => ({ who: ctx.maybeUser()?.id ?? null }),
    "GET /calls": (ctx) => through(ctx),
    "GET /transacts": (ctx) => transaction(ctx, through),
  });
  return { ...bundleOf([admin, ...others]), auth };
}

/** Starts an application on its own platform, where Ann has an account and a session. */
async function withAnn(auth: BundledAuth = bothProviders) {
  const authPlatform = await openAuthPlatform();
  const { platform, log } = authPlatform;
  const accounts = accountsOf(platform, auth);
  const { id } = await accounts.create({ email: "ann@example.com" }, log);
  const session = await new Sessions(platform).create(id, "email");
  if (session === undefined) throw new Error("there is no session for Ann");
  const [Cookie = ""] = setSessionCookie(session.id, false).split(";");
  const app = await start(bundleWith(auth), { platform });
  const get = async (path: string) => (await request(app.port, path, { Cookie })).status;
  return { ...app, ...authPlatform, accounts, id, session, Cookie, get };
}

test("one entity get per authenticated request, because the session lookup is not cached", async () => {
  await using ann = await withAnn();
  await ann.accounts.grant(ann.id, "admin");
  await ann.get("/mine");
  for (const path of ["/mine", "/public", "/admin", "/calls"]) {
    ann.calls.length = 0;
    expect([await ann.get(path), ann.calls]).toEqual([200, ["entities.get"]]);
  }
});

test("a request without a session asks the platform nothing", async () => {
  await using ann = await withAnn();
  ann.calls.length = 0;
  await request(ann.port, "/public", { Cookie: "theme=dark" });
  await request(ann.port, "/public");
  await request(ann.port, "/mine");
  expect(ann.calls).toEqual([]);
});

test("a grant admits on the next request and a revoke refuses on the next, without a new sign-in", async () => {
  await using ann = await withAnn();
  const ways = ["/admin", "/calls", "/transacts"];
  const all = () => Promise.all(ways.map((path) => ann.get(path)));
  expect(await all()).toEqual([403, 403, 403]);
  await ann.accounts.grant(ann.id, "admin");
  expect(await all()).toEqual([200, 200, 200]);
  await ann.accounts.revoke(ann.id, "admin");
  expect(await all()).toEqual([403, 403, 403]);
});

test.each(["disable", "delete"] as const)("after %s the account's session is nobody's", async (end) => {
  await using ann = await withAnn();
  expect(await ann.get("/mine")).toBe(200);
  await ann.accounts[end](ann.id);
  expect(await ann.get("/mine")).toBe(401);
  expect(await ann.get("/public")).toBe(200);
});

test("next request with the cookie of a session that was signed out is unauthenticated", async () => {
  await using ann = await withAnn();
  await new Sessions(ann.platform).end(ann.session.id);
  expect(await ann.get("/mine")).toBe(401);
});

test("a session is nobody's once 7 days have passed", async () => {
  await using ann = await withAnn();
  ann.clock.advance(sessionMs - 1000);
  expect(await ann.get("/mine")).toBe(200);
  ann.clock.advance(1000);
  expect(await ann.get("/mine")).toBe(401);
});

test("changing the declared providers never affects existing sessions", async () => {
  await using ann = await withAnn();
  await using later = await start(bundleWith({ social: true, password: false, roles: [] }), { platform: ann.platform });
  expect((await request(later.port, "/mine", { Cookie: ann.Cookie })).body).toBe(JSON.stringify(ann.id));
});
