import type { Rule } from "../../rule.ts";
import { typesOf } from "../select.ts";

export const wholeBody: Rule = {
  id: "whole-body",
  title: "A Body or a Raw is all that a request has in its body",
  *declaration(read) {
    const request = typesOf(read)?.request;
    const [first, second] = request?.wholes ?? [];
    if (!request || !first) return;
    const beside = request.untagged.find(({ name }) => !request.wholes.some((whole) => whole.name === name));
    const other = second ?? beside;
    if (!other) return;
    yield {
      at: other.at,
      message: `"${other.name}" is read from the body, all of which is in "${first.name}"`,
      hint: "write Path, Query, Header or Cookie for it, or make it part of the body's type",
      related: [{ at: first.at, message: "the whole body is here" }],
    };
  },
};
