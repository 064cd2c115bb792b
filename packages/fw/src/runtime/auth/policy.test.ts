import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Context } from "../../declare/context.ts";
import { transaction } from "../../declare/entity.ts";
import { Deny, Errorf, isDenied, isStatusError } from "../../declare/errors.ts";
import { Policy, RequireRole, type PolicyDeclaration } from "../../declare/policy.ts";
import { Role } from "../../declare/role.ts";
import type { User } from "../../declare/user.ts";
import { openLocal, type LocalPlatform } from "../../platform/local/open.ts";
import { BackgroundContext } from "../background/context.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { apis, bundleOf, documentOf, pages, start, type TestApp, type TestEndpoint } from "../testing/app.ts";
import { request } from "../testing/server.ts";
import { TestSessions } from "../testing/sessions.ts";

const Editor = Role("editor");
const Admin = Role("admin");
const opaque = { status: 500, body: '{"error":"internal error"}' };
const fail = (error: unknown) => (): never => {
  throw error;
};

let directory: string;
let platform: LocalPlatform;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "fw-policy-"));
  platform = await openLocal(directory, { kinds: [] }, { temporary: true });
});
afterAll(async () => {
  await platform?.close();
  await rm(directory, { recursive: true, force: true });
});

/**
 * The ways to call an endpoint, each with its path: from a browser, through another handler, and in that handler's
 * transaction.
 */
const ways = { "a request": "/guarded", ".call": "/calls", ".call in a transaction": "/transacts" };

interface Guarded extends TestApp {
  readonly sessions: TestSessions;
  readonly guarded: BundledEndpoint;
  /** Returns how often the guarded handler ran. */
  ran(): number;
  /** The errors of `.call` that other handlers caught. */
  readonly caught: unknown[];
}

/** Starts an application with a policy on `GET /guarded`, and with other routes that lead to it. */
async function guardedBy(declaration: PolicyDeclaration, more: TestEndpoint = {}): Promise<Guarded> {
  let ran = 0;
  const caught: unknown[] = [];
  const allow = { declaration, name: "CanPass" };
  const run = () => ({ ran: ++ran });
  const [guarded] = apis({ "GET /guarded": { signIn: true, allow, run, ...more } }) as [BundledEndpoint];
  const through = async (ctx: Context) => {
    try {
      return await guarded.declaration.call(ctx, {} as never);
    } catch (error) {
      caught.push(error);
      throw error;
    }
  };
  const others = apis({ "GET /calls": through, "GET /transacts": (ctx) => transaction(ctx, through) });
  const sessions = new TestSessions();
  const app = await start(bundleOf([guarded, ...others]), { sessions, platform });
  return { ...app, sessions, guarded, ran: () => ran, caught };
}

