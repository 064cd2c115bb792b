import type { Intent } from "../../fixes/intent.ts";
import type { Misplaced } from "../../readers/parsed.ts";
import type { Rule } from "../../rule.ts";

export const packageLevel: Rule = {
  id: "package-level",
  title: "A declaration is a `const` at the top level of a module",
  *declaration(read) {
    if (read.kind !== "misplaced") return;
    const { name, placement, at } = read;
    yield {
      at,
      fix: fixOf(read),
      message: `${name} is ${where[placement]}`,
      hint: `declare it at the top level of the module: export const … = ${name}(…)`,
    };
  },
};

function fixOf({ name, placement, at }: Misplaced): Intent {
  return placement === "let" || placement === "var" ? { kind: "const", at } : { kind: "extract", at, name };
}

const where: Readonly<Record<Misplaced["placement"], string>> = {
  let: "in a let",
  var: "in a var",
  using: "in a using declaration",
  pattern: "destructured where it is declared",
  function: "declared inside a function",
  class: "declared inside a class",
  block: "declared inside a block",
  "object-member": "declared inside an object",
  "array-element": "declared inside an array",
  argument: "declared as an argument",
  "default-export": "exported without a name",
  expression: "not in a const",
};
