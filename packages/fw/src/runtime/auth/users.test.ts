import { describe, expect, test } from "vitest";
import { Auth, type NewUser } from "../../declare/auth.ts";
import type { Context } from "../../declare/context.ts";
import { Fault, isEmailTaken, isNotFound } from "../../declare/errors.ts";
import { HOST } from "../../declare/slot.ts";
import { Role } from "../../declare/role.ts";
import type { BundledAuth } from "../bundle.ts";
import { createApplication } from "../create-application.ts";
import { messages } from "../error-messages.ts";
import { claimsTooLarge } from "../../platform/account-fields.ts";
import { bundleOf } from "../testing/app.ts";
import { bothProviders, openAuthPlatform, type AuthPlatform } from "../testing/auth-platform.ts";
import { Sessions } from "./sessions.ts";
import { settings } from "../settings.ts";

const { users } = Auth({ social: true, password: true });
const Editor = Role("editor");
const Admin = Role("admin");

/** Opens a platform, and creates a handler's context through which to manage its accounts. */
async function fixture(auth: BundledAuth = bothProviders): Promise<AuthPlatform & { readonly ctx: Context }> {
  const opened = await openAuthPlatform();
  const app = createApplication({ ...bundleOf([]), auth }, { settings: settings.test, platform: opened.platform });
  return { ...opened, ctx: { [HOST]: app.host, log: opened.log } as unknown as Context };
}

describe("account: none → enabled", () => {
  test("create makes the account, returns the user and publishes registered", async () => {
    const { ctx, messages: sent } = await fixture();
    const user = await users.create(ctx, { email: "Ann@example.com", name: "Ann" });
    expect(user).toEqual({
      id: user.id,
      email: "Ann@example.com",
      name: "Ann",
      provider: "social",
      emailVerified: false,
      roles: [],
    });
    expect(await users.get(ctx, user.id)).toEqual(user);
    const [message, ...more] = sent;
    expect(more).toEqual([]);
    expect(message?.destination).toEqual({ kind: "event", name: "auth.registered" });
    expect(JSON.parse(message?.body ?? "")).toEqual(user);
  });

  test("an event that cannot be published is logged, and the account is made all the same", async () => {
    const { ctx, logs, failSending } = await fixture();
    failSending(new Error("no carrier"));
    const user = await users.create(ctx, { email: "ann@example.com" });
    expect(await users.get(ctx, user.id)).toEqual(user);
    expect(logs).toMatchObject([
      {
        level: "error",
        message: "an event could not be published",
        fields: { event: "auth.registered", user: user.id },
      },
    ]);
  });

  test("a password is usually absent: an account without a name and a password is fine", async () => {
    const { ctx } = await fixture();
    expect(await users.create(ctx, { email: "ann@example.com" })).toMatchObject({ name: "", provider: "social" });
    const withPassword = { email: "bob@example.com", password: "correct horse" };
    expect(await users.create(ctx, withPassword)).toMatchObject({ provider: "email" });
  });

  test("create over an existing address is refused and recognised by isEmailTaken", async () => {
    const { ctx, messages: sent } = await fixture();
    await users.create(ctx, { email: "ann@example.com" });
    const again = await users.create(ctx, { email: "ANN@example.com" }).catch((error: unknown) => error);
    expect(again).toMatchObject({ status: 409, message: messages.emailTaken });
    expect(isEmailTaken(again)).toBe(true);
    expect(sent).toHaveLength(1);
  });

  test.each<[NewUser, string]>([
    [{ email: "ann" }, messages.emailAddress],
    [{ email: "" }, messages.emailAddress],
    [{ email: "ann@example.com", name: "a\u0000b" }, messages.accountName(256)],
    [{ email: "ann@example.com", password: "" }, messages.accountPassword(1024)],
    [{ email: "ann@example.com", password: "a\0" }, messages.accountPassword(1024)],
    [{ email: "ann@example.com", password: "a".repeat(1025) }, messages.accountPassword(1024)],
  ])("a bad value is a 400: %j", async (user, message) => {
    const { ctx, messages: sent } = await fixture();
    await expect(users.create(ctx, user)).rejects.toMatchObject({ status: 400, message });
    expect((await users.list(ctx).page()).users).toEqual([]);
    expect(sent).toEqual([]);
  });
});

describe("account: enabled ⇄ disabled → none", () => {
  test("disable refuses sign-in, keeps the record and ends the sessions; enable allows sign-in again", async () => {
    const { ctx, platform } = await fixture();
    const sessions = new Sessions(platform);
    const user = await users.create(ctx, { email: "ann@example.com", password: "correct horse" });
    const session = await sessions.create(user.id, "email");
    await users.disable(ctx, user.id);
    expect(await sessions.find(session?.id ?? "")).toBeUndefined();
    expect(await platform.accounts.checkPassword("ann@example.com", "correct horse")).toBeUndefined();
    expect(await sessions.create(user.id, "email")).toBeUndefined();
    expect(await users.get(ctx, user.id)).toEqual(user);
    await users.enable(ctx, user.id);
    expect(await platform.accounts.checkPassword("ann@example.com", "correct horse")).toBeDefined();
    expect(await sessions.find(session?.id ?? "")).toBeUndefined();
    expect(await sessions.create(user.id, "email")).toBeDefined();
  });

  test.each(["enabled", "disabled"])("delete is permanent and ends the sessions: %s", async (state) => {
    const { ctx, platform } = await fixture();
    const sessions = new Sessions(platform);
    const user = await users.create(ctx, { email: "ann@example.com" });
    const session = await sessions.create(user.id, "social");
    if (state === "disabled") await users.disable(ctx, user.id);
    await users.delete(ctx, user.id);
    expect(await sessions.find(session?.id ?? "")).toBeUndefined();
    await expect(users.get(ctx, user.id)).rejects.toMatchObject({ status: 404 });
    expect((await users.create(ctx, { email: "ann@example.com" })).id).not.toBe(user.id);
  });
});

