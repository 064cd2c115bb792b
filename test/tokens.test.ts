import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { mostTopologies, startFiles, type Running } from "./support/topologies.ts";

// Users with access tokens for their programs, and a desk in another service, which they reach through the first.
const office = String.raw`
-- people/access.ts --
import { Auth, RequireRole, Role } from "fw";
export const auth = Auth({ password: true, tokens: true });
export const Editor = Role("editor");
export const Chief = Role("chief");
export const CanEdit = RequireRole(Editor);
export const CanDecide = RequireRole(Chief);

-- people/api.ts --
import { API, type CreatedToken, type Int, type Path } from "fw";
import { desk } from "../desk/desk.ts";
import { auth, CanDecide, CanEdit, Chief, Editor } from "./access.ts";

export interface Wanted { name: string; only?: "editor" | "both"; expires?: "1h" | "1ms" | "3s" | "40000d" | "never" }
export const create = API("POST /tokens", (ctx, { name, only, expires = "1h" }: Wanted): Promise<CreatedToken> =>
  auth.tokens.create(ctx, ctx.user(), { name, expires, ...(only && { roles: only === "both" ? [Editor, Chief] : [Editor] }) }), { signIn: true });
export const list = API("GET /tokens", (ctx) => auth.tokens.list(ctx, ctx.user()), { signIn: true });
export const revoke = API("DELETE /tokens/{id}", (ctx, { id }) => auth.tokens.revoke(ctx, ctx.user(), id), { signIn: true });

export const whoami = API("GET /whoami", (ctx) => ctx.user(), { signIn: true });
export const hello = API("GET /hello", (ctx) => ctx.maybeUser()?.email ?? "nobody");
export const add = API("POST /add", (_ctx, { n }: { n: Int }) => n + 1, { signIn: true });
export const edit = API("POST /edit", () => "edited", { allow: CanEdit });
export const decide = API("POST /decide", () => "decided", { allow: CanDecide });
export const askDesk = API("GET /ask-desk", (ctx) => desk.call(ctx, {}));

export interface Of { id: Path; role: Path }
export const grant = API("PUT /people/{id}/{role}", (ctx, { id, role }: Of) =>
  auth.users.grant(ctx, id, role === "chief" ? Chief : Editor));
export const drop = API("DELETE /people/{id}/{role}", (ctx, { id, role }: Of) =>
  auth.users.revoke(ctx, id, role === "chief" ? Chief : Editor));
export const disable = API("POST /people/{id}/disable", (ctx, { id }) => auth.users.disable(ctx, id));
export const enable = API("POST /people/{id}/enable", (ctx, { id }) => auth.users.enable(ctx, id));

-- people/pages.ts --
import { type Form, Page, Site } from "fw";
export const site = Site("./public");
export const book = Page("POST /book", (ctx, { name }: { name: Form }) => site.fragment(ctx, "book.html", { name }), { signIn: true });
-- people/public/templates/book.html --
booked {{name}}

-- desk/desk.ts --
import { API } from "fw";
export const desk = API("GET /desk", (ctx) => ({ asked: ctx.user().email, roles: ctx.user().roles }), { signIn: true });
`;

interface Token {
  readonly id: string;
  readonly secret: string;
  readonly name: string;
}