describe.each(Object.entries(ways))("by %s:", (way, path) => {
  const admissions: Record<string, PolicyDeclaration> = {
    "that returns nothing": Policy(() => {}),
    "that returns null": Policy(() => null),
    "that resolves with nothing": Policy(async () => {}),
  };
  test.each(Object.entries(admissions))("a policy %s admits", async (_how, declaration) => {
    await using app = await guardedBy(declaration);
    const answer = await request(app.port, path, { Cookie: app.sessions.signIn() });
    expect(answer).toMatchObject({ status: 200, body: '{"ran":1}' });
  });

  const denials: Record<string, PolicyDeclaration> = {
    returned: Policy(() => Deny("not yours")),
    thrown: Policy(fail(Deny("not yours"))),
    "resolved with": Policy(async () => Deny("not yours")),
    "rejected with": Policy(async () => fail(Deny("not yours"))()),
  };
  test.each(Object.entries(denials))("Deny(message) %s is a 403 with the message", async (_how, declaration) => {
    await using app = await guardedBy(declaration);
    const answer = await request(app.port, path, { Cookie: app.sessions.signIn() });
    expect(answer).toMatchObject({ status: 403, body: '{"error":"not yours"}' });
    expect([app.ran(), app.logs]).toEqual([0, []]);
    if (way !== "a request") expect(app.caught.map(isDenied)).toEqual([true]);
  });

  const failures: Record<string, PolicyDeclaration> = {
    "an error that is returned": Policy(() => new Error("hunter2")),
    "an error that is thrown": Policy(fail(new Error("hunter2"))),
    "an error that is resolved with": Policy(async () => new Error("hunter2")),
    "an error that is rejected with": Policy(async () => fail(new Error("hunter2"))()),
    "Errorf that is returned": Policy(() => Errorf(404, "hunter2")),
    "Errorf that is thrown": Policy(fail(Errorf(403, "hunter2"))),
    "Errorf that is rejected with": Policy(async () => fail(Errorf(404, "hunter2"))()),
    "nothing that is thrown": Policy(fail(undefined)),
    "text that is thrown": Policy(fail("hunter2")),
    ...Object.fromEntries(
      [true, false, 0, 1, "", "yes", {}, []].map((value) => [
        `${JSON.stringify(value)} that is returned`,
        Policy((() => value) as never),
      ]),
    ),
    "true that is resolved with": Policy((async () => true) as never),
  };
  test.each(Object.entries(failures))(
    "%s is a 500, logged under the request id, never rendered",
    async (_how, policy) => {
      await using app = await guardedBy(policy);
      const answer = await request(app.port, path, { Cookie: app.sessions.signIn() });
      expect(answer).toMatchObject(opaque);
      expect(app.ran()).toBe(0);
      expect(app.logs).toMatchObject([
        {
          level: "error",
          tags: { req: answer.headers.get("x-request-id") },
          fields: { error: { message: expect.stringMatching(/^the policy CanPass /) } },
        },
      ]);
      expect(app.caught.some((error) => isDenied(error) || isStatusError(error))).toBe(false);
    },
  );

  test("a route with allow answers 401 with `sign in to continue` when anonymous, and its policy is not asked", async () => {
    const asked: User[] = [];
    await using app = await guardedBy(Policy((_ctx, user) => void asked.push(user)));
    expect(await request(app.port, path)).toMatchObject({ status: 401, body: '{"error":"sign in to continue"}' });
    expect([app.ran(), asked]).toEqual([0, []]);
  });

  test("RequireRole admits who carries any one of the roles", async () => {
    await using app = await guardedBy(RequireRole(Editor, Admin));
    for (const role of ["editor", "admin"]) {
      const Cookie = app.sessions.signIn({ roles: ["other", role] });
      expect((await request(app.port, path, { Cookie })).status).toBe(200);
    }
    const Cookie = app.sessions.signIn({ roles: ["editors", "Admin"] });
    expect(await request(app.port, path, { Cookie })).toMatchObject({
      status: 403,
      body: '{"error":"this page needs the editor or admin role"}',
    });
  });

  test("RequireRole refuses with: this page needs the <role> role", async () => {
    await using app = await guardedBy(RequireRole(Editor));
    const answer = await request(app.port, path, { Cookie: app.sessions.signIn() });
    expect(answer).toMatchObject({ status: 403, body: '{"error":"this page needs the editor role"}' });
    expect(app.ran()).toBe(0);
  });
});

test("a policy gets the context and the user, and not the request", async () => {
  const policyArguments: unknown[][] = [];
  await using app = await guardedBy(
    Policy((...args) => void policyArguments.push(args)),
    {
      run: (ctx) => ctx.user().email,
      decode: () => ({ secret: 1 }),
    },
  );
  await request(app.port, "/guarded", { Cookie: app.sessions.signIn({ emailVerified: false }) });
  expect(policyArguments.map((args) => args.slice(1))).toMatchObject([
    [{ email: "ann@example.com", emailVerified: false }],
  ]);
});

test("a 500 of a policy has its error as the cause in the log", async () => {
  const error = Errorf(404, "hunter2");
  await using app = await guardedBy(Policy(fail(error)));
  await request(app.port, "/guarded", { Cookie: app.sessions.signIn() });
  expect(app.logs[0]?.fields).toHaveProperty("error.cause", error);
});

test("a policy that calls another endpoint which denies refuses by itself", async () => {
  const inner = apis({
    "GET /inner": { signIn: true, allow: { declaration: RequireRole(Admin), name: "AdminOnly" } },
  }) as [BundledEndpoint];
  const allow = {
    declaration: Policy(async (ctx) => void (await inner[0].declaration.call(ctx, {} as never))),
    name: "AsInner",
  };
  const outer = pages({ "GET /": { signIn: true, allow } });
  const status = (_ctx: Context, { policy }: { policy: string }) => documentOf(policy);
  const sessions = new TestSessions();
  await using app = await start(bundleOf([...inner, ...outer], { status }), { sessions });
  expect(await request(app.port, "/", { Cookie: sessions.signIn() })).toMatchObject({ status: 403, body: "AsInner" });
});

test("background work has no signed-in user: 401, and isDenied is false", async () => {
  await using app = await guardedBy(Policy(() => {}));
  const { signal } = new AbortController();
  const ctx = new BackgroundContext(app.app, { tags: { cron: "digest" }, id: "1", signal });
  const refused = await app.guarded.declaration.call(ctx, {} as never).catch((error: unknown) => error);
  expect(refused).toMatchObject({ status: 401, message: "sign in to continue" });
  expect([isDenied(refused), app.ran()]).toEqual([false, 0]);
});

