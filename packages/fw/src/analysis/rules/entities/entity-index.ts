import type { Rule } from "../../rule.ts";

export const entityIndex: Rule = {
  id: "entity-index",
  title: "An indexed field is part of the stored document",
  *declaration(read) {
    if (read.kind !== "entity") return;
    for (const { name, at, indexed, id, transient } of read.types?.fields ?? []) {
      if (!transient || (!indexed && !id)) continue;
      yield {
        at,
        message: `the field "${name}" is ${id ? "the document's id" : "indexed"}, but kept out of the stored document`,
        hint: id
          ? "write ID without Transient"
          : "leave out either Transient or Index: what is not kept cannot be found",
      };
    }
  },
};
