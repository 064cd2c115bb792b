import type { Command } from "../command.ts";
import { roleChange } from "../users/change.ts";

/** `fw users grant`. */
export const usersGrant: Command = roleChange({
  verb: "grant",
  summary: "give an account a role",
  details: "Sessions of the account have the role on their next request, without a new sign-in.",
  says: "an editor from the next request on",
  apply: (accounts, id, role) => accounts.grant(id, role),
  done: (role) => `has the role ${role}`,
});
