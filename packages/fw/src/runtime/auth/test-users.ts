import type { Account, Accounts } from "../../platform/accounts.ts";
import { isPlatformError } from "../../platform/errors.ts";

/** Who can sign in without a credential while an application is developed. */
export type TestUser = "alice" | "bob";

/** The test users, in the order in which they are offered. */
export const testUsers: readonly TestUser[] = ["alice", "bob"];

const names = { alice: "Alice", bob: "Bob" } as const;

/** The account of a test user, made when it is not there: the one with its id, else the one that has its address. */
export async function testUser(accounts: Accounts, user: TestUser): Promise<Account | undefined> {
  const email = `${user}@example.com`;
  const account = await accounts.get(user);
  if (account !== undefined) return account;
  try {
    return await accounts.create({ id: user, email, name: names[user], emailVerified: true, claims: {} });
  } catch (error) {
    if (!isPlatformError(error, "exists")) throw error;
    return (await accounts.get(user)) ?? accounts.byEmail(email);
  }
}
