import type { Rule } from "../../rule.ts";

export const entityIndex: Rule = {
  id: "entity-index",
  title: "An indexed field is a field of the stored document",
  *declaration(read) {
    if (read.kind !== "entity") return;
    for (const { name, at, indexed, id, transient, nested } of read.types?.fields ?? []) {
      for (const inside of nested)
        yield {
          at: inside.at,
          message: `"${inside.path}" is marked as indexed, but queries name the document's own fields only`,
          hint: "keep what is queried in a field of the document itself, and leave out Index inside of others",
        };
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
