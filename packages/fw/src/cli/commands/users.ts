import { visible } from "../../lib/visible.ts";
import type { Account } from "../../platform/accounts.ts";
import type { ManagedAccounts } from "../../runtime/auth/users.ts";
import { command, type Command } from "../command.ts";
import { placeOptions } from "../data/options.ts";
import { printJSON, printList } from "../print/output.ts";

/** What the help of a command of accounts says of where it works. */
const worksOn =
  "Works on the local data, also while fw serve runs on it; a dev server must be stopped first. With --project it works on the deployed application: its environment and region are those that its deploys have written down there, where that leaves no choice.";

/** Accounts that are read at once. */
const pageSize = 1000;

const email = { name: "email", summary: "the account's address" } as const;
const role = { name: "role", summary: "a declared role" } as const;

/** What a command does to one account, and says of it afterwards, behind its address. */
interface Change {
  /** `disable` of `fw users disable`. */
  readonly verb: string;
  readonly summary: string;
  readonly details: string;
  /** What the example of the command says. */
  readonly says: string;
  /** Whether it is about a role, too. */
  readonly takesRole?: true;
  /** `role` is "" where it takes none. */
  readonly apply: (accounts: ManagedAccounts, id: string, role: string) => Promise<void>;
  readonly done: (role: string) => string;
}

