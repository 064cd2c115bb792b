import type { Rule } from "../../rule.ts";
import { unexported } from "../unexported.ts";

export const unexportedPolicy: Rule = {
  id: "unexported-policy",
  title: "A policy is exported",
  *declaration(read) {
    if (read.kind === "policy") yield* unexported(read, "policy");
  },
};
