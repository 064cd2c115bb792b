import type { EscapeFault } from "../../readers/query.ts";
import type { Finding, Rule } from "../../rule.ts";

export const queryEscapes: Rule = {
  id: "query-escapes",
  title: "fw can follow each query to where it is read",
  *app({ queries }) {
    for (const fault of queries.faults) if (fault.kind === "escape") yield queryEscape(fault);
  },
};

export function queryEscape({ at, how, begins, unknown }: EscapeFault): Omit<Finding, "fix"> {
  return {
    at,
    message: `fw cannot follow this query further: it ${how}`,
    hint: unknown
      ? "start the query with the entity's name, such as orders.query(), or pass the entity to a function of this application, or to a class that keeps it in a readonly field"
      : "end it with all, first, count, page or each where you build it, or pass it to a function of this application",
    related: [{ at: begins, message: "the query begins here" }],
  };
}
