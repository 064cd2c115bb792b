import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { mostTopologies, startFiles, type Running } from "./support/topologies.ts";

// A club for members, some of whom are on its committee. It has every kind of policy, one of them broken.
const club = String.raw`
-- club/access.ts --
import { Auth, Deny, Entity, Errorf, Policy, RequireRole, Role } from "fw";
import type { ID } from "fw";

export const auth = Auth({ password: true });
export const Chair = Role("chair");
export const Treasurer = Role("treasurer");
export const Committee = RequireRole(Chair, Treasurer);
export const ChairOnly = RequireRole(Chair);

export interface Member { id: ID }
export const members = Entity<Member>("members");
export const Members = Policy(async (ctx, user) => ((await members.find(ctx, user.id)) ? undefined : Deny("members only")));
export const Broken = Policy(() => Errorf(404, "the safe's code is hunter2"));
export const Failing = Policy(async () => { throw new Error("the safe's code is hunter2"); });

-- club/api.ts --
import { API, Errorf, isDenied, transaction } from "fw";
import { Broken, ChairOnly, Committee, Failing, Members, members } from "./access.ts";

export const whoami = API("GET /whoami", (ctx) => ctx.user(), { signIn: true });
export const hello = API("GET /hello", (ctx) => ({ hello: ctx.maybeUser()?.name ?? "stranger" }));
export const careless = API("GET /careless", (ctx) => ctx.user().id);
export const join = API("POST /join", async (ctx) => { await members.put(ctx, { id: ctx.user().id }); }, { signIn: true });
export const leave = API("POST /leave", async (ctx) => { await members.delete(ctx, ctx.user().id); }, { signIn: true });

export const bar = API("GET /bar", () => "cheers", { allow: Members });
export const books = API("GET /books", () => "balanced", { allow: Committee });
export const gavel = API("GET /gavel", () => "bang", { allow: ChairOnly });
export const broken = API("GET /broken", () => "never", { allow: Broken });
export const failing = API("GET /failing", () => "never", { allow: Failing });
export const rude = API("GET /rude", () => { throw Errorf(403, "not today"); }, { signIn: true });

export const callBar = API("GET /call/bar", (ctx) => bar.call(ctx, {}));
export const callBroken = API("GET /call/broken", (ctx) => broken.call(ctx, {}));
export const joinAndDrink = API("POST /call/joined", (ctx) => transaction(ctx, async (tx) => {
  await members.put(tx, { id: ctx.user().id });
  return bar.call(tx, {});
}), { signIn: true });
export const ask = API("GET /ask/bar", async (ctx) => {
  try {
    return { served: await bar.call(ctx, {}) };
  } catch (error) {
    return { denied: isDenied(error) };
  }
});

-- cellar/stock.ts --
import { API } from "fw";

export const stock = API("GET /cellar/stock", (ctx) => ({ bottles: 12, asked: ctx.maybeUser()?.email ?? "nobody" }), { private: true });

-- club/cellar.ts --
import { API } from "fw";
import { stock } from "../cellar/stock.ts";

export const bottles = API("GET /bottles", (ctx) => stock.call(ctx, {}));

-- club/pages.ts --
import { Page, Redirect, Site, StatusPage } from "fw";
import type { Form } from "fw";
import { Broken, Committee } from "./access.ts";

export const site = Site("./public");
export const status = StatusPage((ctx, refused) => site.fragment(ctx, "status.html", refused));
export const office = Page("GET /office", (ctx) => site.fragment(ctx, "token.html"), { allow: Committee });
export const vault = Page("GET /vault", () => Redirect("/"), { allow: Broken });
export const desk = Page("GET /desk", (ctx) => site.fragment(ctx, "token.html"), { signIn: true });
export const lobby = Page("GET /lobby", (ctx) => site.fragment(ctx, "token.html"));
export const sign = Page("POST /book", (ctx, req: { name: Form }) => site.fragment(ctx, "signed.html", req));

-- club/public/templates/status.html --
{{code}} [{{policy}}]
-- club/public/templates/token.html --
{{csrfToken}}
-- club/public/templates/signed.html --
signed {{name}}
`;

