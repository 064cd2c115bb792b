import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Platform } from "../../platform/contract.ts";
import { systemClock } from "../../platform/clock.ts";
import { messages } from "../error-messages.ts";
import { bothProviders, openAuthPlatform } from "../testing/auth-platform.ts";
import { accountsOf, type ManagedAccounts } from "./users.ts";
import { rolesOf } from "./roles.ts";
import { accountWaitMs } from "./roles.ts";
import { type NewSession, Sessions } from "./sessions.ts";

/** Returns the platform as another process sees it: with the same data but without shared memory. */
function elsewhere(platform: Platform): Platform {
  const { leases } = platform;
  return {
    ...platform,
    leases: {
      acquire: (name, milliseconds) => leases.acquire(name, milliseconds),
      renew: (fence, milliseconds) => leases.renew(fence, milliseconds),
      release: (fence) => leases.release(fence),
    },
  };
}

function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(3, "0")}`);
}

/** Returns a platform that runs an action right after its nth read of an account. */
function interrupted(platform: Platform, read: number, happens: () => Promise<void>): Platform {
  let reads = 0;
  const get: Platform["accounts"]["get"] = async (id) => {
    const found = await platform.accounts.get(id);
    if (++reads === read) await happens();
    return found;
  };
  return { ...platform, accounts: Object.assign(Object.create(platform.accounts), { get }) };
}

test("320 parallel grants and revokes of one account lose none, in one process and in several", async () => {
  const { platform, log } = await openAuthPlatform(systemClock);
  const processes = [platform, ...Array.from({ length: 3 }, () => elsewhere(platform))];
  const managed = processes.map((each) => accountsOf(each, bothProviders));
  const accounts = (i: number): ManagedAccounts => managed[i % managed.length] as ManagedAccounts;
  const { id } = await accounts(0).create({ email: "ann@example.com" }, log);
  await platform.accounts.setClaims(id, { plan: "paid", roles: names("old", 160) });
  const acts = [
    ...names("old", 160).map((role, i) => accounts(i).revoke(id, role)),
    ...names("new", 160).map((role, i) => accounts(i).grant(id, role)),
  ];
  await Promise.all(acts);
  const account = await platform.accounts.get(id);
  expect(rolesOf(account?.claims ?? {})).toEqual(names("new", 160));
  expect(account?.claims["plan"]).toBe("paid");
});

test("a password that changes while someone signs in with the old one leaves no session", async () => {
  const { platform, log } = await openAuthPlatform();
  const accounts = accountsOf(platform, bothProviders);
  const { id } = await accounts.create({ email: "ann@example.com", password: "correct horse" }, log);
  const checked = await platform.accounts.checkPassword("ann@example.com", "correct horse");
  // The change starts after the password check and ends while the session is being created.
  const slow = interrupted(platform, 1, async () => accounts.setPassword?.(id, "battery staple"));
  expect(await new Sessions(slow).create(id, "email", { passwordVersion: checked?.passwordVersion })).toBeUndefined();
  expect(
    await new Sessions(platform).create(id, "email", { passwordVersion: checked?.passwordVersion }),
  ).toBeUndefined();
  expect(await new Sessions(platform).list(id)).toEqual([]);
});

test("a session that ends while it creates an access token leaves no token", async () => {
  const { platform, log } = await openAuthPlatform();
  const { id } = await accountsOf(platform, bothProviders).create({ email: "ann@example.com" }, log);
  const sessions = new Sessions(platform);
  const session = await sessions.create(id, "email");
  const token = { name: "of a thief", lifetime: undefined, roles: undefined, creator: session?.documentId };
  // Every session ends while the token is being created, as after a password reset.
  const slow = interrupted(platform, 1, () => sessions.endAll(id));
  expect(await new Sessions(slow).createToken(id, "email", token)).toBeUndefined();
  expect(await sessions.createToken(id, "email", token)).toBeUndefined();
  expect(await sessions.tokens(id)).toEqual([]);
});

test("whose lease is taken by another in the middle of a grant starts again, and nothing is lost", async () => {
  const { platform, clock, log } = await openAuthPlatform();
  const { id } = await accountsOf(platform, bothProviders).create({ email: "ann@example.com" }, log);
  // The second read of a grant is the one under the lease.
  const slow = interrupted(platform, 2, async () => {
    clock.advance(20_000);
    await accountsOf(elsewhere(platform), bothProviders).grant(id, "editor");
  });
  await accountsOf(slow, bothProviders).grant(id, "admin");
  expect(rolesOf((await platform.accounts.get(id))?.claims ?? {})).toEqual(["admin", "editor"]);
});

test("a grant that others keep waiting for half a minute gives up with 409, and has changed nothing", async () => {
  const { platform, clock, log } = await openAuthPlatform();
  const accounts = accountsOf(platform, bothProviders);
  const { id } = await accounts.create({ email: "ann@example.com" }, log);
  await platform.leases.acquire(`account ${id}`, 3_600_000);
  const before = clock.now();
  await expect(accounts.grant(id, "editor")).rejects.toMatchObject({ status: 409, message: messages.conflict });
  expect(clock.now() - before).toBeGreaterThanOrEqual(accountWaitMs);
  expect((await platform.accounts.get(id))?.claims).toEqual({});
});

test("0 requests pass after a disable is acknowledged, while requests and sign-ins race it", async () => {
  const { platform, log } = await openAuthPlatform(systemClock);
  const accounts = accountsOf(platform, bothProviders);
  const sessions = new Sessions(platform);
  for (let round = 0; round < 20; round++) {
    const { id } = await accounts.create({ email: `ann${round}@example.com` }, log);
    const ids: string[] = [];
    const race = { over: false, acknowledged: false };
    const admissions: string[] = [];
    const signsIn = async (): Promise<void> => {
      while (!race.over) {
        const session = await sessions.create(id, "social");
        if (session !== undefined) ids.push(session.id);
        await turn();
      }
    };
    const requests = async (): Promise<void> => {
      for (let i = 0; !race.over; i++, await turn()) {
        const one = ids[i % Math.max(1, ids.length)] ?? "";
        const after = race.acknowledged;
        if ((await sessions.find(one)) !== undefined && after) admissions.push(one);
      }
    };
    const racing = [signsIn(), signsIn(), signsIn(), requests(), requests(), requests()];
    while (ids.length < 10 + round) await turn();
    // A grant in every other round leaves stale sessions, whose refresh also races with disabling the account.
    if (round % 2 === 0) await accounts.grant(id, "editor");
    await accounts.disable(id);
    race.acknowledged = true;
    for (let i = 0; i < 20; i++) await turn();
    race.over = true;
    await Promise.all(racing);
    for (const one of ids) if ((await sessions.find(one)) !== undefined) admissions.push(one);
    expect(admissions).toEqual([]);
  }
});

test("a granted role works on the next request, also of a session that was being made", async () => {
  const { platform, log } = await openAuthPlatform(systemClock);
  const accounts = accountsOf(platform, bothProviders);
  const sessions = new Sessions(platform);
  const { id } = await accounts.create({ email: "ann@example.com" }, log);
  for (let round = 0; round < 20; round++) {
    const making: Promise<NewSession | undefined>[] = [];
    const race = { over: false };
    const grantDone = accounts.grant(id, `role${round}`).finally(() => (race.over = true));
    while (!race.over) {
      making.push(sessions.create(id, "social"));
      await turn();
    }
    await grantDone;
    for (const session of await Promise.all(making)) {
      expect((await sessions.find(session?.id ?? ""))?.identity.roles).toContain(`role${round}`);
      await sessions.end(session?.id ?? "");
    }
  }
});

test("a refresh that read the account before a grant does not undo the grant's mark", async () => {
  const { platform, log } = await openAuthPlatform(systemClock);
  const accounts = accountsOf(platform, bothProviders);
  const { id } = await accounts.create({ email: "ann@example.com" }, log);
  const session = await new Sessions(platform).create(id, "social");
  await accounts.grant(id, "editor");
  const slow = interrupted(platform, 1, () => accounts.grant(id, "admin"));
  const found = await new Sessions(slow).find(session?.id ?? "");
  expect(found?.identity.roles).toEqual(["admin", "editor"]);
});

test.each(["disable", "delete"] as const)(
  "a session that is being made is not made when its account is gone by then: %s",
  async (act) => {
    const { platform, log } = await openAuthPlatform();
    const accounts = accountsOf(platform, bothProviders);
    const { id } = await accounts.create({ email: "ann@example.com" }, log);
    const slow = interrupted(platform, 1, () => accounts[act](id));
    expect(await new Sessions(slow).create(id, "social")).toBeUndefined();
    expect(await platform.entities.count({ kind: "_fw_sessions", filters: [], orders: [] })).toBe(0);
  },
);

test("a session that is being made has the role that is granted meanwhile", async () => {
  const { platform, log } = await openAuthPlatform();
  const accounts = accountsOf(platform, bothProviders);
  const { id } = await accounts.create({ email: "ann@example.com" }, log);
  const slow = interrupted(platform, 1, () => accounts.grant(id, "editor"));
  const session = await new Sessions(slow).create(id, "social");
  expect((await new Sessions(platform).find(session?.id ?? ""))?.identity.roles).toEqual(["editor"]);
});

test("a deletion that is cut short has ended the sessions and refuses sign-in, and can be repeated", async () => {
  const { platform, log } = await openAuthPlatform();
  const { id } = await accountsOf(platform, bothProviders).create({ email: "ann@example.com" }, log);
  const session = await new Sessions(platform).create(id, "social");
  const failAlways = async (): Promise<never> => {
    throw new Error("the process died");
  };
  const dying = { ...platform, accounts: Object.assign(Object.create(platform.accounts), { delete: failAlways }) };
  await expect(accountsOf(dying, bothProviders).delete(id)).rejects.toThrow("the process died");
  expect(await new Sessions(platform).find(session?.id ?? "")).toBeUndefined();
  expect(await new Sessions(platform).create(id, "social")).toBeUndefined();
  await accountsOf(platform, bothProviders).delete(id);
  expect(await platform.accounts.get(id)).toBeUndefined();
});

test("a stale session whose account is disabled while it is refreshed ends", async () => {
  const { platform, log } = await openAuthPlatform();
  const accounts = accountsOf(platform, bothProviders);
  const { id } = await accounts.create({ email: "ann@example.com" }, log);
  const session = await new Sessions(platform).create(id, "social");
  await accounts.grant(id, "editor");
  const slow = interrupted(platform, 1, () => accounts.disable(id));
  expect(await new Sessions(slow).find(session?.id ?? "")).toBeUndefined();
  expect(await platform.entities.count({ kind: "_fw_sessions", filters: [], orders: [] })).toBe(0);
});
