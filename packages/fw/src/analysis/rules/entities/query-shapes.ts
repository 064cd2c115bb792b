import { mostConditions } from "../../../lib/limits.ts";
import type { Rule } from "../../rule.ts";

export const queryShapes: Rule = {
  id: "query-shapes",
  title: "A query is assembled from at most four conditional filters",
  *app({ queries }) {
    for (const fault of queries.faults) {
      if (fault.kind === "conditions") {
        yield {
          at: fault.at,
          message: `this is the fifth conditional filter of one query, and ${mostConditions} is the most`,
          hint: "each condition doubles the indexes that it may need: leave one out, or write a query of its own for some of them",
          related: fault.others.map((at, index) => ({ at, message: `conditional filter ${index + 1}` })),
        };
      } else if (fault.kind === "shapes") {
        yield {
          at: fault.at,
          message: "this query can be put together in more than 64 ways",
          hint: "give it fewer directions to choose from, or write queries of their own",
        };
      }
    }
  },
};
