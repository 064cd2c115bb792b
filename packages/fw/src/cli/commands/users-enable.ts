import type { Command } from "../command.ts";
import { accountChange } from "../users/change.ts";

/** `fw users enable`. */
export const usersEnable: Command = accountChange({
  verb: "enable",
  summary: "allow sign-in to a disabled account again",
  details: "Its roles are what they were.",
  says: "signs in again",
  apply: (accounts, id) => accounts.enable(id),
  done: "is enabled",
});
