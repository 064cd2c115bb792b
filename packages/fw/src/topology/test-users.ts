import type { Accounts } from "../platform/accounts.ts";
import type { Platform } from "../platform/contract.ts";
import { isTestUser, testUserWith } from "../runtime/auth/test-users.ts";

/** The same platform, which makes the accounts of test users: no service needs to make any. */
export function withTestUsers(platform: Platform): Platform {
  const testUser: Accounts["testUser"] = async (name, roles) =>
    isTestUser(name) ? testUserWith(platform, name, roles) : undefined;
  const accounts = new Proxy(platform.accounts, {
    get(target, name) {
      if (name === "testUser") return testUser;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  return { ...platform, accounts };
}
