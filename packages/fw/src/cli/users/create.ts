import type { Logger } from "../../declare/context.ts";
import { lineSink, readableLine } from "../../runtime/observe/log-line.ts";
import { TaggedLogger } from "../../runtime/observe/log.ts";
import { Refusal } from "../command.ts";
import type { PlaceOptions } from "../data/options.ts";
import type { IO } from "../io.ts";
import { withAccounts } from "./operator.ts";

interface NewAccount extends PlaceOptions {
  readonly email: string;
  readonly name: string | undefined;
  readonly password: true | undefined;
  readonly role: string | undefined;
}

/** Creates an account, with a password that it asks for and a role if the options say so. Returns the email address. */
export async function createAccount(options: NewAccount, io: IO): Promise<string> {
  return withAccounts(options, io, async ({ accounts, role }) => {
    const grantedRole = options.role === undefined ? undefined : role(options.role);
    const password = options.password ? await newPassword(io) : undefined;
    const { email, name } = options;
    const user = { email, ...(name !== undefined && { name }), ...(password !== undefined && { password }) };
    const account = await accounts.create(user, operatorLog(io));
    if (grantedRole !== undefined) await accounts.grant(account.id, grantedRole);
    return account.email;
  });
}

/** Reads a new password: typed twice at a terminal without echo, or from one line of standard input. */
export async function newPassword({ input }: IO): Promise<string> {
  const password = await input.secret("Password: ");
  if (password === "") throw new Refusal("the password is empty");
  if (input.isTTY && (await input.secret("Again: ")) !== password) throw new Refusal("the two passwords differ");
  return password;
}

/** Logs a command's warnings to standard error. */
function operatorLog({ err }: IO): Logger {
  return new TaggedLogger(
    lineSink(readableLine, (line) => err.write(line)),
    {},
  );
}
