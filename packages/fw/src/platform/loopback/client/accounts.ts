import { passwordDerivations, passwordsWaiting } from "../../../lib/limits.ts";
import type { Account, AccountFields, AccountPage, Accounts, Claims, VerifiedToken } from "../../accounts.ts";
import { PlatformError } from "../../errors.ts";
import type { Connection } from "./connection.ts";

/** An account on its way: its claims are the text of their JSON. */
interface WireAccount extends Omit<Account, "claims"> {
  readonly claims: string;
}

/** Accounts that another process keeps. */
export class LoopbackAccounts implements Accounts {
  readonly #connection: Connection;
  /** Calls under way that derive a password: the platform has a bound, and so has the queue before its connections. */
  #deriving = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async create({ email, name, emailVerified, claims, password, id }: AccountFields): Promise<Account> {
    const given = { email, name, emailVerified, claims: JSON.stringify(claims), password, id };
    const create = (): Promise<WireAccount> => this.#connection.write("accounts/create", given);
    return fromWire(await (password === undefined ? create() : this.#derive(create)));
  }

  async get(id: string): Promise<Account | undefined> {
    return found(await this.#connection.read("accounts/get", { id }));
  }

  async byEmail(email: string): Promise<Account | undefined> {
    return found(await this.#connection.read("accounts/byEmail", { email }));
  }

  async list(limit: number, cursor: string): Promise<AccountPage> {
    const page = await this.#connection.read<{ readonly accounts: readonly WireAccount[]; readonly next?: string }>(
      "accounts/list",
      { limit, cursor },
    );
    return { ...page, accounts: page.accounts.map(fromWire) };
  }

  async setClaims(id: string, claims: Claims): Promise<Account> {
    return fromWire(await this.#connection.write("accounts/setClaims", { id, claims: JSON.stringify(claims) }));
  }

  async setDisabled(id: string, disabled: boolean): Promise<Account> {
    return fromWire(await this.#connection.write("accounts/setDisabled", { id, disabled }));
  }

  async delete(id: string): Promise<void> {
    await this.#connection.write("accounts/delete", { id });
  }

  async checkPassword(email: string, password: string): Promise<Account | undefined> {
    return found(await this.#derive(() => this.#connection.read("accounts/checkPassword", { email, password })));
  }

  async verifyToken(token: string): Promise<VerifiedToken | { readonly refused: string }> {
    const verified = await this.#connection.read<
      (Omit<VerifiedToken, "account"> & { readonly account: WireAccount }) | { readonly refused: string }
    >("accounts/verifyToken", { token });
    return "refused" in verified ? verified : { ...verified, account: fromWire(verified.account) };
  }

  async testUser(name: string, roles: readonly string[] | undefined): Promise<Account | undefined> {
    return found(await this.#connection.write("accounts/testUser", { name, roles }));
  }

  async #derive<T>(call: () => Promise<T>): Promise<T> {
    if (this.#deriving === passwordDerivations + passwordsWaiting)
      throw new PlatformError("busy", `${passwordsWaiting} passwords wait to be derived`);
    this.#deriving++;
    try {
      return await call();
    } finally {
      this.#deriving--;
    }
  }
}

function found(account: WireAccount | undefined): Account | undefined {
  return account && fromWire(account);
}

function fromWire(account: WireAccount): Account {
  return { ...account, claims: JSON.parse(account.claims) as Claims };
}
