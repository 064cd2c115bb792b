import { compositeIndexes, mostConditions } from "../../../lib/limits.ts";
import { mostAlternatives } from "../../queries/value.ts";
import type { Rule } from "../../rule.ts";

export const queryShapes: Rule = {
  id: "query-shapes",
  title: "A query has at most eight conditional filters",
  *app({ queries }) {
    for (const fault of queries.faults) {
      if (fault.kind === "conditions") {
        yield {
          at: fault.at,
          message: `this is the ninth conditional filter of the query; the maximum is ${mostConditions}`,
          hint: `${indexesText(fault.indexes)}remove one, or write separate queries`,
          related: fault.others.map((at, index) => ({ at, message: `conditional filter ${index + 1}` })),
        };
      } else if (fault.kind === "shapes") {
        yield {
          at: fault.at,
          message: `this query has more than ${mostAlternatives} possible forms`,
          hint: "reduce the conditions and sort directions, or write separate queries",
        };
      }
    }
  },
};

function indexesText(count: number): string {
  if (count === 0) return "";
  return `all of them need ${count} composite indexes of the ${compositeIndexes} that a project can have: `;
}
