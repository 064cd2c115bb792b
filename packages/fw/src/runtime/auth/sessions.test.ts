import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sessionMs } from "../../lib/limits.ts";
import type { Account } from "../../platform/accounts.ts";
import type { Document } from "../../platform/contract.ts";
import { openAuthPlatform, bothProviders, type AuthPlatform } from "../testing/auth-platform.ts";
import { accountsOf } from "./users.ts";
import { type NewSession, Sessions } from "./sessions.ts";

async function fixture(): Promise<Fixture> {
  const parts = await openAuthPlatform();
  const { platform, log } = parts;
  const accounts = accountsOf(platform, bothProviders);
  const ann = await accounts.create({ email: "ann@example.com", name: "Ann" }, log);
  const sessions = new Sessions(platform);
  const begin = async (): Promise<NewSession> => {
    const session = await sessions.create(ann.id, "social");
    if (session === undefined) throw new Error("the account is enabled");
    return session;
  };
  return { ...parts, accounts, ann, sessions, begin };
}

interface Fixture extends AuthPlatform {
  readonly accounts: ReturnType<typeof accountsOf>;
  readonly ann: Account;
  readonly sessions: Sessions;
  readonly begin: () => Promise<NewSession>;
}

async function storedSessions({ platform }: Fixture): Promise<readonly Document[]> {
  const query = { kind: "_fw_sessions", filters: [], orders: [], limit: 1000 };
  return (await platform.entities.query(query)).documents;
}

describe("the session record", () => {
  test("holds the identity, the roles and the session-bound CSRF token", async () => {
    const { accounts, ann, begin, sessions } = await fixture();
    await accounts.setRoles(ann.id, ["editor", "admin"]);
    const { id, ...session } = await begin();
    expect(session.identity).toEqual({
      id: ann.id,
      email: "ann@example.com",
      name: "Ann",
      provider: "social",
      emailVerified: true,
      roles: ["admin", "editor"],
    });
    expect(Buffer.from(session.csrf, "base64url")).toHaveLength(32);
    expect(await sessions.find(id)).toEqual(session);
  });

  test("the id is opaque and random, and not in clear at rest", async () => {
    const parts = await fixture();
    const { begin, platform, directory } = parts;
    const ids = await Promise.all(Array.from({ length: 100 }, async () => (await begin()).id));
    expect(new Set(ids).size).toBe(100);
    const storedIds = (await storedSessions(parts)).map(({ id }) => id);
    await platform.close();
    const files = await readdir(directory, { recursive: true, withFileTypes: true });
    const bytes = await Promise.all(
      files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name))),
    );
    for (const id of ids) {
      expect(id).toMatch(/^[\w-]{43}$/);
      expect(storedIds).toContain(createHash("sha256").update(id).digest("hex"));
      const raw = Buffer.from(id, "base64url");
      for (const form of [id, raw, raw.toString("hex"), raw.toString("base64")])
        expect(bytes.some((file) => file.includes(form))).toBe(false);
    }
  });

  test("a session lasts 7 days, to the second", async () => {
    const { begin, sessions, clock } = await fixture();
    const { id } = await begin();
    expect(sessionMs).toBe(7 * 24 * 60 * 60 * 1000);
    clock.advance(sessionMs - 1000);
    expect(await sessions.find(id)).toBeDefined();
    clock.advance(999);
    expect(await sessions.find(id)).toBeDefined();
    clock.advance(1);
    expect(await sessions.find(id)).toBeUndefined();
  });

  test("a refresh does not make a session last longer", async () => {
    const { begin, sessions, clock, accounts, ann } = await fixture();
    const { id } = await begin();
    clock.advance(sessionMs - 1);
    await accounts.grant(ann.id, "editor");
    expect((await sessions.find(id))?.identity.roles).toEqual(["editor"]);
    clock.advance(1);
    expect(await sessions.find(id)).toBeUndefined();
  });

  test("cost of authentication: one entity get per authenticated request", async () => {
    const { begin, sessions, calls: asked } = await fixture();
    const { id } = await begin();
    asked.length = 0;
    await sessions.find(id);
    expect(asked).toEqual(["entities.get"]);
  });

  test.each([
    "",
    "short",
    "a".repeat(44),
    `${"a".repeat(42)}=`,
    `${"a".repeat(42)}é`,
    `${"a".repeat(43)}\n`,
    "a/".repeat(21),
  ])("a cookie that holds no id of a session costs no read: %j", async (id) => {
    const { sessions, calls: asked } = await fixture();
    asked.length = 0;
    expect(await sessions.find(id)).toBeUndefined();
    await sessions.end(id);
    expect(asked).toEqual([]);
  });

  test("an id that nobody was given, or another writing of one, finds nothing", async () => {
    const { begin, sessions } = await fixture();
    const { id } = await begin();
    expect(await sessions.find("a".repeat(43))).toBeUndefined();
    // The last two bits of 43 base64 letters are unused.
    const last = String.fromCharCode(id.charCodeAt(42) + 1);
    expect(await sessions.find(id.slice(0, 42) + last)).toBeUndefined();
  });
});

