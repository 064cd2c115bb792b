import type { Command } from "../command.ts";
import { accountChange } from "../users/change.ts";

/** `fw users delete`. */
export const usersDelete: Command = accountChange({
  verb: "delete",
  summary: "delete an account for good and end its sessions",
  details: "What the application keeps about the person stays; only the account goes.",
  says: "there is no way back",
  apply: (accounts, id) => accounts.delete(id),
  done: "is deleted",
});