describe.each(mostTopologies)("%s", (...topology) => {
  let dev: Running;
  let url: string;
  beforeAll(async () => {
    dev = await startFiles(topology, Object.fromEntries(filesOf(club)));
    url = `http://localhost:${dev.port}`;
  });
  afterAll(() => dev?.[Symbol.asyncDispose]());

  /** A browser, which keeps its cookies. */
  class Browser {
    readonly #cookies = new Map<string, string>();

    async ask(path: string, init: RequestInit = {}): Promise<{ status: number; body: string; id: string }> {
      const headers = new Headers(init.headers);
      const cookies = Array.from(this.#cookies, ([name, value]) => `${name}=${value}`);
      if (cookies.length > 0) headers.set("Cookie", cookies.join("; "));
      const answer = await fetch(url + path, { ...init, headers, redirect: "manual" });
      for (const cookie of answer.headers.getSetCookie()) this.#keep(cookie);
      const body = (await answer.text()).trim();
      return { status: answer.status, body, id: answer.headers.get("x-request-id") ?? "" };
    }

    async get(path: string): Promise<[status: number, body: string]> {
      const { status, body } = await this.ask(path);
      return [status, body];
    }

    post(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
      return this.ask(path, { method: "POST", body: new URLSearchParams(fields), headers });
    }

    async signIn(name: "alice" | "bob", roles: readonly string[] = []): Promise<this> {
      const body = new URLSearchParams({ dev_user: name });
      for (const role of roles) body.append("role", role);
      const { status } = await this.ask("/_fw/api/session", { method: "POST", body });
      expect(status).toBe(303);
      return this;
    }

    async signOut(): Promise<void> {
      await this.ask("/_fw/api/session", { method: "DELETE" });
    }

    #keep(cookie: string): void {
      const [pair = ""] = cookie.split(";");
      const equals = pair.indexOf("=");
      if (/max-age=0/i.test(cookie)) this.#cookies.delete(pair.slice(0, equals));
      else this.#cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
  }

  const error = (message: string): string => JSON.stringify({ error: message });
  let anonymous: Browser;
  let alice: Browser;
  beforeEach(async () => {
    anonymous = new Browser();
    alice = await new Browser().signIn("alice");
    await alice.post("/leave");
  });

  describe("Access rules", () => {
    test("the user is available past signIn", async () => {
      const { body } = await alice.ask("/whoami");
      expect(JSON.parse(body)).toMatchObject({ email: expect.stringContaining("alice"), provider: "email", roles: [] });
    });

    test("`ctx.maybeUser()` serves public routes", async () => {
      expect(await anonymous.get("/hello")).toEqual([200, '{"hello":"stranger"}']);
      expect((await alice.get("/hello"))[1]).toMatch(/alice/i);
    });

    test("`ctx.user()` on an unauthenticated request is a programming fault, whose sentence is in the log", async () => {
      const before = dev.output().length;
      expect(await anonymous.get("/careless")).toEqual([500, error("internal error")]);
      await dev.says("GET /careless called ctx.user() without a signed-in user", before);
      expect((await alice.get("/careless"))[0]).toBe(200);
    });
  });

  describe("Wire errors", () => {
    test.each(["/whoami", "/bar", "/books", "/gavel", "/broken"])(
      "401 `sign in to continue` when anonymous on a route with signIn or allow: %s",
      async (path) => {
        expect(await anonymous.get(path)).toEqual([401, error("sign in to continue")]);
      },
    );

    test("403 with its message when a policy returned Deny, until it admits", async () => {
      expect(await alice.get("/bar")).toEqual([403, error("members only")]);
      await alice.post("/join");
      expect(await alice.get("/bar")).toEqual([200, '"cheers"']);
    });

    test("403 this page needs the <role> role", async () => {
      expect(await alice.get("/gavel")).toEqual([403, error("this page needs the chair role")]);
      expect(await alice.get("/books")).toEqual([403, error("this page needs the chair or treasurer role")]);
      await alice.signIn("alice", ["treasurer"]);
      expect(await alice.get("/gavel")).toEqual([403, error("this page needs the chair role")]);
      expect(await alice.get("/books")).toEqual([200, '"balanced"']);
    });

    test.each(["/broken", "/failing", "/call/broken"])(
      "500 when a policy returns or throws another error, logged under the request id and not rendered: %s",
      async (path) => {
        const before = dev.output().length;
        const { status, body, id } = await alice.ask(path);
        expect([status, body]).toEqual([500, error("internal error")]);
        await dev.says("the safe's code is hunter2", before);
        expect(dev.output().slice(before)).toMatch(new RegExp(`req(?:=|":")${id}`));
      },
    );

    test("403 with a handler's own message", async () => {
      expect(await alice.get("/rude")).toEqual([403, error("not today")]);
    });

    test("403 on a private route from outside; in-package and cross-package calls reach it", async () => {
      expect((await alice.get("/cellar/stock"))[0]).toBe(403);
      expect(JSON.parse((await alice.get("/bottles"))[1])).toMatchObject({ bottles: 12, asked: /alice/ });
      expect(await anonymous.get("/bottles")).toEqual([200, '{"bottles":12,"asked":"nobody"}']);
    });

    test("a status page gets the name of the policy that refused, and none for another refusal", async () => {
      expect(await alice.get("/office")).toEqual([403, "403 [Committee]"]);
      expect(await alice.get("/vault")).toEqual([500, "500 []"]);
      expect(await anonymous.get("/desk")).toEqual([401, "401 []"]);
      expect((await alice.post("/book", { name: "a" })).body).toBe("403 []");
    });
  });

  describe("one enforcement point", () => {
    test("an in-package call meets the policy of its endpoint", async () => {
      expect(await anonymous.get("/call/bar")).toEqual([401, error("sign in to continue")]);
      expect(await alice.get("/call/bar")).toEqual([403, error("members only")]);
      await alice.post("/join");
      expect(await alice.get("/call/bar")).toEqual([200, '"cheers"']);
    });

    test("a call in a transaction meets it as it was before: the call is no part of the transaction", async () => {
      const { status, body } = await alice.post("/call/joined");
      expect([status, body]).toEqual([403, error("members only")]);
    });

    test("`isDenied(err)` tests a verdict, and is false for who is not signed in", async () => {
      expect(await alice.get("/ask/bar")).toEqual([200, '{"denied":true}']);
      expect(await anonymous.get("/ask/bar")).toEqual([200, '{"denied":false}']);
    });
  });

  describe("forms", () => {
    const submit = (browser: Browser, token: string) => browser.post("/book", { name: "a", _csrf: token });

    test("a session's own token admits, in the field and in the header", async () => {
      const [, token] = await alice.get("/lobby");
      expect((await submit(alice, token)).body).toBe("signed a");
      expect((await alice.post("/book", { name: "a" }, { "X-CSRF-Token": token })).body).toBe("signed a");
    });

    test("a token from before the sign-in is refused after it, and one from before the sign-out too", async () => {
      const [, before] = await anonymous.get("/lobby");
      expect((await submit(anonymous, before)).status).toBe(200);
      await anonymous.signIn("bob");
      expect((await submit(anonymous, before)).status).toBe(403);
      const [, during] = await anonymous.get("/lobby");
      await anonymous.signOut();
      const [, after] = await anonymous.get("/lobby");
      expect((await submit(anonymous, during)).status).toBe(403);
      expect((await submit(anonymous, after)).status).toBe(200);
    });

    test("somebody else's token is refused, also after the own session was rotated", async () => {
      const bob = await new Browser().signIn("bob");
      const [, borrowed] = await bob.get("/lobby");
      expect((await submit(alice, borrowed)).status).toBe(403);
      const [, own] = await alice.get("/lobby");
      await alice.signIn("alice");
      expect((await submit(alice, own)).status).toBe(403);
    });
  });

  test("another site cannot use a session to change something over an API", async () => {
    const { status, body } = await alice.post("/join", {}, { "Sec-Fetch-Site": "cross-site" });
    expect([status, body]).toEqual([403, error("this request is not allowed from another site")]);
    expect((await alice.get("/bar"))[0]).toBe(403);
    expect((await alice.post("/join", {}, { "Sec-Fetch-Site": "same-origin" })).status).toBe(204);
  });
});
