import type { Accounts } from "../platform/accounts.ts";
import { withMethods } from "../platform/with-methods.ts";
import type { Platform } from "../platform/contract.ts";
import { isTestUser, testUserWithRoles } from "../runtime/auth/test-users.ts";

/** The same platform, which makes the accounts of test users: no service needs to make any. */
export function withTestUsers(platform: Platform): Platform {
  const testUser: NonNullable<Accounts["testUser"]> = async (name, roles) =>
    isTestUser(name) ? testUserWithRoles(platform, name, roles) : undefined;
  return { ...platform, accounts: withMethods(platform.accounts, { testUser }) };
}
