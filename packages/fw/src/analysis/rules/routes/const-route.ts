import type { Rule } from "../../rule.ts";
import { notConstant } from "../phrases.ts";
import { isEndpoint } from "../select.ts";
import { isReserved } from "./reserved-prefix.ts";

export const constRoute: Rule = {
  id: "const-route",
  title: "A route is a constant string: a method, one space, and a path of literal and `{name}` segments",
  *declaration(read) {
    if (!isEndpoint(read)) return;
    const { text, mistake } = read;
    if (text.value === undefined) yield notConstant("the route", text, read.kind === "mount" ? mountHint : hint);
    else if (mistake && !isReserved(text.value)) yield { at: text.at, ...mistake };
  },
};

const mountHint = 'write a literal, such as "/graphql", or combine constants';
const hint = 'write a literal, such as "GET /orders/{id}", or combine constants';