export const usersCommands: readonly Command[] = [
  command({
    name: "users list",
    summary: "list every account and its roles",
    details: ["One account a line: address, name, roles, and whether it is disabled.", worksOn],
    options: {
      ...placeOptions,
      json: { summary: "print JSON" },
    },
    examples: [
      { line: "fw users list", says: "for a person" },
      { line: "fw users list --json", says: "for a program" },
    ],
    async run(options, io) {
      const { withAccounts } = await import("../users/accounts.ts");
      const { accountData, accountLines } = await import("../users/print.ts");
      const all = await withAccounts(options, io, ({ accounts }) => everyAccount(accounts));
      const none = "there are no accounts";
      return printList(all, { json: options.json && accountData, text: accountLines, none }, io);
    },
  }),
  command({
    name: "users show",
    summary: "show one account",
    details: ["One field a line.", worksOn],
    arguments: [email],
    options: {
      ...placeOptions,
      json: { summary: "print JSON" },
    },
    examples: [{ line: "fw users show ada@example.com", says: "her name, roles and state" }],
    async run(options, io, args) {
      const { withAccounts } = await import("../users/accounts.ts");
      const { accountData, accountFields } = await import("../users/print.ts");
      const account = await withAccounts(options, io, ({ find }) => find(args.email));
      if (options.json) printJSON(accountData(account), io);
      else io.out.write(accountFields(account));
      return 0;
    },
  }),
  command({
    name: "users create",
    summary: "make an account",
    details: [
      "One address is one account. Without a password it signs in with the social provider only. With --password the password is typed twice at the terminal, without echo, or is one line of standard input.",
      worksOn,
    ],
    arguments: [email],
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
    async run(options, io, args) {
      const { createAccount } = await import("../users/create.ts");
      io.out.write(`${visible(await createAccount({ ...options, ...args }, io))} has an account\n`);
      return 0;
    },
  }),
  change({
    takesRole: true,
    verb: "grant",
    summary: "give an account a role",
    details: "Sessions of the account have the role on their next request, without a new sign-in.",
    says: "an editor from the next request on",
    apply: (accounts, id, granted) => accounts.grant(id, granted),
    done: (granted) => `has the role ${granted}`,
  }),
  change({
    takesRole: true,
    verb: "revoke",
    summary: "take a role from an account",
    details: "Sessions of the account lose the role on their next request.",
    says: "no editor from the next request on",
    apply: (accounts, id, revoked) => accounts.revoke(id, revoked),
    done: (revoked) => `no longer has the role ${revoked}`,
  }),
  change({
    verb: "disable",
    summary: "refuse sign-in to an account and end its sessions",
    details: "The record is kept; see fw users enable.",
    says: "signed out everywhere at once",
    apply: (accounts, id) => accounts.disable(id),
    done: () => "is disabled",
  }),
  change({
    verb: "enable",
    summary: "allow sign-in to a disabled account again",
    details: "Its roles are what they were.",
    says: "signs in again",
    apply: (accounts, id) => accounts.enable(id),
    done: () => "is enabled",
  }),
  change({
    verb: "delete",
    summary: "delete an account for good and end its sessions",
    details: "What the application keeps about the person stays; only the account goes.",
    says: "there is no way back",
    apply: (accounts, id) => accounts.delete(id),
    done: () => "is deleted",
  }),
  command({
    name: "users sessions",
    summary: "list the sessions of an account",
    details: [
      "One session a line, the newest first: when and how somebody signed in, and when it ends by itself.",
      worksOn,
    ],
    arguments: [email],
    options: {
      ...placeOptions,
      json: { summary: "print JSON" },
    },
    examples: [{ line: "fw users sessions ada@example.com", says: "where she is signed in" }],
    async run(options, io, args) {
      const { withAccounts } = await import("../users/accounts.ts");
      const { sessionLines } = await import("../users/print.ts");
      const open = await withAccounts(options, io, async ({ accounts, find }) =>
        accounts.sessions((await find(args.email)).id),
      );
      return printList(open, { json: options.json, text: sessionLines, none: "the account has no session" }, io);
    },
  }),
  change({
    verb: "sign-out",
    summary: "end every session of an account",
    details: "Whoever had one is nobody at the next request, and can sign in again; see fw users disable.",
    says: "after a lost laptop",
    apply: (accounts, id) => accounts.signOut(id),
    done: () => "is signed out everywhere",
  }),
  command({
    name: "users tokens",
    summary: "list the access tokens of an account, or revoke one",
    details: [
      "One token a line, the newest first: the id that it is revoked by, its name, the roles that it carries, and when it ends.",
      worksOn,
    ],
    arguments: [email],
    options: {
      ...placeOptions,
      revoke: { value: "<id>", summary: "end this token" },
      json: { summary: "print JSON" },
    },
    examples: [
      { line: "fw users tokens ada@example.com", says: "which programs act for her" },
      { line: "fw users tokens ada@example.com --revoke 5f1c0a9e77b2d4418c30e6aa", says: "end one of them" },
    ],
    async run(options, io, args) {
      const { revokeToken, withAccounts } = await import("../users/accounts.ts");
      const { tokenLines } = await import("../users/print.ts");
      const { revoke } = options;
      if (revoke !== undefined) {
        await withAccounts(options, io, (operator) => revokeToken(operator, args.email, revoke));
        io.out.write(`the access token ${revoke} is revoked\n`);
        return 0;
      }
      const open = await withAccounts(options, io, async ({ accounts, find }) =>
        accounts.tokens((await find(args.email)).id),
      );
      return printList(open, { json: options.json, text: tokenLines, none: "the account has no access token" }, io);
    },
  }),
];

async function everyAccount(accounts: ManagedAccounts): Promise<Account[]> {
  const all: Account[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const page: Awaited<ReturnType<ManagedAccounts["page"]>> = await accounts.page(pageSize, cursor);
    all.push(...page.accounts);
    cursor = page.next;
  }
  return all;
}

/** A command that changes the account of an address. */
function change({ verb, summary, details, says, takesRole, apply, done }: Change): Command {
  return command({
    name: `users ${verb}`,
    summary,
    details: [details, worksOn],
    arguments: [email, ...(takesRole ? [role] : [])],
    options: placeOptions,
    examples: [{ line: `fw users ${verb} ada@example.com${takesRole ? " editor" : ""}`, says }],
    async run(options, io, args) {
      const { withAccounts } = await import("../users/accounts.ts");
      const said = await withAccounts(options, io, async ({ accounts, find, role: declared }) => {
        const named = takesRole ? declared(args.role) : "";
        const account = await find(args.email);
        await apply(accounts, account.id, named);
        return `${visible(account.email)} ${done(named)}`;
      });
      io.out.write(`${said}\n`);
      return 0;
    },
  });
}
