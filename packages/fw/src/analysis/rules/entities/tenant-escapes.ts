import type { Rule } from "../../rule.ts";

export const tenantEscapes: Rule = {
  id: "tenant-escapes",
  title: "Data stays inside its tenant",
  *app({ tenantEscapes }) {
    yield* tenantEscapes;
  },
};
