import type { Rule } from "../../rule.ts";

export const oneConfig: Rule = {
  id: "one-config",
  title: "A declaration takes one config",
  *declaration(read) {
    if (!("config" in read) || !read.config.extra) return;
    yield {
      at: read.config.extra,
      message: "a declaration takes only one config",
      hint: "merge the two into one literal",
    };
  },
};
