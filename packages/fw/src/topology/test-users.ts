import type { Accounts } from "../platform/accounts.ts";
import { withMethods } from "../platform/with-methods.ts";
import type { Platform } from "../platform/contract.ts";
import { isTestUser, testUserWithRoles } from "../runtime/auth/test-users.ts";

/** Adds accounts of test users to a platform, so that services need not create them. */
export function withTestUsers(platform: Platform): Platform {
  const testUser: NonNullable<Accounts["testUser"]> = async (name, roles) =>
    isTestUser(name) ? testUserWithRoles(platform, name, roles) : undefined;
  return { ...platform, accounts: withMethods(platform.accounts, { testUser }) };
}
