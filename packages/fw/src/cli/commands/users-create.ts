import { visible } from "../../lib/visible.ts";
import { type ArgumentValues, type Command, type ExitCode, type OptionValues } from "../command.ts";
import { placeOptions, worksOn } from "../data/options.ts";
import type { IO } from "../io.ts";
import { argument, textOption } from "../parse.ts";

/** `fw users create`. */
export const usersCreate: Command = {
  name: "users create",
  summary: "make an account",
  details: [
    "One address is one account. Without a password it signs in with the social provider only. With --password the password is typed twice at the terminal, without echo, or is one line of standard input.",
    worksOn,
  ],
  arguments: [{ name: "email", summary: "the account's address" }],
  options: {
    ...placeOptions,
    name: { value: "<name>", summary: "the display name" },
    password: { summary: "give it a password" },
    role: { value: "<role>", summary: "a declared role that it has from the start" },
  },
  examples: [
    { line: "fw users create ada@example.com --name Ada --password", says: "asks for the password" },
    { line: "fw users create bo@example.com --role editor", says: "signs in with the social provider" },
  ],
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { withAccounts } = await import("../users/accounts.ts");
    const { newPassword } = await import("../users/password.ts");
    const { operatorLog } = await import("../users/log.ts");
    const [name, asked] = [textOption(options, "name"), textOption(options, "role")];
    const { email } = await withAccounts(options, io, async ({ accounts, role }) => {
      const granted = asked === undefined ? undefined : role(asked);
      const password = options.password ? await newPassword(io) : undefined;
      const user = {
        email: argument(args, "email"),
        ...(name !== undefined && { name }),
        ...(password !== undefined && { password }),
      };
      const account = await accounts.create(user, operatorLog(io));
      if (granted !== undefined) await accounts.grant(account.id, granted);
      return account;
    });
    io.out.write(`${visible(email)} has an account\n`);
    return 0;
  },
};