describe("account management", () => {
  test("byEmail finds by address without regard to case", async () => {
    const { ctx } = await fixture();
    const user = await users.create(ctx, { email: "Ann@example.com" });
    expect(await users.byEmail(ctx, "aNN@EXAMPLE.com")).toEqual(user);
  });

  test.each<[string, (ctx: Context) => Promise<unknown>]>([
    ["get", (ctx) => users.get(ctx, "nobody")],
    ["byEmail", (ctx) => users.byEmail(ctx, "nobody@example.com")],
    ["grant", (ctx) => users.grant(ctx, "nobody", Editor)],
    ["revoke", (ctx) => users.revoke(ctx, "nobody", Editor)],
    ["disable", (ctx) => users.disable(ctx, "nobody")],
    ["enable", (ctx) => users.enable(ctx, "nobody")],
    ["delete", (ctx) => users.delete(ctx, "nobody")],
    ["a long id", (ctx) => users.grant(ctx, "a".repeat(10_000), Editor)],
  ])("an unknown account is NotFound: %s", async (_, act) => {
    const { ctx } = await fixture();
    const error = await act(ctx).catch((thrown: unknown) => thrown);
    expect(isNotFound(error)).toBe(true);
  });

  test("grant adds a role and revoke removes it, and both change only the roles", async () => {
    const { ctx, platform } = await fixture();
    const { id } = await users.create(ctx, { email: "ann@example.com" });
    await platform.accounts.setClaims(id, { plan: "paid", seats: [1, { of: null }] });
    await users.grant(ctx, id, Editor);
    await users.grant(ctx, id, Admin);
    await users.grant(ctx, id, Editor);
    expect((await users.get(ctx, id)).roles).toEqual(["admin", "editor"]);
    await users.revoke(ctx, id, Editor);
    await users.revoke(ctx, id, Editor);
    const user = await users.get(ctx, id);
    expect([user.hasRole(Admin), user.hasRole(Editor)]).toEqual([true, false]);
    expect((await platform.accounts.get(id))?.claims).toEqual({
      plan: "paid",
      seats: [1, { of: null }],
      roles: ["admin"],
    });
  });

  test("roles that an account cannot hold are a 400", async () => {
    const { ctx } = await fixture();
    const { id } = await users.create(ctx, { email: "ann@example.com" });
    const grant = users.grant(ctx, id, Role("r".repeat(20_000)));
    await expect(grant).rejects.toMatchObject({
      status: 400,
      message: messages.accountClaims(claimsTooLarge(16 * 1024)),
    });
  });

  test("list reads a page of users; an empty cursor starts at the beginning", async () => {
    const { ctx } = await fixture();
    const createdIds: string[] = [];
    for (let i = 0; i < 25; i++) createdIds.push((await users.create(ctx, { email: `a${i}@example.com` })).id);
    const first = await users.list(ctx).page();
    expect(first.users).toEqual((await users.list(ctx).page("")).users);
    expect(first.users.map(({ id }) => id)).toEqual(createdIds.slice(0, 20));
    const second = await users.list(ctx).limit(20).page(first.next);
    expect(second.users.map(({ id }) => id)).toEqual(createdIds.slice(20));
    expect(second).not.toHaveProperty("next");
  });

  test.each([0, -1, 1.5, 1001, Number.NaN])("a limit of %s is a 400", async (limit) => {
    const { ctx } = await fixture();
    const page = users.list(ctx).limit(limit).page();
    await expect(page).rejects.toMatchObject({ status: 400, message: messages.queryLimit(1000) });
  });

  test("a cursor that is not one of the list is a 400", async () => {
    const { ctx } = await fixture();
    await expect(users.list(ctx).page("forged")).rejects.toMatchObject({ status: 400, message: messages.cursor });
  });

  test.each<[BundledAuth["social"], BundledAuth["password"], string | undefined, string]>([
    [true, true, undefined, "social"],
    [true, true, "correct horse", "email"],
    [true, false, "correct horse", "social"],
    [false, true, undefined, "email"],
  ])(
    "the provider of an account is the one it would use: social %s, password %s, its password %s",
    async (social, password, own, provider) => {
      const { ctx } = await fixture({ social, password, roles: [] });
      const user = { email: "ann@example.com", ...(own !== undefined && { password: own }) };
      expect((await users.create(ctx, user)).provider).toBe(provider);
    },
  );

  test("without an Auth, or without a platform, it is a fault", async () => {
    const { platform } = await openAuthPlatform();
    const none = createApplication(bundleOf([]), { settings: settings.test, platform });
    const bare = createApplication({ ...bundleOf([]), auth: bothProviders }, { settings: settings.test });
    for (const { host } of [none, bare])
      await expect(users.get({ [HOST]: host } as unknown as Context, "ann")).rejects.toThrow(Fault);
  });
});
