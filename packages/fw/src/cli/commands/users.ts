import { visible } from "../../lib/visible.ts";
import { command, type Command } from "../command.ts";
import { placeOptions } from "../data/options.ts";
import type { ChangeOfAccount } from "../users/accounts.ts";

/** What the help of a command of accounts says of where it works. */
const worksOn =
  "Works on the local data, also while fw serve runs on it; a dev server must be stopped first. With --project it works on the deployed application: its environment and region are those that its deploys have written down there, where that leaves no choice.";

const email = { name: "email", summary: "the account's address" } as const;
const role = { name: "role", summary: "a declared role" } as const;

/** A command that changes one account. */
interface Change {
  readonly verb: ChangeOfAccount;
  readonly summary: string;
  readonly details: string;
  /** What the example of the command says. */
  readonly says: string;
  /** Whether it is about a role, too. */
  readonly takesRole?: true;
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
      const { listAccounts } = await import("../users/accounts.ts");
      return listAccounts(options, io);
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
      const { showAccount } = await import("../users/accounts.ts");
      return showAccount({ ...options, ...args }, io);
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
  }),
  change({
    takesRole: true,
    verb: "revoke",
    summary: "take a role from an account",
    details: "Sessions of the account lose the role on their next request.",
    says: "no editor from the next request on",
  }),
  change({
    verb: "disable",
    summary: "refuse sign-in to an account and end its sessions",
    details: "The record is kept; see fw users enable.",
    says: "signed out everywhere at once",
  }),
  change({
    verb: "enable",
    summary: "allow sign-in to a disabled account again",
    details: "Its roles are what they were.",
    says: "signs in again",
  }),
  change({
    verb: "delete",
    summary: "delete an account for good and end its sessions",
    details: "What the application keeps about the person stays; only the account goes.",
    says: "there is no way back",
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
      const { listSessions } = await import("../users/accounts.ts");
      return listSessions({ ...options, ...args }, io);
    },
  }),
  change({
    verb: "sign-out",
    summary: "end every session of an account",
    details: "Whoever had one is nobody at the next request, and can sign in again; see fw users disable.",
    says: "after a lost laptop",
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
      const { listTokens, revokeToken } = await import("../users/accounts.ts");
      const { revoke, ...others } = options;
      return revoke === undefined
        ? listTokens({ ...others, ...args }, io)
        : revokeToken({ ...others, ...args, revoke }, io);
    },
  }),
];

function change({ verb, summary, details, says, takesRole }: Change): Command {
  return command({
    name: `users ${verb}`,
    summary,
    details: [details, worksOn],
    arguments: [email, ...(takesRole ? [role] : [])],
    options: placeOptions,
    examples: [{ line: `fw users ${verb} ada@example.com${takesRole ? " editor" : ""}`, says }],
    async run(options, io, args) {
      const { changeAccount } = await import("../users/accounts.ts");
      return changeAccount(verb, { ...options, ...args }, io);
    },
  });
}
