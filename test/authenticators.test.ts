import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { mostTopologies, startFiles, type Running } from "./support/topologies.ts";

// Four ways to identify a caller: partners with keys, machines with another issuer's tokens, people with another site's
// cookie, and accounts. The desk is a second service; the relay never asks for the user.
const office = String.raw`
-- people/access.ts --
import { Auth, Authenticator, type Cookie, Entity, type Header, type ID, Policy, Deny, type Query, RequireRole, Role } from "fw";
export const auth = Auth({ password: true, tokens: true });
export const Editor = Role("editor");
export const CanEdit = RequireRole(Editor);
export const OnlyAcme = Policy((_ctx, user) => (user.id === "partner:acme" ? undefined : Deny("not you")));

interface Key { id: ID; partner: string; editor: boolean }
export const keys = Entity<Key>("keys");

/** A partner's key, including the caller's department. */
export interface PartnerKey { key: Header<string, "X-Api-Key">; unit?: Header<string, "X-Unit"> }
export const partners = Authenticator(async (ctx, { key, unit = "" }: PartnerKey) => {
  if (key === "explode") throw new Error("the secret is 42");
  if (ctx.maybeUser() !== undefined) throw new Error("somebody before it was asked");
  const found = await keys.find(ctx, key);
  return found && { id: "partner:" + found.partner, name: unit, roles: found.editor ? [Editor] : [] };
});
/** A token from another issuer. */
export interface MachineToken { token: Header<string, "Authorization">; tenant?: Query }
export const machines = Authenticator((_ctx, { token, tenant = "none" }: MachineToken) =>
  token === "Token let-me-in" || token === "Basic bGV0LW1lLWlu" ? { id: "machine:1", email: tenant + "@machines.test" } : undefined);
export interface Badge { badge: Cookie<string, "badge"> }
export const badges = Authenticator((_ctx, { badge }: Badge) => (badge === "gold" ? { id: "badge:1" } : undefined));

-- people/api.ts --
import { API, type Int, Mount, type Path } from "fw";
import { desk } from "../desk/desk.ts";
import { relay } from "../relay/relay.ts";
import { CanEdit, keys, OnlyAcme } from "./access.ts";

export interface NewKey { id: Path; partner: string; editor: boolean }
export const addKey = API("PUT /keys/{id}", async (ctx, { id, partner, editor }: NewKey) => {
  await keys.put(ctx, { id, partner, editor });
});
export const endKey = API("DELETE /keys/{id}", (ctx, { id }) => keys.delete(ctx, id));
export const whoami = API("GET /whoami", (ctx) => ctx.user(), { signIn: true });
export const hello = API("GET /hello", (ctx) => ctx.maybeUser()?.id ?? "nobody");
export const add = API("POST /add", (_ctx, { n }: { n: Int }) => n + 1, { signIn: true });
export const edit = API("POST /edit", () => "edited", { allow: CanEdit });
export const acme = API("GET /acme", () => "for acme", { allow: OnlyAcme });
export const same = API("GET /same", (ctx) => ctx.maybeUser()?.id ?? "nobody", { maxAge: "1m" });
export const askDesk = API("GET /ask-desk", (ctx) => desk.call(ctx, {}));
export const askRelay = API("GET /ask-relay", (ctx) => relay.call(ctx, {}));
export const mounted = Mount("/mounted", (ctx) => new Response(ctx.user().id), { signIn: true });

-- people/pages.ts --
import { type Form, Page, Site } from "fw";
export const site = Site("./public");
export const form = Page("GET /book", (ctx) => site.fragment(ctx, "form.html"));
export const book = Page("POST /book", (ctx, { name }: { name: Form }) => site.fragment(ctx, "book.html", { name }), { signIn: true });
-- people/public/templates/form.html --
<form>{{csrf}}</form>
-- people/public/templates/book.html --
booked {{name}}

-- desk/desk.ts --
import { API } from "fw";
export const desk = API("GET /desk", (ctx) => ({ asked: ctx.user().id, roles: ctx.user().roles }), { signIn: true });

-- relay/relay.ts --
import { API } from "fw";
import { desk } from "../desk/desk.ts";
export const relay = API("GET /relay", (ctx) => desk.call(ctx, {}));
`;

const acme = { "X-Api-Key": "k1" };
const machine = { Authorization: "Token let-me-in" };
const elsewhere = { Origin: "https://evil.test", "Sec-Fetch-Site": "cross-site" };

