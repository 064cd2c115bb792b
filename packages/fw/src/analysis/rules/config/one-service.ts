import type { Rule } from "../../rule.ts";
import { ofKind } from "../select.ts";
import { oneOf } from "./one-of.ts";

export const oneService: Rule = {
  id: "one-service",
  title: "A package has at most one Service",
  package: (read) => oneOf(read, ofKind(read, "service"), "Service declarations"),
};
