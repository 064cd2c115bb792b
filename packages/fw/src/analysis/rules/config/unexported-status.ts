import type { Rule } from "../../rule.ts";

export const unexportedStatus: Rule = {
  id: "unexported-status",
  title: "A status page is exported",
  *declaration(read) {
    if (read.kind !== "status" || read.declaration.exported) return;
    const { variable, at } = read.declaration;
    yield {
      at,
      message: `the status page "${variable}" is not exported`,
      hint: `write export const ${variable}`,
      fix: { kind: "export", at },
    };
  },
};
