import { describe, expect, test } from "vitest";
import { isStatusError } from "../../declare/errors.ts";
import type { Account, AccountFields } from "../../platform/accounts.ts";
import type { Platform } from "../../platform/contract.ts";
import { derivationsOf } from "../../platform/testing/derivations.ts";
import type { BundledAuth } from "../bundle.ts";
import { TaggedLogger } from "../observe/log.ts";
import { createApplication } from "../create-application.ts";
import { bundleOf } from "../testing/app.ts";
import { bothProviders, openAuthPlatform, type AuthPlatform } from "../testing/auth-platform.ts";
import { accountsOf } from "./users.ts";
import { type NewSession, Sessions } from "./sessions.ts";
import { signIn, type Credential } from "./sign-in.ts";
import { settings } from "../settings.ts";

const password = "correct horse";
const onlySocial: BundledAuth = { social: true, password: false, roles: [] };
const onlyPassword: BundledAuth = { social: false, password: true, roles: [] };

interface Fixture extends AuthPlatform {
  readonly account: (email: string, more?: Partial<AccountFields>) => Promise<Account>;
  readonly enter: (credential: Credential, auth?: BundledAuth, previous?: string) => Promise<NewSession>;
  /** Creates an ID token of the provider. */
  readonly token: (account: Account, provider: string) => Credential;
}

async function fixture(change: (platform: Platform) => Platform = (platform) => platform): Promise<Fixture> {
  const parts = await openAuthPlatform();
  const { clock, log } = parts;
  const platform = change(parts.platform);
  return {
    ...parts,
    account: (email, more) =>
      parts.platform.accounts.create({ email, name: "", emailVerified: false, claims: {}, ...more }),
    enter: (credential, auth = bothProviders, previous?) =>
      signIn({ platform, sessions: new Sessions(platform), auth, log }, credential, previous),
    token: ({ id }, provider) => ({
      idToken: parts.platform.accounts.mintToken(id, provider, new Date(clock.now() + 3_600_000)),
    }),
  };
}

/** Returns the status and message of a refusal. */
async function refusal(work: Promise<unknown>): Promise<{ status: number; message: string }> {
  const error: unknown = await work.then(
    () => new Error("it was not refused"),
    (thrown: unknown) => thrown,
  );
  if (!isStatusError(error)) throw error;
  return { status: error.status, message: error.message };
}

/** Returns the names of the events. */
function eventsOf(sent: AuthPlatform["messages"]): readonly string[] {
  return sent.map(({ destination }) => destination.name);
}

const silent = new TaggedLogger(() => {}, {});

async function sessionCount({ platform }: AuthPlatform): Promise<number> {
  return platform.entities.count({ kind: "_fw_sessions", filters: [], orders: [] });
}

describe("session: none → active", () => {
  test("a password that is right makes a session of the email provider", async () => {
    const { account, enter, platform } = await fixture();
    const { id } = await account("ann@example.com", { password, claims: { roles: ["editor"] } });
    const session = await enter({ password: { email: "ANN@example.com", password } });
    expect(session.identity).toMatchObject({ id, provider: "email", emailVerified: false, roles: ["editor"] });
    expect(await new Sessions(platform).find(session.id)).toMatchObject({
      identity: session.identity,
      csrf: session.csrf,
    });
  });

  test.each(["social", "email"] as const)("an ID token of the provider %s makes a session of it", async (provider) => {
    const { account, enter, token } = await fixture();
    const ann = await account("ann@example.com");
    const { identity } = await enter(token(ann, provider));
    expect(identity).toMatchObject({ id: ann.id, provider, emailVerified: provider === "social" });
  });

  test("a sign-in rotates the session: a new id, a new secret, and the one before ends", async () => {
    const { account, enter, token, platform } = await fixture();
    const ann = await account("ann@example.com");
    const first = await enter(token(ann, "social"));
    const second = await enter(token(ann, "social"), bothProviders, first.id);
    expect(second.id).not.toBe(first.id);
    expect(second.csrf).not.toEqual(first.csrf);
    expect(await new Sessions(platform).find(first.id)).toBeUndefined();
    expect(await new Sessions(platform).find(second.id)).toBeDefined();
  });
});

