import type { Rule } from "../../rule.ts";
import { secondClaims } from "./claims.ts";

export const oneJobHandler: Rule = {
  id: "one-job-handler",
  title: "A job has one Runner",
  app: (read) =>
    secondClaims(read, "runner", (first, second) => ({
      message: `the runners "${first.declaration.variable}" and "${second.declaration.variable}" claim one job`,
      hint: "keep one, and declare a Job for the other",
    })),
};
