import { visible } from "../../lib/visible.ts";
import { command, type Command } from "../command.ts";
import { placeOptions } from "../data/options.ts";
import type { ChangeOfAccount } from "../users/accounts.ts";

/** The paragraph in the help of `fw users` commands about the data that they use. */
const dataNote =
  "Works on the local data, even while fw serve runs on it; stop a dev server first. With --project it works on the deployed application; you can leave out --env and --region if it is deployed only once in that project.";

const listOptions = { ...placeOptions, json: { summary: "print JSON" } } as const;

const email = { name: "email", summary: "the email address of the account" } as const;
const role = { name: "role", summary: "a declared role" } as const;

interface Change {
  readonly verb: ChangeOfAccount;
  readonly summary: string;
  readonly details: string;
  /** The description of the example. */
  readonly says: string;
  /** Set if the command also takes a role. */
  readonly takesRole?: true;
}

export const usersCommands: readonly Command[] = [
  command({
    name: "users list",
    summary: "list every account and its roles",
    details: ["Prints one account per line: email, name, roles, and whether it is disabled.", dataNote],
    options: listOptions,
    examples: [
      { line: "fw users list", says: "list accounts" },
      { line: "fw users list --json", says: "list accounts for a program" },
    ],
    run: async (options, io) => (await import("../users/accounts.ts")).listAccounts(options, io),
  }),
  command({
    name: "users show",
    summary: "show one account",
    details: ["Prints one field per line.", dataNote],
    arguments: [email],
    options: listOptions,
    examples: [{ line: "fw users show ada@example.com", says: "show name, roles and state" }],
    run: async (options, io, args) => (await import("../users/accounts.ts")).showAccount({ ...options, ...args }, io),
  }),
  command({
    name: "users create",
    summary: "create an account",
    details: [
      "An email address has one account. Without a password, the account signs in with the social provider only. With --password you type the password twice at the terminal, without echo, or pass it as one line of standard input.",
      dataNote,
    ],
    arguments: [email],
    options: {
      ...placeOptions,
      name: { value: "<name>", summary: "the display name" },
      password: { summary: "set a password" },
      role: { value: "<role>", summary: "a declared role to grant at once" },
    },
    examples: [
      { line: "fw users create ada@example.com --name Ada --password", says: "asks for a password" },
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
    summary: "grant a role to an account",
    details: "The account's sessions have the role from their next request on, without a new sign-in.",
    says: "grant the role editor",
  }),
  change({
    takesRole: true,
    verb: "revoke",
    summary: "revoke a role from an account",
    details: "The account's sessions lose the role at their next request.",
    says: "revoke the role editor",
  }),
  change({
    verb: "disable",
    summary: "disable an account and end its sessions",
    details: "Keeps the account and its data; fw users enable reverses it.",
    says: "disable an account at once",
  }),
  change({
    verb: "enable",
    summary: "enable a disabled account",
    details: "The account keeps its roles.",
    says: "allow sign-in again",
  }),
  change({
    verb: "delete",
    summary: "delete an account and end its sessions",
    details: "Deletes only the account; the application's data about the user remains. This cannot be undone.",
    says: "delete an account",
  }),
  command({
    name: "users password",
    summary: "set the password of an account and end its sessions",
    details: [
      "You type the password twice at the terminal, without echo, or pass it as one line of standard input. Access tokens remain valid; see fw users tokens.",
      "Works on the local data, even while fw serve runs on it; stop a dev server first. Refuses a deployed application: use the password reset of Google Cloud's identity provider.",
    ],
    arguments: [email],
    options: placeOptions,
    examples: [{ line: "fw users password ada@example.com", says: "asks for the new password" }],
    run: async (options, io, args) => (await import("../users/accounts.ts")).setPassword({ ...options, ...args }, io),
  }),
  change({
    verb: "drop-2fa",
    summary: "turn off the second factor of an account",
    details: "For a user who has lost the phone and the recovery codes. Check the user's identity first.",
    says: "let a user without a phone sign in",
  }),
  command({
    name: "users sessions",
    summary: "list the sessions of an account",
    details: [
      "Prints one session per line, the newest first: the time and provider of the sign-in, and the expiry.",
      dataNote,
    ],
    arguments: [email],
    options: listOptions,
    examples: [{ line: "fw users sessions ada@example.com", says: "list where an account is signed in" }],
    run: async (options, io, args) => (await import("../users/accounts.ts")).listSessions({ ...options, ...args }, io),
  }),
  change({
    verb: "sign-out",
    summary: "end every session of an account",
    details:
      "Signed-out users are anonymous from their next request on, and can sign in again; to prevent that, see fw users disable.",
    says: "sign out everywhere, for example after a laptop is lost",
  }),
  command({
    name: "users tokens",
    summary: "list or revoke the access tokens of an account",
    details: [
      "Prints one token per line, the newest first: its id, name, roles and expiry. Use the id to revoke it.",
      dataNote,
    ],
    arguments: [email],
    options: {
      ...listOptions,
      revoke: { value: "<id>", summary: "revoke the token with this id" },
    },
    examples: [
      { line: "fw users tokens ada@example.com", says: "list the tokens of an account" },
      { line: "fw users tokens ada@example.com --revoke 5f1c0a9e77b2d4418c30e6aa", says: "revoke one token" },
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
    details: [details, dataNote],
    arguments: [email, ...(takesRole ? [role] : [])],
    options: placeOptions,
    examples: [{ line: `fw users ${verb} ada@example.com${takesRole ? " editor" : ""}`, says }],
    async run(options, io, args) {
      const { changeAccount } = await import("../users/accounts.ts");
      return changeAccount(verb, { ...options, ...args }, io);
    },
  });
}
