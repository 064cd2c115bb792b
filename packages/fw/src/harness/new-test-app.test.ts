import { afterEach, describe, expect, test, vi } from "vitest";
import { Auth } from "../declare/auth.ts";
import type { Context } from "../declare/context.ts";
import { Cron } from "../declare/cron.ts";
import { Entity, transaction, type EntityDeclaration } from "../declare/entity.ts";
import type { ID } from "../declare/binding.ts";
import { Limit } from "../declare/limit.ts";
import { Queue } from "../declare/queue.ts";
import { RequireRole } from "../declare/policy.ts";
import { Role, type RoleDeclaration } from "../declare/role.ts";
import { Secret } from "../declare/secret.ts";
import { Topic } from "../declare/topic.ts";
import { Worker } from "../declare/worker.ts";
import { Subscribe } from "../declare/subscribe.ts";
import type { Bundle, BundledDestination, BundledConsumer } from "../runtime/bundle.ts";
import { apis, bundleOf, documentOf, pages, siteOf } from "../runtime/testing/app.ts";
import type { TestApp, TestAppOptions } from "./test-app.ts";
import { testApps } from "./load.ts";

interface Note {
  id: ID;
  text: string;
}

const auth = Auth({ social: true, password: true });
const Editor = Role("editor");
const editors = RequireRole(Editor);
const notes: EntityDeclaration<Note> = Entity<Note>("notes");
const added = Topic<{ text: string }>("added");
const mails = Queue<string>("mails");
const site = siteOf({ templates: { "form.html": (_data, page) => `<form>${page.csrf()}</form>` } });

const whoAmI = (ctx: Context): unknown => ({ id: ctx.user().id, roles: ctx.user().roles });
const signUps = Limit("sign-up", "3/h");
const [me, secretPlans, add, log, times] = apis({
  "GET /me": { signIn: true, run: whoAmI },
  "GET /plans": { signIn: true, allow: { declaration: editors, name: "editors" }, run: whoAmI },
  "POST /notes": {
    carries: "json",
    run: async (ctx, { body }) => {
      const { text, fail } = body as { text: string; fail?: boolean };
      return transaction(ctx, async (tx) => {
        await added.publish(tx, { text });
        await notes.create(tx, { text });
        if (fail) throw new Error("no");
      });
    },
  },
  "GET /log": (ctx) => ctx.log.info("looked"),
  "GET /times": async (ctx) => {
    const destructured = ({ now }: Context): Date => now();
    return [ctx.now(), destructured(ctx), await transaction(ctx, async (tx) => tx.now())];
  },
});
const [signUp] = apis({ "GET /sign-up/{name}": { run: (ctx, { params }) => signUps.take(ctx, params[0] ?? "") } });
const endpoints = [me, secretPlans, add, log, times, signUp].filter((each) => each !== undefined);
const forms = pages({
  "GET /form": (ctx) => site.declaration.fragment(ctx, "form.html"),
  "POST /form": {
    carries: "form",
    run: (ctx, { form }) =>
      documentOf(`${ctx.maybeUser()?.email} ${form?.values.get("tags")?.join()} ${form?.files.get("file")?.length}`),
  },
  "GET /plain": () => documentOf("no form"),
});

function destination(declaration: typeof added | typeof mails): BundledDestination {
  const { kind, name } = declaration as { kind: "topic" | "queue"; name: string };
  return { kind, name, declaration: declaration as never, tasks: 1, exactIntegers: false, decode: (value) => value };
}

function consumer(
  kind: "worker" | "subscribe",
  declaration: object,
  source: BundledConsumer["source"],
): BundledConsumer {
  const delivery = { maxAttempts: 5, minBackoff: 10_000, maxBackoff: 600_000, deadline: 60_000 };
  return { kind, declaration: declaration as never, variable: kind, package: 0, service: kind, source, delivery };
}

const mailed: string[] = [];
const worker = Worker(mails, (_ctx, text, { attempt }): void | Promise<void> => {
  mailed.push(`${text} ${attempt}`);
  if (text === "twice" && attempt < 2) throw new Error("busy");
  if (text === "endless") return new Promise<void>(() => {});
});
const onAdded = Subscribe(added, async (ctx, { text }) => void (await mails.send(ctx, text, { delay: "1m" })));
const digest = Cron("digest", "0 7 * * *", (ctx) => ctx.log.info("digest"), { timezone: "UTC" });

