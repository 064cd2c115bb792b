import { expect, test } from "vitest";
import { passwordDerivations, passwordsWaiting } from "../../../lib/limits.ts";
import { LoopbackAccounts } from "./accounts.ts";
import type { Connection } from "./connection.ts";

test("a service has as many passwords under way as the platform takes, and refuses others", async () => {
  const release: (() => void)[] = [];
  const held = (): Promise<unknown> => new Promise((resolve) => release.push(() => resolve(undefined)));
  const accounts = new LoopbackAccounts({ read: held } as unknown as Connection);
  const checks = Array.from({ length: passwordDerivations + passwordsWaiting }, () =>
    accounts.checkPassword("ann@example.com", "correct horse"),
  );
  await expect(accounts.checkPassword("bob@example.com", "x")).rejects.toMatchObject({ code: "busy" });
  await expect(
    accounts.create({ email: "a@example.com", name: "", emailVerified: false, claims: {}, password: "x" }),
  ).rejects.toMatchObject({ code: "busy" });
  for (const each of release.splice(0)) each();
  expect(await Promise.all(checks)).toEqual(checks.map(() => undefined));
  const after = accounts.checkPassword("bob@example.com", "x");
  for (const each of release.splice(0)) each();
  expect(await after).toBeUndefined();
});
