import type { Rule } from "../rule.ts";

/**
 * Creates a rule that refuses unexported declarations of a kind, because generated modules or other packages import
 * them.
 */
function unexported(id: string, kind: "role" | "policy" | "status" | "errors", noun: string, article = "A"): Rule {
  return {
    id,
    title: `${article} ${noun} is exported`,
    *declaration(read) {
      if (read.kind !== kind || read.declaration.exported) return;
      const { variable, at } = read.declaration;
      yield {
        at,
        message: `the ${noun} "${variable}" is not exported`,
        hint: `write export const ${variable}`,
        fix: { kind: "export", at },
      };
    },
  };
}

export const unexportedRole: Rule = unexported("unexported-role", "role", "role");
export const unexportedPolicy: Rule = unexported("unexported-policy", "policy", "policy");
export const unexportedStatus: Rule = unexported("unexported-status", "status", "status page");
export const unexportedErrorShape: Rule = unexported("unexported-errors", "errors", "error shape", "An");
