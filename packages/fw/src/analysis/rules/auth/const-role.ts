import { visible } from "../../../lib/visible.ts";
import type { Rule } from "../../rule.ts";
import { notConstant } from "../phrases.ts";

/** Matches text without leading or trailing white space. */
const readable = /^\S(?:.*\S)?$/su;

export const constRole: Rule = {
  id: "const-role",
  title: "The name of a role is a readable string constant",
  *declaration(read) {
    if (read.kind !== "role") return;
    const { at, value } = read.text;
    if (value === undefined) {
      yield notConstant("the name of the role", read.text, 'write a literal, such as "editor"');
    } else if (!readable.test(value) || visible(value) !== value) {
      yield {
        at,
        message: `"${visible(value)}" is not a valid role name`,
        hint: 'write a readable name without white space at its ends, such as "editor"',
      };
    }
  },
};
