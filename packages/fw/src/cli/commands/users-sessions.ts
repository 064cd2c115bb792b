import type { ArgumentValues, Command, ExitCode, OptionValues } from "../command.ts";
import { placeOptions, worksOn } from "../data/options.ts";
import type { IO } from "../io.ts";
import { argument } from "../parse.ts";

/** `fw users sessions`. */
export const usersSessions: Command = {
  name: "users sessions",
  summary: "list the sessions of an account",
  details: [
    "One session a line, the newest first: when and how somebody signed in, and when it ends by itself.",
    worksOn,
  ],
  arguments: [{ name: "email", summary: "the account's address" }],
  options: {
    ...placeOptions,
    json: { summary: "print JSON" },
  },
  examples: [{ line: "fw users sessions ada@example.com", says: "where she is signed in" }],
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { withAccounts } = await import("../users/accounts.ts");
    const { sessionLine } = await import("../users/print.ts");
    const open = await withAccounts(options, io, async ({ accounts, find }) =>
      accounts.sessions((await find(argument(args, "email"))).id),
    );
    if (options.json) io.out.write(`${JSON.stringify(open, undefined, 2)}\n`);
    else if (open.length === 0) io.out.write("the account has no session\n");
    else io.out.write(open.map(sessionLine).join(""));
    return 0;
  },
};
