import type { Rule } from "../../rule.ts";
import { notConstant } from "../phrases.ts";

export const constQueryField: Rule = {
  id: "const-query-field",
  title: "The fields and operators of a query are constants",
  *app({ queries }) {
    for (const fault of queries.faults) {
      if (fault.kind !== "constant") continue;
      yield fault.what === "sorts"
        ? { at: fault.at, message: "the sorts of this query are not an object literal", hint: hints.sorts }
        : notConstant(subjects[fault.what], fault.reading, hints[fault.what]);
    }
  },
};

const subjects = {
  field: "the field of this query",
  operator: "the operator of this filter",
} as const;

const hints = {
  field: "write the field's name, with a separate query for each possible field",
  operator: 'write the operator, such as "==", with a separate query for each possible operator',
  sorts: 'write them in the call: { newest: { placed: "desc" } }',
} as const;
