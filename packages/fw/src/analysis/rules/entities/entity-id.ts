import type { Rule } from "../../rule.ts";

export const entityId: Rule = {
  id: "entity-id",
  title: "The type of an entity has exactly one field of the type `ID`",
  *declaration(read) {
    if (read.kind !== "entity" || !read.types?.complete) return;
    const { variable, at } = read.declaration;
    const ids = read.types.fields.filter((field) => field.id);
    const [first, ...others] = ids.filter((field) => !field.transient);
    // The entity-index rule reports an ID field that is not stored.
    if (ids.length === 0) {
      const plain = read.types.fields.find(({ name }) => name === "id");
      yield {
        at: plain?.at ?? at,
        message: `the type of the entity "${variable}" has no ID field`,
        hint: plain ? "write id: ID, with ID imported from fw" : "add a field, such as id: ID, and import ID from fw",
      };
    }
    for (const { name, at: place } of others) {
      yield {
        at: place,
        message: `the entity "${variable}" has a second ID field, "${name}"`,
        hint: "a document has one id: make the other field an Index<string>",
        ...(first ? { related: [{ at: first.at, message: `"${first.name}" is the first` }] } : {}),
      };
    }
  },
};
