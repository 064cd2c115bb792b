import type { Rule } from "../../rule.ts";
import { notConstant } from "../phrases.ts";

export const constQueryField: Rule = {
  id: "const-query-field",
  title: "The fields and operators of a query are constants",
  *app({ queries }) {
    for (const fault of queries.faults) {
      if (fault.kind !== "constant") continue;
      const what = fault.what === "field" ? "the field of this query" : "the operator of this filter";
      yield notConstant(what, fault.reading, hints[fault.what]);
    }
  },
};

const hints = {
  field: "write the field's name, and one query for each field that it could be",
  operator: 'write the operator, such as "==", and one query for each that it could be',
} as const;
