import type { Rule } from "../../rule.ts";
import { ofKind } from "../select.ts";

/** Creates a rule that refuses every declaration after the first, for kinds that a package may have once. */
function oneOf(id: string, title: string, kind: "service" | "site" | "status" | "errors", noun: string): Rule {
  return {
    id,
    title,
    *package(read) {
      const [first, ...others] = ofKind(read, kind).map(({ declaration }) => declaration);
      if (!first) return;
      for (const { at, variable } of others) {
        yield {
          at,
          message: `the package "${read.name}" has two ${noun}, "${first.variable}" and "${variable}"`,
          hint: "keep one, and move the other to the directory of its own service",
          related: [{ at: first.at, message: `"${first.variable}" is declared here` }],
        };
      }
    },
  };
}

export const oneService: Rule = oneOf(
  "one-service",
  "A package has at most one `Service`",
  "service",
  "Service declarations",
);
export const oneSite: Rule = oneOf("one-site", "A package has at most one `Site`", "site", "Site declarations");
export const oneStatus: Rule = oneOf("one-status", "A package has at most one status page", "status", "status pages");
export const oneErrorShape: Rule = oneOf(
  "one-errors",
  "A package has at most one error shape",
  "errors",
  "error shapes",
);