describe("session: none → none", () => {
  test.each([
    [onlySocial, "email", "social"],
    [onlyPassword, "social", "email"],
    [bothProviders, "saml.corp", "social and email"],
  ])("a session may only come from a declared provider: %j refuses %s", async (auth, provider, declaredProviders) => {
    const parts = await fixture();
    const { account, enter, token, messages: sent } = parts;
    const ann = await account("ann@example.com");
    expect(await refusal(enter(token(ann, provider), auth))).toEqual({
      status: 401,
      message: `the ID token did not verify: this token was minted by ${provider}, and this app declares ${declaredProviders} — the auth configuration decides which doors exist`,
    });
    expect([await sessionCount(parts), sent]).toEqual([0, []]);
  });

  test("a password where Password is not declared is refused before it is derived", async () => {
    const { account, enter } = await fixture();
    await account("ann@example.com", { password });
    const derivations = await derivationsOf(async () => {
      expect(await refusal(enter({ password: { email: "ann@example.com", password } }, onlySocial))).toEqual({
        status: 401,
        message:
          "the ID token did not verify: this token was minted by email, and this app declares social — the auth configuration decides which doors exist",
      });
    });
    expect(derivations.count).toBe(0);
  });

  test("a wrong password, an unknown address and a disabled account are refused with the same text, after the same work", async () => {
    const parts = await fixture();
    const { account, enter, platform } = parts;
    await account("ann@example.com", { password });
    await account("social@example.com");
    const { id } = await account("off@example.com", { password });
    await platform.accounts.setDisabled(id, true);
    for (const [email, text] of [
      ["ann@example.com", "wrong"],
      ["nobody@example.com", password],
      ["off@example.com", password],
      ["social@example.com", password],
    ] as const) {
      const derivations = await derivationsOf(async () => {
        expect(await refusal(enter({ password: { email, password: text } })), email).toEqual({
          status: 401,
          message: "that email and password do not match an account",
        });
      });
      expect(derivations.count, email).toBe(1);
    }
    expect(await sessionCount(parts)).toBe(0);
  });

  test("an account that is disabled between the check and the session has none", async () => {
    const parts = await fixture((platform) => {
      const checkPassword: Platform["accounts"]["checkPassword"] = async (email, text) => {
        const account = await platform.accounts.checkPassword?.(email, text);
        await platform.accounts.setDisabled(account?.id ?? "", true);
        return account;
      };
      return { ...platform, accounts: Object.assign(Object.create(platform.accounts), { checkPassword }) };
    });
    await parts.account("ann@example.com", { password });
    const refused = await refusal(parts.enter({ password: { email: "ann@example.com", password } }));
    expect(refused).toEqual({ status: 401, message: "that email and password do not match an account" });
    expect(await sessionCount(parts)).toBe(0);
  });

  test("an ID token that does not verify says why", async () => {
    const { account, enter, token, clock } = await fixture();
    const old = token(await account("ann@example.com"), "social");
    expect(await refusal(enter({ idToken: "forged" }))).toEqual({
      status: 401,
      message: "the ID token did not verify: it has no valid signature of this server",
    });
    clock.advance(3_600_000);
    expect((await refusal(enter(old))).message).toBe("the ID token did not verify: it has expired");
  });

  test("a refused sign-in leaves the session that the browser had", async () => {
    const { account, enter, token, platform } = await fixture();
    const { id } = await enter(token(await account("ann@example.com"), "social"));
    await refusal(enter({ idToken: "forged" }, bothProviders, id));
    expect(await new Sessions(platform).find(id)).toBeDefined();
  });
});

test("changing the declared providers never affects existing sessions", async () => {
  const { account, enter, token, platform } = await fixture();
  const { id } = await enter(token(await account("ann@example.com"), "social"));
  const app = createApplication({ ...bundleOf([]), auth: onlyPassword }, { settings: settings.test, platform });
  expect((await app.sessions?.find(id))?.identity.provider).toBe("social");
});