test("a private endpoint is refused from outside in dev, and reached by `.call`", async () => {
  await using app = await guardedBy(
    Policy(() => {}),
    { private: true },
  );
  const Cookie = app.sessions.signIn();
  expect(await request(app.port, "/guarded", { Cookie })).toMatchObject({ status: 403 });
  expect(await request(app.port, "/calls", { Cookie })).toMatchObject({ status: 200, body: '{"ran":1}' });
});

describe("a status page", () => {
  const refusing = Deny("members only");
  const policies = {
    Members: Policy(() => refusing),
    Insiders: Policy(async () => refusing),
    Broken: Policy(() => Errorf(403, "hidden")),
  };
  const guard = (name: keyof typeof policies) => ({ signIn: true, allow: { declaration: policies[name], name } });
  const [inner] = apis({ "GET /inner": guard("Members") }) as [BundledEndpoint];
  const endpoints = [
    inner,
    ...pages({
      "GET /members": guard("Members"),
      "GET /insiders": guard("Insiders"),
      "GET /broken": guard("Broken"),
      "GET /through": (ctx) => inner.declaration.call(ctx, {} as never),
      "GET /own": { signIn: true, run: fail(Errorf(403, "its own")) },
      "GET /denies": { signIn: true, run: fail(Deny("its own")) },
      "GET /private": { private: true },
      "POST /form": { signIn: true },
    }),
  ];
  const status = (_ctx: Context, { code, policy }: { code: number; policy: string }) =>
    documentOf(`${code} ${JSON.stringify(policy)}`);

  test.each([
    ["GET /members", '403 "Members"'],
    ["GET /insiders", '403 "Insiders"'],
    ["GET /through", '403 "Members"'],
  ])("receives the name of the policy that refused: %s", async (route, body) => {
    await expectStatusPage(route, body);
  });

  test.each([
    ["GET /own", '403 ""'],
    ["GET /denies", '403 ""'],
    ["GET /private", '403 ""'],
    ["POST /form", '403 ""'],
    ["GET /broken", '500 ""'],
  ])("receives the empty name for every other refusal: %s", async (route, body) => {
    await expectStatusPage(route, body);
  });

  test("without one the message is shown as text", async () => {
    const sessions = new TestSessions();
    await using app = await start(bundleOf(endpoints), { sessions });
    const Cookie = sessions.signIn();
    expect(await request(app.port, "/members", { Cookie })).toMatchObject({ status: 403, body: "members only" });
    const broken = await request(app.port, "/broken", { Cookie });
    expect([broken.status, broken.body]).toEqual([
      500,
      `internal error (request ${broken.headers.get("x-request-id")})`,
    ]);
  });

  async function expectStatusPage(route: string, body: string): Promise<void> {
    const sessions = new TestSessions();
    await using app = await start(bundleOf(endpoints, { status }), { sessions });
    const [method, path] = route.split(" ") as [string, string];
    const answer = await request(app.port, path, { Cookie: sessions.signIn() }, method);
    expect([answer.status, answer.body]).toEqual([Number(body.slice(0, 3)), body]);
  }
});

test("a policy decides by the decoded request of its endpoint, also for code that calls it", async () => {
  interface Visit {
    readonly org: string;
  }
  const member = Policy<Visit>((_ctx, _user, { org }) => (org === "acme" ? undefined : Deny(`not of ${org}`)));
  const run = (_ctx: Context, visit: unknown): unknown => visit;
  const [guarded] = apis({
    "GET /orgs/{org}": {
      signIn: true,
      allow: { declaration: member, name: "member" },
      decode: ({ params }) => ({ org: params[0] }),
      run,
    },
  }) as [BundledEndpoint];
  const [calling] = apis({
    "GET /call/{org}": (ctx, { params }) => guarded.declaration.call(ctx, { org: params[0] } as never),
  }) as [BundledEndpoint];
  const sessions = new TestSessions();
  await using app = await start(bundleOf([guarded, calling]), { sessions, platform });
  const headers = { Cookie: sessions.signIn() };
  const answers = ["/orgs/acme", "/orgs/other", "/call/acme", "/call/other"].map(async (path) => {
    const { status, body } = await request(app.port, path, headers);
    return [status, JSON.parse(body)];
  });
  expect(await Promise.all(answers)).toEqual([
    [200, { org: "acme" }],
    [403, { error: "not of other" }],
    [200, { org: "acme" }],
    [403, { error: "not of other" }],
  ]);
});
