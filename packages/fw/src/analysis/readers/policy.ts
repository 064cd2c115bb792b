import type { Policy } from "../../model/auth.ts";
import type { DeclarationBase } from "../../model/declaration-ref.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { DeclarationReader } from "./declaration-reader.ts";
import type { EndpointTypes } from "./endpoint.ts";
import type { Located } from "./declaration-syntax.ts";
import { readNamedReference, type NamedReference } from "./reference.ts";
import { isText, readConstant, spanIn, type CallSource } from "./source.ts";

export interface ParsedPolicy extends DeclarationBase<"policy"> {
  /** The request type of a Policy, once it is read. The type of its result is not read. */
  readonly types?: EndpointTypes;
  /** The arguments of a RequireRole, and the location of its callee. */
  readonly required?: { readonly at: Span; readonly roles: readonly Located<NamedReference>[] };
  /** The arguments of a RequireMember. */
  readonly member?: { readonly tenant: Located<NamedReference>; readonly roles: readonly Located<string>[] };
}

/** Reads `RequireMember(tenant, …roles)`, `Policy(decide)` and `RequireRole(…roles)`. */
export const policy: DeclarationReader<ParsedPolicy, Policy> = {
  read(source) {
    const { call, name } = source;
    if (name === "RequireMember") return { member: readMember(source) };
    if (name !== "RequireRole") return {};
    const roles = call.arguments.map((argument) => readNamedReference(source, argument, "Role"));
    return { required: { at: spanIn(source, call.callee), roles } };
  },
  model({ required, member, types }) {
    const roles = required?.roles.flatMap(({ value }) => value?.name ?? []);
    const fields = (types?.request.shape.bound ?? []).map(({ property }) => property);
    const memberRoles = member?.roles.flatMap(({ value }) => value ?? []) ?? [];
    const tenant = member?.tenant.value?.name;
    return {
      ...(roles && { roles }),
      ...(tenant !== undefined && { tenant }),
      ...(memberRoles.length > 0 && { memberRoles }),
      ...(fields.length > 0 && { fields }),
    };
  },
};

function readMember(source: CallSource): NonNullable<ParsedPolicy["member"]> {
  const [tenant = source.call, ...roles] = source.call.arguments;
  return {
    tenant: readNamedReference(source, tenant, "Tenant"),
    roles: roles.map((node) => readConstant(source, node, isText)),
  };
}