const bundle: Bundle = {
  ...bundleOf([...endpoints, ...forms], { site }),
  auth: { social: true, password: true, roles: ["editor"] },
  entities: [{ declaration: notes as never, name: "notes", id: "id", indexed: [], transient: [], indexes: [] }],
  destinations: [destination(added), destination(mails)],
  consumers: [
    consumer("worker", worker, { kind: "queue", name: "mails" }),
    consumer("subscribe", onAdded, { kind: "topic", name: "added" }),
  ],
  limits: [{ declaration: signUps, name: "sign-up" }],
  crons: [
    { declaration: digest, name: "digest", package: 0, schedule: "0 7 * * *", timezone: "UTC", deadline: 60_000 },
  ],
  secrets: ["FW_TEST_KEY"],
};

const newTestApp = (options?: TestAppOptions): Promise<TestApp> => testApps(async () => ({ default: bundle }))(options);

/** Calls an endpoint like application code. */
function call(endpoint: (typeof endpoints)[number] | undefined, ctx: Context, body?: unknown): Promise<unknown> {
  if (endpoint === undefined) throw new Error("there is no such endpoint");
  return endpoint.declaration.call(ctx, { params: [], query: "", body, form: undefined, fields: undefined } as never);
}

afterEach(() => {
  mailed.length = 0;
  vi.unstubAllEnvs();
});

test("handlers, calls and transactions see the time of the test's clock", async () => {
  await using app = await newTestApp({ now: new Date("2026-01-01T12:00:00Z") });
  await app.clock.advance("90m");
  const later = "2026-01-01T13:30:00.000Z";
  expect(await (await app.fetch("/times")).json()).toEqual([later, later, later]);
  expect(await call(times, app.ctx())).toEqual([new Date(later), new Date(later), new Date(later)]);
});

describe("a limit", () => {
  test("admits as many uses of a key as its rate says in every window, however many come at once", async () => {
    await using app = await newTestApp();
    const statuses = async (path: string, requests: number): Promise<number[]> =>
      (await Promise.all(Array.from({ length: requests }, () => app.fetch(path))))
        .map(({ status }) => status)
        .toSorted();
    expect(await statuses("/sign-up/ann", 8)).toEqual([204, 204, 204, 429, 429, 429, 429, 429]);
    expect(await statuses("/sign-up/bob", 1)).toEqual([204]);
    await app.clock.advance("30m");
    expect(await statuses("/sign-up/bob", 3)).toEqual([204, 204, 429]);
    await app.clock.advance("30m");
    expect([await statuses("/sign-up/ann", 1), await statuses("/sign-up/bob", 2)]).toEqual([[204], [204, 429]]);
  });

  test("counts each key by itself, whatever characters it has", async () => {
    await using app = await newTestApp();
    const keys = [
      "ann",
      "ann%20",
      "ANN",
      "%00",
      "sign-up%00ann",
      "__proto__",
      "..",
      "%2e%2e%2fann",
      "a%0D%0ARetry-After:%200",
    ];
    for (let use = 0; use < 3; use++)
      for (const key of keys) expect((await app.fetch(`/sign-up/${key}`)).status).toBe(key === ".." ? 404 : 204);
    const refusal = await app.fetch(`/sign-up/${keys.at(-1)}`);
    expect([refusal.status, refusal.headers.get("Retry-After")]).toEqual([429, "3600"]);
  });

  test("says when the next use is possible, and refused uses do not delay it", async () => {
    await using app = await newTestApp();
    const use = async (): Promise<unknown> => {
      const answer = await app.fetch("/sign-up/ann");
      return answer.status === 204 ? "ok" : [answer.headers.get("Retry-After"), await answer.json()];
    };
    expect([await use(), await use(), await use()]).toEqual(["ok", "ok", "ok"]);
    await app.clock.advance("59m");
    const refusal = { error: "too many requests: try again in 60 seconds", details: { retryAfter: 60 } };
    expect([await use(), await use()]).toEqual([
      ["60", refusal],
      ["60", refusal],
    ]);
    await app.clock.advance("60s");
    expect(await use()).toBe("ok");
  });
});

