import type { Rule } from "../../rule.ts";

export const tenantEscapes: Rule = {
  id: "tenant-escapes",
  title:
    "Code uses a tenant's data only inside that tenant, and each entity, bucket and feed says whether it has tenants",
  *app({ tenantEscapes }) {
    yield* tenantEscapes;
  },
};
