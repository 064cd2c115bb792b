import { Fault } from "../../declare/errors.ts";
import type { UserOperations } from "../../declare/auth.ts";
import type { User } from "../../declare/user.ts";
import type { Account } from "../../platform/accounts.ts";
import type { Application } from "../application.ts";
import type { BundledAuth } from "../bundle.ts";
import { accountsOf, type ManagedAccounts } from "./accounts.ts";
import { userOfAccount } from "./user.ts";

/** Carries out account management, on the application's platform. */
export function userOperations(application: () => Application): UserOperations {
  const auth = (): BundledAuth => {
    const declared = application().bundle.auth;
    if (declared === undefined) throw new Fault("this application declares no Auth, so that it has no accounts");
    return declared;
  };
  const accounts = (): ManagedAccounts => {
    const { platform } = application();
    if (platform === undefined) throw new Fault("this application was started without a platform to keep accounts on");
    return accountsOf(platform, auth());
  };
  const userOf = (account: Account): User => userOfAccount(account, auth());
  return {
    create: async (ctx, user) => userOf(await accounts().create(user, ctx.log)),
    get: async (_ctx, id) => userOf(await accounts().get(id)),
    byEmail: async (_ctx, email) => userOf(await accounts().byEmail(email)),
    async page(_ctx, limit, cursor) {
      const page = await accounts().page(limit, cursor);
      const users = page.accounts.map(userOf);
      return page.next === undefined ? { users } : { users, next: page.next };
    },
    grant: async (_ctx, id, role) => accounts().grant(id, role.name),
    revoke: async (_ctx, id, role) => accounts().revoke(id, role.name),
    disable: async (_ctx, id) => accounts().disable(id),
    enable: async (_ctx, id) => accounts().enable(id),
    delete: async (_ctx, id) => accounts().delete(id),
  };
}
