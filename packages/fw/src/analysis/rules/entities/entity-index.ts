import type { Rule } from "../../rule.ts";

export const entityIndex: Rule = {
  id: "entity-index",
  title: "An indexed field is a field of the stored document",
  *declaration(read) {
    if (read.kind !== "entity") return;
    for (const { path, at } of read.types?.nested ?? []) {
      yield {
        at,
        message: `"${path}" is marked as indexed, but queries can only use the document's own fields`,
        hint: /^[^.[]+\[\]$/.test(path)
          ? "mark the list, not its elements: Index<string[]>, Search<string[]>"
          : "store queried values in a field of the document itself, and remove the nested Index or Search",
      };
    }
    for (const { name, at, indexed, search, id, transient } of read.types?.fields ?? []) {
      if (!transient || (!indexed && !search && !id)) continue;
      yield {
        at,
        message: `the field "${name}" is ${id ? "the document's id" : "indexed"}, but not stored in the document`,
        hint: id
          ? "write ID without Transient"
          : "remove Transient or Index: queries cannot find a field that is not stored",
      };
    }
  },
};
