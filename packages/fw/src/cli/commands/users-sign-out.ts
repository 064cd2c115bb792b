import type { Command } from "../command.ts";
import { accountChange } from "../users/change.ts";

/** `fw users sign-out`. */
export const usersSignOut: Command = accountChange({
  verb: "sign-out",
  summary: "end every session of an account",
  details: "Whoever had one is nobody at the next request, and can sign in again; see fw users disable.",
  says: "after a lost laptop",
  apply: (accounts, id) => accounts.signOut(id),
  done: "is signed out everywhere",
});
