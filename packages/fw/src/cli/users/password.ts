import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";

/** A new password: typed twice at a terminal, without echo, or one line of standard input. */
export async function newPassword({ input }: IO): Promise<string> {
  const password = await input.secret("Password: ");
  if (password === "") throw new Refusal("the password is empty");
  if (input.isTTY && (await input.secret("Again: ")) !== password) throw new Refusal("the two passwords differ");
  return password;
}
