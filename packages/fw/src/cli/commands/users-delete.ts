import { visible } from "../../lib/visible.ts";
import { type ArgumentValues, type Command, type ExitCode, type OptionValues } from "../command.ts";
import type { IO } from "../io.ts";
import { argument } from "../parse.ts";

/** `fw users delete`. */
export const usersDelete: Command = {
  name: "users delete",
  summary: "delete an account for good and end its sessions",
  details: [
    "What the application keeps about the person stays; only the account goes.",
    "Works on the local data, so the dev server must be stopped first.",
  ],
  arguments: [{ name: "email", summary: "the account's address" }],
  options: {},
  examples: [{ line: "fw users delete ada@example.com", says: "there is no way back" }],
  async run(_options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { withAccounts } = await import("../users/accounts.ts");
    const said = await withAccounts(io, async ({ accounts, find }) => {
      const { id, email } = await find(argument(args, "email"));
      await accounts.delete(id);
      return `${visible(email)} is deleted`;
    });
    io.out.write(`${said}\n`);
    return 0;
  },
};
