import { visible } from "../../lib/visible.ts";
import type { ManagedAccounts } from "../../runtime/auth/accounts.ts";
import type { ArgumentValues, Command, ExitCode } from "../command.ts";
import { placeOptions, worksOn } from "../data/options.ts";
import type { IO } from "../io.ts";
import { argument } from "../parse.ts";

/** What a command does to one account, and says of it afterwards, behind its address. */
interface Change {
  /** `disable` of `fw users disable`. */
  readonly verb: string;
  readonly summary: string;
  readonly details: string;
  /** What the example of the command says. */
  readonly says: string;
}

interface AccountChange extends Change {
  readonly apply: (accounts: ManagedAccounts, id: string) => Promise<void>;
  readonly done: string;
}

interface RoleChange extends Change {
  readonly apply: (accounts: ManagedAccounts, id: string, role: string) => Promise<void>;
  readonly done: (role: string) => string;
}

const email = { name: "email", summary: "the account's address" };
const role = { name: "role", summary: "a declared role" };

/** A command that changes the account of an address. */
export function accountChange({ apply, done, ...change }: AccountChange): Command {
  return {
    ...described(change, "ada@example.com"),
    arguments: [email],
    async run(options, io: IO, args: ArgumentValues): Promise<ExitCode> {
      const { withAccounts } = await import("./accounts.ts");
      const said = await withAccounts(options, io, async ({ accounts, find }) => {
        const account = await find(argument(args, "email"));
        await apply(accounts, account.id);
        return `${visible(account.email)} ${done}`;
      });
      io.out.write(`${said}\n`);
      return 0;
    },
  };
}

/** A command that changes a role of the account of an address. */
export function roleChange({ apply, done, ...change }: RoleChange): Command {
  return {
    ...described(change, "ada@example.com editor"),
    arguments: [email, role],
    async run(options, io: IO, args: ArgumentValues): Promise<ExitCode> {
      const { withAccounts } = await import("./accounts.ts");
      const said = await withAccounts(options, io, async ({ accounts, find, role: declared }) => {
        const named = declared(argument(args, "role"));
        const account = await find(argument(args, "email"));
        await apply(accounts, account.id, named);
        return `${visible(account.email)} ${done(named)}`;
      });
      io.out.write(`${said}\n`);
      return 0;
    },
  };
}

function described({ verb, summary, details, says }: Change, words: string): Omit<Command, "run"> {
  return {
    name: `users ${verb}`,
    summary,
    details: [details, worksOn],
    options: placeOptions,
    examples: [{ line: `fw users ${verb} ${words}`, says }],
  };
}
