import type { AccessToken } from "../../declare/token.ts";
import { columns } from "../../lib/columns.ts";
import { visible } from "../../lib/visible.ts";
import type { Account } from "../../platform/accounts.ts";
import { rolesOf } from "../../runtime/auth/roles.ts";
import type { OpenSession } from "../../runtime/auth/sessions.ts";
import { cells } from "../print/width.ts";

export function accountData(account: Account): object {
  const { id, email, name, emailVerified, disabled, created } = account;
  return { id, email, name, emailVerified, disabled, roles: rolesOf(account.claims), created };
}

/** Formats accounts in columns, one per line: address, name, roles, and whether it is disabled. */
export function accountLines(accounts: readonly Account[]): string {
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
export function accountFields(account: Account): string {
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

/** Formats sessions, one per line. */
export function sessionLines(sessions: readonly OpenSession[]): string {
  return sessions
    .map(({ began, provider, ends }) => `${began.toISOString()}  ${provider}  ends ${ends.toISOString()}\n`)
    .join("");
}

/** Formats access tokens, one per line. */
export function tokenLines(tokens: readonly AccessToken[]): string {
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
