import type { Account, Accounts } from "../../platform/accounts.ts";
import type { Platform } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { changeRoles } from "./roles.ts";
import { Sessions } from "./sessions.ts";

/** A user who can sign in without a credential in development. */
export type TestUser = "alice" | "bob";

export function isTestUser(name: string): name is TestUser {
  return testUsers.some((user) => user === name);
}

/** The test users, in the order shown on the sign-in page. */
export const testUsers: readonly TestUser[] = ["alice", "bob"];

/** The identities of the test users, which are the same in every application. */
export const testIdentities = {
  alice: { id: "alice", email: "alice@example.com", name: "Alice" },
  bob: { id: "bob", email: "bob@example.com", name: "Bob" },
} as const;

/**
 * Returns a test user's account, creating it if necessary. If `roles` are given, they replace the account's roles, also
 * in its existing sessions.
 */
export async function testUserWithRoles(
  platform: Platform,
  user: TestUser,
  roles: readonly string[] | undefined,
): Promise<Account | undefined> {
  const account = await findOrCreateTestUser(platform.accounts, user);
  if (account === undefined || roles === undefined) return account;
  await changeRoles(platform, account.id, () => roles);
  await new Sessions(platform).markStale(account.id);
  return account;
}

/** Returns the account of a test user: one with the user's id or address, or a new one. */
async function findOrCreateTestUser(accounts: Accounts, user: TestUser): Promise<Account | undefined> {
  const person = testIdentities[user];
  const account = await accounts.get(user);
  if (account !== undefined) return account;
  try {
    return await accounts.create({ ...person, emailVerified: true, claims: {} });
  } catch (error) {
    if (!isPlatformError(error, "exists")) throw error;
    return (await accounts.get(user)) ?? accounts.byEmail(person.email);
  }
}