describe("signing in", () => {
  test("app.ctx(app.signIn(user)) injects an identity", async () => {
    await using app = await newTestApp();
    const ann = app.signIn({ email: "ann@x.test", name: "Ann", roles: [Editor] });
    expect(app.ctx(ann).user()).toMatchObject({ id: ann.id, email: "ann@x.test", name: "Ann", roles: ["editor"] });
    expect(app.ctx().maybeUser()).toBeUndefined();
    expect(await auth.users.byEmail(app.ctx(), "ann@x.test")).toMatchObject({ id: ann.id, roles: ["editor"] });
  });

  test("policies are enforced by call, so a test's call and its request meet one check", async () => {
    await using app = await newTestApp();
    const ann = app.signIn({ email: "ann@x.test" });
    const bob = app.signIn({ email: "bob@x.test", roles: [Editor] });
    const of = async (as: typeof ann | undefined, endpoint: typeof me, path: string): Promise<unknown[]> => {
      const called = await call(endpoint, app.ctx(as)).then(
        () => 200,
        (error: { status: number }) => error.status,
      );
      return [called, (await app.fetch(path, as && { as })).status];
    };
    expect(await of(undefined, me, "/me")).toEqual([401, 401]);
    expect(await of(ann, me, "/me")).toEqual([200, 200]);
    expect(await of(undefined, secretPlans, "/plans")).toEqual([401, 401]);
    expect(await of(ann, secretPlans, "/plans")).toEqual([403, 403]);
    expect(await of(bob, secretPlans, "/plans")).toEqual([200, 200]);
  });

  test("a grant is seen by the next call and the next request, and nobody is there after a disabling", async () => {
    await using app = await newTestApp();
    const ann = app.signIn({ email: "ann@x.test" });
    const ctx = app.ctx(ann);
    await auth.users.grant(ctx, ann.id, Editor);
    expect(await call(secretPlans, ctx)).toEqual({ id: ann.id, roles: ["editor"] });
    expect((await app.fetch("/plans", { as: ann })).status).toBe(200);
    await auth.users.disable(ctx, ann.id);
    await expect(call(me, ctx)).rejects.toMatchObject({ status: 401, message: "sign in to continue" });
    expect((await app.fetch("/me", { as: ann })).status).toBe(401);
  });

  test("a session lives for 7 days of the application's clock", async () => {
    await using app = await newTestApp();
    const ann = app.signIn({ email: "ann@x.test" });
    expect((await app.fetch("/me", { as: ann })).status).toBe(200);
    await app.clock.advance("604799s");
    expect((await app.fetch("/me", { as: ann })).status).toBe(200);
    await app.clock.advance("1s");
    expect((await app.fetch("/me", { as: ann })).status).toBe(401);
    await expect(call(me, app.ctx(ann))).rejects.toMatchObject({ status: 401 });
  });

  test("an account that is there signs in, by its address or its id", async () => {
    await using app = await newTestApp();
    const { id } = await auth.users.create(app.ctx(), { email: "ann@x.test" });
    await auth.users.grant(app.ctx(), id, Editor);
    const ann = app.signIn({ id, email: "ann@x.test" });
    expect(await (await app.fetch("/me", { as: ann })).json()).toEqual({ id, roles: ["editor"] });
    const again = app.signIn({ email: "ANN@x.test" });
    expect([again.id, again.roles]).toEqual([id, ["editor"]]);
    expect(await (await app.fetch("/me", { as: again })).json()).toEqual({ id, roles: ["editor"] });
  });

  test("one person signs in as often as a test says, with the roles of the latest call", async () => {
    await using app = await newTestApp();
    const calls: readonly (readonly RoleDeclaration[] | undefined)[] = [
      [Editor],
      undefined,
      [],
      [Editor],
      [],
      [Editor],
    ];
    let roles: readonly string[] = [];
    const people = calls.map((given) => {
      const person = app.signIn({ email: "ann@x.test", ...(given && { roles: given }) });
      roles = given?.map(({ name }) => name) ?? roles;
      expect(person.roles).toEqual(roles);
      return person;
    });
    expect(new Set(people.map(({ id }) => id)).size).toBe(1);
    for (const person of people) {
      expect(await call(me, app.ctx(person))).toEqual({ id: person.id, roles: ["editor"] });
      expect((await app.fetch("/plans", { as: person })).status).toBe(200);
    }
    const later = app.signIn({ email: "ann@x.test", roles: [] });
    for (const person of [...people, later]) expect((await app.fetch("/plans", { as: person })).status).toBe(403);
  });

  test("who was deleted signs in to a new account", async () => {
    await using app = await newTestApp();
    const ann = app.signIn({ email: "ann@x.test", roles: [Editor] });
    await auth.users.delete(app.ctx(), ann.id);
    const again = app.signIn({ email: "ann@x.test" });
    expect(again).toMatchObject({ roles: [] });
    expect(again.id).not.toBe(ann.id);
    expect((await app.fetch("/me", { as: again })).status).toBe(200);
  });

  test("a mistake fails at the call", async () => {
    await using app = await newTestApp();
    const { id } = await auth.users.create(app.ctx(), { email: "ann@x.test" });
    await auth.users.disable(app.ctx(), id);
    expect(() => app.signIn({ email: "ann@x.test" })).toThrow("signIn: the account of ann@x.test is disabled");
    expect(() => app.signIn({ email: "ann@x.test", id: "another" })).toThrow(
      `signIn: ann@x.test already has an account, with the id "${id}"`,
    );
    expect(() => app.signIn({ email: "ann" })).toThrow("signIn: the address of an account is not an email address");
    app.signIn({ email: "bob@x.test", id: "bob" });
    expect(() => app.signIn({ email: "bob@x.test", id: "other" })).toThrow("already has an account");
  });

  test("who signs in again with other roles has them in every session, on the next request", async () => {
    await using app = await newTestApp();
    const ann = app.signIn({ email: "ann@x.test", roles: [Editor] });
    expect((await app.fetch("/plans", { as: ann })).status).toBe(200);
    const again = app.signIn({ email: "ann@x.test", id: ann.id, roles: [] });
    expect((await app.fetch("/plans", { as: again })).status).toBe(403);
    expect((await app.fetch("/plans", { as: ann })).status).toBe(403);
  });

  test("a role that is not declared is refused", async () => {
    await using app = await newTestApp();
    expect(() => app.signIn({ email: "ann@x.test", roles: [Role("edtor")] })).toThrow(
      'the application declares no role "edtor"; did you mean "editor"?',
    );
  });

  test("the session of one application is none of another", async () => {
    await using app = await newTestApp();
    await using other = await newTestApp();
    const ann = app.signIn({ email: "ann@x.test" });
    expect(() => other.ctx(ann)).toThrow("ann@x.test is signed in to the application of another test");
    expect((await other.fetch("/me", { as: ann })).status).toBe(401);
  });
});

