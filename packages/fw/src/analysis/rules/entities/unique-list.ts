import type { Rule } from "../../rule.ts";

export const uniqueList: Rule = {
  id: "unique-list",
  title: "A `Unique` field is not a list",
  *declaration(read) {
    if (read.kind !== "entity") return;
    for (const { name, at, unique, many } of read.types?.fields ?? []) {
      if (!unique || !many) continue;
      yield {
        at,
        message: `the field "${name}" is a list, but Unique needs a single value`,
        hint: "store a document for each element, with the element as its Unique field or as its id",
      };
    }
  },
};
