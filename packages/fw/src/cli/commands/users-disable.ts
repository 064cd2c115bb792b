import { visible } from "../../lib/visible.ts";
import { type ArgumentValues, type Command, type ExitCode, type OptionValues } from "../command.ts";
import type { IO } from "../io.ts";
import { argument } from "../parse.ts";

/** `fw users disable`. */
export const usersDisable: Command = {
  name: "users disable",
  summary: "refuse sign-in to an account and end its sessions",
  details: [
    "The record is kept; see fw users enable.",
    "Works on the local data, so the dev server must be stopped first.",
  ],
  arguments: [{ name: "email", summary: "the account's address" }],
  options: {},
  examples: [{ line: "fw users disable ada@example.com", says: "signed out everywhere at once" }],
  async run(_options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { withAccounts } = await import("../users/accounts.ts");
    const said = await withAccounts(io, async ({ accounts, find }) => {
      const { id, email } = await find(argument(args, "email"));
      await accounts.disable(id);
      return `${visible(email)} is disabled`;
    });
    io.out.write(`${said}\n`);
    return 0;
  },
};
