import type { Rule } from "../../rule.ts";
import { unexported } from "../unexported.ts";

export const unexportedRole: Rule = {
  id: "unexported-role",
  title: "A role is exported",
  *declaration(read) {
    if (read.kind === "role") yield* unexported(read, "role");
  },
};
