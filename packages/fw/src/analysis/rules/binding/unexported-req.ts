import type { Rule } from "../../rule.ts";
import { typesOf } from "../select.ts";

export const unexportedReq: Rule = {
  id: "unexported-req",
  title: "A named request type is exported",
  *declaration(read) {
    const unexported = typesOf(read)?.request.unexported;
    if (!unexported) return;
    const { name, at } = unexported;
    yield {
      at,
      message: `the request type "${name}" is not exported`,
      hint: `add export before ${name}`,
      fix: { kind: "export", at },
    };
  },
};