describe("first sign-in", () => {
  test("is published once for an identity never seen before, with its _fw_seen record", async () => {
    const { account, enter, token, platform, clock, messages: sent } = await fixture();
    const ann = await account("ann@example.com", { name: "Ann" });
    const at = new Date(clock.now());
    await enter(token(ann, "email"));
    await enter(token(ann, "email"));
    await enter(token(ann, "social"));
    expect(sent.map(({ destination }) => destination)).toEqual([{ kind: "event", name: "auth.first-sign-in" }]);
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({
      id: ann.id,
      email: "ann@example.com",
      name: "Ann",
      provider: "email",
      emailVerified: false,
      roles: [],
    });
    expect((await platform.entities.get({ kind: "_fw_seen", id: ann.id }))?.fields).toEqual({ at });
  });

  test("is published once however many sessions are made at the same time", async () => {
    const { account, enter, token, messages: sent } = await fixture();
    const credential = token(await account("ann@example.com"), "email");
    await Promise.all(Array.from({ length: 20 }, () => enter(credential)));
    expect(sent).toHaveLength(1);
  });

  test("that cannot be published fails no sign-in, and is published by the next", async () => {
    const { account, enter, token, platform, messages: sent, logs, failSending } = await fixture();
    const credential = token(await account("ann@example.com"), "social");
    failSending(new Error("no carrier"));
    const { id } = await enter(credential);
    expect(await new Sessions(platform).find(id)).toBeDefined();
    expect([sent, logs.map(({ message }) => message)]).toEqual([[], ["an event could not be published"]]);
    failSending(undefined);
    await enter(credential);
    expect(eventsOf(sent)).toEqual(["auth.first-sign-in", "auth.registered"]);
  });

  test("is not published by a refused sign-in", async () => {
    const { account, enter, token, messages: sent, platform } = await fixture();
    const ann = await account("ann@example.com");
    await platform.accounts.setDisabled(ann.id, true);
    await refusal(enter(token(ann, "social")));
    expect(sent).toEqual([]);
    expect(await platform.entities.get({ kind: "_fw_seen", id: ann.id })).toBeUndefined();
  });
});

describe("a social sign-up", () => {
  test("publishes registered beside the first sign-in, once, with one user", async () => {
    const { account, enter, token, platform, clock, messages: sent } = await fixture();
    const ann = await account("ann@example.com", { name: "Ann" });
    const at = new Date(clock.now());
    await enter(token(ann, "social"));
    await enter(token(ann, "social"));
    expect(eventsOf(sent)).toEqual(["auth.first-sign-in", "auth.registered"]);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect((await platform.entities.get({ kind: "_fw_registered", id: ann.id }))?.fields).toEqual({ at });
  });

  test("of an account that users.create made publishes the first sign-in alone", async () => {
    const { enter, token, platform, log, messages: sent } = await fixture();
    const user = { email: "ann@example.com" };
    const ann = await accountsOf(platform, bothProviders).create(user, log);
    expect(eventsOf(sent)).toEqual(["auth.registered"]);
    await enter(token(ann, "social"));
    expect(eventsOf(sent)).toEqual(["auth.registered", "auth.first-sign-in"]);
  });

  test("at the moment when users.create makes the account has each event once, in either order", async () => {
    // The user signs in before `users.create` has published the account's event.
    const { enter, token, platform, log, messages: sent } = await fixture();
    const pendingSessions: Promise<NewSession>[] = [];
    const accounts = new Proxy(platform.accounts, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (name !== "create") return typeof member === "function" ? (member.bind(target) as unknown) : member;
        return async (...given: Parameters<typeof target.create>) => {
          const made = await target.create(...given);
          for (let i = 0; i < 5; i++) pendingSessions.push(enter(token(made, "social")));
          if (given[0].email === "ann@example.com") await Promise.all(pendingSessions);
          return made;
        };
      },
    });
    const managed = accountsOf({ ...platform, accounts }, bothProviders);
    const attempts = [
      await managed.create({ email: "ann@example.com" }, log),
      await managed.create({ email: "bob@example.com" }, log),
    ];
    await Promise.all(pendingSessions);
    for (const { id } of attempts)
      expect(eventsOf(sent.filter(({ body }) => body.includes(id))).toSorted()).toEqual([
        "auth.first-sign-in",
        "auth.registered",
      ]);
  });

  test("that stops before its commit has told nothing, and after it everything", async () => {
    const { account, enter, token, messages: sent, platform } = await fixture();
    const stops = { before: true };
    const begin: Platform["entities"]["begin"] = async (options) => {
      const transaction = await platform.entities.begin(options);
      const commit = async (): Promise<void> => {
        if (!stops.before) await transaction.commit();
        throw new Error("killed");
      };
      return new Proxy(transaction, {
        get: (target, name) => {
          const member: unknown = name === "commit" ? commit : Reflect.get(target, name);
          return typeof member === "function" ? (member.bind(target) as unknown) : member;
        },
      });
    };
    const entities = new Proxy(platform.entities, {
      get: (target, name) => (name === "begin" ? begin : (Reflect.get(target, name) as unknown)),
    });
    const credential = token(await account("ann@example.com"), "social");
    const killed = (): Promise<NewSession> =>
      signIn(
        { platform: { ...platform, entities }, sessions: new Sessions(platform), auth: bothProviders, log: silent },
        credential,
        undefined,
      );
    await killed();
    expect(sent).toEqual([]);
    stops.before = false;
    await killed();
    await enter(credential);
    expect(eventsOf(sent)).toEqual(["auth.first-sign-in", "auth.registered"]);
  });

  test("is told again of an account that was deleted and made anew under its id", async () => {
    const { enter, platform, messages: sent } = await fixture();
    await enter({ testUser: "alice", roles: [] });
    await accountsOf(platform, bothProviders).delete("alice");
    await enter({ testUser: "alice", roles: [] });
    expect(eventsOf(sent)).toEqual(["auth.first-sign-in", "auth.registered", "auth.first-sign-in", "auth.registered"]);
  });
});

