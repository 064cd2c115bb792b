import { visible } from "../../lib/visible.ts";
import { type ArgumentValues, type Command, type ExitCode, type OptionValues } from "../command.ts";
import type { IO } from "../io.ts";
import { argument } from "../parse.ts";

/** `fw users grant`. */
export const usersGrant: Command = {
  name: "users grant",
  summary: "give an account a role",
  details: [
    "Sessions of the account have the role on their next request, without a new sign-in.",
    "Works on the local data, so the dev server must be stopped first.",
  ],
  arguments: [
    { name: "email", summary: "the account's address" },
    { name: "role", summary: "a declared role" },
  ],
  options: {},
  examples: [{ line: "fw users grant ada@example.com editor", says: "an editor from the next request on" }],
  async run(_options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { withAccounts } = await import("../users/accounts.ts");
    const said = await withAccounts(io, async ({ accounts, find, role }) => {
      const named = role(argument(args, "role"));
      const { id, email } = await find(argument(args, "email"));
      await accounts.grant(id, named);
      return `${visible(email)} has the role ${named}`;
    });
    io.out.write(`${said}\n`);
    return 0;
  },
};
