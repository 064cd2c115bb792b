import { visible } from "../../lib/visible.ts";
import { type ArgumentValues, type Command, type ExitCode, type OptionValues } from "../command.ts";
import type { IO } from "../io.ts";
import { argument } from "../parse.ts";

/** `fw users enable`. */
export const usersEnable: Command = {
  name: "users enable",
  summary: "allow sign-in to a disabled account again",
  details: ["Its roles are what they were.", "Works on the local data, so the dev server must be stopped first."],
  arguments: [{ name: "email", summary: "the account's address" }],
  options: {},
  examples: [{ line: "fw users enable ada@example.com", says: "signs in again" }],
  async run(_options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { withAccounts } = await import("../users/accounts.ts");
    const said = await withAccounts(io, async ({ accounts, find }) => {
      const { id, email } = await find(argument(args, "email"));
      await accounts.enable(id);
      return `${visible(email)} is enabled`;
    });
    io.out.write(`${said}\n`);
    return 0;
  },
};