describe("secrets", () => {
  test("secrets in tests come from app.setSecret, and from nowhere else", async () => {
    vi.stubEnv("FW_TEST_KEY", "of the environment");
    await using app = await newTestApp();
    const key = Secret("FW_TEST_KEY");
    expect(() => key.value()).toThrow(
      "secret FW_TEST_KEY is not set (add it to the env file locally, or the secret store in the cloud)",
    );
    app.setSecret("FW_TEST_KEY", "of the test");
    expect(key.value()).toBe("of the test");
    await app.close();
    expect(() => key.value()).toThrow("secret FW_TEST_KEY is not set");
  });
});

describe("requests", () => {
  test("submit posts a form with the token of its page, for somebody and for nobody", async () => {
    await using app = await newTestApp();
    const ann = app.signIn({ email: "ann@x.test" });
    expect(await (await app.submit("/form", { tags: ["a", "b"] })).text()).toContain("undefined a,b");
    expect(await (await app.submit("/form", { tags: "c" }, { as: ann })).text()).toContain("ann@x.test c");
    const answer = await app
      .client(ann)
      .submit("/form", { file: new File(["x"], "x.txt"), tags: 1 }, { from: "/form" });
    expect(await answer.text()).toContain("ann@x.test 1 1");
    expect((await app.fetch("/form", { method: "POST", body: new URLSearchParams() })).status).toBe(403);
  });

  test("submit says when the page has no form", async () => {
    await using app = await newTestApp();
    await expect(app.submit("/form", {}, { from: "/plain" })).rejects.toThrow(
      'submit: GET /plain responded with 200 without a form token: pass the path of the page with the form as { from: "/path" }',
    );
  });

  test("an object is sent as JSON, and what was logged is kept with the application's time", async () => {
    await using app = await newTestApp({ now: new Date("2026-01-01") });
    expect((await app.fetch("/notes", { method: "POST", body: { text: "one" } })).status).toBe(204);
    expect(await notes.query().count(app.ctx())).toBe(1);
    await app.fetch("/log");
    expect(app.logs).toMatchObject([{ message: "looked", at: new Date("2026-01-01") }]);
  });
});