describe("session: active → deleted", () => {
  test("signing out ends the session and no other", async () => {
    const { begin, sessions } = await fixture();
    const [one, other] = [await begin(), await begin()];
    await sessions.end(one.id);
    await sessions.end(one.id);
    expect(await sessions.find(one.id)).toBeUndefined();
    expect(await sessions.find(other.id)).toBeDefined();
  });

  test("an operator deletes the record: dead on the next request", async () => {
    const opened = await fixture();
    const { id } = await opened.begin();
    for (const document of await storedSessions(opened))
      await opened.platform.entities.delete({ kind: "_fw_sessions", id: document.id });
    expect(await opened.sessions.find(id)).toBeUndefined();
  });

  test.each(["disable", "delete"] as const)(
    "account %s: all sessions of the account end, and only those",
    async (act) => {
      const parts = await fixture();
      const { accounts, sessions, ann, log } = parts;
      const bob = await accounts.create({ email: "bob@example.com" }, log);
      const bobs = await sessions.create(bob.id, "email");
      const many = await Promise.all(Array.from({ length: 450 }, parts.begin));
      await accounts[act](ann.id);
      expect(await storedSessions(parts)).toHaveLength(1);
      for (const { id } of many) expect(await sessions.find(id)).toBeUndefined();
      expect(await sessions.find(bobs?.id ?? "")).toBeDefined();
      expect(await sessions.create(ann.id, "social")).toBeUndefined();
    },
  );
});

describe("session: active → active, marked stale", () => {
  test("after a grant or revoke the next request re-reads that one account and rewrites the session, without a sign-out", async () => {
    const parts = await fixture();
    const { accounts, ann, begin, sessions, calls: asked } = parts;
    const { id, csrf } = await begin();
    await accounts.grant(ann.id, "editor");
    asked.length = 0;
    const refreshed = await sessions.find(id);
    expect(asked).toEqual(["entities.get", "accounts.get", "entities.update"]);
    expect(refreshed?.identity.roles).toEqual(["editor"]);
    expect(refreshed?.csrf).toBe(csrf);
    asked.length = 0;
    expect(await sessions.find(id)).toEqual(refreshed);
    expect(asked).toEqual(["entities.get"]);
    await accounts.revoke(ann.id, "editor");
    expect((await sessions.find(id))?.identity.roles).toEqual([]);
  });

  test("every session of the account is marked, however many there are, and no other account's", async () => {
    const parts = await fixture();
    const { accounts, sessions, ann, log } = parts;
    const bob = await accounts.create({ email: "bob@example.com" }, log);
    await sessions.create(bob.id, "email");
    await Promise.all(Array.from({ length: 450 }, parts.begin));
    await sessions.markStale(ann.id);
    const stale = (await storedSessions(parts))
      .filter(({ fields }) => fields["stale"])
      .map(({ fields }) => fields["account"]);
    expect(stale).toEqual(Array.from({ length: 450 }, () => ann.id));
  });

  test("a stale session of an account that is gone or disabled ends", async () => {
    const parts = await fixture();
    const { platform, sessions, ann, begin } = parts;
    const { id } = await begin();
    await sessions.markStale(ann.id);
    await platform.accounts.setDisabled(ann.id, true);
    expect(await sessions.find(id)).toBeUndefined();
    expect(await storedSessions(parts)).toEqual([]);
  });

  test("requests that find one stale session at the same time all see the new roles", async () => {
    const { accounts, sessions, ann, begin } = await fixture();
    const { id } = await begin();
    await accounts.grant(ann.id, "editor");
    const found = await Promise.all(Array.from({ length: 50 }, async () => sessions.find(id)));
    expect(found.map((session) => session?.identity.roles)).toEqual(Array.from({ length: 50 }, () => ["editor"]));
  });
});

