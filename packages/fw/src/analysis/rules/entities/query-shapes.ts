import { mostConditions } from "../../../lib/limits.ts";
import type { Rule } from "../../rule.ts";

export const queryShapes: Rule = {
  id: "query-shapes",
  title: "A query has at most four conditional filters",
  *app({ queries }) {
    for (const fault of queries.faults) {
      if (fault.kind === "conditions") {
        yield {
          at: fault.at,
          message: `this is the fifth conditional filter of the query; the maximum is ${mostConditions}`,
          hint: "each condition doubles the indexes that the query may need: remove one, or write separate queries",
          related: fault.others.map((at, index) => ({ at, message: `conditional filter ${index + 1}` })),
        };
      } else if (fault.kind === "shapes") {
        yield {
          at: fault.at,
          message: "this query has more than 64 possible forms",
          hint: "reduce the conditions and sort directions, or write separate queries",
        };
      }
    }
  },
};
