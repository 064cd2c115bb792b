import type { Rule } from "../../rule.ts";
import { unexported } from "../unexported.ts";

export const unexportedStatus: Rule = {
  id: "unexported-status",
  title: "A status page is exported",
  *declaration(read) {
    if (read.kind === "status") yield* unexported(read, "status page");
  },
};
