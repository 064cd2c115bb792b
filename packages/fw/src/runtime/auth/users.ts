import { Fault } from "../../declare/errors.ts";
import type { UserOperations } from "../../declare/auth.ts";
import type { User } from "../../declare/user.ts";
import type { Account } from "../../platform/accounts.ts";
import { platformOf, type Application, type Wiring } from "../application.ts";
import type { BundledAuth } from "../bundle.ts";
import { accountsOf, type ManagedAccounts } from "./accounts.ts";
import { userOfAccount } from "./identity.ts";

/** Who may sign in to an application. Throws a Fault where nobody may. */
function authOf({ bundle }: Wiring): BundledAuth {
  if (bundle.auth === undefined) throw new Fault("this application declares no Auth, so that it has no accounts");
  return bundle.auth;
}

/** The accounts of an application. Throws a Fault where it has none. */
export function managedAccounts(app: Wiring & Pick<Application, "platform">): ManagedAccounts {
  const auth = authOf(app);
  return accountsOf(platformOf(app, "keep accounts on"), auth);
}

/** Carries out account management, on the application's platform. */
export function userOperations(application: () => Application): UserOperations {
  const accounts = (): ManagedAccounts => managedAccounts(application());
  const userOf = (account: Account): User => userOfAccount(account, authOf(application()));
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
