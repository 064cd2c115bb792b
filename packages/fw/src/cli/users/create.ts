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

/** Makes an account, with a password that is asked for; its address. */
export async function createAccount(asked: NewAccount, io: IO): Promise<string> {
  return withAccounts(asked, io, async ({ accounts, role }) => {
    const granted = asked.role === undefined ? undefined : role(asked.role);
    const password = asked.password ? await newPassword(io) : undefined;
    const { email, name } = asked;
    const user = { email, ...(name !== undefined && { name }), ...(password !== undefined && { password }) };
    const account = await accounts.create(user, operatorLog(io));
    if (granted !== undefined) await accounts.grant(account.id, granted);
    return account.email;
  });
}

/** A new password: typed twice at a terminal, without echo, or one line of standard input. */
async function newPassword({ input }: IO): Promise<string> {
  const password = await input.secret("Password: ");
  if (password === "") throw new Refusal("the password is empty");
  if (input.isTTY && (await input.secret("Again: ")) !== password) throw new Refusal("the two passwords differ");
  return password;
}

/** What goes wrong beside a command is told on standard error. */
function operatorLog({ err }: IO): Logger {
  return new TaggedLogger(
    lineSink(readableLine, (line) => err.write(line)),
    {},
  );
}
