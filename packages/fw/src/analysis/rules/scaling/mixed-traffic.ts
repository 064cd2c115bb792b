import type { Rule } from "../../rule.ts";
import { mixed } from "./mixed.ts";

export const mixedTraffic: Rule = {
  id: "mixed-traffic",
  title: "The handlers of a package that pin a traffic pin the same",
  package: (read) => mixed(read, ["minInstances", "maxInstances", "concurrency", "timeout"]),
};
