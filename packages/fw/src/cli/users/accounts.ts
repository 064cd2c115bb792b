import { visible } from "../../lib/visible.ts";
import type { Account } from "../../platform/accounts.ts";
import type { ManagedAccounts } from "../../runtime/auth/users.ts";
import { type ExitCode, Refusal } from "../command.ts";
import type { PlaceOptions } from "../data/options.ts";
import type { IO } from "../io.ts";
import { printJSON, printList } from "../print/output.ts";
import { newPassword } from "./create.ts";
import { isNotFound, type Operator, withAccounts } from "./operator.ts";
import type { AccessToken } from "../../declare/token.ts";
import { columns } from "../../lib/columns.ts";
import { rolesOf } from "../../runtime/auth/roles.ts";
import type { OpenSession } from "../../runtime/auth/sessions.ts";
import { cells } from "../print/width.ts";

/** The email address of an account, and the data that contains it. */
interface OfAccount extends PlaceOptions {
  readonly email: string;
}

type Printed<Options> = Options & { readonly json: true | undefined };

/** A change to one account, and the words that report it after the address. `role` is "" for changes without one. */
interface Change {
  readonly apply: (accounts: ManagedAccounts, id: string, role: string) => Promise<void>;
  readonly done: (role: string) => string;
}

/** A command that changes an account, such as `grant` for `fw users grant`. */
export type ChangeOfAccount = "grant" | "revoke" | "disable" | "enable" | "delete" | "drop-2fa" | "sign-out";

const changes: Readonly<Record<ChangeOfAccount, Change>> = {
  grant: {
    apply: (accounts, id, role) => accounts.grant(id, role),
    done: (role) => `has the role ${role}`,
  },
  revoke: {
    apply: (accounts, id, role) => accounts.revoke(id, role),
    done: (role) => `no longer has the role ${role}`,
  },
  disable: { apply: (accounts, id) => accounts.disable(id), done: () => "is disabled" },
  enable: { apply: (accounts, id) => accounts.enable(id), done: () => "is enabled" },
  delete: { apply: (accounts, id) => accounts.delete(id), done: () => "is deleted" },
  "drop-2fa": { apply: removeFactor, done: () => "signs in without a second factor" },
  "sign-out": { apply: (accounts, id) => accounts.signOut(id), done: () => "is signed out everywhere" },
};

/** The number of accounts to read at once. */
const pageSize = 1000;

export async function listAccounts(options: Printed<PlaceOptions>, io: IO): Promise<ExitCode> {
  const all = await withAccounts(options, io, ({ accounts }) => everyAccount(accounts));
  return printList(all, { json: options.json && accountData, text: accountLines, none: "there are no accounts" }, io);
}

export async function showAccount(options: Printed<OfAccount>, io: IO): Promise<ExitCode> {
  const account = await withAccounts(options, io, ({ find }) => find(options.email));
  if (options.json) printJSON(accountData(account), io);
  else io.out.write(accountFields(account));
  return 0;
}

/** Runs `fw users grant`, `disable` and the other commands that change an account. */
export async function changeAccount(
  verb: ChangeOfAccount,
  options: OfAccount & { readonly role?: string },
  io: IO,
): Promise<ExitCode> {
  const { apply, done } = changes[verb];
  const message = await withAccounts(options, io, async ({ accounts, find, role: declared }) => {
    const role = options.role === undefined ? "" : declared(options.role);
    const account = await find(options.email);
    await apply(accounts, account.id, role);
    return `${visible(account.email)} ${done(role)}`;
  });
  io.out.write(`${message}\n`);
  return 0;
}

export async function setPassword(options: OfAccount, io: IO): Promise<ExitCode> {
  const address = await withAccounts(options, io, async ({ accounts, find }) => {
    const { id, email } = await find(options.email);
    if (accounts.setPassword === undefined)
      throw new Refusal("the identity provider stores the passwords of this application: use its password reset");
    await accounts.setPassword(id, await newPassword(io));
    return email;
  });
  io.out.write(`${visible(address)} has a new password and is signed out everywhere\n`);
  return 0;
}