describe("access tokens", () => {
  const ci = { name: "ci", lifetime: 60_000, roles: undefined };
  const createToken = async ({ sessions, ann }: Fixture, token = ci) => {
    const created = await sessions.createToken(ann.id, "email", token);
    if (created === undefined) throw new Error("the account is enabled");
    return created;
  };

  test("end when their time is over, and only their hash is stored", async () => {
    const parts = await fixture();
    const { secret, ...listed } = await createToken(parts);
    const { secret: lasting } = await createToken(parts, { ...ci, lifetime: undefined as never });
    expect(await parts.sessions.tokens(parts.ann.id)).toContainEqual(listed);
    expect(JSON.stringify(await storedSessions(parts))).not.toContain(secret.slice(4));
    parts.clock.advance(60_000);
    expect(await parts.sessions.find(secret)).toBeUndefined();
    parts.clock.advance(1_000 * sessionMs);
    expect(await parts.sessions.find(lasting)).toMatchObject({ token: {}, identity: { provider: "email" } });
  });

  test("are no sessions: signing an account out leaves them, disabling it ends them", async () => {
    const parts = await fixture();
    const { sessions, accounts, ann, begin } = parts;
    const [{ id }, { secret }] = [await begin(), await createToken(parts)];
    expect(await sessions.list(ann.id)).toHaveLength(1);
    await accounts.signOut(ann.id);
    expect([await sessions.find(id), (await sessions.find(secret))?.identity.id]).toEqual([undefined, ann.id]);
    await accounts.disable(ann.id);
    expect(await sessions.find(secret)).toBeUndefined();
    expect(await sessions.createToken(ann.id, "email", ci)).toBeUndefined();
  });

  test("that a token creates end with it: when its time is over, and when it is revoked, for every owner", async () => {
    const store = await fixture();
    const { sessions, accounts, ann, clock, log } = store;
    const bea = await accounts.create({ email: "bea@example.com" }, log);
    const descendants = async (parent: string, owner: string): Promise<string[]> => {
      const secrets: string[] = [];
      for (let last = parent; secrets.length < 3;) {
        const { token } = (await sessions.find(last)) ?? {};
        const child = await sessions.createToken(owner, "email", { ...ci, lifetime: undefined, parent: token });
        secrets.push((last = child?.secret ?? ""));
      }
      return secrets;
    };
    const live = async (secrets: readonly string[]): Promise<number> => {
      let count = 0;
      for (const secret of secrets) if ((await sessions.find(secret)) !== undefined) count += 1;
      return count;
    };
    const [one, other] = [await createToken(store), await createToken(store)];
    const own = await descendants(one.secret, ann.id);
    const others = await descendants(one.secret, bea.id);
    const timed = await descendants(other.secret, ann.id);
    expect(await live([...own, ...others, ...timed])).toBe(9);
    expect(await sessions.endToken(ann.id, one.id)).toBe(true);
    expect([await live(own), await live(others), await live(timed)]).toEqual([0, 0, 3]);
    expect(await sessions.tokens(bea.id)).toEqual([]);
    expect((await sessions.tokens(ann.id)).map(({ expires }) => expires)).toEqual(Array(4).fill(other.expires));
    clock.advance(59_999);
    expect(await live(timed)).toBe(3);
    clock.advance(1);
    expect(await live(timed)).toBe(0);
  });

  test.each(["used", "listed"])(
    "of another account that ended with their creator are deleted once they are %s",
    async (how) => {
      const store = await fixture();
      const { sessions, accounts, ann, log } = store;
      const bea = await accounts.create({ email: "bea@example.com" }, log);
      const forever = { ...ci, lifetime: undefined };
      const creator = await sessions.createToken(ann.id, "email", forever);
      const { token } = (await sessions.find(creator?.secret ?? "")) ?? {};
      const child = await sessions.createToken(bea.id, "email", { ...forever, parent: token });
      const own = await sessions.createToken(bea.id, "email", forever);
      await sessions.endToken(ann.id, creator?.id ?? "");
      expect(await storedSessions(store)).toHaveLength(2);
      if (how === "used") expect(await sessions.find(child?.secret ?? "")).toBeUndefined();
      else expect((await sessions.tokens(bea.id)).map(({ id }) => id)).toEqual([own?.id]);
      expect(await storedSessions(store)).toHaveLength(1);
      expect(await sessions.find(own?.secret ?? "")).toBeDefined();
    },
  );

  test("of an account that is disabled end those that they asked for on another account", async () => {
    const store = await fixture();
    const { sessions, accounts, ann, log } = store;
    const bea = await accounts.create({ email: "bea@example.com" }, log);
    const { token } = (await sessions.find((await createToken(store)).secret)) ?? {};
    const child = await sessions.createToken(bea.id, "email", { ...ci, parent: token });
    expect(await sessions.find(child?.secret ?? "")).toBeDefined();
    await accounts.disable(ann.id);
    expect(await sessions.find(child?.secret ?? "")).toBeUndefined();
  });

  test("that are made while a role is taken away do not carry it", async () => {
    const parts = await fixture();
    const { accounts, ann, sessions } = parts;
    await accounts.setRoles(ann.id, ["editor"]);
    const [secrets] = await Promise.all([
      Promise.all(Array.from({ length: 8 }, () => createToken(parts))),
      accounts.revoke(ann.id, "editor"),
    ]);
    for (const { secret } of secrets) expect((await sessions.find(secret))?.identity.roles).toEqual([]);
  });
});
