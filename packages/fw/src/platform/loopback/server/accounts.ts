import type { Account } from "../../accounts.ts";
import type { Ask } from "../../grants.ts";
import { operation } from "./operation.ts";
import type { Operation } from "./operation.ts";

export const accounts: Readonly<Record<string, Operation>> = {
  "accounts/create": operation(
    (args) => ({
      email: args.text("email"),
      name: args.text("name"),
      emailVerified: args.flag("emailVerified"),
      claims: args.claims("claims"),
      ...args.present("password", (each) => args.text(each)),
      ...args.present("id", (each) => args.text(each)),
    }),
    () => users("create"),
    async (fields, { platform }) => accountToWire(await platform.accounts.create(fields)),
  ),
  "accounts/get": operation(
    (args) => args.text("id"),
    () => users("get"),
    async (id, { platform }) => accountToWire(await platform.accounts.get(id)),
  ),
  "accounts/byEmail": operation(
    (args) => args.text("email"),
    () => users("byEmail"),
    async (email, { platform }) => accountToWire(await platform.accounts.byEmail(email)),
  ),
  "accounts/list": operation(
    (args) => ({ limit: args.number("limit"), cursor: args.text("cursor") }),
    () => users("list"),
    async ({ limit, cursor }, { platform }) => {
      const page = await platform.accounts.list(limit, cursor);
      return { ...page, accounts: page.accounts.map(accountToWire) };
    },
  ),
  "accounts/setClaims": operation(
    (args) => ({ id: args.text("id"), claims: args.claims("claims") }),
    () => users("setClaims"),
    async ({ id, claims }, { platform }) => accountToWire(await platform.accounts.setClaims(id, claims)),
  ),
  "accounts/setDisabled": operation(
    (args) => ({ id: args.text("id"), disabled: args.flag("disabled") }),
    () => users("setDisabled"),
    async ({ id, disabled }, { platform }) => accountToWire(await platform.accounts.setDisabled(id, disabled)),
  ),
  "accounts/delete": operation(
    (args) => args.text("id"),
    () => users("delete"),
    (id, { platform }) => platform.accounts.delete(id),
  ),
  "accounts/checkPassword": operation(
    (args) => ({ email: args.text("email"), password: args.text("password") }),
    () => users("checkPassword"),
    async ({ email, password }, { platform }) =>
      accountToWire(await platform.accounts.checkPassword?.(email, password)),
  ),
  "accounts/testUser": operation(
    (args) => ({ name: args.text("name"), roles: args.present("roles", (each) => args.texts(each)).roles }),
    () => users("testUser"),
    async ({ name, roles }, { platform }) => accountToWire(await platform.accounts.testUser?.(name, roles)),
  ),
  "accounts/verifyToken": operation(
    (args) => args.text("token"),
    () => users("verifyToken"),
    async (token, { platform }) => {
      const verified = await platform.accounts.verifyToken(token);
      return "refused" in verified ? verified : { ...verified, account: accountToWire(verified.account) };
    },
  ),
};

function users(asks: string): readonly Ask[] {
  return [{ kind: "users", name: "", asks }];
}

function accountToWire(account: Account | undefined): unknown {
  return account && { ...account, claims: JSON.stringify(account.claims) };
}
