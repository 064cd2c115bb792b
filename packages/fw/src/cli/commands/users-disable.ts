import type { Command } from "../command.ts";
import { accountChange } from "../users/change.ts";

/** `fw users disable`. */
export const usersDisable: Command = accountChange({
  verb: "disable",
  summary: "refuse sign-in to an account and end its sessions",
  details: "The record is kept; see fw users enable.",
  says: "signed out everywhere at once",
  apply: (accounts, id) => accounts.disable(id),
  done: "is disabled",
});
