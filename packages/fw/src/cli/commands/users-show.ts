import { type ArgumentValues, type Command, type ExitCode, type OptionValues } from "../command.ts";
import { placeOptions, worksOn } from "../data/options.ts";
import type { IO } from "../io.ts";
import { argument } from "../parse.ts";

/** `fw users show`. */
export const usersShow: Command = {
  name: "users show",
  summary: "show one account",
  details: ["One field a line.", worksOn],
  arguments: [{ name: "email", summary: "the account's address" }],
  options: {
    ...placeOptions,
    json: { summary: "print JSON" },
  },
  examples: [{ line: "fw users show ada@example.com", says: "her name, roles and state" }],
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { withAccounts } = await import("../users/accounts.ts");
    const { accountData, accountFields } = await import("../users/print.ts");
    const account = await withAccounts(options, io, ({ find }) => find(argument(args, "email")));
    io.out.write(options.json ? `${JSON.stringify(accountData(account), undefined, 2)}\n` : accountFields(account));
    return 0;
  },
};
