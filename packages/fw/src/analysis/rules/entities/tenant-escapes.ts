import type { Rule } from "../../rule.ts";

export const tenantEscapes: Rule = {
  id: "tenant-escapes",
  title: "Data stays inside of its tenants",
  *app({ tenantEscapes }) {
    yield* tenantEscapes;
  },
};
