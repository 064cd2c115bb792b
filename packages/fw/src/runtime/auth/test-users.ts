import type { Account, Accounts } from "../../platform/accounts.ts";
import type { Platform } from "../../platform/contract.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { changeRoles } from "./roles.ts";
import { Sessions } from "./sessions.ts";

/** Who can sign in without a credential while an application is developed. */
export type TestUser = "alice" | "bob";

/** Whether this is the name of a test user. */
export function isTestUser(name: string): name is TestUser {
  return testUsers.some((user) => user === name);
}

/** The test users, in the order in which they are offered. */
export const testUsers: readonly TestUser[] = ["alice", "bob"];

/** Who a test user is, wherever they sign in. */
export const testPersons = {
  alice: { id: "alice", email: "alice@example.com", name: "Alice" },
  bob: { id: "bob", email: "bob@example.com", name: "Bob" },
} as const;

/** The account of a test user with these roles, where some are given; every session has them at its next request. */
export async function testUserWith(
  platform: Platform,
  user: TestUser,
  roles: readonly string[] | undefined,
): Promise<Account | undefined> {
  const account = await testUser(platform.accounts, user);
  if (account === undefined || roles === undefined) return account;
  await changeRoles(platform, account.id, () => roles);
  await new Sessions(platform).markStale(account.id);
  return account;
}

/** The account of a test user, made when it is not there: the one with its id, else the one that has its address. */
async function testUser(accounts: Accounts, user: TestUser): Promise<Account | undefined> {
  const person = testPersons[user];
  const account = await accounts.get(user);
  if (account !== undefined) return account;
  try {
    return await accounts.create({ ...person, emailVerified: true, claims: {} });
  } catch (error) {
    if (!isPlatformError(error, "exists")) throw error;
    return (await accounts.get(user)) ?? accounts.byEmail(person.email);
  }
}
