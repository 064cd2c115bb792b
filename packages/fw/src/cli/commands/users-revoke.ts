import type { Command } from "../command.ts";
import { roleChange } from "../users/change.ts";

/** `fw users revoke`. */
export const usersRevoke: Command = roleChange({
  verb: "revoke",
  summary: "take a role from an account",
  details: "Sessions of the account lose the role on their next request.",
  says: "no editor from the next request on",
  apply: (accounts, id, role) => accounts.revoke(id, role),
  done: (role) => `no longer has the role ${role}`,
});