describe.each(mostTopologies)("authenticators %s", (...topology) => {
  let app: Running;
  let url: string;
  beforeAll(async () => {
    app = await startFiles(topology, Object.fromEntries(filesOf(office)));
    url = `http://localhost:${app.port}`;
    await ask("PUT", "/keys/k1", {}, { partner: "acme", editor: true });
    await ask("PUT", "/keys/k2", {}, { partner: "press", editor: false });
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
  const replyTo = async (...asked: Parameters<typeof ask>) => {
    const { status, body } = await ask(...asked);
    return [status, body];
  };
  const signIn = async (): Promise<Record<string, string>> => {
    const init = { method: "POST", body: new URLSearchParams({ dev_user: "alice" }), redirect: "manual" } as const;
    const cookies = (await fetch(`${url}/_fw/api/session`, init)).headers.getSetCookie();
    const [cookie = ""] = cookies.find((each) => each.includes("fw_session="))?.split(";") ?? [];
    return { Cookie: cookie };
  };

  test("credentials of others pass gates as a session would", async () => {
    expect(await replyTo("GET", "/whoami", { ...acme, "X-Unit": "north" })).toEqual([
      200,
      { id: "partner:acme", email: "", name: "north", provider: "other", emailVerified: false, roles: ["editor"] },
    ]);
    expect(await replyTo("POST", "/edit", acme)).toEqual([200, "edited"]);
    expect(await replyTo("GET", "/mounted/x", acme)).toEqual([200, "partner:acme"]);
    expect(await replyTo("GET", "/whoami?tenant=t1", machine)).toMatchObject([200, { email: "t1@machines.test" }]);
    expect((await ask("GET", "/whoami", acme)).headers.get("cache-control")).toBe("no-store");
  });

  test("wrong credentials give no user, and a 401 before anything is read", async () => {
    const sorry = { error: "sign in to continue" };
    expect(await replyTo("POST", "/add", { "X-Api-Key": "k9" }, { n: "one" })).toEqual([401, sorry]);
    expect(await replyTo("POST", "/add", acme, { n: "one" })).toMatchObject([400, { error: expect.any(String) }]);
    expect(await replyTo("POST", "/edit", { "X-Api-Key": "k2" })).toEqual([
      403,
      { error: "this page needs the editor role" },
    ]);
    expect(await replyTo("GET", "/acme", { "X-Api-Key": "k2" })).toEqual([403, { error: "not you" }]);
    const wrong = await ask("GET", "/hello", { "X-Api-Key": "k9" });
    expect([wrong.status, wrong.body, wrong.headers.get("cache-control")]).toEqual([200, "nobody", "no-store"]);
  });

  test("a key that is taken back ends at once", async () => {
    await ask("PUT", "/keys/k3", {}, { partner: "gone", editor: false });
    expect(await replyTo("GET", "/hello", { "X-Api-Key": "k3" })).toEqual([200, "partner:gone"]);
    await ask("DELETE", "/keys/k3");
    expect(await replyTo("GET", "/hello", { "X-Api-Key": "k3" })).toEqual([200, "nobody"]);
  });

  test("calls to other services carry the identity, also through one that asks for no user", async () => {
    expect(await replyTo("GET", "/ask-desk", acme)).toEqual([200, { asked: "partner:acme", roles: ["editor"] }]);
    expect(await replyTo("GET", "/ask-desk?tenant=t2", machine)).toEqual([200, { asked: "machine:1", roles: [] }]);
    expect(await replyTo("GET", "/relay", acme)).toEqual([200, { asked: "partner:acme", roles: ["editor"] }]);
    expect(await replyTo("GET", "/ask-relay", acme)).toEqual([200, { asked: "partner:acme", roles: ["editor"] }]);
    expect((await ask("GET", "/ask-desk", { "X-Api-Key": "k9" })).status).toBe(401);
  });

  test("nobody can hand credentials on but services", async () => {
    expect(await replyTo("GET", "/hello", { "X-Fw-Credentials": "header x-api-key=k1" })).toEqual([200, "nobody"]);
  });

  test("what is found first counts, and nothing beside it", async () => {
    const alice = await signIn();
    const { id } = (await ask("GET", "/whoami", alice)).body;
    expect(await replyTo("GET", "/hello", { ...alice, ...acme })).toEqual([200, "partner:acme"]);
    expect(await replyTo("GET", "/hello", { ...alice, "X-Api-Key": "k9" })).toEqual([200, "nobody"]);
    expect(await replyTo("GET", "/hello", { ...alice, "X-Unit": "north" })).toEqual([200, id]);
    const token = { Authorization: `Bearer fwt_${"a".repeat(43)}` };
    expect(await replyTo("GET", "/hello", { ...token, ...acme })).toEqual([200, "nobody"]);
  });

  test("an answer that is the same for everybody asks nobody", async () => {
    expect(await replyTo("GET", "/same", acme)).toEqual([200, "nobody"]);
    expect(await replyTo("GET", "/same", { "X-Api-Key": "explode" })).toEqual([200, "nobody"]);
  });

  test("what goes wrong in an authenticator is in the log, and nowhere else", async () => {
    const { status, body } = await ask("GET", "/hello", { "X-Api-Key": "explode" });
    expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining("42")]);
    await app.says("the secret is 42");
  });

  test("another site cannot use what a browser sends by itself", async () => {
    const ambient: Record<string, string>[] = [{ Cookie: "badge=gold" }, { Authorization: "Basic bGV0LW1lLWlu" }];
    for (const by of ambient) {
      expect(await replyTo("POST", "/add", { ...by, ...elsewhere }, { n: 1 })).toMatchObject([403, {}]);
      expect(await replyTo("POST", "/add", by, { n: 1 })).toEqual([200, 2]);
      const { status, body } = await ask("POST", "/book", by);
      expect([status, body]).toMatchObject([403, expect.stringContaining("CSRF")]);
    }
    for (const by of [acme, machine])
      expect(await replyTo("POST", "/add", { ...by, ...elsewhere }, { n: 1 })).toEqual([200, 2]);
  });

  test("forms need a token if a cookie authenticates, and only its owner's counts", async () => {
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const tokenFor = async (headers: Record<string, string>): Promise<string> => {
      const { body } = await ask("GET", "/book", headers);
      return /value="([^"]+)"/.exec(String(body))?.[1] ?? "";
    };
    const submit = async (headers: Record<string, string>, token: string): Promise<number> => {
      const body = new URLSearchParams({ name: "ann", ...(token && { _csrf: token }) });
      return (await fetch(`${url}/book`, { method: "POST", headers: { ...form, ...headers }, body })).status;
    };
    const gold = { Cookie: "badge=gold" };
    expect(await submit(gold, await tokenFor(gold))).toBe(200);
    expect(await submit(gold, await tokenFor(await signIn()))).toBe(403);
    expect(await submit(acme, "")).toBe(200);
  });
});
