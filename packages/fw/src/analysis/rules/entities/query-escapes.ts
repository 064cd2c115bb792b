import type { Rule } from "../../rule.ts";

export const queryEscapes: Rule = {
  id: "query-escapes",
  title: "fw can follow each query to where it is read",
  *app({ queries }) {
    for (const fault of queries.faults) {
      if (fault.kind !== "escape") continue;
      yield {
        at: fault.at,
        message: `fw cannot follow this query further: it ${fault.how}`,
        hint: fault.unknown
          ? "start the query with the entity's name, such as orders.query(), or pass the entity to a function of this application, or to a class that keeps it in a readonly field"
          : "end it with all, first, count, page or each where you build it, or pass it to a function of this application",
        related: [{ at: fault.begins, message: "the query begins here" }],
      };
    }
  },
};
