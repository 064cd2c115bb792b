import { expect, test } from "vitest";
import type { AccountFields, Accounts, Claims } from "../../accounts.ts";
import { failure, fixture, ManualClock } from "./fixture.ts";
import type { OpenPlatform } from "./fixture.ts";
import { accountClaimsBytes } from "../../account-fields.ts";

/** Returns the fields of an account with this address and no password. */
function fields(email: string, more: Partial<AccountFields> = {}): AccountFields {
  return { email, name: "", emailVerified: false, claims: {}, ...more };
}

async function accountsOf(open: OpenPlatform): Promise<Accounts> {
  return (await fixture(open, new ManualClock())).accounts;
}

export function accountTests(open: OpenPlatform): void {
  test("an account is found by its id and by its address, as it was made", async () => {
    const clock = new ManualClock();
    const { accounts } = await fixture(open, clock);
    const createdAccounts = await accounts.create(
      fields("Ann@Example.com", { name: "Ann", claims: { roles: ["editor"], plan: 3 } }),
    );
    expect(createdAccounts).toEqual({
      id: createdAccounts.id,
      // Identity Platform stores addresses in lower case.
      email: expect.stringMatching(/^ann@example\.com$/i),
      name: "Ann",
      emailVerified: false,
      disabled: false,
      hasPassword: false,
      claims: { roles: ["editor"], plan: 3 },
      created: new Date(clock.now()),
    });
    expect(await accounts.get(createdAccounts.id)).toEqual(createdAccounts);
    expect(await accounts.byEmail("Ann@Example.com")).toEqual(createdAccounts);
    expect(await accounts.get("nobody")).toBeUndefined();
    expect(await accounts.byEmail("nobody@example.com")).toBeUndefined();
  });

  test("one address is one account, however its letters are written", async () => {
    const accounts = await accountsOf(open);
    const { id } = await accounts.create(fields("ann@example.com"));
    expect(await failure(() => accounts.create(fields("ANN@Example.COM")))).toBe("exists");
    expect((await accounts.byEmail("aNN@example.com"))?.id).toBe(id);
    await accounts.delete(id);
    expect((await accounts.create(fields("Ann@example.com"))).id).not.toBe(id);
  });

  test("of many creations of one address at the same time one succeeds", async () => {
    const accounts = await accountsOf(open);
    const createdAccounts = await Promise.all(
      Array.from({ length: 20 }, () => failure(() => accounts.create(fields("ann@example.com")))),
    );
    expect(createdAccounts.filter((code) => code === undefined)).toHaveLength(1);
    expect(createdAccounts.filter((code) => code === "exists")).toHaveLength(19);
  });

  test("an id can be given, once", async () => {
    const accounts = await accountsOf(open);
    expect((await accounts.create(fields("a@example.com", { id: "alice" }))).id).toBe("alice");
    expect(await failure(() => accounts.create(fields("b@example.com", { id: "alice" })))).toBe("exists");
  });

  test("what cannot be an account is refused", async () => {
    const accounts = await accountsOf(open);
    const addresses = ["", "ann", "@", "ann@", "@example.com", "a@b@c", "a n@example.com", "a\0@example.com"];
    const wrong = [
      ...[...addresses, "a@.com", "a@b..c", `${"a".repeat(250)}@b.de`, "a@\ud800.de"].map((email) => fields(email)),
      fields("a@example.com", { name: "a\nb" }),
      fields("a@example.com", { name: "a".repeat(257) }),
      fields("a@example.com", { id: "_fw1" }),
      fields("a@example.com", { id: "a".repeat(129) }),
      fields("a@example.com", { claims: { note: "a".repeat(accountClaimsBytes) } }),
      ...["", "a\0b", "a".repeat(1025), "é".repeat(513), "\ud800"].map((password) =>
        fields("a@example.com", { password }),
      ),
    ];
    for (const each of wrong) expect(await failure(() => accounts.create(each)), JSON.stringify(each)).toBe("document");
    expect((await accounts.list(10, "")).accounts).toEqual([]);
  });

  test("claims are stored unchanged, and replaced as a whole", async () => {
    const accounts = await accountsOf(open);
    const { id } = await accounts.create(fields("ann@example.com", { claims: { plan: "free" } }));
    const claims = JSON.parse('{"roles":["a","b"],"deep":[{"x":null},1.5,true],"__proto__":{"y":1}}') as Claims;
    const after = await accounts.setClaims(id, claims);
    expect(JSON.stringify(after.claims)).toBe(JSON.stringify(claims));
    expect(JSON.stringify((await accounts.get(id))?.claims)).toBe(JSON.stringify(claims));
    expect(await failure(() => accounts.setClaims(id, { note: "a".repeat(accountClaimsBytes) }))).toBe("document");
  });

  test("an account is disabled and enabled, and keeps everything else", async () => {
    const accounts = await accountsOf(open);
    const createdAccounts = await accounts.create(fields("ann@example.com", { name: "Ann" }));
    expect(await accounts.setDisabled(createdAccounts.id, true)).toEqual({ ...createdAccounts, disabled: true });
    expect(await accounts.byEmail("ann@example.com")).toEqual({ ...createdAccounts, disabled: true });
    expect(await accounts.setDisabled(createdAccounts.id, false)).toEqual(createdAccounts);
  });

  test("a deleted account is gone, and what changes one that is gone fails", async () => {
    const accounts = await accountsOf(open);
    const { id } = await accounts.create(fields("ann@example.com"));
    await accounts.delete(id);
    expect(await accounts.get(id)).toBeUndefined();
    expect(await failure(() => accounts.delete(id))).toBe("missing");
    expect(await failure(() => accounts.setClaims(id, {}))).toBe("missing");
    expect(await failure(() => accounts.setDisabled(id, true))).toBe("missing");
  });

  test("the list goes through every account once, a page at a time, whatever comes and goes", async () => {
    const accounts = await accountsOf(open);
    const ids: string[] = [];
    for (let i = 0; i < 9; i++) ids.push((await accounts.create(fields(`a${i}@example.com`))).id);
    const all = (await accounts.list(1000, "")).accounts.map(({ id }) => id);
    expect(all.toSorted()).toEqual(ids.toSorted());
    const first = await accounts.list(4, "");
    expect(first.accounts.map(({ id }) => id)).toEqual(all.slice(0, 4));
    await accounts.delete(all[3] ?? "");
    await accounts.delete(all[4] ?? "");
    const second = await accounts.list(4, first.next ?? "");
    expect(second.accounts.map(({ id }) => id)).toEqual(all.slice(5));
    expect(second.next).toBeUndefined();
  });

  test("a page has 1 to 1,000 accounts, and begins at a cursor of the list that nobody altered", async () => {
    const accounts = await accountsOf(open);
    for (let i = 0; i < 3; i++) await accounts.create(fields(`secret${i}@example.com`));
    for (const limit of [0, 1001, 1.5, Number.NaN]) expect(await failure(() => accounts.list(limit, ""))).toBe("query");
    const { next = "" } = await accounts.list(1, "");
    const altered = Array.from(
      next,
      (letter, i) => next.slice(0, i) + (letter === "A" ? "B" : "A") + next.slice(i + 1),
    );
    for (const cursor of [...altered, next.slice(1), `${next}A`, "x"])
      expect(await failure(() => accounts.list(1, cursor)), cursor).toBe("cursor");
    expect(Buffer.from(next, "base64url").toString("latin1")).not.toContain("secret");
  });

  test("the password of an enabled account, and nothing else, opens it", async () => {
    const accounts = await accountsOf(open);
    if (accounts.checkPassword === undefined) return;
    const password = "correct horse";
    const { id, hasPassword } = await accounts.create(fields("ann@example.com", { password }));
    expect(hasPassword).toBe(true);
    await accounts.create(fields("bob@example.com"));
    const check = async (email: string, text: string) => (await accounts.checkPassword?.(email, text))?.id;
    expect(await check("Ann@Example.com", password)).toBe(id);
    for (const wrong of ["", "Correct horse", `${password}\0`, `${password} `, "a".repeat(2000)])
      expect(await check("ann@example.com", wrong), JSON.stringify(wrong)).toBeUndefined();
    for (const email of ["bob@example.com", "eve@example.com", ""])
      expect(await check(email, password)).toBeUndefined();
    expect(await check("bob@example.com", "")).toBeUndefined();
    await accounts.setDisabled(id, true);
    expect(await check("ann@example.com", password)).toBeUndefined();
    await accounts.setDisabled(id, false);
    expect(await check("ann@example.com", password)).toBe(id);
  });

  test("a changed password replaces the old one, with a new version, and an address can be verified", async () => {
    const accounts = await accountsOf(open);
    if (accounts.change === undefined || accounts.checkPassword === undefined) return;
    const { id, passwordVersion } = await accounts.create(fields("ann@example.com", { password: "correct horse" }));
    const changed = await accounts.change(id, { password: "battery staple" });
    expect(changed).toMatchObject({ id, hasPassword: true, emailVerified: false });
    expect([typeof passwordVersion, changed.passwordVersion]).not.toEqual(["string", passwordVersion]);
    expect(await accounts.checkPassword("ann@example.com", "correct horse")).toBeUndefined();
    expect(await accounts.checkPassword("ann@example.com", "battery staple")).toEqual(changed);
    const verified = await accounts.change(id, { emailVerified: true });
    expect(verified).toEqual({ ...changed, emailVerified: true });
    expect(await accounts.get(id)).toEqual(verified);
    const bob = await accounts.create(fields("bob@example.com"));
    expect(bob.passwordVersion).toBeUndefined();
    expect(await accounts.change(bob.id, { emailVerified: true, password: "x" })).toMatchObject({
      emailVerified: true,
      hasPassword: true,
    });
    for (const password of ["", "a\0", "a".repeat(2000)])
      expect(await failure(async () => accounts.change?.(id, { password }))).toBe("document");
    expect(await failure(async () => accounts.change?.("nobody", { password: "x" }))).toBe("missing");
    expect(await failure(async () => accounts.change?.("nobody", { emailVerified: true }))).toBe("missing");
  });

  test("a token that nobody issued says nothing but why", async () => {
    const accounts = await accountsOf(open);
    await accounts.create(fields("ann@example.com", { id: "ann" }));
    const claims = Buffer.from('{"account":"ann","provider":"social","expires":9e15}').toString("base64url");
    for (const token of ["", ".", "..", "a.b.c", claims, `${claims}.`, `${claims}.AAAA`, "\0", "é.é"]) {
      const said = await accounts.verifyToken(token);
      expect(said, token).toEqual({ refused: expect.stringMatching(/^its? /) });
    }
  });

  test("after the platform was closed accounts refuse", async () => {
    const platform = await fixture(open, new ManualClock());
    await platform.close();
    const { accounts } = platform;
    expect(await failure(() => accounts.get("a"))).toBe("closed");
    expect(await failure(() => accounts.byEmail("a@example.com"))).toBe("closed");
    expect(await failure(() => accounts.list(1, ""))).toBe("closed");
    expect(await failure(() => accounts.create(fields("a@example.com")))).toBe("closed");
  });
}
