import type { Rule } from "../../rule.ts";
import { ofKind } from "../select.ts";
import { oneOf } from "./one-of.ts";

export const oneStatus: Rule = {
  id: "one-status",
  title: "A package has at most one status page",
  package: (read) => oneOf(read, ofKind(read, "status"), "status pages"),
};
