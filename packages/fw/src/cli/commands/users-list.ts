import type { Account } from "../../platform/accounts.ts";
import type { ManagedAccounts } from "../../runtime/auth/accounts.ts";
import { type Command, type ExitCode, type OptionValues } from "../command.ts";
import { placeOptions, worksOn } from "../data/options.ts";
import type { IO } from "../io.ts";

/** `fw users list`. */
export const usersList: Command = {
  name: "users list",
  summary: "list every account and its roles",
  details: ["One account a line: address, name, roles, and whether it is disabled.", worksOn],
  options: {
    ...placeOptions,
    json: { summary: "print JSON" },
  },
  examples: [
    { line: "fw users list", says: "for a person" },
    { line: "fw users list --json", says: "for a program" },
  ],
  async run(options: OptionValues, io: IO): Promise<ExitCode> {
    const { withAccounts } = await import("../users/accounts.ts");
    const { accountData, accountLines } = await import("../users/print.ts");
    const all = await withAccounts(options, io, ({ accounts }) => everyAccount(accounts));
    io.out.write(options.json ? `${JSON.stringify(all.map(accountData), undefined, 2)}\n` : accountLines(all));
    if (all.length === 0 && !options.json) io.out.write("there are no accounts\n");
    return 0;
  },
};

const pageSize = 1000;

async function everyAccount(accounts: ManagedAccounts): Promise<Account[]> {
  const all: Account[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const page: Awaited<ReturnType<ManagedAccounts["page"]>> = await accounts.page(pageSize, cursor);
    all.push(...page.accounts);
    cursor = page.next;
  }
  return all;
}