describe("background work", () => {
  test("what was published and sent can be seen, but for what its transaction gave up", async () => {
    await using app = await newTestApp();
    await call(add, app.ctx(), { text: "one" });
    await call(add, app.ctx(), { text: "two", fail: true }).catch(() => {});
    await mails.send(app.ctx(), "three");
    expect(app.published(added)).toEqual([{ text: "one" }]);
    expect(app.sent(mails)).toEqual(["three"]);
  });

  test("drain delivers everything, with its delays and further attempts; nothing is delivered before", async () => {
    await using app = await newTestApp();
    await call(add, app.ctx(), { text: "twice" });
    expect(app.sent(mails)).toEqual([]);
    await app.drain();
    expect(mailed).toEqual(["twice 1", "twice 2"]);
    await app.drain();
    expect(mailed).toHaveLength(2);
  });

  test("the clock drives deliveries: a delay, then the pause before the next attempt", async () => {
    await using app = await newTestApp();
    await call(add, app.ctx(), { text: "twice" });
    await app.clock.advance("59s");
    expect([app.sent(mails), mailed]).toEqual([["twice"], []]);
    await app.clock.advance("1s");
    expect(mailed).toEqual(["twice 1"]);
    await app.clock.advance("9s");
    expect(mailed).toEqual(["twice 1"]);
    await app.clock.advance("1s");
    expect(mailed).toEqual(["twice 1", "twice 2"]);
  });

  test.each([
    ["drain", (app: TestApp) => app.drain()],
    ["the clock", (app: TestApp) => app.clock.advance("2h")],
  ])("%s brings a handler that never ends to its deadlines", async (_, pass) => {
    await using app = await newTestApp();
    await mails.send(app.ctx(), "endless");
    await mails.send(app.ctx(), "fine");
    await pass(app);
    expect(mailed.filter((each) => each.startsWith("endless"))).toEqual([1, 2, 3, 4, 5].map((n) => `endless ${n}`));
    expect(mailed).toContain("fine 1");
  });

  test("the clock drives crons: each runs at its instants", async () => {
    await using app = await newTestApp({ now: new Date("2026-01-01T06:00:00Z") });
    await app.clock.advance("59m");
    expect(app.logs).toEqual([]);
    await app.clock.advance("25h");
    expect(app.logs.map(({ at, message, tags }) => [at.toISOString(), message, tags["cron"]])).toEqual([
      ["2026-01-01T07:00:00.000Z", "digest", "digest"],
      ["2026-01-02T07:00:00.000Z", "digest", "digest"],
    ]);
  });
});

test("who changes the same at once comes one after the other, although time stands still", async () => {
  await using app = await newTestApp();
  const { id } = await notes.create(app.ctx(), { text: "" });
  const append = (letter: string) => notes.update(app.ctx(), id, (note) => ({ ...note, text: note.text + letter }));
  await Promise.all([..."abcdefgh"].map(append));
  const { text } = await notes.get(app.ctx(), id);
  expect([...text].toSorted().join("")).toBe("abcdefgh");
});

test("applications of one process have stores, clocks and logs of their own", async () => {
  const texts = await Promise.all(
    ["one", "two", "three"].map(async (text, i) => {
      await using app = await newTestApp({ now: new Date(0) });
      await Promise.all([notes.create(app.ctx(), { text }), app.clock.advance(`${i + 1}s`), app.fetch("/log")]);
      const all = await notes.query().all(app.ctx());
      return [all.map((note) => note.text), app.clock.now(), app.logs.length];
    }),
  );
  expect(texts).toEqual([
    [["one"], 1000, 1],
    [["two"], 2000, 1],
    [["three"], 3000, 1],
  ]);
});
