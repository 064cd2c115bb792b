import type { Rule } from "../../rule.ts";

export const queryEscapes: Rule = {
  id: "query-escapes",
  title: "A query stays where its indexes can be traced",
  *app({ queries }) {
    for (const fault of queries.faults) {
      if (fault.kind !== "escape") continue;
      yield {
        at: fault.at,
        message: `the trail of this query is lost here: it ${fault.how}`,
        hint: fault.unknown
          ? "begin the query with the entity's own name, such as orders.query(), or pass the entity to a function of this application"
          : "end it with all, first, count, page or each where it is put together, or pass it to a function of this application",
        related: [{ at: fault.begins, message: "the query begins here" }],
      };
    }
  },
};
