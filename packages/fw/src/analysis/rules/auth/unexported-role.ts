import type { Rule } from "../../rule.ts";

export const unexportedRole: Rule = {
  id: "unexported-role",
  title: "A role is exported",
  *declaration(read) {
    if (read.kind !== "role" || read.declaration.exported) return;
    const { variable, at } = read.declaration;
    yield {
      at,
      message: `the role "${variable}" is not exported`,
      hint: `write export const ${variable}`,
      fix: { kind: "export", at },
    };
  },
};
