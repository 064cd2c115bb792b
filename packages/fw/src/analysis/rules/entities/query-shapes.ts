import { compositeIndexes, mostConditions, mostDeclaredConditions } from "../../../lib/limits.ts";
import { mostAlternatives } from "../../queries/value.ts";
import type { QueryFault } from "../../readers/query.ts";
import type { Finding, Rule } from "../../rule.ts";
import { constantMistake } from "../phrases.ts";

export const queryShapes: Rule = {
  id: "query-shapes",
  title: "A query has at most four conditional filters, or up to eight if it declares their number",
  *app({ queries }) {
    for (const fault of queries.faults) {
      if (fault.kind === "conditions") yield surplusFilter(fault);
      else if (fault.kind === "limit")
        yield* constantMistake("conditions", fault.reading, limitHint, (value) => {
          return `conditions is ${JSON.stringify(value)}, which is not a number from ${range}`;
        });
      else if (fault.kind === "shapes") {
        yield {
          at: fault.at,
          message: `this query has more than ${mostAlternatives} possible forms`,
          hint: "reduce the conditions and sort directions, or write separate queries",
        };
      }
    }
  },
};

const range = `${mostConditions + 1} to ${mostDeclaredConditions}`;
const limitHint = `write a number from ${range} in the call, such as query({ conditions: ${mostDeclaredConditions} })`;

const ordinals: readonly string[] = ["fifth", "sixth", "seventh", "eighth", "ninth"];

function surplusFilter({ at, others, all, indexes }: Extract<QueryFault, { kind: "conditions" }>): Finding {
  const ordinal = ordinals[others.length - mostConditions] ?? "next";
  return {
    at,
    message: `this is the ${ordinal} conditional filter of the query; the maximum is ${others.length}`,
    hint: `${indexesText(indexes)}${surplusHint(all)}`,
    related: others.map((other, index) => ({ at: other, message: `conditional filter ${index + 1}` })),
  };
}

function surplusHint(all: number): string {
  if (all > mostDeclaredConditions) return "remove one, or write separate queries";
  return `begin the query with \`query({ conditions: ${all} })\`, remove one, or write separate queries`;
}

function indexesText(count: number): string {
  if (count === 0) return "";
  return `all of them need ${count} of the ${compositeIndexes} composite indexes that a project can have: `;
}
