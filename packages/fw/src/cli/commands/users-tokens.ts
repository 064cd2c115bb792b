import { isStatusError } from "../../declare/errors.ts";
import { visible } from "../../lib/visible.ts";
import { type ArgumentValues, type Command, type ExitCode, type OptionValues, Refusal } from "../command.ts";
import { placeOptions, worksOn } from "../data/options.ts";
import type { IO } from "../io.ts";
import { argument } from "../parse.ts";

/** `fw users tokens`. */
export const usersTokens: Command = {
  name: "users tokens",
  summary: "list the access tokens of an account, or revoke one",
  details: [
    "One token a line, the newest first: the id that it is revoked by, its name, the roles that it carries, and when it ends.",
    worksOn,
  ],
  arguments: [{ name: "email", summary: "the account's address" }],
  options: {
    ...placeOptions,
    revoke: { value: "<id>", summary: "end this token" },
    json: { summary: "print JSON" },
  },
  examples: [
    { line: "fw users tokens ada@example.com", says: "which programs act for her" },
    { line: "fw users tokens ada@example.com --revoke 5f1c0a9e77b2d4418c30e6aa", says: "end one of them" },
  ],
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { withAccounts } = await import("../users/accounts.ts");
    const { tokenLine } = await import("../users/print.ts");
    const email = argument(args, "email");
    const revoked = options.revoke;
    if (typeof revoked === "string") {
      await withAccounts(options, io, async ({ accounts, find }) => {
        const account = await find(email);
        await accounts.revokeToken(account.id, revoked).catch((error: unknown) => {
          if (!isStatusError(error) || error.status !== 404) throw error;
          throw new Refusal(`${visible(account.email)} has no access token ${visible(revoked)}`);
        });
      });
      io.out.write(`the access token ${revoked} is revoked\n`);
      return 0;
    }
    const open = await withAccounts(options, io, async ({ accounts, find }) => accounts.tokens((await find(email)).id));
    if (options.json) io.out.write(`${JSON.stringify(open, undefined, 2)}\n`);
    else if (open.length === 0) io.out.write("the account has no access token\n");
    else io.out.write(open.map(tokenLine).join(""));
    return 0;
  },
};