describe.each(mostTopologies)("access tokens %s", (...topology) => {
  let app: Running;
  let url: string;
  let alice: Record<string, string>;
  let me: { id: string; email: string };
  beforeAll(async () => {
    app = await startFiles(topology, Object.fromEntries(filesOf(office)));
    url = `http://localhost:${app.port}`;
  });
  afterAll(() => app?.[Symbol.asyncDispose]());

  const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: object) => {
    const json: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
    const init: RequestInit = { method, headers: { ...json, ...headers }, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(url + path, { ...init, redirect: "manual" });
    const text = await answer.text();
    const isJSON = answer.headers.get("content-type") === "application/json";
    return { status: answer.status, body: isJSON ? JSON.parse(text) : text, headers: answer.headers };
  };
  const status = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status;
  const signIn = async (name: string): Promise<Record<string, string>> => {
    const answer = await fetch(`${url}/_fw/api/session`, {
      method: "POST",
      body: new URLSearchParams({ dev_user: name }),
      redirect: "manual",
    });
    const [cookie = ""] =
      answer.headers
        .getSetCookie()
        .find((each) => each.includes("fw_session="))
        ?.split(";") ?? [];
    return { Cookie: cookie };
  };
  const createToken = async (headers: Record<string, string>, options: object = {}): Promise<Token> => {
    const { status: got, body } = await ask("POST", "/tokens", headers, { name: "ci", ...options });
    expect(got).toBe(200);
    return body as Token;
  };
  const bearer = ({ secret }: Token): Record<string, string> => ({ Authorization: `Bearer ${secret}` });

  beforeEach(async () => {
    alice = await signIn("alice");
    me = (await ask("GET", "/whoami", alice)).body;
    for (const role of ["editor", "chief"]) await ask("DELETE", `/people/${me.id}/${role}`);
  });

  test("a token is shown once, and speaks for its owner as a session would, in every service", async () => {
    const token = await createToken(alice);
    expect(token.secret).toMatch(/^fwt_[\w-]{43}$/);
    const ownTokens = (await ask("GET", "/tokens", alice)).body as Token[];
    expect(ownTokens.find(({ id }) => id === token.id)).toMatchObject({ name: "ci", expires: expect.any(String) });
    expect(JSON.stringify(ownTokens)).not.toContain("secret");
    expect((await ask("GET", "/whoami", bearer(token))).body).toEqual(me);
    expect((await ask("GET", "/ask-desk", bearer(token))).body).toEqual({ asked: me.email, roles: [] });
    expect((await ask("GET", "/hello", bearer(token))).body).toBe(me.email);
    expect((await ask("GET", "/whoami", bearer(token))).headers.get("cache-control")).toBe("no-store");
  });

  test("who has no live token is refused before what they send is looked at", async () => {
    const dead = { Authorization: `Bearer fwt_${"a".repeat(43)}` };
    const { status: got, body, headers } = await ask("POST", "/add", dead, { n: "one" });
    expect([got, body, headers.get("www-authenticate")]).toEqual([
      401,
      { error: "sign in to continue" },
      'Bearer error="invalid_token"',
    ]);
    expect((await ask("GET", "/hello", dead)).body).toBe("nobody");
    expect(await status("POST", "/add", bearer(await createToken(alice)), { n: "one" })).toBe(400);
  });

  test("pages of other sites cannot send a token, so token requests need no form token", async () => {
    const token = bearer(await createToken(alice));
    const elsewhere = { "Sec-Fetch-Site": "cross-site" };
    expect(await status("POST", "/add", { ...alice, ...elsewhere }, { n: 1 })).toBe(403);
    expect(await status("POST", "/add", { ...token, ...elsewhere }, { n: 1 })).toBe(200);
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const post = (headers: Record<string, string>) =>
      fetch(`${url}/book`, { method: "POST", headers: { ...form, ...headers }, body: "name=ann" });
    expect((await post(alice)).status).toBe(403);
    expect((await (await post(token)).text()).trim()).toBe("booked ann");
  });

  test("a role counts with the next request, and a token that is bound to roles never carries another", async () => {
    const [all, bound] = [await createToken(alice), await createToken(alice, { only: "editor" })];
    expect(await status("POST", "/edit", bearer(all))).toBe(403);
    for (const role of ["editor", "chief"]) await ask("PUT", `/people/${me.id}/${role}`);
    expect(await status("POST", "/edit", bearer(all))).toBe(200);
    expect(await status("POST", "/decide", bearer(all))).toBe(200);
    expect(await status("POST", "/edit", bearer(bound))).toBe(200);
    expect(await status("POST", "/decide", bearer(bound))).toBe(403);
    const children = [await createToken(bearer(bound)), await createToken(bearer(bound), { only: "both" })];
    for (const child of children) expect(await status("POST", "/decide", bearer(child))).toBe(403);
    await ask("DELETE", `/people/${me.id}/editor`);
    for (const token of [all, bound, ...children]) expect(await status("POST", "/edit", bearer(token))).toBe(403);
  });

  test("a token ends at once: by its owner only, and with a disabled account", async () => {
    const [one, other] = [await createToken(alice), await createToken(alice)];
    expect(await status("DELETE", `/tokens/${one.id}`, await signIn("bob"))).toBe(404);
    expect(await status("GET", "/whoami", bearer(one))).toBe(200);
    expect(await status("DELETE", `/tokens/${one.id}`, alice)).toBe(204);
    expect(await status("GET", "/whoami", bearer(one))).toBe(401);
    await ask("POST", `/people/${me.id}/disable`);
    expect(await status("GET", "/whoami", bearer(other))).toBe(401);
    await ask("POST", `/people/${me.id}/enable`);
    expect(await status("GET", "/whoami", bearer(other))).toBe(401);
  });

  test("a token that was made with a token ends with it, by revocation and by time", async () => {
    const revoked = await createToken(alice);
    const child = await createToken(bearer(revoked));
    const grandchild = await createToken(bearer(child), { expires: "never" });
    const short = await createToken(alice, { expires: "3s" });
    const other = await createToken(bearer(short), { expires: "never" });
    expect(await status("GET", "/ask-desk", bearer(grandchild))).toBe(200);
    expect(other).toMatchObject({ expires: (short as unknown as { expires: string }).expires });
    expect(await status("DELETE", `/tokens/${revoked.id}`, alice)).toBe(204);
    for (const dead of [child, grandchild]) expect(await status("GET", "/whoami", bearer(dead))).toBe(401);
    expect(await status("GET", "/ask-desk", bearer(grandchild))).toBe(401);
    await expect.poll(() => status("GET", "/whoami", bearer(other)), { timeout: 20_000 }).toBe(401);
  });

  test("neither passes for the other, and with a token cookies do not count", async () => {
    const { secret } = await createToken(alice);
    const session = alice["Cookie"]?.replace(/^.*fw_session=/, "") ?? "";
    const attempts: Record<string, string>[] = [
      { Cookie: alice["Cookie"]?.replace(session, secret) ?? "" },
      { Cookie: alice["Cookie"]?.replace(session, secret.slice(4)) ?? "" },
      { Authorization: `Bearer ${session}` },
      { Authorization: `Bearer fwt_${session}` },
      { Authorization: `Basic ${secret}` },
      { Authorization: `Bearer ${secret} x` },
      { "X-Fw-Session": secret },
      { Authorization: `Bearer fwt_${"a".repeat(43)}`, ...alice },
    ];
    const answers = await Promise.all(attempts.map((headers) => status("GET", "/whoami", headers)));
    expect(answers).toEqual(attempts.map(() => 401));
    const both = { Authorization: `Bearer ${secret}`, ...(await signIn("bob")) };
    expect((await ask("GET", "/whoami", both)).body.email).toBe(me.email);
  });

  test("a name that is empty or too long, and a lifetime that is none, are refused with a sentence", async () => {
    const refusalOf = async (options: object) => (await ask("POST", "/tokens", alice, { name: "ci", ...options })).body;
    const name = { error: "the name of an access token must have 1 to 100 characters" };
    expect(await refusalOf({ name: " " })).toEqual(name);
    expect(await refusalOf({ name: "x".repeat(101) })).toEqual(name);
    expect(await refusalOf({ name: "🎉".repeat(101) })).toEqual(name);
    expect(await refusalOf({ name: "🎉".repeat(100) })).toMatchObject({ name: "🎉".repeat(100) });
    for (const expires of ["1ms", "40000d"])
      expect(await refusalOf({ expires })).toEqual({
        error: "an access token must last at least 1 second, or never expire",
      });
  });
});
