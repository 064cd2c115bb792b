import { pbkdf2Sync } from "node:crypto";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { passwordDerivations } from "../../lib/limits.ts";
import type { AccountFields } from "../accounts.ts";
import { ManualClock } from "../testing/conformance/fixture.ts";
import { derivationsOf } from "../testing/derivations.ts";
import { passwordSaltBytes, passwordIterations } from "./accounts-password.ts";
import { openLocal, type LocalPlatform } from "./open.ts";
import { openDatabase } from "./sqlite.ts";
import { scratch } from "../../lib/testing/scratch.ts";

const password = "correct horse battery staple";

function fields(email: string, more: Partial<AccountFields> = {}): AccountFields {
  return { email, name: "", emailVerified: false, claims: {}, ...more };
}

async function open(directory: string, clock: ManualClock = new ManualClock()): Promise<LocalPlatform> {
  const platform = await openLocal(directory, { kinds: [] }, { clock });
  onTestFinished(() => platform.close());
  return platform;
}

test("addresses are the same in either case of ASCII letters only: a Kelvin sign is no k", async () => {
  const directory = await scratch();
  const platform = await open(directory);
  const kim = await platform.accounts.create(fields("Kim@Example.com"));
  expect((await platform.accounts.byEmail("kIM@example.COM"))?.id).toBe(kim.id);
  const kelvin = await platform.accounts.create(fields("\u212Aim@example.com"));
  expect(kelvin.id).not.toBe(kim.id);
  expect((await platform.accounts.byEmail("\u212Aim@example.com"))?.id).toBe(kelvin.id);
  await platform.close();
  const database = openDatabase(join(directory, "store"));
  database.exec(
    "UPDATE accounts SET address = lower(email) || '.' WHERE email NOT LIKE 'Kim%'; PRAGMA user_version = 3",
  );
  database.close();
  const again = await open(directory);
  expect((await again.accounts.byEmail("\u212Aim@example.com"))?.id).toBe(kelvin.id);
});

test("the keys of a store are the same after each start", async () => {
  const directory = await scratch();
  const platform = await open(directory);
  const key = platform.secret("csrf");
  expect(key).toHaveLength(32);
  await platform.close();
  expect((await open(directory)).secret("csrf")).toEqual(key);
});

describe("passwords", () => {
  test("only a PBKDF2 hash is stored, with its parameters and its own salt", async () => {
    const directory = await scratch();
    const platform = await open(directory);
    await platform.accounts.create(fields("ann@example.com", { password }));
    await platform.accounts.create(fields("bob@example.com", { password }));
    await platform.close();
    const database = openDatabase(join(directory, "store"));
    const verifiers = database.prepare("SELECT verifier FROM accounts").all().map(String);
    const everything = JSON.stringify(database.prepare("SELECT * FROM accounts").all());
    database.close();
    expect(everything).not.toContain(password);
    expect(new Set(verifiers.map((each) => each.split("$")[2])).size).toBe(2);
    for (const verifier of verifiers) {
      const [scheme, iterations, salt = "", key = ""] = verifier.split("$");
      expect([scheme, iterations]).toEqual(["pbkdf2-sha512", String(passwordIterations)]);
      const bytes = Buffer.from(salt, "base64url");
      expect(bytes).toHaveLength(passwordSaltBytes);
      expect(pbkdf2Sync(password, bytes, passwordIterations, 64, "sha512").toString("base64url")).toBe(key);
    }
  });

  test("throw-away data hashes passwords with few rounds, and compares them as any other does", async () => {
    const directory = await scratch();
    const platform = await openLocal(directory, { kinds: [] }, { temporary: true });
    const { id } = await platform.accounts.create(fields("ann@example.com", { password }));
    const [, iterations] = platform.accounts.verifierOf({ id })?.split("$") ?? [];
    expect(Number(iterations)).toBeLessThan(passwordIterations / 100);
    expect(await platform.accounts.checkPassword("ann@example.com", password)).toMatchObject({ id });
    expect(await platform.accounts.checkPassword("ann@example.com", "wrong")).toBeUndefined();
    const derivations = await derivationsOf(() => platform.accounts.checkPassword("nobody@example.com", password));
    expect(derivations).toEqual({ count: 1, atOnce: 1 });
    await platform.close();
  });

  test("a wrong password, an unknown address, a disabled account and one without a password take one derivation each", async () => {
    const { accounts } = await open(await scratch());
    await accounts.create(fields("ann@example.com", { password }));
    await accounts.create(fields("social@example.com"));
    const { id } = await accounts.create(fields("off@example.com", { password }));
    await accounts.setDisabled(id, true);
    for (const [email, text] of [
      ["ann@example.com", "wrong"],
      ["ann@example.com", ""],
      ["ann@example.com", `${password}\0`],
      ["ann@example.com", "a".repeat(100_000)],
      ["nobody@example.com", password],
      ["off@example.com", password],
      ["social@example.com", password],
      ["ann@example.com", password],
    ] as const) {
      const derivations = await derivationsOf(() => accounts.checkPassword(email, text));
      expect(derivations, `${email} ${text.slice(0, 40)}`).toEqual({ count: 1, atOnce: 1 });
    }
  });

  test("few are derived at once, off the event loop, and each gets its own answer", async () => {
    const { accounts } = await open(await scratch());
    await accounts.create(fields("ann@example.com", { password }));
    const before = performance.eventLoopUtilization();
    const answers: (string | undefined)[] = [];
    const derivations = await derivationsOf(async () => {
      const tried = Array.from({ length: 8 }, (_, i) =>
        accounts.checkPassword("ann@example.com", i % 2 ? password : "no"),
      );
      for (const account of await Promise.all(tried)) answers.push(account?.email);
    });
    expect(derivations).toEqual({ count: 8, atOnce: passwordDerivations });
    expect(answers).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((i) => (i % 2 ? "ann@example.com" : undefined)));
    // Measures the event loop's own utilization, because durations depend on other processes.
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
  });

  test("an account that is disabled, or that another takes the place of, while its password is derived does not open", async () => {
    const { accounts } = await open(await scratch());
    const { id } = await accounts.create(fields("ann@example.com", { password }));
    const disabled = accounts.checkPassword("ann@example.com", password);
    await accounts.setDisabled(id, true);
    expect(await disabled).toBeUndefined();
    await accounts.setDisabled(id, false);
    const replaced = accounts.checkPassword("ann@example.com", password);
    await accounts.delete(id);
    await accounts.create(fields("ann@example.com"));
    expect(await replaced).toBeUndefined();
  });
});

