import type { Rule } from "../../rule.ts";

export const unexportedPolicy: Rule = {
  id: "unexported-policy",
  title: "A policy is exported",
  *declaration(read) {
    if (read.kind !== "policy" || read.declaration.exported) return;
    const { variable, at } = read.declaration;
    yield {
      at,
      message: `the policy "${variable}" is not exported`,
      hint: `write export const ${variable}`,
      fix: { kind: "export", at },
    };
  },
};