describe("test users", () => {
  test("alice and bob are made at their first sign-in", async () => {
    const { enter, platform } = await fixture();
    for (const [testUser, name] of [
      ["alice", "Alice"],
      ["bob", "Bob"],
    ] as const) {
      const { identity } = await enter({ testUser, roles: [] });
      const email = `${testUser}@example.com`;
      expect(identity).toEqual({ id: testUser, email, name, provider: "social", emailVerified: true, roles: [] });
      expect((await platform.accounts.get(testUser))?.email).toBe(email);
    }
  });

  test("have exactly the ticked roles, in their other sessions too; without any word on roles they keep theirs", async () => {
    const { enter, platform } = await fixture();
    const first = await enter({ testUser: "alice", roles: ["editor", "admin"] });
    expect(first.identity.roles).toEqual(["admin", "editor"]);
    expect((await enter({ testUser: "alice", roles: undefined })).identity.roles).toEqual(["admin", "editor"]);
    expect((await enter({ testUser: "alice", roles: ["editor"] })).identity.roles).toEqual(["editor"]);
    expect((await new Sessions(platform).find(first.id))?.identity.roles).toEqual(["editor"]);
    expect((await enter({ testUser: "alice", roles: [] })).identity.roles).toEqual([]);
  });

  test("cannot take a role that is not declared", async () => {
    const { enter, platform } = await fixture();
    expect(await refusal(enter({ testUser: "alice", roles: ["editor", "king"] }))).toEqual({
      status: 400,
      message: "role: king is not a role that this app declares",
    });
    expect(await platform.accounts.get("alice")).toBeUndefined();
  });

  test("come through the social provider where it is declared, else through email", async () => {
    const { enter } = await fixture();
    expect((await enter({ testUser: "bob", roles: [] }, onlySocial)).identity.provider).toBe("social");
    expect((await enter({ testUser: "bob", roles: [] }, onlyPassword)).identity.provider).toBe("email");
  });

  test("sign in to the account that has their address, and not while it is disabled", async () => {
    const { account, enter, platform } = await fixture();
    const { id } = await account("Alice@example.com", { name: "Somebody" });
    expect((await enter({ testUser: "alice", roles: [] })).identity).toMatchObject({ id, name: "Somebody" });
    await platform.accounts.setDisabled(id, true);
    expect((await refusal(enter({ testUser: "alice", roles: [] }))).status).toBe(401);
  });
});
