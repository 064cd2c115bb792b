import type { Rule } from "../../rule.ts";
import { notNamed } from "../not-named.ts";

export const roleVar: Rule = {
  id: "role-var",
  title: "`RequireRole` names declared roles",
  *declaration(read) {
    if (read.kind !== "policy" || !read.required) return;
    for (const { value, at } of read.required.roles) if (value) yield* notNamed(value.reference, at, requirement);
  },
};

const requirement = { noun: "a role", example: 'export const Editor = Role("editor")' };