export async function listSessions(options: Printed<OfAccount>, io: IO): Promise<ExitCode> {
  const open = await withAccounts(options, io, async ({ accounts, find }) =>
    accounts.sessions((await find(options.email)).id),
  );
  return printList(open, { json: options.json, text: sessionLines, none: "the account has no session" }, io);
}

export async function listTokens(options: Printed<OfAccount>, io: IO): Promise<ExitCode> {
  const open = await withAccounts(options, io, async ({ accounts, find }) =>
    accounts.tokens((await find(options.email)).id),
  );
  return printList(open, { json: options.json, text: tokenLines, none: "the account has no access token" }, io);
}

export async function revokeToken(options: OfAccount & { readonly revoke: string }, io: IO): Promise<ExitCode> {
  await withAccounts(options, io, (operator) => endToken(operator, options.email, options.revoke));
  io.out.write(`the access token ${options.revoke} is revoked\n`);
  return 0;
}

async function removeFactor(accounts: ManagedAccounts, id: string): Promise<void> {
  if (accounts.removeFactor === undefined)
    throw new Refusal("the application has no second factors: its Auth has no account: true");
  await accounts.removeFactor(id);
}

async function endToken({ accounts, find }: Operator, address: string, token: string): Promise<void> {
  const { id, email } = await find(address);
  try {
    await accounts.revokeToken(id, token);
  } catch (error) {
    if (isNotFound(error)) throw new Refusal(`${visible(email)} has no access token ${visible(token)}`);
    throw error;
  }
}

async function everyAccount(accounts: ManagedAccounts): Promise<Account[]> {
  const all: Account[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const page: Awaited<ReturnType<ManagedAccounts["page"]>> = await accounts.page(pageSize, cursor);
    all.push(...page.accounts);
    cursor = page.next;
  }
  return all;
}

function accountData(account: Account): object {
  const { id, email, name, emailVerified, disabled, created } = account;
  return { id, email, name, emailVerified, disabled, roles: rolesOf(account.claims), created };
}

/** Formats accounts in columns, one per line: address, name, roles, and whether it is disabled. */
function accountLines(accounts: readonly Account[]): string {
  const rows = accounts.map((account) => [
    visible(account.email),
    visible(account.name) || "-",
    rolesOf(account.claims).map(visible).join(", ") || "-",
    account.disabled ? "disabled" : "",
  ]);
  return columns(rows, { widthOf })
    .map((line) => `${line}\n`)
    .join("");
}

/** Formats one account, a field per line. */
function accountFields(account: Account): string {
  const { id, email, name, emailVerified, disabled, created } = account;
  const fields = {
    email: visible(email),
    name: visible(name) || "-",
    id,
    roles: rolesOf(account.claims).map(visible).join(", ") || "-",
    verified: emailVerified ? "yes" : "no",
    state: disabled ? "disabled" : "enabled",
    created: created.toISOString(),
  };
  return Object.entries(fields)
    .map(([key, value]) => `${key.padEnd(10)}${value}\n`)
    .join("");
}

function sessionLines(sessions: readonly OpenSession[]): string {
  return sessions
    .map(({ began, provider, ends }) => `${began.toISOString()}  ${provider}  ends ${ends.toISOString()}\n`)
    .join("");
}

function tokenLines(tokens: readonly AccessToken[]): string {
  return tokens.map(tokenLine).join("");
}

function tokenLine({ id, name, created, expires, roles }: AccessToken): string {
  const roleNames = roles === undefined ? "" : `  ${roles.map(visible).join(", ") || "no roles"}`;
  const ends = expires === undefined ? "never ends" : `ends ${expires.toISOString()}`;
  return `${id}  ${visible(name)}  made ${created.toISOString()}  ${ends}${roleNames}\n`;
}

function widthOf(text: string): number {
  let width = 0;
  for (const cell of cells(text)) width += cell.width;
  return width;
}
