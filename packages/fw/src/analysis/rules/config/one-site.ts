import type { Rule } from "../../rule.ts";
import { ofKind } from "../select.ts";
import { oneOf } from "./one-of.ts";

export const oneSite: Rule = {
  id: "one-site",
  title: "A package has at most one Site",
  package: (read) => oneOf(read, ofKind(read, "site"), "Site declarations"),
};
