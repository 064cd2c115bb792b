import type { Rule } from "../../rule.ts";
import { mixed } from "./mixed.ts";

export const mixedFootprint: Rule = {
  id: "mixed-footprint",
  title: "The handlers of a package that pin a footprint pin the same",
  package: (read) => mixed(read, ["cpu", "memory"]),
};
