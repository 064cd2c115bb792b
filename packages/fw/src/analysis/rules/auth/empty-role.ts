import type { Rule } from "../../rule.ts";

export const emptyRole: Rule = {
  id: "empty-role",
  title: "`RequireRole` has at least one role",
  *declaration(read) {
    if (read.kind !== "policy" || !read.required || read.required.roles.length > 0) return;
    yield {
      at: read.required.at,
      message: `"${read.declaration.variable}" names no role, so it would admit no user`,
      hint: "list the accepted roles, such as RequireRole(Editor, Admin)",
    };
  },
};
