import type { Rule } from "../../rule.ts";
import { typesOf } from "../select.ts";

export const wholeBody: Rule = {
  id: "whole-body",
  title: "A `Body<T>` or a `Raw` field is the only field of the request's body",
  *declaration(read) {
    const request = typesOf(read)?.request;
    const [first, second] = request?.wholes ?? [];
    if (!request || !first) return;
    const unmarkedField = request.untagged.find(({ name }) => !request.wholes.some((whole) => whole.name === name));
    const other = second ?? unmarkedField;
    if (!other) return;
    yield {
      at: other.at,
      message: `"${other.name}" is read from the body, but "${first.name}" takes the whole body`,
      hint: "bind it with Path, Query, Header or Cookie, or make it part of the body's type",
      related: [{ at: first.at, message: "the whole body is here" }],
    };
  },
};
