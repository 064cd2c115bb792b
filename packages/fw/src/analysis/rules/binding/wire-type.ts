import type { Rule } from "../../rule.ts";
import { typesOf } from "../select.ts";

export const wireType: Rule = {
  id: "wire-type",
  title: "What a body or a response holds has a type that JSON can carry",
  *declaration(read) {
    const types = typesOf(read);
    if (!types) return;
    for (const { at, message, hint } of [...types.requestRefusals, ...types.responseRefusals])
      yield { at, message, hint };
  },
};
