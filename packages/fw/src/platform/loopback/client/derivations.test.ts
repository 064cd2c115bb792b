import { expect, test } from "vitest";
import { passwordDerivations, passwordsWaiting } from "../../../lib/limits.ts";
import { platformBehind } from "../client.ts";
import type { Connection } from "./connection.ts";

test("a service has as many passwords under way as the platform takes, and refuses others", async () => {
  const release: (() => void)[] = [];
  const waitForRelease = (): Promise<unknown> => new Promise((resolve) => release.push(() => resolve(undefined)));
  const { accounts } = platformBehind({ read: waitForRelease } as unknown as Connection);
  const check = async (): Promise<unknown> => accounts.checkPassword?.("ann@example.com", "correct horse");
  const checks = Array.from({ length: passwordDerivations + passwordsWaiting }, check);
  await expect(check()).rejects.toMatchObject({ code: "busy" });
  await expect(
    accounts.create({ email: "a@example.com", name: "", emailVerified: false, claims: {}, password: "x" }),
  ).rejects.toMatchObject({ code: "busy" });
  for (const each of release.splice(0)) each();
  expect(await Promise.all(checks)).toEqual(checks.map(() => undefined));
  const after = check();
  for (const each of release.splice(0)) each();
  expect(await after).toBeUndefined();
});
