import { isStatusError } from "../../declare/errors.ts";
import { listOf, suggestion } from "../../lib/suggest.ts";
import { visible } from "../../lib/visible.ts";
import type { App } from "../../model/app.ts";
import { namesOf } from "../../lib/names.ts";
import { allOfKind, hasAccountPages } from "../../model/declarations.ts";
import type { Account } from "../../platform/accounts.ts";
import { accountsOf, type ManagedAccounts } from "../../runtime/auth/users.ts";
import { Refusal } from "../command.ts";
import type { PlaceOptions } from "../data/options.ts";
import { placeOf, withData } from "../data/local-or-deployed.ts";
import type { IO } from "../io.ts";

export interface Operator {
  readonly accounts: ManagedAccounts;
  /** Returns the declared role with this name. Refuses any other and lists the declared ones. */
  readonly role: (name: string) => string;
  readonly find: (email: string) => Promise<Account>;
}

/** Works with the accounts in the data that the options name. */
export async function withAccounts<T>(
  options: PlaceOptions,
  io: IO,
  work: (operator: Operator) => Promise<T>,
): Promise<T> {
  return withData(await placeOf(options, io), async ({ app, platform }) => {
    const roles = namesOf(allOfKind(app.packages, "role"));
    const accounts = accountsOf(platform, bundledAuth(app, roles));
    return explainErrors(() =>
      work({
        accounts,
        role: (name) => declaredRole(roles, name),
        find: (email) => findAccount(accounts, email),
      }),
    );
  });
}

function bundledAuth({ packages }: App, roles: readonly string[]): Parameters<typeof accountsOf>[1] {
  const declared = allOfKind(packages, "auth");
  if (declared.length === 0) throw new Refusal("the application declares no Auth, so it has no accounts");
  const has = (provider: "social" | "password"): boolean => declared.some((auth) => auth[provider]);
  const account = hasAccountPages({ packages }) ? ({ account: true } as const) : {};
  return { social: has("social"), password: has("password"), ...account, roles };
}

function declaredRole(roles: readonly string[], name: string): string {
  if (roles.includes(name)) return name;
  const knownRoles =
    roles.length === 0 ? "the application declares none" : `the declared roles are ${listOf(roles, "and")}`;
  throw new Refusal(`"${visible(name)}" is not a declared role: ${knownRoles}${suggestion(name, roles)}`);
}

async function findAccount(accounts: ManagedAccounts, email: string): Promise<Account> {
  try {
    return await accounts.byEmail(email);
  } catch (error) {
    if (isNotFound(error)) throw new Refusal(`no account has the address ${visible(email)}`);
    throw error;
  }
}

export function isNotFound(error: unknown): boolean {
  return isStatusError(error) && error.status === 404;
}

/** Converts the status errors of account operations to Refusals. */
async function explainErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isStatusError(error) ? new Refusal(error.message) : error;
  }
}
