import type { Rule } from "../../rule.ts";
import { secondClaims } from "./claims.ts";

export const oneWorker: Rule = {
  id: "one-worker",
  title: "A queue has one Worker",
  app: (read) =>
    secondClaims(read, "worker", (first, second) => ({
      message: `the workers "${first.declaration.variable}" and "${second.declaration.variable}" claim one queue`,
      hint: "keep one, or publish to a Topic, whose events every Subscribe gets",
    })),
};
