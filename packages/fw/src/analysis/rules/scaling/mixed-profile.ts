import type { Rule } from "../../rule.ts";
import { mixed } from "./mixed.ts";

export const mixedProfile: Rule = {
  id: "mixed-profile",
  title: "The handlers of a package that pin a profile pin the same",
  package: (read) => mixed(read, ["profile"]),
};
