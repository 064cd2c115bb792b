import { isStatusError } from "../declare/errors.ts";
import type { AccountPage } from "../platform/accounts.ts";
import type { Platform } from "../platform/contract.ts";
import { setSessionCookie } from "../runtime/auth/cookie.ts";
import { Sessions } from "../runtime/auth/sessions.ts";
import { accountsOf, type ManagedAccounts } from "../runtime/auth/users.ts";
import type { Request } from "../runtime/request.ts";
import { optionalText, text, BadInput, type Input } from "./input.ts";
import { data, type ConsoleParts } from "./parts.ts";

/** Changes to an account, by the name of the change. `role` is "" for a change without a role. */
const changes: Readonly<Record<string, (accounts: ManagedAccounts, id: string, role: string) => Promise<void>>> = {
  grant: (accounts, id, role) => accounts.grant(id, role),
  revoke: (accounts, id, role) => accounts.revoke(id, role),
  disable: (accounts, id) => accounts.disable(id),
  enable: (accounts, id) => accounts.enable(id),
  delete: (accounts, id) => accounts.delete(id),
};

/** The number of accounts per page. */
const pageSize = 100;

/** Returns a page of accounts with their sessions, or only the account with the input's email address. */
export async function listAccounts(input: Input, parts: ConsoleParts): Promise<unknown> {
  const platform = await data(parts);
  const email = optionalText(input, "email");
  const { accounts, next } =
    email === undefined
      ? await platform.accounts.list(pageSize, optionalText(input, "after") ?? "")
      : await accountWith(email, platform);
  const sessions = new Sessions(platform);
  const rows = await Promise.all(
    accounts.map(async ({ passwordVersion: _internal, ...account }) => ({
      ...account,
      sessions: await sessions.list(account.id),
    })),
  );
  return { accounts: rows, ...(next !== undefined && { next }) };
}

async function accountWith(email: string, { accounts }: Pick<Platform, "accounts">): Promise<AccountPage> {
  const account = await accounts.byEmail(email);
  return { accounts: account === undefined ? [] : [account] };
}

/** Creates an account, with a password and a role if the input contains them. */
export async function createAccount(input: Input, parts: ConsoleParts, { log }: Request): Promise<void> {
  const { accounts, role } = await accountsAndRoles(parts);
  const [name, password] = [optionalText(input, "name"), optionalText(input, "password")];
  const first = optionalText(input, "role");
  const firstRole = first === undefined || first === "" ? undefined : role(first);
  await explained(async () => {
    const user = { email: text(input, "email"), ...(name && { name }), ...(password && { password }) };
    const account = await accounts.create(user, log);
    if (firstRole !== undefined) await accounts.grant(account.id, firstRole);
  });
}

/** Grants or revokes a role, or disables, enables or deletes an account. */
export async function changeAccount(input: Input, parts: ConsoleParts): Promise<void> {
  const { accounts, role } = await accountsAndRoles(parts);
  const name = text(input, "change");
  const change = Object.hasOwn(changes, name) ? changes[name] : undefined;
  if (change === undefined) throw new BadInput(`"${name}" is not a change of an account`);
  const chosen = name === "grant" || name === "revoke" ? role(text(input, "role")) : "";
  await explained(() => change(accounts, text(input, "id"), chosen));
}

/** Signs the console's browser in as the user of an account. */
export async function signInAs(input: Input, parts: ConsoleParts, request: Request): Promise<void> {
  const { accounts } = await accountsAndRoles(parts);
  const { id } = await explained(() => accounts.get(text(input, "id")));
  const session = await new Sessions(await data(parts)).create(id, "email");
  if (session === undefined) throw new BadInput("the account is disabled");
  request.draft.cookies.push(setSessionCookie(session.id, request.secure));
}

/** Ends every session of an account. */
export async function signOut(input: Input, parts: ConsoleParts): Promise<void> {
  const { accounts } = await accountsAndRoles(parts);
  await explained(() => accounts.signOut(text(input, "id")));
}

async function accountsAndRoles(
  parts: ConsoleParts,
): Promise<{ readonly accounts: ManagedAccounts; readonly role: (name: string) => string }> {
  const services = parts.model()?.graph.services ?? [];
  const providers = new Set(services.flatMap(({ auth = [] }) => auth).flatMap((each) => each.providers));
  if (providers.size === 0) throw new BadInput("the application declares no Auth");
  const roles = services.flatMap((service) => service.roles ?? []).map(({ name }) => name);
  const auth = { social: providers.has("social"), password: providers.has("email"), roles };
  return {
    accounts: accountsOf(await data(parts), auth),
    role: (name) => {
      if (!roles.includes(name)) throw new BadInput(`"${name}" is not a declared role`);
      return name;
    },
  };
}

/** Converts refused account changes to input errors. */
async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isStatusError(error) ? new BadInput(error.message) : error;
  }
}
