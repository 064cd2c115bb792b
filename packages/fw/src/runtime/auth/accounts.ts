import type { NewUser } from "../../declare/auth.ts";
import type { Logger } from "../../declare/context.ts";
import type { Account, AccountPage } from "../../platform/accounts.ts";
import type { Platform } from "../../platform/contract.ts";
import type { BundledAuth } from "../bundle.ts";

/**
 * Account management on a platform, for handlers and operators alike. Failures are StatusErrors with a sentence for people:
 * an unknown account is NotFound, an address that has an account satisfies `isEmailTaken`, a bad value is a 400.
 */
export interface ManagedAccounts {
  /** Makes an account and publishes `registered`; that it could not be published is logged and no failure. */
  create(user: NewUser, log: Logger): Promise<Account>;
  get(id: string): Promise<Account>;
  byEmail(email: string): Promise<Account>;
  /** "" is the first page's cursor. */
  page(limit: number, cursor: string): Promise<AccountPage>;
  grant(id: string, role: string): Promise<void>;
  revoke(id: string, role: string): Promise<void>;
  /** Makes these the account's roles, and no others. */
  setRoles(id: string, roles: readonly string[]): Promise<void>;
  disable(id: string): Promise<void>;
  enable(id: string): Promise<void>;
  delete(id: string): Promise<void>;
}

/** The accounts of a platform whose kinds include `authKinds`. */
export function accountsOf(_platform: Platform, _auth: BundledAuth): ManagedAccounts {
  throw new Error("not here yet");
}
