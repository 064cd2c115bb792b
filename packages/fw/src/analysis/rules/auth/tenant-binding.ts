import { isSeparable, tenantSettingOf } from "../../readers/separation.ts";
import type { ParsedTenant } from "../../readers/tenant.ts";
import type { Finding, Rule } from "../../rule.ts";
import { notNamed } from "../not-named.ts";
import { notConstant } from "../phrases.ts";

export const tenantBinding: Rule = {
  id: "tenant-binding",
  title: "A `Tenant` reads one bound field, the id of the tenant; gates and data name it by its constant",
  *declaration(read) {
    if (read.kind === "tenant") yield* idField(read);
    if (read.kind === "policy" && read.member) {
      const { tenant, roles } = read.member;
      if (tenant.value) yield* notNamed(tenant.value.reference, tenant.at, requirement);
      for (const role of roles)
        if (role.value === undefined)
          yield notConstant("the role of members", role, 'write a literal, such as "admin"');
    }
    if (isSeparable(read)) {
      const setting = tenantSettingOf(read);
      if (typeof setting?.value === "object") yield* notNamed(setting.value.reference, setting.at, requirement);
    }
  },
};

const requirement = { noun: "a tenant", example: 'export const orgs = Tenant("orgs", …)' };

/** Reports a Tenant unless its function reads exactly one field: a required string. */
function* idField({ types, declaration, text }: ParsedTenant): Iterable<Finding> {
  const bound = types?.request.shape.bound;
  const [first, second] = bound ?? [];
  if (bound === undefined || (first && !second && first.type.kind === "string" && !first.list && !first.optional))
    return;
  yield {
    at: second?.at ?? first?.at ?? text.at,
    message: `${declaration.variable} finds memberships by one bound string, the id of the tenant, ${first === undefined ? "but reads none" : second ? "but reads several fields" : "but reads another value"}`,
    hint: "write (ctx, user, { org }: { org: Path }) => …",
  };
}