describe("ID tokens", () => {
  test("a minted token says whose it is and who vouches for it, until it expires", async () => {
    const clock = new ManualClock();
    const { accounts } = await open(await scratch(), clock);
    const account = await accounts.create(fields("ann@example.com"));
    const token = accounts.mintToken(account.id, "social", new Date(clock.now() + 1000));
    clock.advance(999);
    expect(await accounts.verifyToken(token)).toEqual({ account, provider: "social" });
    clock.advance(1);
    expect(await accounts.verifyToken(token)).toEqual({ refused: "it has expired" });
  });

  test("a token of a disabled or deleted account is refused", async () => {
    const clock = new ManualClock();
    const { accounts } = await open(await scratch(), clock);
    const { id } = await accounts.create(fields("ann@example.com"));
    const token = accounts.mintToken(id, "email", new Date(clock.now() + 1000));
    await accounts.setDisabled(id, true);
    expect(await accounts.verifyToken(token)).toEqual({ refused: "its account is disabled" });
    await accounts.delete(id);
    expect(await accounts.verifyToken(token)).toEqual({ refused: "its account was deleted" });
  });

  test("a token that was altered, or minted by another store, is refused", async () => {
    const clock = new ManualClock();
    const { accounts } = await open(await scratch(), clock);
    const other = await open(await scratch(), clock);
    await accounts.create(fields("ann@example.com", { id: "ann" }));
    const expires = new Date(clock.now() + 1000);
    const token = accounts.mintToken("ann", "social", expires);
    const [payload = "", signature = ""] = token.split(".");
    const flipped = (text: string, i: number): string =>
      text.slice(0, i) + (text[i] === "A" ? "B" : "A") + text.slice(i + 1);
    const forged = [
      other.accounts.mintToken("ann", "social", expires),
      `${payload}.`,
      `.${signature}`,
      `${token}.x`,
      ...Array.from(payload, (_, i) => `${flipped(payload, i)}.${signature}`),
      // The last letter of the signature has unused bits, so changing it may have no effect.
      ...Array.from(signature.slice(0, -1), (_, i) => `${payload}.${flipped(signature, i)}`),
    ];
    for (const each of forged)
      expect(await accounts.verifyToken(each), each).toEqual({ refused: "it has no valid signature of this server" });
  });

  test("tokens and cursors outlive the process that made them", async () => {
    const directory = await scratch();
    const clock = new ManualClock();
    const first = await open(directory, clock);
    const ann = await first.accounts.create(fields("ann@example.com", { password, claims: { roles: ["editor"] } }));
    await first.accounts.create(fields("bob@example.com"));
    const token = first.accounts.mintToken(ann.id, "social", new Date(clock.now() + 1000));
    const { next = "" } = await first.accounts.list(1, "");
    await first.close();
    const { accounts } = await open(directory, clock);
    expect(await accounts.verifyToken(token)).toEqual({ account: ann, provider: "social" });
    expect((await accounts.list(1, next)).accounts.map(({ email }) => email)).toEqual(["bob@example.com"]);
    expect(await accounts.checkPassword("ann@example.com", password)).toEqual(ann);
  });
});
